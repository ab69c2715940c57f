/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Worker processes, as an nginx worker sees them.
 *
 *   place      no process ──ATTACH──► asked ──ATTACHED──► has a process
 *                  ▲                    │ UNAVAILABLE          │
 *                  └────────────────────┴──── RETIRE, GONE ────┘
 *
 *   process    attached: begins what comes to its place
 *              retiring: no place points to it; RETIRED when its last slot
 *                        is given back
 *              gone, or hostile: the loop ends its requests
 *
 * A process is freed by the loop only (ngx_http_selkie_process_reap), so no
 * handler ever finds one gone under its feet.
 *
 * A slot names a request in the rings. It is free, or belongs to a ctx, or
 * waits for room to push the ABORT of a ctx that is gone.
 */

#include "ngx_http_selkie_module.h"


#define NGX_HTTP_SELKIE_SLOTS      16
#define NGX_HTTP_SELKIE_SLOTS_MAX  65536
#define NGX_HTTP_SELKIE_NO_SLOT    UINT32_MAX


static void ngx_http_selkie_wake_handler(ngx_event_t *ev);


static ngx_queue_t  ngx_http_selkie_processes;
static ngx_uint_t   ngx_http_selkie_processes_init;


static ngx_queue_t *
ngx_http_selkie_process_list(void)
{
    if (!ngx_http_selkie_processes_init) {
        ngx_queue_init(&ngx_http_selkie_processes);
        ngx_http_selkie_processes_init = 1;
    }

    return &ngx_http_selkie_processes;
}


ngx_http_selkie_process_t *
ngx_http_selkie_process_next(ngx_http_selkie_process_t *process)
{
    ngx_queue_t  *list, *q;

    list = ngx_http_selkie_process_list();
    q = process ? ngx_queue_next(&process->queue) : ngx_queue_head(list);

    return q == ngx_queue_sentinel(list)
           ? NULL : ngx_queue_data(q, ngx_http_selkie_process_t, queue);
}


static ngx_http_selkie_process_t *
ngx_http_selkie_process_find(uint64_t id)
{
    ngx_http_selkie_process_t  *process;

    process = NULL;

    while ((process = ngx_http_selkie_process_next(process)) != NULL) {
        if (process->id == id && !process->gone) {
            return process;
        }
    }

    return NULL;
}


/* --- slots --- */

static ngx_int_t
ngx_http_selkie_slots_grow(ngx_http_selkie_process_t *process)
{
    uint32_t                 i, n;
    ngx_http_selkie_slot_t  *slots;

    n = process->nslots ? process->nslots * 2 : NGX_HTTP_SELKIE_SLOTS;

    if (n > NGX_HTTP_SELKIE_SLOTS_MAX) {
        return NGX_ERROR;
    }

    slots = realloc(process->slots, n * sizeof(ngx_http_selkie_slot_t));
    if (slots == NULL) {
        return NGX_ERROR;
    }

    for (i = process->nslots; i < n; i++) {
        slots[i].ctx = NULL;
        slots[i].serial = 0;
        slots[i].reason = 0;
        slots[i].next = (i + 1 < n) ? i + 1 : process->free;
    }

    process->free = process->nslots;
    process->slots = slots;
    process->nslots = n;

    return NGX_OK;
}


ngx_int_t
ngx_http_selkie_slot_take(ngx_http_selkie_ctx_t *ctx)
{
    ngx_http_selkie_slot_t     *slot;
    ngx_http_selkie_process_t  *process;

    process = ctx->place->process;

    if (process->free == NGX_HTTP_SELKIE_NO_SLOT
        && ngx_http_selkie_slots_grow(process) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->slot = process->free;
    slot = &process->slots[ctx->slot];
    process->free = slot->next;

    slot->ctx = ctx;
    ctx->serial = slot->serial;
    ctx->process = process;
    process->inflight++;

    return NGX_OK;
}


static void
ngx_http_selkie_slot_free(ngx_http_selkie_process_t *process, uint32_t n)
{
    process->slots[n].serial++;
    process->slots[n].next = process->free;
    process->free = n;
    process->inflight--;
}


void
ngx_http_selkie_slot_give(ngx_http_selkie_ctx_t *ctx, uint32_t reason)
{
    ngx_http_selkie_slot_t     *slot;
    ngx_http_selkie_process_t  *process;

    process = ctx->process;

    if (process == NULL) {
        return;
    }

    slot = &process->slots[ctx->slot];
    slot->ctx = NULL;
    ctx->process = NULL;

    ngx_http_selkie_activate(process);

    if (reason == 0 || process->gone) {
        ngx_http_selkie_slot_free(process, ctx->slot);
        return;
    }

    slot->reason = reason;
    slot->next = process->aborts;
    process->aborts = ctx->slot;

    ngx_http_selkie_abort_push(process);
}


void
ngx_http_selkie_abort_push(ngx_http_selkie_process_t *process)
{
    int                      err;
    uint32_t                 n;
    ngx_http_selkie_slot_t  *slot;

    while (process->aborts != NGX_HTTP_SELKIE_NO_SLOT) {
        n = process->aborts;
        slot = &process->slots[n];

        err = sk_ring_push(&process->area.out, SK_FRAME_ABORT, 0, n,
                           slot->serial, &slot->reason,
                           sizeof(slot->reason));

        if (err == -EAGAIN) {
            return;
        }

        if (err) {
            process->hostile = "impossible index in the ring";
        }

        process->aborts = slot->next;
        ngx_http_selkie_slot_free(process, n);
    }
}


/* --- places --- */

void
ngx_http_selkie_wait(ngx_http_selkie_ctx_t *ctx)
{
    ngx_queue_insert_tail(&ctx->place->waiting, &ctx->queue);
    ctx->queued = 1;

    ngx_http_selkie_attach(ctx->place);
}


void
ngx_http_selkie_attach(ngx_http_selkie_place_t *place)
{
    if (!place->asked) {
        place->asked = 1;
        ngx_http_selkie_say(SK_MSG_ATTACH, 0, place, NULL);
    }
}


static ngx_http_selkie_place_t *
ngx_http_selkie_place_find(struct sk_message *head)
{
    ngx_http_selkie_app_t        **app;
    ngx_http_selkie_route_t       *route;
    ngx_http_selkie_main_conf_t   *smcf;

    smcf = ngx_http_cycle_get_module_main_conf(ngx_cycle,
                                               ngx_http_selkie_module);

    if (head->app >= smcf->apps.nelts) {
        return NULL;
    }

    app = smcf->apps.elts;

    if (head->route >= app[head->app]->routes.nelts) {
        return NULL;
    }

    route = app[head->app]->routes.elts;
    route += head->route;

    return head->index < route->nplaces ? &route->places[head->index] : NULL;
}


void
ngx_http_selkie_places_walk(ngx_http_selkie_place_pt visit)
{
    ngx_uint_t                     i, j, k;
    ngx_http_selkie_app_t        **app;
    ngx_http_selkie_route_t       *route;
    ngx_http_selkie_main_conf_t   *smcf;

    smcf = ngx_http_cycle_get_module_main_conf(ngx_cycle,
                                               ngx_http_selkie_module);
    app = smcf->apps.elts;

    for (i = 0; i < smcf->apps.nelts; i++) {
        route = app[i]->routes.elts;

        for (j = 0; j < app[i]->routes.nelts; j++) {
            for (k = 0; k < route[j].nplaces; k++) {
                visit(&route[j].places[k]);
            }
        }
    }
}


/* After the client socket was made anew: is a process still wanted? */

void
ngx_http_selkie_place_ask(ngx_http_selkie_place_t *place)
{
    place->asked = 0;

    if (!ngx_queue_empty(&place->waiting)) {
        ngx_http_selkie_attach(place);
    }
}


/* --- attaching --- */

static ngx_int_t
ngx_http_selkie_process_map(ngx_http_selkie_process_t *process,
    struct sk_received *message)
{
    int                err;
    ngx_log_t         *log;
    ngx_connection_t  *c;

    log = ngx_cycle->log;

    err = sk_area_map(&process->area, message->fds[0], SK_AREA_GATEWAY);
    if (err) {
        ngx_log_error(NGX_LOG_ERR, log, -err, "selkie: cannot map an area");
        return NGX_ERROR;
    }

    c = ngx_get_connection(message->fds[2], log);
    if (c == NULL) {
        return NGX_ERROR;
    }

    message->fds[2] = -1;

    c->data = process;
    c->read->handler = ngx_http_selkie_wake_handler;
    c->read->log = log;
    c->write->log = log;

    if (ngx_add_event(c->read, NGX_READ_EVENT, NGX_CLEAR_EVENT) != NGX_OK) {
        ngx_close_connection(c);
        return NGX_ERROR;
    }

    process->wake = c;
    process->wake_fd = message->fds[1];
    message->fds[1] = -1;

    return NGX_OK;
}


static ngx_http_selkie_process_t *
ngx_http_selkie_process_new(struct sk_received *message,
    ngx_http_selkie_place_t *place)
{
    ngx_http_selkie_process_t  *process;

    process = calloc(1, sizeof(ngx_http_selkie_process_t));
    if (process == NULL) {
        return NULL;
    }

    process->id = message->head.proc;
    process->place = place;
    process->wake_fd = -1;
    process->free = NGX_HTTP_SELKIE_NO_SLOT;
    process->aborts = NGX_HTTP_SELKIE_NO_SLOT;
    ngx_queue_init(&process->blocked);

    if (ngx_http_selkie_process_map(process, message) != NGX_OK) {
        sk_area_unmap(&process->area);
        free(process);
        return NULL;
    }

    ngx_queue_insert_tail(ngx_http_selkie_process_list(), &process->queue);
    ngx_http_selkie_activate(process);

    return process;
}


/* Ends one request from outside its own events. */

static void
ngx_http_selkie_fail(ngx_http_selkie_ctx_t *ctx, ngx_int_t rc)
{
    ngx_connection_t  *c;

    c = ctx->request->connection;

    ngx_http_selkie_end(ctx, rc, SK_ABORT_BODY);
    ngx_http_run_posted_requests(c);
}


static void
ngx_http_selkie_waiting_go(ngx_http_selkie_place_t *place, ngx_int_t rc)
{
    ngx_queue_t             now, *q;
    ngx_http_selkie_ctx_t  *ctx;

    if (ngx_queue_empty(&place->waiting)) {
        return;
    }

    /* a request that ends may let another one wait here */

    ngx_queue_init(&now);
    ngx_queue_add(&now, &place->waiting);
    ngx_queue_init(&place->waiting);

    while (!ngx_queue_empty(&now)) {
        q = ngx_queue_head(&now);
        ctx = ngx_queue_data(q, ngx_http_selkie_ctx_t, queue);

        ngx_queue_remove(q);
        ctx->queued = 0;

        if (rc != NGX_OK) {
            ngx_http_selkie_fail(ctx, rc);
            continue;
        }

        if (place->process == NULL) {
            ngx_http_selkie_wait(ctx);
            continue;
        }

        rc = (ngx_http_selkie_slot_take(ctx) == NGX_OK)
             ? ngx_http_selkie_pump(ctx) : NGX_HTTP_INTERNAL_SERVER_ERROR;

        if (rc != NGX_OK && rc != NGX_AGAIN) {
            ngx_http_selkie_fail(ctx, rc);
        }

        rc = NGX_OK;
    }
}


void
ngx_http_selkie_attached(struct sk_received *message)
{
    ngx_http_selkie_place_t    *place;
    ngx_http_selkie_process_t  *process;

    place = ngx_http_selkie_place_find(&message->head);

    if (place == NULL || message->nfds != 3 || !place->asked) {
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                      "selkie: the supervisor attached what nobody asked for");
        return;
    }

    place->asked = 0;

    process = ngx_http_selkie_process_new(message, place);

    if (process == NULL) {
        ngx_http_selkie_say(SK_MSG_RETIRED, message->head.proc, NULL, NULL);
        ngx_http_selkie_waiting_go(place, NGX_HTTP_INTERNAL_SERVER_ERROR);
        return;
    }

    place->process = process;
    ngx_http_selkie_waiting_go(place, NGX_OK);
}


void
ngx_http_selkie_unavailable(struct sk_received *message)
{
    ngx_http_selkie_place_t  *place;

    place = ngx_http_selkie_place_find(&message->head);

    if (place == NULL || !place->asked) {
        return;
    }

    ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                  "selkie: route \"%V\" is not available: %*s",
                  &place->route->label, message->length, message->payload);

    place->asked = 0;

    if (message->head.value > 0) {
        place->barred = 1;
        place->retry_at = ngx_current_msec + message->head.value;
    }

    ngx_http_selkie_waiting_go(place, NGX_HTTP_SERVICE_UNAVAILABLE);
}


/* --- ending --- */

static void
ngx_http_selkie_process_leave(ngx_http_selkie_process_t *process)
{
    if (process->place && process->place->process == process) {
        process->place->process = NULL;
    }
}


void
ngx_http_selkie_process_retire(uint64_t id)
{
    ngx_http_selkie_process_t  *process;

    process = ngx_http_selkie_process_find(id);

    if (process == NULL) {
        ngx_http_selkie_say(SK_MSG_RETIRED, id, NULL, NULL);
        return;
    }

    process->retiring = 1;
    ngx_http_selkie_process_leave(process);
    ngx_http_selkie_activate(process);
}


void
ngx_http_selkie_process_gone(uint64_t id, ngx_int_t status,
    ngx_uint_t verdict)
{
    ngx_http_selkie_process_t  *process;

    process = ngx_http_selkie_process_find(id);

    if (process == NULL) {
        return;
    }

    if (process->inflight) {
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                      "selkie: the process of route \"%V\" died (%s %i) "
                      "with %ui requests in it",
                      &process->place->route->label,
                      WIFSIGNALED(status) ? "signal" : "status",
                      WIFSIGNALED(status) ? (ngx_int_t) WTERMSIG(status)
                                          : (ngx_int_t) WEXITSTATUS(status),
                      process->inflight);
    }

    if (verdict == NGX_HTTP_SERVICE_UNAVAILABLE
        || verdict == NGX_HTTP_GATEWAY_TIME_OUT)
    {
        process->verdict = verdict;
    }

    process->gone = 1;
    ngx_http_selkie_process_leave(process);
    ngx_http_selkie_activate(process);
}


void
ngx_http_selkie_processes_lost(void)
{
    ngx_http_selkie_process_t  *process;

    process = NULL;

    while ((process = ngx_http_selkie_process_next(process)) != NULL) {
        process->gone = 1;
        ngx_http_selkie_process_leave(process);
        ngx_http_selkie_activate(process);
    }
}


void
ngx_http_selkie_process_close(ngx_http_selkie_process_t *process)
{
    if (process->active) {
        ngx_queue_remove(&process->active_queue);
    }

    ngx_queue_remove(&process->queue);
    ngx_http_selkie_process_leave(process);

    ngx_close_connection(process->wake);
    close(process->wake_fd);
    sk_area_unmap(&process->area);

    free(process->slots);
    free(process);
}


void
ngx_http_selkie_process_reap(ngx_http_selkie_process_t *process)
{
    uint32_t                i;
    ngx_int_t               rc;
    ngx_http_selkie_ctx_t  *ctx;

    ngx_http_selkie_process_leave(process);

    process->gone = 1;

    for (i = 0; i < process->nslots; i++) {
        ctx = process->slots[i].ctx;

        if (ctx == NULL) {
            continue;
        }

        rc = ngx_http_selkie_again(ctx);

        if (rc == NGX_DECLINED) {
            ngx_http_selkie_fail(ctx, process->verdict
                                      ? process->verdict
                                      : NGX_HTTP_BAD_GATEWAY);

        } else if (rc != NGX_OK && rc != NGX_AGAIN) {
            ngx_http_selkie_fail(ctx, rc);
        }
    }

    ngx_http_selkie_process_close(process);
}


/* 503 for whoever waits here. */

void
ngx_http_selkie_place_refuse(ngx_http_selkie_place_t *place)
{
    ngx_http_selkie_waiting_go(place, NGX_HTTP_SERVICE_UNAVAILABLE);
}


void
ngx_http_selkie_shutdown_requests(void)
{
    uint32_t                    i;
    ngx_connection_t           *c;
    ngx_http_selkie_ctx_t      *ctx;
    ngx_http_selkie_process_t  *process;

    ngx_http_selkie_places_walk(ngx_http_selkie_place_refuse);

    process = NULL;

    while ((process = ngx_http_selkie_process_next(process)) != NULL) {

        for (i = 0; i < process->nslots; i++) {
            ctx = process->slots[i].ctx;

            if (ctx == NULL) {
                continue;
            }

            c = ctx->request->connection;
            ngx_http_selkie_end(ctx, NGX_HTTP_SERVICE_UNAVAILABLE,
                                SK_ABORT_SHUTDOWN);
            ngx_http_run_posted_requests(c);
        }
    }
}


static void
ngx_http_selkie_wake_handler(ngx_event_t *ev)
{
    ngx_connection_t  *c;

    c = ev->data;

    /* the eventfd is edge-triggered and never read */

    ev->ready = 0;

    ngx_http_selkie_activate(c->data);
}
