/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A response on its way down.
 *
 * The RESPONSE frame is copied into the request's pool before anything in it
 * is looked at, and nginx's headers point into that copy. A whole response
 * leaves as one buffer after its header, in one write. A stream goes through a
 * circular buffer of SK_WINDOW bytes: what the client has taken is credited,
 * and more than that the process may not send.
 */

#include "ngx_http_selkie_module.h"


static void ngx_http_selkie_write_event(ngx_http_request_t *r);


/* No body goes out, whatever the process sends. */

static ngx_int_t
ngx_http_selkie_bodyless(ngx_http_request_t *r, ngx_uint_t status)
{
    return r->method == NGX_HTTP_HEAD
           || status == NGX_HTTP_NO_CONTENT
           || status == NGX_HTTP_NOT_MODIFIED;
}


/* The process has ended its response; it may still wait for our body. */

static void
ngx_http_selkie_done(ngx_http_selkie_ctx_t *ctx, ngx_int_t rc)
{
    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    r = ctx->request;
    c = r->connection;

    ngx_http_selkie_release(ctx, ctx->body_ended ? 0 : SK_ABORT_BODY);
    ngx_http_finalize_request(r, rc);
    ngx_http_run_posted_requests(c);
}


static void
ngx_http_selkie_broken(ngx_http_selkie_ctx_t *ctx, ngx_int_t rc,
    uint32_t reason)
{
    ngx_connection_t  *c;

    c = ctx->request->connection;

    ngx_http_selkie_end(ctx, rc, reason);
    ngx_http_run_posted_requests(c);
}


static void
ngx_http_selkie_mismatch(ngx_http_selkie_ctx_t *ctx, const char *what,
    uint32_t reason)
{
    ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                  "selkie: route \"%V\" sent %s than its Content-Length "
                  "announced", &ctx->route->label, what);

    ngx_http_selkie_broken(ctx, NGX_HTTP_INTERNAL_SERVER_ERROR, reason);
}


/* Counts what has left and gives credit for it. */

static ngx_int_t
ngx_http_selkie_sent(ngx_http_selkie_ctx_t *ctx, ngx_chain_t **out)
{
    uint32_t       busy;
    ngx_chain_t   *cl;

    ngx_chain_update_chains(ctx->request->pool, &ctx->free, &ctx->busy, out,
                            (ngx_buf_tag_t) &ngx_http_selkie_module);

    busy = 0;

    for (cl = ctx->busy; cl; cl = cl->next) {
        busy += cl->buf->last - cl->buf->pos;
    }

    ctx->sent += ctx->pending - busy;
    ctx->pending = busy;

    return ngx_http_selkie_pump(ctx);
}


/* Waits for the client to take more, if it has to. */

static ngx_int_t
ngx_http_selkie_watch(ngx_http_selkie_ctx_t *ctx)
{
    ngx_event_t               *wev;
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = ctx->request;
    wev = r->connection->write;

    if (!r->buffered && !r->connection->buffered && ctx->busy == NULL) {
        if (wev->timer_set) {
            ngx_del_timer(wev);
        }

        return NGX_OK;
    }

    r->write_event_handler = ngx_http_selkie_write_event;

    if (!wev->delayed) {
        clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
        ngx_add_timer(wev, clcf->send_timeout);
    }

    return ngx_handle_write_event(wev, 0);
}


static void
ngx_http_selkie_write_event(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    ngx_chain_t            *out;
    ngx_connection_t       *c;
    ngx_http_selkie_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_selkie_module);
    c = r->connection;

    if (c->write->timedout) {
        ngx_log_error(NGX_LOG_INFO, c->log, NGX_ETIMEDOUT,
                      "client timed out");
        c->timedout = 1;
        ngx_http_selkie_end(ctx, NGX_ERROR, SK_ABORT_CLIENT);
        return;
    }

    rc = ngx_http_output_filter(r, NULL);

    if (rc == NGX_ERROR) {
        ngx_http_selkie_end(ctx, NGX_ERROR, SK_ABORT_CLIENT);
        return;
    }

    out = NULL;
    rc = ngx_http_selkie_sent(ctx, &out);

    if ((rc != NGX_OK && rc != NGX_AGAIN)
        || ngx_http_selkie_watch(ctx) != NGX_OK)
    {
        ngx_http_selkie_end(ctx, NGX_ERROR, SK_ABORT_CLIENT);
    }
}


/*
 * The header of a stream lies in nginx's output until something follows. Often
 * that is in the ring already, and one write takes both; so the header goes by
 * itself only after all that is there has been looked at.
 */

static void
ngx_http_selkie_header_event(ngx_http_request_t *r)
{
    ngx_http_selkie_ctx_t  *ctx;

    r->write_event_handler = ngx_http_request_empty_handler;

    if (r->out == NULL) {
        return;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_selkie_module);

    if (ngx_http_send_special(r, NGX_HTTP_FLUSH) == NGX_ERROR
        || ngx_http_selkie_watch(ctx) != NGX_OK)
    {
        ngx_http_selkie_end(ctx, NGX_ERROR, SK_ABORT_CLIENT);
    }
}


static void
ngx_http_selkie_flush_header(ngx_http_request_t *r)
{
    if (r != r->main) {
        return;
    }

    r->write_event_handler = ngx_http_selkie_header_event;
    ngx_post_event(r->connection->write, &ngx_posted_events);
}


static ngx_buf_t *
ngx_http_selkie_link(ngx_http_selkie_ctx_t *ctx, ngx_chain_t ***ll)
{
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    cl = ngx_chain_get_free_buf(ctx->request->pool, &ctx->free);
    if (cl == NULL) {
        return NULL;
    }

    b = cl->buf;
    ngx_memzero(b, sizeof(ngx_buf_t));
    b->tag = (ngx_buf_tag_t) &ngx_http_selkie_module;

    **ll = cl;
    *ll = &cl->next;

    return b;
}


/*
 * Copies a piece into the window. There is room: no more than SK_WINDOW bytes
 * are ever without credit.
 */

static ngx_chain_t *
ngx_http_selkie_piece(ngx_http_selkie_ctx_t *ctx, const u_char *data,
    size_t len, ngx_uint_t last)
{
    size_t                n;
    ngx_buf_t            *b;
    ngx_chain_t          *out, **ll;
    ngx_http_request_t   *r;

    r = ctx->request;
    out = NULL;
    ll = &out;
    b = NULL;

    if (len && ctx->window == NULL) {
        ctx->window = ngx_palloc(r->pool, SK_WINDOW);
        if (ctx->window == NULL) {
            return NULL;
        }
    }

    while (len) {
        b = ngx_http_selkie_link(ctx, &ll);
        if (b == NULL) {
            return NULL;
        }

        n = ngx_min(len, SK_WINDOW - ctx->window_at);

        b->pos = ctx->window + ctx->window_at;
        b->last = ngx_cpymem(b->pos, data, n);
        b->temporary = 1;

        ctx->window_at = (ctx->window_at + n) % SK_WINDOW;
        ctx->pending += n;
        data += n;
        len -= n;
    }

    if (b == NULL) {
        b = ngx_http_selkie_link(ctx, &ll);
        if (b == NULL) {
            return NULL;
        }

        b->sync = !last;
    }

    b->flush = !last;
    b->last_buf = (last && r == r->main) ? 1 : 0;
    b->last_in_chain = last;

    *ll = NULL;

    return out;
}


/* Sends a piece of a stream. The ctx may be gone afterwards. */

static void
ngx_http_selkie_send(ngx_http_selkie_ctx_t *ctx, const u_char *data,
    size_t len, ngx_uint_t last)
{
    ngx_int_t            rc;
    ngx_chain_t         *out;
    ngx_http_request_t  *r;

    r = ctx->request;

    if (len == 0 && !last) {
        ngx_http_selkie_flush_header(r);
        return;
    }

    out = ngx_http_selkie_piece(ctx, data, len, last);
    if (out == NULL) {
        ngx_http_selkie_broken(ctx, NGX_ERROR, SK_ABORT_BODY);
        return;
    }

    rc = ngx_http_output_filter(r, out);

    if (rc == NGX_ERROR) {
        ngx_http_selkie_broken(ctx, NGX_ERROR, SK_ABORT_CLIENT);
        return;
    }

    if (last) {
        ngx_http_selkie_done(ctx, rc);
        return;
    }

    rc = ngx_http_selkie_sent(ctx, &out);

    if ((rc != NGX_OK && rc != NGX_AGAIN)
        || ngx_http_selkie_watch(ctx) != NGX_OK)
    {
        ngx_http_selkie_broken(ctx, NGX_ERROR, SK_ABORT_CLIENT);
    }
}


/* A whole response: its body already lies in the pool. */

static void
ngx_http_selkie_send_whole(ngx_http_selkie_ctx_t *ctx, u_char *data,
    size_t len)
{
    ngx_buf_t           *b;
    ngx_chain_t          out;
    ngx_http_request_t  *r;

    r = ctx->request;

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        ngx_http_selkie_done(ctx, NGX_ERROR);
        return;
    }

    b->pos = data;
    b->last = data + len;
    b->temporary = len ? 1 : 0;
    b->last_buf = (r == r->main) ? 1 : 0;
    b->last_in_chain = 1;

    out.buf = b;
    out.next = NULL;

    ngx_http_selkie_done(ctx, ngx_http_output_filter(r, &out));
}


/*
 * The length of the head at the start of a payload that is already ours, or 0
 * if the frame does not hold it.
 */

static size_t
ngx_http_selkie_head_length(const u_char *data, size_t len)
{
    uint32_t                 i;
    struct sk_bytes          name, value;
    struct sk_cursor         cursor;
    struct sk_response_head  head;

    cursor.at = data;
    cursor.end = data + len;

    if (sk_cursor_copy(&cursor, &head, sizeof(head)) != 0) {
        return 0;
    }

    for (i = 0; i < head.headers; i++) {
        if (sk_cursor_pair(&cursor, &name, &value) != 0) {
            return 0;
        }
    }

    return cursor.at - data;
}


/*
 * Copies what has to live as long as the request: of a whole response
 * everything, of a stream the head only. *body points at the body's first
 * bytes.
 */

static u_char *
ngx_http_selkie_keep(ngx_http_selkie_ctx_t *ctx, struct sk_frame *frame,
    size_t *head_len, const u_char **body)
{
    u_char         *copy;

    static u_char   scratch[SK_FRAME_MAX];

    *head_len = 0;

    if (frame->flags & SK_FRAME_END) {
        copy = ngx_palloc(ctx->request->pool,
                          frame->length ? frame->length : 1);
        if (copy == NULL) {
            return NULL;
        }

        ngx_memcpy(copy, frame->data, frame->length);
        *head_len = ngx_http_selkie_head_length(copy, frame->length);
        *body = copy + *head_len;

        return copy;
    }

    ngx_memcpy(scratch, frame->data, frame->length);
    *head_len = ngx_http_selkie_head_length(scratch, frame->length);
    *body = scratch + *head_len;

    copy = ngx_palloc(ctx->request->pool, *head_len ? *head_len : 1);

    if (copy) {
        ngx_memcpy(copy, scratch, *head_len);
    }

    return copy;
}


/* NGX_OK when the header is out and a body may follow. */

static ngx_int_t
ngx_http_selkie_send_header(ngx_http_selkie_ctx_t *ctx, uint32_t status,
    uint64_t length)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = ctx->request;

    r->headers_out.status = status;
    r->headers_out.content_length_n = (length == SK_LENGTH_UNKNOWN)
                                      ? -1 : (off_t) length;

    /* the handler has its own mind about 304 and ranges */

    r->disable_not_modified = 1;
    r->allow_ranges = 0;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK) {
        return NGX_ERROR;
    }

    return r->header_only ? NGX_DONE : NGX_OK;
}


static const char *
ngx_http_selkie_response_check(ngx_http_selkie_ctx_t *ctx,
    struct sk_response_head *head, struct sk_frame *frame, size_t len)
{
    if (head->status < 200 || head->status > 599) {
        return "a status that is none";
    }

    if (head->body_length != SK_LENGTH_UNKNOWN
        && head->body_length > NGX_MAX_OFF_T_VALUE)
    {
        return "a body length that is none";
    }

    return len > ctx->down_window ? "more body than credit" : NULL;
}


const char *
ngx_http_selkie_response(ngx_http_selkie_ctx_t *ctx, struct sk_frame *frame)
{
    size_t                   head_len, len;
    u_char                  *copy;
    ngx_int_t                rc;
    ngx_uint_t               end;
    const char              *err;
    const u_char            *body;
    struct sk_cursor         cursor;
    ngx_http_request_t      *r;
    struct sk_response_head  head;

    r = ctx->request;
    end = (frame->flags & SK_FRAME_END) != 0;

    if (ctx->responded) {
        return "a second response";
    }

    copy = ngx_http_selkie_keep(ctx, frame, &head_len, &body);

    if (copy == NULL) {
        ngx_http_selkie_broken(ctx, NGX_HTTP_INTERNAL_SERVER_ERROR,
                               SK_ABORT_BODY);
        return NULL;
    }

    if (head_len == 0) {
        return "a response shorter than its head";
    }

    len = frame->length - head_len;

    cursor.at = copy;
    cursor.end = copy + head_len;
    (void) sk_cursor_copy(&cursor, &head, sizeof(head));

    err = ngx_http_selkie_response_check(ctx, &head, frame, len);
    if (err) {
        return err;
    }

    err = ngx_http_selkie_headers(r, &cursor, head.headers);
    if (err) {
        ngx_http_clean_header(r);

        if (err != ngx_http_selkie_no_memory) {
            return err;
        }

        ngx_http_selkie_broken(ctx, NGX_HTTP_INTERNAL_SERVER_ERROR,
                               end ? 0 : SK_ABORT_BODY);
        return NULL;
    }

    if (end && head.body_length == SK_LENGTH_UNKNOWN) {
        head.body_length = len;
    }

    if (!ngx_http_selkie_bodyless(r, head.status)
        && ((end && len < head.body_length) || len > head.body_length))
    {
        ngx_http_clean_header(r);
        ngx_http_selkie_mismatch(ctx,
                                 len > head.body_length ? "more" : "less",
                                 end ? 0 : SK_ABORT_BODY);
        return NULL;
    }

    ctx->responded = 1;
    ctx->down_window -= len;
    ctx->left = (head.body_length == SK_LENGTH_UNKNOWN)
                ? -1 : (off_t) (head.body_length - len);

    rc = ngx_http_selkie_send_header(ctx, head.status, head.body_length);

    if (rc == NGX_ERROR) {
        ngx_http_selkie_broken(ctx, NGX_ERROR, end ? 0 : SK_ABORT_CLIENT);

    } else if (rc == NGX_DONE) {
        if (!end) {
            ngx_http_selkie_release(ctx, SK_ABORT_BODY);
        }

        ngx_http_selkie_done(ctx, NGX_OK);

    } else if (end) {
        ngx_http_selkie_send_whole(ctx, (u_char *) body, len);

    } else {
        ngx_http_selkie_progress(ctx);
        ngx_http_selkie_send(ctx, body, len, 0);
    }

    return NULL;
}


const char *
ngx_http_selkie_response_body(ngx_http_selkie_ctx_t *ctx,
    struct sk_frame *frame)
{
    ngx_uint_t  last;

    last = (frame->flags & SK_FRAME_END) != 0;

    if (!ctx->responded) {
        return "a body before its response";
    }

    if (frame->length > ctx->down_window) {
        return "more body than credit";
    }

    ctx->down_window -= frame->length;

    if (ctx->left != -1) {

        if (frame->length > ctx->left) {
            ngx_http_selkie_mismatch(ctx, "more", last ? 0 : SK_ABORT_BODY);
            return NULL;
        }

        ctx->left -= frame->length;

        if (last && ctx->left) {
            ngx_http_selkie_mismatch(ctx, "less", 0);
            return NULL;
        }
    }

    ngx_http_selkie_progress(ctx);
    ngx_http_selkie_send(ctx, frame->data, frame->length, last);

    return NULL;
}
