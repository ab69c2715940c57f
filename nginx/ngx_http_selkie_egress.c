/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What nginx.conf says about outbound calls: where names are, which authority
 * is trusted, what is logged. It goes to the supervisor with the apps.
 */

#include "ngx_http_selkie_module.h"

#include "address/resolve.h"

#include <jansson.h>


char *
ngx_http_selkie_resolve(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_selkie_main_conf_t  *smcf = conf;

    char         error[512];
    ngx_str_t   *value, *to;
    ngx_uint_t   i;

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        if (sk_resolve_check((char *) value[i].data, error, sizeof(error))) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\" %s", &cmd->name,
                               error);
            return NGX_CONF_ERROR;
        }

        to = ngx_array_push(&smcf->resolve);
        if (to == NULL) {
            return NGX_CONF_ERROR;
        }

        *to = value[i];
    }

    return NGX_CONF_OK;
}


char *
ngx_http_selkie_ca_file(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_selkie_main_conf_t  *smcf = conf;

    ngx_fd_t    fd;
    ngx_str_t  *value;

    if (smcf->ca_file.len) {
        return "is duplicate";
    }

    value = cf->args->elts;
    smcf->ca_file = value[1];

    if (ngx_conf_full_name(cf->cycle, &smcf->ca_file, 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    fd = ngx_open_file(smcf->ca_file.data, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);

    if (fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           "\"%V\" cannot open \"%V\"", &cmd->name,
                           &smcf->ca_file);
        return NGX_CONF_ERROR;
    }

    ngx_close_file(fd);

    return NGX_CONF_OK;
}


char *
ngx_http_selkie_egress_json(ngx_http_selkie_main_conf_t *smcf)
{
    char        *text;
    json_t      *root, *list;
    ngx_str_t   *value;
    ngx_uint_t   i;

    list = json_array();
    value = smcf->resolve.elts;

    for (i = 0; i < smcf->resolve.nelts; i++) {
        if (json_array_append_new(list, json_string((char *) value[i].data))) {
            json_decref(list);
            return NULL;
        }
    }

    root = json_pack("{s:o, s:s?, s:b}", "resolve", list, "caFile",
                     smcf->ca_file.len ? (char *) smcf->ca_file.data : NULL,
                     "audit", (int) smcf->audit);

    text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);

    return text;
}
