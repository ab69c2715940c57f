/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A request's life.
 *
 *   begin      limits, wall timer; the body is read unbuffered
 *   dispatch   a place is chosen; it has a process, or the request waits
 *   pump       REQUEST goes into the ring, the body follows it as the client
 *              sends and the process gives credit, credit goes back
 *   end        the reply is complete, or it will never be
 *
 * The body's buffers are dropped only when more is to be read from the client.
 * So a small body is still there if its process dies before it took anything,
 * and the request begins again elsewhere.
 */

#include "ngx_http_selkie_module.h"


static void ngx_http_selkie_cleanup(void *data);
static void ngx_http_selkie_timeout(ngx_event_t *ev);
static void ngx_http_selkie_body_handler(ngx_http_request_t *r);
static void ngx_http_selkie_read_event(ngx_http_request_t *r);
static void ngx_http_selkie_start(ngx_http_selkie_ctx_t *ctx);


static ngx_int_t
ngx_http_selkie_has_body(ngx_http_request_t *r)
{
    return r == r->main
           && (r->headers_in.content_length_n > 0 || r->headers_in.chunked);
}


static void
ngx_http_selkie_place(ngx_http_selkie_ctx_t *ctx)
{
    ngx_uint_t                i;
    ngx_http_selkie_place_t  *place;

    place = ctx->route->places;

    for (i = 1; i < ctx->route->nplaces; i++) {
        if (ctx->route->places[i].load < place->load) {
            place = &ctx->route->places[i];
        }
    }

    place->load++;
    ctx->place = place;
}


static void
ngx_http_selkie_reset(ngx_http_selkie_ctx_t *ctx)
{
    ctx->begun = 0;
    ctx->body_at = ctx->body;
    ctx->body_offset = 0;
    ctx->body_pushed = 0;
    ctx->body_mark = 0;
    ctx->body_ended = !ngx_http_selkie_has_body(ctx->request);
    ctx->up_window = SK_WINDOW;
    ctx->down_window = SK_WINDOW;
    ctx->left = -1;
}


ngx_int_t
ngx_http_selkie_begin(ngx_http_selkie_ctx_t *ctx)
{
    ngx_int_t                 rc;
    ngx_http_request_t       *r;
    ngx_http_cleanup_t       *cln;
    ngx_http_selkie_route_t  *route;

    r = ctx->request;
    route = ctx->route;

    if (route->broken) {
        return ngx_http_selkie_error(r, NGX_HTTP_SERVICE_UNAVAILABLE);
    }

    if (r->headers_in.content_length_n > route->body) {
        return ngx_http_selkie_error(r, NGX_HTTP_REQUEST_ENTITY_TOO_LARGE);
    }

    if (route->inflight >= route->concurrency) {
        return ngx_http_selkie_error(r, NGX_HTTP_TOO_MANY_REQUESTS);
    }

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    cln->handler = ngx_http_selkie_cleanup;
    cln->data = ctx;

    route->inflight++;

    ngx_http_selkie_reset(ctx);
    ngx_http_selkie_place(ctx);

    /* not cancelable: an old nginx worker waits for its requests */

    ctx->timer.handler = ngx_http_selkie_timeout;
    ctx->timer.data = ctx;
    ctx->timer.log = r->connection->log;
    ngx_add_timer(&ctx->timer, route->wall);

    if (ctx->body_ended) {
        r->main->count++;
        r->read_event_handler = ngx_http_test_reading;
        ngx_http_selkie_start(ctx);
        return NGX_DONE;
    }

    r->request_body_no_buffering = 1;
    r->request_body_in_file_only = 0;

    rc = ngx_http_read_client_request_body(r, ngx_http_selkie_body_handler);

    return rc >= NGX_HTTP_SPECIAL_RESPONSE ? rc : NGX_DONE;
}


/* Takes over what nginx has read. NGX_OK, or 413. */

static ngx_int_t
ngx_http_selkie_take_body(ngx_http_selkie_ctx_t *ctx)
{
    ngx_chain_t              *cl, **ll;
    ngx_http_request_body_t  *rb;

    rb = ctx->request->request_body;

    if (rb == NULL || rb->bufs == NULL) {
        return NGX_OK;
    }

    for (ll = &ctx->body; *ll; ll = &(*ll)->next) { /* void */ }

    *ll = rb->bufs;

    if (ctx->body_at == NULL) {
        ctx->body_at = rb->bufs;
        ctx->body_offset = 0;
    }

    for (cl = rb->bufs; cl; cl = cl->next) {
        ctx->body_taken += cl->buf->last - cl->buf->pos;
    }

    rb->bufs = NULL;

    return ctx->body_taken > ctx->route->body
           ? NGX_HTTP_REQUEST_ENTITY_TOO_LARGE : NGX_OK;
}


/* All of it is in the ring: nginx may use the buffers again. */

static void
ngx_http_selkie_drop_body(ngx_http_selkie_ctx_t *ctx)
{
    ngx_chain_t  *cl, *next;

    for (cl = ctx->body; cl; cl = next) {
        next = cl->next;

        if (cl->buf->pos != cl->buf->last) {
            ctx->body_lost = 1;
            cl->buf->pos = cl->buf->last;
        }

        ngx_free_chain(ctx->request->pool, cl);
    }

    ctx->body = NULL;
    ctx->body_at = NULL;
    ctx->body_offset = 0;
}


static void
ngx_http_selkie_body_handler(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    ngx_http_selkie_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_selkie_module);

    r->read_event_handler = r->reading_body ? ngx_http_selkie_read_event
                                            : ngx_http_test_reading;

    rc = ngx_http_selkie_take_body(ctx);

    if (rc != NGX_OK) {
        ngx_http_selkie_end(ctx, rc, 0);
        return;
    }

    ngx_http_selkie_start(ctx);
}


static void
ngx_http_selkie_read_event(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    ngx_http_selkie_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_selkie_module);

    if (r->connection->error) {
        ngx_http_selkie_end(ctx, NGX_HTTP_CLIENT_CLOSED_REQUEST,
                            SK_ABORT_CLIENT);
        return;
    }

    rc = ngx_http_selkie_pump(ctx);

    if (rc != NGX_OK && rc != NGX_AGAIN) {
        ngx_http_selkie_end(ctx, rc, SK_ABORT_CLIENT);
    }
}


/* NGX_OK, NGX_AGAIN, or what the request ends with. */

static ngx_int_t
ngx_http_selkie_dispatch(ngx_http_selkie_ctx_t *ctx)
{
    ngx_http_selkie_place_t  *place;

    place = ctx->place;

    if (place->process) {
        if (ngx_http_selkie_slot_take(ctx) != NGX_OK) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        return ngx_http_selkie_pump(ctx);
    }

    if (place->barred) {
        if ((ngx_msec_int_t) (place->retry_at - ngx_current_msec) > 0) {
            return NGX_HTTP_SERVICE_UNAVAILABLE;
        }

        place->barred = 0;
    }

    ngx_http_selkie_wait(ctx);

    return ngx_http_selkie_pump(ctx);
}


static void
ngx_http_selkie_start(ngx_http_selkie_ctx_t *ctx)
{
    ngx_int_t  rc;

    rc = ngx_http_selkie_dispatch(ctx);

    if (rc != NGX_OK && rc != NGX_AGAIN) {
        ngx_http_selkie_end(ctx, rc, SK_ABORT_CLIENT);
    }
}


ngx_int_t
ngx_http_selkie_again(ngx_http_selkie_ctx_t *ctx)
{
    if (ctx->responded || ctx->body_lost
        || (ctx->begun
            && (ctx->retried
                || sk_ring_passed(&ctx->process->area.out, ctx->position))))
    {
        return NGX_DECLINED;
    }

    ctx->retried |= ctx->begun;

    if (ctx->queued) {
        ngx_queue_remove(&ctx->queue);
        ctx->queued = 0;
    }

    ngx_http_selkie_slot_give(ctx, 0);

    ctx->place->load--;

    ngx_http_selkie_reset(ctx);
    ngx_http_selkie_place(ctx);

    return ngx_http_selkie_dispatch(ctx);
}


/*
 * While we wait for our own side the client is in no hurry: its timer would
 * blame it for our delay.
 */

static ngx_int_t
ngx_http_selkie_hold(ngx_http_selkie_ctx_t *ctx)
{
    ngx_http_request_t  *r;

    r = ctx->request;

    if (r->reading_body && r->connection->read->timer_set) {
        ngx_del_timer(r->connection->read);
    }

    return NGX_AGAIN;
}


static ngx_int_t
ngx_http_selkie_blocked(ngx_http_selkie_ctx_t *ctx, int err)
{
    ngx_http_selkie_process_t  *process;

    process = ctx->process;

    if (err == -EMSGSIZE) {
        return NGX_HTTP_REQUEST_HEADER_TOO_LARGE;
    }

    if (err == -EPROTO) {
        process->hostile = "impossible index in the ring";
    }

    if (!ctx->queued) {
        ngx_queue_insert_tail(&process->blocked, &ctx->queue);
        ctx->queued = 1;
    }

    ngx_http_selkie_activate(process);

    return ngx_http_selkie_hold(ctx);
}


void
ngx_http_selkie_progress(ngx_http_selkie_ctx_t *ctx)
{
    ngx_add_timer(&ctx->timer, ctx->route->wall);
}


/* A client that drips bytes does not make progress; one that sends does. */

static void
ngx_http_selkie_body_moved(ngx_http_selkie_ctx_t *ctx, size_t n)
{
    ctx->body_offset += n;
    ctx->body_pushed += n;
    ctx->up_window -= n;

    if (ctx->body_pushed - ctx->body_mark >= NGX_HTTP_SELKIE_PROGRESS) {
        ctx->body_mark = ctx->body_pushed;
        ngx_http_selkie_progress(ctx);
    }
}


/* Pushes the buffers in hand. NGX_OK when none is left. */

static ngx_int_t
ngx_http_selkie_push_bufs(ngx_http_selkie_ctx_t *ctx)
{
    int         err;
    size_t      n;
    ngx_buf_t  *b;

    while (ctx->body_at) {
        b = ctx->body_at->buf;
        n = b->last - b->pos - ctx->body_offset;

        if (n == 0) {
            ctx->body_at = ctx->body_at->next;
            ctx->body_offset = 0;
            continue;
        }

        n = ngx_min(n, ctx->up_window);

        if (n == 0) {
            return ngx_http_selkie_hold(ctx);
        }

        err = sk_ring_push(&ctx->process->area.out, SK_FRAME_BODY, 0,
                           ctx->slot, ctx->serial,
                           b->pos + ctx->body_offset, n);
        if (err) {
            return ngx_http_selkie_blocked(ctx, err);
        }

        ngx_http_selkie_body_moved(ctx, n);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_selkie_push_body(ngx_http_selkie_ctx_t *ctx)
{
    int                  err;
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = ctx->request;

    for ( ;; ) {
        rc = ngx_http_selkie_push_bufs(ctx);

        if (rc != NGX_OK) {
            return rc;
        }

        if (!r->reading_body) {
            break;
        }

        if (ctx->up_window == 0) {
            return ngx_http_selkie_hold(ctx);
        }

        ngx_http_selkie_drop_body(ctx);

        rc = ngx_http_read_unbuffered_request_body(r);

        if (rc != NGX_OK && rc != NGX_AGAIN) {
            return rc;
        }

        rc = ngx_http_selkie_take_body(ctx);

        if (rc != NGX_OK) {
            return rc;
        }

        if (ctx->body == NULL && r->reading_body) {
            return NGX_AGAIN;
        }
    }

    err = sk_ring_push(&ctx->process->area.out, SK_FRAME_BODY, SK_FRAME_END,
                       ctx->slot, ctx->serial, NULL, 0);
    if (err) {
        return ngx_http_selkie_blocked(ctx, err);
    }

    ctx->body_ended = 1;
    r->read_event_handler = ngx_http_test_reading;

    return NGX_OK;
}


ngx_int_t
ngx_http_selkie_pump(ngx_http_selkie_ctx_t *ctx)
{
    int        err;
    uint32_t   credit;
    ngx_int_t  rc;

    if (ctx->released) {
        return NGX_OK;
    }

    if (ctx->process == NULL || ctx->process->hostile) {
        return ngx_http_selkie_hold(ctx);
    }

    if (ctx->queued) {
        ngx_queue_remove(&ctx->queue);
        ctx->queued = 0;
    }

    if (!ctx->begun) {
        err = ngx_http_selkie_request_push(ctx);
        if (err) {
            return ngx_http_selkie_blocked(ctx, err);
        }

        ctx->begun = 1;
    }

    ngx_http_selkie_activate(ctx->process);

    if (ctx->sent >= NGX_HTTP_SELKIE_CREDIT_STEP) {
        credit = ctx->sent;

        err = sk_ring_push(&ctx->process->area.out, SK_FRAME_CREDIT, 0,
                           ctx->slot, ctx->serial, &credit, sizeof(credit));
        if (err) {
            return ngx_http_selkie_blocked(ctx, err);
        }

        ctx->sent = 0;
        ctx->down_window += credit;
    }

    rc = ctx->body_ended ? NGX_OK : ngx_http_selkie_push_body(ctx);

    return rc;
}


void
ngx_http_selkie_release(ngx_http_selkie_ctx_t *ctx, uint32_t reason)
{
    if (ctx->released) {
        return;
    }

    ctx->released = 1;

    if (ctx->timer.timer_set) {
        ngx_del_timer(&ctx->timer);
    }

    if (ctx->queued) {
        ngx_queue_remove(&ctx->queue);
        ctx->queued = 0;
    }

    if (ctx->process) {
        ngx_http_selkie_slot_give(ctx, ctx->begun ? reason : 0);
    }

    ctx->place->load--;
    ctx->route->inflight--;
}


void
ngx_http_selkie_end(ngx_http_selkie_ctx_t *ctx, ngx_int_t rc,
    uint32_t reason)
{
    ngx_http_request_t  *r;

    r = ctx->request;

    ngx_http_selkie_release(ctx, reason);

    if (ctx->responded || r->header_sent) {
        rc = NGX_ERROR;

    } else if (rc != NGX_ERROR
               && rc != NGX_HTTP_BAD_REQUEST
               && rc != NGX_HTTP_REQUEST_TIME_OUT
               && rc != NGX_HTTP_CLIENT_CLOSED_REQUEST)
    {
        rc = ngx_http_selkie_error(r, rc);
    }

    ngx_http_finalize_request(r, rc);
}


static void
ngx_http_selkie_cleanup(void *data)
{
    ngx_http_selkie_release(data, SK_ABORT_CLIENT);
}


static void
ngx_http_selkie_timeout(ngx_event_t *ev)
{
    ngx_connection_t       *c;
    ngx_http_request_t     *r;
    ngx_http_selkie_ctx_t  *ctx;

    ctx = ev->data;
    r = ctx->request;
    c = r->connection;

    if (ctx->busy) {

        /* it is the client that is slow, and send_timeout watches that */

        ngx_http_selkie_progress(ctx);
        return;
    }

    ngx_log_error(NGX_LOG_ERR, c->log, 0,
                  "selkie: route \"%V\" did not %s within its time (%M ms)",
                  &ctx->route->label, ctx->responded ? "go on" : "answer",
                  ctx->route->wall);

    if (ctx->process && ctx->begun
        && !sk_ring_passed(&ctx->process->area.out, ctx->position))
    {
        ngx_http_selkie_say(SK_MSG_STUCK, ctx->process->id, ctx->place, NULL);
    }

    ngx_http_selkie_end(ctx, NGX_HTTP_GATEWAY_TIME_OUT, SK_ABORT_TIME);
    ngx_http_run_posted_requests(c);
}
