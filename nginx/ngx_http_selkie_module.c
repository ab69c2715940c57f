/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directives, configuration and the content handler of the gateway.
 *
 * `selkie_app` makes its location (or, on the server level, every request that
 * no location takes) a content handler, so whatever nginx does before that
 * phase (limits, access, authentication) stays in the hands of nginx.conf.
 */

#include "ngx_http_selkie_module.h"

#include <dlfcn.h>


#define NGX_HTTP_SELKIE_BIN         "/../../bin/selkie"
#define NGX_HTTP_SELKIE_SUPERVISOR  "/../../libexec/selkie/selkie-supervisor"


static void *ngx_http_selkie_create_main_conf(ngx_conf_t *cf);
static char *ngx_http_selkie_init_main_conf(ngx_conf_t *cf, void *conf);
static void *ngx_http_selkie_create_loc_conf(ngx_conf_t *cf);
static char *ngx_http_selkie_merge_loc_conf(ngx_conf_t *cf, void *parent,
    void *child);
static ngx_int_t ngx_http_selkie_add_variables(ngx_conf_t *cf);
static ngx_int_t ngx_http_selkie_route_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static char *ngx_http_selkie_app(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_selkie_early(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_int_t ngx_http_selkie_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_selkie_init_module(ngx_cycle_t *cycle);
static ngx_int_t ngx_http_selkie_init_process(ngx_cycle_t *cycle);
static void ngx_http_selkie_exit_process(ngx_cycle_t *cycle);


static ngx_conf_enum_t  ngx_http_selkie_log_formats[] = {
    { ngx_string("text"), 0 },
    { ngx_string("json"), 1 },
    { ngx_null_string, 0 }
};


static ngx_command_t  ngx_http_selkie_commands[] = {

    { ngx_string("selkie_app"),
      NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE12,
      ngx_http_selkie_app,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("selkie_path"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_selkie_early,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_selkie_main_conf_t, selkie),
      NULL },

    { ngx_string("selkie_supervisor_path"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_selkie_early,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_selkie_main_conf_t, supervisor),
      NULL },

    { ngx_string("selkie_worker_user"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_str_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_selkie_main_conf_t, worker_user),
      NULL },

    { ngx_string("selkie_log"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_enum_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_selkie_main_conf_t, log_format),
      &ngx_http_selkie_log_formats },

    { ngx_string("selkie_drain_timeout"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_msec_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_selkie_main_conf_t, drain_timeout),
      NULL },

    { ngx_string("selkie_resolve"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_1MORE,
      ngx_http_selkie_resolve,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("selkie_ca_file"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_selkie_ca_file,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("selkie_audit"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_selkie_main_conf_t, audit),
      NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_selkie_module_ctx = {
    ngx_http_selkie_add_variables,         /* preconfiguration */
    NULL,                                  /* postconfiguration */

    ngx_http_selkie_create_main_conf,      /* create main configuration */
    ngx_http_selkie_init_main_conf,        /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    ngx_http_selkie_create_loc_conf,       /* create location configuration */
    ngx_http_selkie_merge_loc_conf         /* merge location configuration */
};


ngx_module_t  ngx_http_selkie_module = {
    NGX_MODULE_V1,
    &ngx_http_selkie_module_ctx,           /* module context */
    ngx_http_selkie_commands,              /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    ngx_http_selkie_init_module,           /* init module */
    ngx_http_selkie_init_process,          /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    ngx_http_selkie_exit_process,          /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


/* what nginx looks up in a dynamic module */

ngx_module_t  *ngx_modules[] = { &ngx_http_selkie_module, NULL };
char          *ngx_module_names[] = { "ngx_http_selkie_module", NULL };
char          *ngx_module_order[] = { NULL };


static ngx_str_t  ngx_http_selkie_route_name = ngx_string("selkie_route");


/* The installed tree is found from where this module's own file lies. */

static ngx_int_t
ngx_http_selkie_beside(ngx_conf_t *cf, ngx_str_t *path, const char *relative)
{
    char     real[PATH_MAX], joined[PATH_MAX], *slash;
    size_t   len;
    Dl_info  info;

    if (dladdr(&ngx_http_selkie_module, &info) == 0
        || realpath(info.dli_fname, real) == NULL)
    {
        return NGX_ERROR;
    }

    slash = strrchr(real, '/');
    if (slash == NULL) {
        return NGX_ERROR;
    }

    *slash = '\0';

    if (snprintf(joined, sizeof(joined), "%s%s", real, relative)
        >= (int) sizeof(joined))
    {
        return NGX_ERROR;
    }

    if (realpath(joined, real) == NULL) {
        ngx_memcpy(real, joined, sizeof(real));
    }

    len = strlen(real);

    path->data = ngx_pnalloc(cf->pool, len + 1);
    if (path->data == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(path->data, real, len + 1);
    path->len = len;

    return NGX_OK;
}


static void *
ngx_http_selkie_create_main_conf(ngx_conf_t *cf)
{
    ngx_http_selkie_main_conf_t  *smcf;

    smcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_selkie_main_conf_t));
    if (smcf == NULL) {
        return NULL;
    }

    if (ngx_array_init(&smcf->apps, cf->pool, 4,
                       sizeof(ngx_http_selkie_app_t *))
        != NGX_OK
        || ngx_array_init(&smcf->resolve, cf->pool, 4, sizeof(ngx_str_t))
           != NGX_OK)
    {
        return NULL;
    }

    smcf->log_format = NGX_CONF_UNSET_UINT;
    smcf->drain_timeout = NGX_CONF_UNSET_MSEC;
    smcf->audit = NGX_CONF_UNSET;

    if (ngx_http_selkie_beside(cf, &smcf->selkie, NGX_HTTP_SELKIE_BIN)
        != NGX_OK
        || ngx_http_selkie_beside(cf, &smcf->supervisor,
                                  NGX_HTTP_SELKIE_SUPERVISOR)
           != NGX_OK)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "cannot find out where the selkie module lies");
        return NULL;
    }

    return smcf;
}


static char *
ngx_http_selkie_init_main_conf(ngx_conf_t *cf, void *conf)
{
    ngx_http_selkie_main_conf_t  *smcf = conf;

    ngx_conf_init_uint_value(smcf->log_format, 0);
    ngx_conf_init_msec_value(smcf->drain_timeout, 0);
    ngx_conf_init_value(smcf->audit, 0);

    return NGX_CONF_OK;
}


static void *
ngx_http_selkie_create_loc_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_selkie_loc_conf_t));
}


static char *
ngx_http_selkie_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_selkie_loc_conf_t  *slcf = child;

    ngx_http_core_loc_conf_t  *clcf;

    if (slcf->app) {

        /* the app's own limits.body holds, per route, with our 413 */

        clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
        clcf->client_max_body_size = 0;
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_selkie_add_variables(ngx_conf_t *cf)
{
    ngx_http_variable_t  *var;

    var = ngx_http_add_variable(cf, &ngx_http_selkie_route_name, 0);
    if (var == NULL) {
        return NGX_ERROR;
    }

    var->get_handler = ngx_http_selkie_route_variable;

    return NGX_OK;
}


static ngx_int_t
ngx_http_selkie_route_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_selkie_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_selkie_module);

    if (ctx == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->data = ctx->route->label.data;
    v->len = ctx->route->label.len;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    return NGX_OK;
}


/* Directives that apps loaded before would have missed. */

static char *
ngx_http_selkie_early(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_selkie_main_conf_t  *smcf = conf;

    ngx_str_t  *field, *value;

    if (smcf->apps.nelts) {
        return "must stand before the first \"selkie_app\"";
    }

    field = (ngx_str_t *) ((char *) conf + cmd->offset);
    value = cf->args->elts;

    *field = value[1];

    if (ngx_conf_full_name(cf->cycle, field, 0) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_selkie_app(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_selkie_loc_conf_t  *slcf = conf;

    ngx_str_t                    *value, file, data;
    ngx_http_core_loc_conf_t     *clcf;
    ngx_http_selkie_main_conf_t  *smcf;

    if (slcf->app) {
        return "is duplicate";
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (cf->cmd_type == NGX_HTTP_LOC_CONF
        && (clcf->named || clcf->noname
#if (NGX_PCRE)
            || clcf->regex
#endif
           ))
    {
        return "works on the server level and in locations given by a "
               "prefix, not in a regex or named location";
    }

    value = cf->args->elts;
    file = value[1];
    ngx_str_null(&data);

    if (ngx_conf_full_name(cf->cycle, &file, 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    if (cf->args->nelts == 3) {

        if (value[2].len <= 5 || ngx_strncmp(value[2].data, "data=", 5) != 0) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\"", &value[2]);
            return NGX_CONF_ERROR;
        }

        data.data = value[2].data + 5;
        data.len = value[2].len - 5;

        if (ngx_conf_full_name(cf->cycle, &data, 1) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    smcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_selkie_module);

    slcf->app = ngx_http_selkie_app_load(cf, smcf, &file, &data);
    if (slcf->app == NULL) {
        return NGX_CONF_ERROR;
    }

    clcf->handler = ngx_http_selkie_handler;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_selkie_handler(ngx_http_request_t *r)
{
    ngx_int_t                    rc;
    ngx_str_t                    target, path;
    ngx_http_selkie_ctx_t       *ctx;
    ngx_http_selkie_loc_conf_t  *slcf;

    slcf = ngx_http_get_module_loc_conf(r, ngx_http_selkie_module);

    ngx_http_selkie_own_host(r);

    if (!ngx_http_selkie_host_valid(r)) {
        return ngx_http_selkie_error(r, NGX_HTTP_BAD_REQUEST);
    }

    if (!ngx_http_selkie_host_allowed(r, slcf->app)) {
        return ngx_http_selkie_not_found(r);
    }

    if (ngx_http_selkie_target(r, &target, &path) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_selkie_route(r, slcf->app, &target, &path, &ctx);

    if (rc == NGX_OK) {
        ngx_http_set_ctx(r, ctx, ngx_http_selkie_module);
        return ngx_http_selkie_begin(ctx);
    }

    if (rc == NGX_DECLINED) {
        rc = ngx_http_selkie_static_handler(r, slcf->app);
    }

    return rc == NGX_DECLINED ? ngx_http_selkie_not_found(r) : rc;
}


static ngx_int_t
ngx_http_selkie_init_module(ngx_cycle_t *cycle)
{
    ngx_http_selkie_main_conf_t  *smcf;

    if (ngx_test_config || ngx_process == NGX_PROCESS_SIGNALLER) {
        return NGX_OK;
    }

    smcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_selkie_module);

    return smcf ? ngx_http_selkie_supervisor_start(cycle, smcf) : NGX_OK;
}


static ngx_int_t
ngx_http_selkie_init_process(ngx_cycle_t *cycle)
{
    ngx_http_selkie_main_conf_t  *smcf;

    if (ngx_process != NGX_PROCESS_WORKER
        && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    smcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_selkie_module);

    if (smcf == NULL || smcf->apps.nelts == 0) {
        return NGX_OK;
    }

    ngx_http_selkie_loop_init(cycle);

    return ngx_http_selkie_connect(cycle);
}


static void
ngx_http_selkie_exit_process(ngx_cycle_t *cycle)
{
    ngx_http_selkie_process_t  *process;

    while ((process = ngx_http_selkie_process_next(NULL)) != NULL) {
        if (sk_ring_publish(&process->area.out)) {
            ngx_http_selkie_wake_process(process);
        }

        ngx_http_selkie_process_close(process);
    }

    ngx_http_selkie_disconnect();
}
