/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plain text replies. They say what a client may know: the reason why a
 * handler failed is in the log.
 */

#include "ngx_http_selkie_module.h"


static ngx_str_t  ngx_http_selkie_type =
    ngx_string("text/plain;charset=utf-8");


ngx_int_t
ngx_http_selkie_text(ngx_http_request_t *r, ngx_uint_t status,
    ngx_str_t *text)
{
    ngx_int_t         rc;
    ngx_buf_t        *b;
    ngx_chain_t       out;
    ngx_table_elt_t  *allow;

    if (r->header_sent) {
        return NGX_ERROR;
    }

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        r->keepalive = 0;
    }

    if (status == NGX_HTTP_REQUEST_ENTITY_TOO_LARGE) {

        /* what the client goes on sending is read and thrown away a while */

        r->keepalive = 0;
        r->lingering_close = 1;
    }

    if (status == NGX_HTTP_NOT_ALLOWED) {
        allow = ngx_list_push(&r->headers_out.headers);
        if (allow == NULL) {
            return NGX_ERROR;
        }

        allow->hash = 1;
        ngx_str_set(&allow->key, "Allow");
        ngx_str_set(&allow->value, "GET, HEAD");
    }

    r->headers_out.status = status;
    r->headers_out.content_length_n = text->len;
    r->headers_out.content_type = ngx_http_selkie_type;
    r->headers_out.content_type_len = sizeof("text/plain") - 1;
    r->headers_out.content_type_lowcase = NULL;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        return NGX_ERROR;
    }

    b->pos = text->data;
    b->last = text->data + text->len;
    b->memory = text->len ? 1 : 0;
    b->last_buf = (r == r->main) ? 1 : 0;
    b->last_in_chain = 1;

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


static ngx_int_t
ngx_http_selkie_path_text(ngx_http_request_t *r, ngx_uint_t status,
    const char *what, ngx_str_t *path)
{
    ngx_str_t  text;

    text.data = ngx_pnalloc(r->pool, ngx_strlen(what) + path->len + 1);
    if (text.data == NULL) {
        return NGX_ERROR;
    }

    text.len = ngx_sprintf(text.data, "%s%V\n", what, path) - text.data;

    return ngx_http_selkie_text(r, status, &text);
}


static ngx_int_t
ngx_http_selkie_path(ngx_http_request_t *r, ngx_str_t *path)
{
    ngx_str_t  target;

    return ngx_http_selkie_target(r, &target, path);
}


ngx_int_t
ngx_http_selkie_error(ngx_http_request_t *r, ngx_uint_t status)
{
    ngx_str_t  text, path;

    if (r->header_sent) {
        return NGX_ERROR;
    }

    switch (status) {

    case NGX_HTTP_MOVED_PERMANENTLY:
        ngx_str_set(&text, "Moved Permanently\n");
        break;

    case NGX_HTTP_BAD_REQUEST:
        ngx_str_set(&text, "Bad Request\n");
        break;

    case NGX_HTTP_NOT_ALLOWED:
        ngx_str_set(&text, "Method Not Allowed\n");
        break;

    case NGX_HTTP_REQUEST_ENTITY_TOO_LARGE:
        ngx_str_set(&text, "Content Too Large\n");
        break;

    case NGX_HTTP_REQUEST_HEADER_TOO_LARGE:
        status = 431;
        ngx_str_set(&text, "Request Header Fields Too Large\n");
        break;

    case NGX_HTTP_BAD_GATEWAY:
        ngx_str_set(&text, "Bad Gateway\n");
        break;

    case NGX_HTTP_GATEWAY_TIME_OUT:
        ngx_str_set(&text, "Gateway Timeout\n");
        break;

    case NGX_HTTP_TOO_MANY_REQUESTS:
        status = NGX_HTTP_SERVICE_UNAVAILABLE;
        ngx_str_set(&text, "route over its limit: concurrency\n");
        break;

    case NGX_HTTP_SERVICE_UNAVAILABLE:
        if (ngx_http_selkie_path(r, &path) != NGX_OK) {
            return NGX_ERROR;
        }

        return ngx_http_selkie_path_text(r, status, "route not available: ",
                                         &path);

    default:
        status = NGX_HTTP_INTERNAL_SERVER_ERROR;
        ngx_str_set(&text, "Internal Server Error\n");
        break;
    }

    return ngx_http_selkie_text(r, status, &text);
}


/* "METHOD ORIGIN PATH" of a request that nothing answers. */

ngx_int_t
ngx_http_selkie_not_found(ngx_http_request_t *r)
{
    u_char     addr[NGX_SOCKADDR_STRLEN];
    ngx_str_t  text, target, path, host;

    if (r->headers_in.host && r->headers_in.host->value.len) {
        host = r->headers_in.host->value;

    } else if (r->headers_in.server.len) {
        host = r->headers_in.server;

    } else {
        host.data = addr;
        host.len = NGX_SOCKADDR_STRLEN;

        if (ngx_connection_local_sockaddr(r->connection, &host, 1) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (ngx_http_selkie_target(r, &target, &path) != NGX_OK) {
        return NGX_ERROR;
    }

    text.data = ngx_pnalloc(r->pool, sizeof("route not found:  https:// \n")
                                     + r->method_name.len + host.len
                                     + path.len);
    if (text.data == NULL) {
        return NGX_ERROR;
    }

    text.len = ngx_sprintf(text.data, "route not found: %V %s://%V %V\n",
                           &r->method_name,
                           ngx_http_selkie_secure(r) ? "https" : "http",
                           &host, &path)
               - text.data;

    return ngx_http_selkie_text(r, NGX_HTTP_NOT_FOUND, &text);
}
