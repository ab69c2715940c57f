/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host that a request is for: what it names, whether that can be one at
 * all, and whether the app answers for it.
 */

#include "ngx_http_selkie_module.h"
#include "url/url.h"


/*
 * An absolute target names the host itself, and a Host header beside it counts
 * for nothing (RFC 9112, 3.2.2): else app.host would look at the one and the
 * handler at the other.
 */

void
ngx_http_selkie_own_host(ngx_http_request_t *r)
{
    u_char  *end;

    if (r->host_start == NULL || r->headers_in.host == NULL
        || r != r->main)
    {
        return;
    }

    end = r->port_end ? r->port_end : r->host_end;

    r->headers_in.host->value.data = r->host_start;
    r->headers_in.host->value.len = end - r->host_start;
}


/*
 * A Host that no URL could have (a port beyond 65535, a space, a "@") is a
 * mistake of the client's, and a handler never sees it. No Host at all is fine,
 * as HTTP/1.0 has it. Requests come with the same Host again and again, so the
 * last one that passed is kept.
 */

ngx_int_t
ngx_http_selkie_host_valid(ngx_http_request_t *r)
{
    u_char         *p, *url;
    ngx_str_t      *host;
    struct sk_url   parsed;

    static size_t   len;
    static u_char   known[256];

    if (r->headers_in.host == NULL) {
        return 1;
    }

    host = &r->headers_in.host->value;

    if (host->len == len && ngx_memcmp(host->data, known, len) == 0) {
        return 1;
    }

    for (p = host->data; p < host->data + host->len; p++) {
        if (ngx_strchr("/\\?#@", *p) || *p <= ' ') {
            return 0;
        }
    }

    url = ngx_pnalloc(r->pool, sizeof("http://") - 1 + host->len);
    if (url == NULL) {
        return 0;
    }

    p = ngx_cpymem(url, "http://", sizeof("http://") - 1);
    p = ngx_cpymem(p, host->data, host->len);

    if (sk_url_parse(&parsed, (char *) url, p - url, NULL) != 0) {
        return 0;
    }

    sk_url_fini(&parsed);

    if (host->len && host->len <= sizeof(known)) {
        len = host->len;
        ngx_memcpy(known, host->data, len);
    }

    return 1;
}


ngx_int_t
ngx_http_selkie_host_allowed(ngx_http_request_t *r,
    ngx_http_selkie_app_t *app)
{
    ngx_str_t   *host, *server;
    ngx_uint_t   i;

    if (app->any_host) {
        return 1;
    }

    host = app->hosts.elts;
    server = &r->headers_in.server;

    for (i = 0; i < app->hosts.nelts; i++) {
        if (host[i].len == server->len
            && ngx_strncasecmp(host[i].data, server->data, server->len) == 0)
        {
            return 1;
        }
    }

    return 0;
}
