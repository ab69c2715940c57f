/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rings in nginx's event loop.
 *
 * nginx calls process_events once a turn. Ours stands in front of it: before
 * nginx waits, everything pushed in the turn before is published (one wake-up
 * for all of it); after it has waited, what came up is drained. Requests are
 * handled in nginx's own handlers between the two.
 *
 * Only a process with requests in it is *active* and costs anything in a turn.
 * One that is not has its "asleep" mark set for good, and its eventfd makes it
 * active again.
 */

#include "ngx_http_selkie_module.h"


/* frames and bytes that one ring may hand over in a turn */

#define NGX_HTTP_SELKIE_TURN_FRAMES  256
#define NGX_HTTP_SELKIE_TURN_BYTES   (512 * 1024)


static ngx_int_t ngx_http_selkie_process_events(ngx_cycle_t *cycle,
    ngx_msec_t timer, ngx_uint_t flags);


static ngx_queue_t   ngx_http_selkie_active;
static ngx_event_t   ngx_http_selkie_drain_event;
static ngx_uint_t    ngx_http_selkie_exiting;

static ngx_int_t   (*ngx_http_selkie_events)(ngx_cycle_t *cycle,
    ngx_msec_t timer, ngx_uint_t flags);


void
ngx_http_selkie_loop_init(ngx_cycle_t *cycle)
{
    ngx_queue_init(&ngx_http_selkie_active);

    ngx_http_selkie_events = ngx_event_actions.process_events;
    ngx_event_actions.process_events = ngx_http_selkie_process_events;
}


void
ngx_http_selkie_activate(ngx_http_selkie_process_t *process)
{
    if (process->active) {
        return;
    }

    process->active = 1;
    ngx_queue_insert_tail(&ngx_http_selkie_active, &process->active_queue);
    sk_ring_awake(&process->area.in);
}


void
ngx_http_selkie_wake_process(ngx_http_selkie_process_t *process)
{
    static const uint64_t  one = 1;

    /* EAGAIN: its counter is full, so it is awake already */

    if (write(process->wake_fd, &one, sizeof(one)) == -1
        && ngx_errno != NGX_EAGAIN)
    {
        ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, ngx_errno,
                      "selkie: cannot wake a worker process");
    }
}


/* --- what came up --- */

/* NULL, or what is wrong with the frame. */

static const char *
ngx_http_selkie_credit(ngx_http_selkie_ctx_t *ctx, struct sk_frame *frame)
{
    uint32_t           credit;
    ngx_int_t          rc;
    ngx_connection_t  *c;

    if (frame->length != sizeof(credit)) {
        return "a credit that is no number";
    }

    ngx_memcpy(&credit, frame->data, sizeof(credit));

    if (credit > SK_WINDOW - ctx->up_window) {
        return "credit for bytes that it never got";
    }

    ctx->up_window += credit;

    c = ctx->request->connection;
    rc = ngx_http_selkie_pump(ctx);

    if (rc != NGX_OK && rc != NGX_AGAIN) {
        ngx_http_selkie_end(ctx, rc, SK_ABORT_CLIENT);
        ngx_http_run_posted_requests(c);
    }

    return NULL;
}


static const char *
ngx_http_selkie_abort(ngx_http_selkie_ctx_t *ctx)
{
    ngx_connection_t  *c;

    c = ctx->request->connection;

    ngx_log_error(NGX_LOG_INFO, c->log, 0,
                  "selkie: route \"%V\" broke off its response",
                  &ctx->route->label);

    ngx_http_selkie_end(ctx, NGX_HTTP_INTERNAL_SERVER_ERROR,
                        ctx->body_ended ? 0 : SK_ABORT_BODY);
    ngx_http_run_posted_requests(c);

    return NULL;
}


static const char *
ngx_http_selkie_frame(ngx_http_selkie_process_t *process,
    struct sk_frame *frame)
{
    ngx_http_selkie_ctx_t  *ctx;

    if (frame->slot >= process->nslots) {
        return "a slot that does not exist";
    }

    ctx = process->slots[frame->slot].ctx;

    if (frame->type != SK_FRAME_RESPONSE && frame->type != SK_FRAME_BODY
        && frame->type != SK_FRAME_CREDIT && frame->type != SK_FRAME_ABORT)
    {
        return "a frame of no known type";
    }

    /* the request ended while this was on its way */

    if (ctx == NULL || ctx->serial != frame->serial) {
        return NULL;
    }

    if (!ctx->begun) {
        return "a reply to a request that it never got";
    }

    switch (frame->type) {

    case SK_FRAME_RESPONSE:
        return ngx_http_selkie_response(ctx, frame);

    case SK_FRAME_BODY:
        return ngx_http_selkie_response_body(ctx, frame);

    case SK_FRAME_CREDIT:
        return ngx_http_selkie_credit(ctx, frame);

    default: /* SK_FRAME_ABORT */
        return ngx_http_selkie_abort(ctx);
    }
}


static void
ngx_http_selkie_drain(ngx_http_selkie_process_t *process)
{
    int              rc;
    size_t           bytes;
    ngx_uint_t       frames;
    const char      *err;
    struct sk_frame  frame;

    bytes = 0;

    for (frames = 0; frames < NGX_HTTP_SELKIE_TURN_FRAMES; frames++) {

        if (process->hostile || bytes >= NGX_HTTP_SELKIE_TURN_BYTES) {
            break;
        }

        rc = sk_ring_peek(&process->area.in, &frame);

        if (rc == 0) {
            break;
        }

        if (rc < 0) {
            process->hostile = "nonsense in the ring";
            break;
        }

        err = ngx_http_selkie_frame(process, &frame);

        if (err) {
            process->hostile = err;
        }

        sk_ring_pop(&process->area.in, &frame);
        bytes += SK_FRAME_HEADER + frame.length;
    }

    if (sk_ring_release(&process->area.in)) {
        ngx_http_selkie_wake_process(process);
    }
}


/* --- what goes down --- */

/* What found no room before. */

static void
ngx_http_selkie_retry(ngx_http_selkie_process_t *process)
{
    ngx_int_t               rc;
    ngx_queue_t            *q;
    ngx_connection_t       *c;
    ngx_http_selkie_ctx_t  *ctx;

    ngx_http_selkie_abort_push(process);

    while (!ngx_queue_empty(&process->blocked)) {
        q = ngx_queue_head(&process->blocked);
        ctx = ngx_queue_data(q, ngx_http_selkie_ctx_t, queue);
        c = ctx->request->connection;

        rc = ngx_http_selkie_pump(ctx);

        if (rc != NGX_OK && rc != NGX_AGAIN) {
            ngx_http_selkie_end(ctx, rc, SK_ABORT_CLIENT);
            ngx_http_run_posted_requests(c);

        } else if (ctx->queued) {

            /* still no room: the others would find none either */

            return;
        }
    }
}


static ngx_int_t
ngx_http_selkie_ended(ngx_http_selkie_process_t *process)
{
    struct sk_frame  frame;

    if (process->hostile && !process->gone) {
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                      "selkie: the process of route \"%V\" broke the "
                      "protocol: %s", &process->place->route->label,
                      process->hostile);

        ngx_http_selkie_say(SK_MSG_HOSTILE, process->id, NULL,
                            process->hostile);
        process->gone = 1;
    }

    if (process->gone) {

        /* what it said before it died still counts */

        return process->hostile
               || sk_ring_peek(&process->area.in, &frame) != 1;
    }

    return process->retiring && process->inflight == 0;
}


static void
ngx_http_selkie_finish(ngx_http_selkie_process_t *process)
{
    if (!process->gone) {
        (void) sk_ring_publish(&process->area.out);
        ngx_http_selkie_say(SK_MSG_RETIRED, process->id, NULL, NULL);
    }

    ngx_http_selkie_process_reap(process);
}


/* Before nginx waits. 1: there is something to do already. */

static ngx_int_t
ngx_http_selkie_before(void)
{
    ngx_int_t                   busy;
    ngx_queue_t                *q, *next;
    ngx_http_selkie_process_t  *process;

    busy = 0;

    for (q = ngx_queue_head(&ngx_http_selkie_active);
         q != ngx_queue_sentinel(&ngx_http_selkie_active);
         q = next)
    {
        process = ngx_queue_data(q, ngx_http_selkie_process_t, active_queue);

        if (!process->gone && !process->hostile) {
            ngx_http_selkie_retry(process);
        }

        if (ngx_http_selkie_ended(process)) {
            next = ngx_queue_next(q);
            ngx_http_selkie_finish(process);
            busy = 1;
            continue;
        }

        next = ngx_queue_next(q);

        if (sk_ring_publish(&process->area.out)) {
            ngx_http_selkie_wake_process(process);
        }

        if (!sk_ring_sleep(&process->area.in)) {
            busy = 1;

        } else if (process->inflight == 0) {
            ngx_queue_remove(q);
            process->active = 0;
        }
    }

    return busy;
}


static void
ngx_http_selkie_after(void)
{
    ngx_queue_t                *q;
    ngx_http_selkie_process_t  *process;

    for (q = ngx_queue_head(&ngx_http_selkie_active);
         q != ngx_queue_sentinel(&ngx_http_selkie_active);
         q = ngx_queue_next(q))
    {
        process = ngx_queue_data(q, ngx_http_selkie_process_t, active_queue);
        sk_ring_awake(&process->area.in);
    }

    for (q = ngx_queue_head(&ngx_http_selkie_active);
         q != ngx_queue_sentinel(&ngx_http_selkie_active);
         q = ngx_queue_next(q))
    {
        process = ngx_queue_data(q, ngx_http_selkie_process_t, active_queue);

        ngx_http_selkie_drain(process);
    }
}


/* --- the end of an nginx worker --- */

static void
ngx_http_selkie_drain_handler(ngx_event_t *ev)
{
    ngx_log_error(NGX_LOG_WARN, ngx_cycle->log, 0,
                  "selkie: the drain time is over, requests are cut off");

    ngx_http_selkie_shutdown_requests();
}


static void
ngx_http_selkie_drain_begin(ngx_cycle_t *cycle)
{
    ngx_http_selkie_main_conf_t  *smcf;

    ngx_http_selkie_exiting = 1;

    smcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_selkie_module);

    if (smcf->drain_timeout == 0) {
        return;
    }

    ngx_http_selkie_drain_event.handler = ngx_http_selkie_drain_handler;
    ngx_http_selkie_drain_event.log = cycle->log;
    ngx_http_selkie_drain_event.cancelable = 1;

    ngx_add_timer(&ngx_http_selkie_drain_event, smcf->drain_timeout);
}


static ngx_int_t
ngx_http_selkie_process_events(ngx_cycle_t *cycle, ngx_msec_t timer,
    ngx_uint_t flags)
{
    ngx_int_t  rc;

    if (ngx_exiting && !ngx_http_selkie_exiting) {
        ngx_http_selkie_drain_begin(cycle);
        timer = 0;
    }

    if (ngx_http_selkie_before()) {
        timer = 0;
    }

    ngx_http_selkie_say_pending();

    rc = ngx_http_selkie_events(cycle, timer, flags);

    ngx_http_selkie_after();

    return rc;
}
