/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers of a response. They come from a process that nobody trusts: a
 * name must be a token, a value may hold no control character, and what
 * belongs to the connection (or is nginx's to write, as Content-Length) is
 * left out. Headers that nginx's own filters look at go where these look.
 */

#include "ngx_http_selkie_module.h"


const char  ngx_http_selkie_no_memory[] = "no memory";


typedef ngx_int_t (*ngx_http_selkie_header_pt)(ngx_http_request_t *r,
    ngx_str_t *value);

typedef struct {
    ngx_str_t                  name;
    ngx_http_selkie_header_pt  handler;     /* takes the value itself, or */
    size_t                     slot;        /* where a pointer to it goes */
} ngx_http_selkie_header_t;


static ngx_int_t ngx_http_selkie_skip(ngx_http_request_t *r,
    ngx_str_t *value);
static ngx_int_t ngx_http_selkie_content_type(ngx_http_request_t *r,
    ngx_str_t *value);


static ngx_http_selkie_header_t  ngx_http_selkie_known[] = {

    { ngx_string("content-type"), ngx_http_selkie_content_type, 0 },
    { ngx_string("content-length"), ngx_http_selkie_skip, 0 },

    { ngx_string("server"), NULL,
      offsetof(ngx_http_headers_out_t, server) },
    { ngx_string("date"), NULL,
      offsetof(ngx_http_headers_out_t, date) },
    { ngx_string("content-encoding"), NULL,
      offsetof(ngx_http_headers_out_t, content_encoding) },
    { ngx_string("last-modified"), NULL,
      offsetof(ngx_http_headers_out_t, last_modified) },
    { ngx_string("accept-ranges"), NULL,
      offsetof(ngx_http_headers_out_t, accept_ranges) },
    { ngx_string("expires"), NULL,
      offsetof(ngx_http_headers_out_t, expires) },
    { ngx_string("etag"), NULL,
      offsetof(ngx_http_headers_out_t, etag) },

    { ngx_null_string, NULL, 0 }
};


static ngx_int_t
ngx_http_selkie_skip(ngx_http_request_t *r, ngx_str_t *value)
{
    return NGX_OK;
}


static ngx_int_t
ngx_http_selkie_content_type(ngx_http_request_t *r, ngx_str_t *value)
{
    u_char  *p;
    size_t   len;

    r->headers_out.content_type = *value;
    r->headers_out.content_type_lowcase = NULL;

    p = ngx_strlchr(value->data, value->data + value->len, ';');
    len = p ? (size_t) (p - value->data) : value->len;

    while (len && value->data[len - 1] == ' ') {
        len--;
    }

    r->headers_out.content_type_len = len;

    return NGX_OK;
}


static ngx_int_t
ngx_http_selkie_token(const unsigned char *p, size_t len)
{
    size_t  i;

    if (len == 0) {
        return 0;
    }

    for (i = 0; i < len; i++) {
        if ((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z')
            || (p[i] >= '0' && p[i] <= '9')
            || (p[i] && strchr("-_!#$%&'*+.^`|~", p[i]) != NULL))
        {
            continue;
        }

        return 0;
    }

    return 1;
}


static ngx_int_t
ngx_http_selkie_value(const unsigned char *p, size_t len)
{
    size_t  i;

    for (i = 0; i < len; i++) {
        if ((p[i] < 0x20 && p[i] != '\t') || p[i] == 0x7f) {
            return 0;
        }
    }

    return 1;
}


static ngx_int_t
ngx_http_selkie_header_set(ngx_http_request_t *r, ngx_str_t *name,
    ngx_str_t *value)
{
    ngx_table_elt_t            *h, **slot;
    ngx_http_selkie_header_t   *known;

    for (known = ngx_http_selkie_known; known->name.len; known++) {
        if (known->name.len == name->len
            && ngx_strncasecmp(known->name.data, name->data, name->len) == 0)
        {
            break;
        }
    }

    if (known->handler) {
        return known->handler(r, value);
    }

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    h->hash = 1;
    h->key = *name;
    h->value = *value;
    h->lowcase_key = name->data;

    if (known->name.len) {
        slot = (ngx_table_elt_t **) ((char *) &r->headers_out + known->slot);

        if (*slot) {
            (*slot)->hash = 0;
        }

        *slot = h;
    }

    return NGX_OK;
}


const char *
ngx_http_selkie_headers(ngx_http_request_t *r, struct sk_cursor *cursor,
    uint32_t count)
{
    uint32_t         i;
    ngx_str_t        name, value;
    struct sk_bytes  n, v;

    for (i = 0; i < count; i++) {

        if (sk_cursor_pair(cursor, &n, &v) != 0) {
            return "headers longer than their frame";
        }

        if (!ngx_http_selkie_token(n.data, n.length)) {
            return "bad byte in a header name";
        }

        if (!ngx_http_selkie_value(v.data, v.length)) {
            return "bad byte in a header value";
        }

        if (ngx_http_selkie_hop_by_hop(n.data, n.length)) {
            continue;
        }

        name.data = (u_char *) n.data;
        name.len = n.length;
        value.data = (u_char *) v.data;
        value.len = v.length;

        if (ngx_http_selkie_header_set(r, &name, &value) != NGX_OK) {
            return ngx_http_selkie_no_memory;
        }
    }

    return NULL;
}
