/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which route a request belongs to. Patterns see the path as the client sent
 * it (lib/match decodes it segment by segment), unless nginx.conf rewrote it.
 */

#include "ngx_http_selkie_module.h"


/* `target` is the path with its query, `path` the part before the query. */

ngx_int_t
ngx_http_selkie_target(ngx_http_request_t *r, ngx_str_t *target,
    ngx_str_t *path)
{
    u_char  *p;
    size_t   len, escape;

    if (r->valid_unparsed_uri && r->unparsed_uri.len
        && r->unparsed_uri.data[0] == '/')
    {
        *target = r->unparsed_uri;

        p = ngx_strlchr(target->data, target->data + target->len, '#');
        if (p) {
            target->len = p - target->data;
        }

        *path = *target;

        p = ngx_strlchr(path->data, path->data + path->len, '?');
        if (p) {
            path->len = p - path->data;
        }

        return NGX_OK;
    }

    escape = 2 * ngx_escape_uri(NULL, r->uri.data, r->uri.len,
                                NGX_ESCAPE_URI);
    len = r->uri.len + escape + 1 + r->args.len;

    p = ngx_pnalloc(r->pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    target->data = p;
    path->data = p;

    p = (u_char *) ngx_escape_uri(p, r->uri.data, r->uri.len, NGX_ESCAPE_URI);
    path->len = p - path->data;

    if (r->args.len) {
        *p++ = '?';
        p = ngx_cpymem(p, r->args.data, r->args.len);
    }

    target->len = p - target->data;

    return NGX_OK;
}


/* The params of a match, as the REQUEST frame has them. */

static ngx_int_t
ngx_http_selkie_params(ngx_http_request_t *r, struct sk_param *param,
    size_t count, ngx_str_t *out)
{
    size_t          i, len;
    unsigned char  *p;

    len = 0;

    for (i = 0; i < count; i++) {
        len += sizeof(struct sk_pair) + param[i].name_len
               + param[i].value_len;
    }

    p = ngx_pnalloc(r->pool, len ? len : 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    out->data = p;
    out->len = len;

    for (i = 0; i < count; i++) {
        p = sk_pair_write(p, param[i].name, param[i].name_len,
                          param[i].value, param[i].value_len);
    }

    return NGX_OK;
}


static ngx_http_selkie_ctx_t *
ngx_http_selkie_ctx_new(ngx_http_request_t *r, ngx_http_selkie_route_t *route,
    ngx_str_t *target)
{
    ngx_http_selkie_ctx_t  *ctx;

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_selkie_ctx_t));

    if (ctx) {
        ctx->request = r;
        ctx->route = route;
        ctx->target = *target;
    }

    return ctx;
}


/*
 * Most requests are for a route without anything to capture and come with a
 * plain path: equal bytes match, whatever else would.
 */

static ngx_int_t
ngx_http_selkie_same(ngx_http_selkie_route_t *route, ngx_str_t *path)
{
    return route->literal
           && route->text.len == path->len
           && ngx_memcmp(route->text.data, path->data, path->len) == 0;
}


ngx_int_t
ngx_http_selkie_route(ngx_http_request_t *r, ngx_http_selkie_app_t *app,
    ngx_str_t *target, ngx_str_t *path, ngx_http_selkie_ctx_t **ctx)
{
    size_t                    count;
    ngx_int_t                 rc;
    ngx_uint_t                i, split, found;
    struct sk_path            parts;
    struct sk_param           param[SK_MATCH_PARAMS];
    ngx_http_selkie_route_t  *route;

    route = app->routes.elts;
    split = 0;
    count = 0;

    for (i = 0; i < app->routes.nelts; i++) {

        if (route[i].method.len != r->method_name.len
            || ngx_memcmp(route[i].method.data, r->method_name.data,
                          r->method_name.len)
               != 0)
        {
            continue;
        }

        if (ngx_http_selkie_same(&route[i], path)) {
            break;
        }

        if (!split) {
            if (sk_path_init(&parts, (char *) path->data, path->len) != 0) {
                return NGX_DECLINED;
            }

            split = 1;
        }

        if (sk_pattern_match(route[i].pattern, &parts, param, &count) == 1) {
            break;
        }

        count = 0;
    }

    found = i < app->routes.nelts;
    rc = found ? NGX_OK : NGX_DECLINED;

    if (found) {
        *ctx = ngx_http_selkie_ctx_new(r, &route[i], target);

        if (*ctx == NULL) {
            rc = NGX_HTTP_INTERNAL_SERVER_ERROR;

        } else if (count) {
            (*ctx)->nparams = count;

            if (ngx_http_selkie_params(r, param, count, &(*ctx)->params)
                != NGX_OK)
            {
                rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
            }
        }
    }

    if (split) {
        sk_path_fini(&parts);
    }

    return rc;
}
