/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The REQUEST frame. It is written straight into the ring: measured first,
 * then reserved, then filled in.
 */

#include "ngx_http_selkie_module.h"


static ngx_str_t  ngx_http_selkie_hop[] = {
    ngx_string("connection"),
    ngx_string("keep-alive"),
    ngx_string("proxy-connection"),
    ngx_string("te"),
    ngx_string("trailer"),
    ngx_string("transfer-encoding"),
    ngx_string("upgrade"),
    ngx_string("expect"),
    ngx_null_string
};


/* Headers that are between the client and nginx, or nginx and us. */

ngx_int_t
ngx_http_selkie_hop_by_hop(const u_char *name, size_t len)
{
    ngx_str_t  *hop;

    for (hop = ngx_http_selkie_hop; hop->len; hop++) {
        if (hop->len == len
            && ngx_strncasecmp((u_char *) name, hop->data, len) == 0)
        {
            return 1;
        }
    }

    return 0;
}


static size_t
ngx_http_selkie_headers_size(ngx_http_request_t *r, uint32_t *count)
{
    size_t            size;
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    size = 0;

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            if (ngx_http_selkie_hop_by_hop(h[i].lowcase_key, h[i].key.len)) {
                continue;
            }

            size += sizeof(struct sk_pair) + h[i].key.len + h[i].value.len;
            (*count)++;
        }
    }

    return size;
}


static u_char *
ngx_http_selkie_headers_write(ngx_http_request_t *r, u_char *p)
{
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            if (ngx_http_selkie_hop_by_hop(h[i].lowcase_key, h[i].key.len)) {
                continue;
            }

            p = sk_pair_write(p, h[i].lowcase_key, h[i].key.len,
                              h[i].value.data, h[i].value.len);
        }
    }

    return p;
}


/* An absent string has no address that memcpy() might be given. */

static u_char *
ngx_http_selkie_put(u_char *p, ngx_str_t *text)
{
    return text->len ? ngx_cpymem(p, text->data, text->len) : p;
}


static uint64_t
ngx_http_selkie_body_length(ngx_http_request_t *r)
{
    if (r != r->main) {
        return 0;
    }

    if (r->headers_in.chunked) {
        return SK_LENGTH_UNKNOWN;
    }

    return r->headers_in.content_length_n > 0
           ? (uint64_t) r->headers_in.content_length_n : 0;
}


/* 0, -EAGAIN, -EPROTO, or -EMSGSIZE: no frame can hold it. */

int
ngx_http_selkie_request_push(ngx_http_selkie_ctx_t *ctx)
{
    size_t                      size;
    u_char                     *p;
    ngx_str_t                   host;
    ngx_http_request_t         *r;
    struct sk_request_head      head;
    ngx_http_selkie_process_t  *process;

    r = ctx->request;
    process = ctx->process;

    ngx_str_null(&host);

    if (r->headers_in.host) {
        host = r->headers_in.host->value;
    }

    ngx_memzero(&head, sizeof(head));
    head.body_length = ngx_http_selkie_body_length(r);
    head.flags = ngx_http_selkie_secure(r) ? SK_REQUEST_SECURE : 0;
    head.method_len = r->method_name.len;
    head.target_len = ctx->target.len;
    head.host_len = host.len;
    head.remote_len = r->connection->addr_text.len;
    head.remote_port = ngx_inet_get_port(r->connection->sockaddr);
    head.params = ctx->nparams;

    size = sizeof(head) + head.method_len + head.target_len + head.host_len
           + head.remote_len + ctx->params.len
           + ngx_http_selkie_headers_size(r, &head.headers);

    if (size > SK_FRAME_MAX) {
        return -EMSGSIZE;
    }

    p = sk_ring_reserve(&process->area.out, size);
    if (p == NULL) {
        return -ngx_errno;
    }

    p = ngx_cpymem(p, &head, sizeof(head));
    p = ngx_http_selkie_put(p, &r->method_name);
    p = ngx_http_selkie_put(p, &ctx->target);
    p = ngx_http_selkie_put(p, &host);
    p = ngx_http_selkie_put(p, &r->connection->addr_text);
    p = ngx_http_selkie_put(p, &ctx->params);
    ngx_http_selkie_headers_write(r, p);

    sk_ring_commit(&process->area.out, SK_FRAME_REQUEST,
                   head.body_length == 0 ? SK_FRAME_END : 0,
                   ctx->slot, ctx->serial, size);

    ctx->position = sk_ring_position(&process->area.out);

    return 0;
}
