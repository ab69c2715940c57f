/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The gateway: what its files share.
 *
 *   module      directives, configuration, the content handler
 *   compile     runs `selkie compile`
 *   app         reads app data into the tables below
 *   router      which route a request belongs to
 *   frame       the REQUEST frame
 *   request     a request's life, body on its way up
 *   headers     what a process may say in a response's head
 *   response    RESPONSE frame, body on its way down
 *   process     worker processes: attach, retire, gone; slots of an area
 *   loop        rings and nginx's event loop
 *   egress      directives about outbound calls, their JSON
 *   supervisor  the door (master) and the client socket (nginx worker)
 *   static      static folders
 *   error       plain text replies
 *
 * Who lives how long. Apps, routes and places live as long as the
 * configuration; each nginx worker has its own copy of them (fork). A process
 * lives from ATTACHED until its last request has ended after RETIRE, or until
 * the loop reaps it after GONE or a protocol error: only the loop frees one.
 * A ctx lives in its request's pool; ngx_http_selkie_release() cuts every
 * link to it, and is called at the latest by the request's cleanup.
 */


#ifndef _NGX_HTTP_SELKIE_MODULE_H_INCLUDED_
#define _NGX_HTTP_SELKIE_MODULE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_http.h>

#include "control/control.h"
#include "match/match.h"
#include "ring/frame.h"
#include "ring/ring.h"


/* credit is given back in steps, so that it does not cost a frame a piece */
#define NGX_HTTP_SELKIE_CREDIT_STEP   (16 * 1024)

/* a route's wall time begins anew after so many bytes of a request's body */
#define NGX_HTTP_SELKIE_PROGRESS      (64 * 1024)


#if (NGX_HTTP_SSL)
#define ngx_http_selkie_secure(r)  ((r)->connection->ssl != NULL)
#else
#define ngx_http_selkie_secure(r)  0
#endif


typedef struct ngx_http_selkie_app_s      ngx_http_selkie_app_t;
typedef struct ngx_http_selkie_route_s    ngx_http_selkie_route_t;
typedef struct ngx_http_selkie_place_s    ngx_http_selkie_place_t;
typedef struct ngx_http_selkie_process_s  ngx_http_selkie_process_t;
typedef struct ngx_http_selkie_ctx_s      ngx_http_selkie_ctx_t;


typedef struct {
    ngx_str_t                   prefix;     /* "" or "/a", no slash at the
                                               end */
    ngx_str_t                   folder;     /* no slash at the end */
    ngx_str_t                   index;      /* empty: none */
    ngx_str_t                   location;   /* named location that serves it */
    unsigned                    clean_urls:1;
} ngx_http_selkie_static_t;


/* where a route's process number `index` is, or will be */
struct ngx_http_selkie_place_s {
    ngx_http_selkie_route_t    *route;
    ngx_uint_t                  index;
    ngx_http_selkie_process_t  *process;    /* begins new requests */
    ngx_queue_t                 waiting;    /* ctxs that wait for a process */
    ngx_uint_t                  load;       /* ctxs here */
    ngx_msec_t                  retry_at;   /* no process before this */
    unsigned                    asked:1;    /* ATTACH is on its way */
    unsigned                    barred:1;   /* retry_at holds */
};


struct ngx_http_selkie_route_s {
    ngx_http_selkie_app_t      *app;
    ngx_uint_t                  number;
    ngx_str_t                   method;
    ngx_str_t                   text;       /* the pattern as written */
    ngx_str_t                   label;      /* "GET /pattern" */
    struct sk_pattern          *pattern;
    ngx_msec_t                  wall;
    off_t                       body;
    ngx_uint_t                  concurrency;
    ngx_uint_t                  inflight;
    ngx_uint_t                  nplaces;
    ngx_http_selkie_place_t    *places;
    unsigned                    literal:1;  /* nothing but plain bytes */
    unsigned                    broken:1;   /* its worker does not build */
};


struct ngx_http_selkie_app_s {
    ngx_str_t                   file;
    ngx_str_t                   data;       /* path of app.json, or empty */
    ngx_str_t                   json;
    ngx_uint_t                  number;
    ngx_array_t                 hosts;      /* of ngx_str_t */
    ngx_array_t                 routes;     /* of ngx_http_selkie_route_t */
    ngx_array_t                 statics;    /* of ngx_http_selkie_static_t */
    unsigned                    any_host:1;
};


typedef struct {
    ngx_http_selkie_ctx_t      *ctx;        /* NULL: free, or to be aborted */
    uint32_t                    serial;
    uint32_t                    next;       /* in the free or aborts list */
    uint32_t                    reason;     /* of a pending ABORT */
} ngx_http_selkie_slot_t;


struct ngx_http_selkie_process_s {
    uint64_t                    id;
    ngx_http_selkie_place_t    *place;
    struct sk_area              area;
    int                         wake_fd;    /* wakes the worker process */
    ngx_connection_t           *wake;       /* what wakes us */
    ngx_http_selkie_slot_t     *slots;
    uint32_t                    nslots;
    uint32_t                    free;       /* list of slots */
    uint32_t                    aborts;     /* list of slots */
    ngx_uint_t                  inflight;   /* slots in use */
    ngx_queue_t                 blocked;    /* ctxs that found no room */
    ngx_queue_t                 queue;      /* of all processes */
    ngx_queue_t                 active_queue;
    const char                 *hostile;    /* what it did */
    ngx_int_t                   verdict;    /* on its requests, or 0 */
    unsigned                    active:1;
    unsigned                    retiring:1;
    unsigned                    gone:1;
};


struct ngx_http_selkie_ctx_s {
    ngx_http_request_t         *request;
    ngx_http_selkie_route_t    *route;
    ngx_http_selkie_place_t    *place;
    ngx_http_selkie_process_t  *process;    /* has a slot there */
    uint32_t                    slot;
    uint32_t                    serial;
    uint64_t                    position;   /* just after its REQUEST */
    ngx_queue_t                 queue;      /* waiting or blocked */
    ngx_event_t                 timer;      /* wall time */

    /* what the REQUEST frame needs and the request itself does not have */
    ngx_str_t                   target;
    ngx_str_t                   params;     /* encoded pairs */
    ngx_uint_t                  nparams;

    /* the request's body: buffers in hand, and how far they are pushed */
    ngx_chain_t                *body;
    ngx_chain_t                *body_at;
    size_t                      body_offset;
    off_t                       body_taken;  /* bytes read from the client */
    off_t                       body_pushed;
    off_t                       body_mark;   /* pushed at last progress */
    uint32_t                    up_window;   /* bytes that may be pushed */

    /* the response's body */
    off_t                       left;        /* announced and not yet come */
    uint32_t                    down_window; /* bytes that may still come */
    uint32_t                    sent;        /* gone out, credit is due */
    uint32_t                    pending;     /* in `busy` */
    u_char                     *window;      /* SK_WINDOW bytes, circular */
    uint32_t                    window_at;
    ngx_chain_t                *free;
    ngx_chain_t                *busy;

    unsigned                    queued:1;
    unsigned                    begun:1;     /* REQUEST is pushed */
    unsigned                    body_ended:1;
    unsigned                    body_lost:1; /* pushed bytes are forgotten */
    unsigned                    retried:1;
    unsigned                    responded:1;
    unsigned                    released:1;
};


typedef struct {
    ngx_str_t                   selkie;      /* path of the command */
    ngx_str_t                   supervisor;  /* path of selkie-supervisor */
    ngx_str_t                   worker_user;
    ngx_uint_t                  log_format;
    ngx_msec_t                  drain_timeout;
    ngx_array_t                 resolve;     /* of ngx_str_t */
    ngx_str_t                   ca_file;
    ngx_flag_t                  audit;
    ngx_array_t                 apps;        /* of ngx_http_selkie_app_t * */
} ngx_http_selkie_main_conf_t;


typedef struct {
    ngx_http_selkie_app_t      *app;
} ngx_http_selkie_loc_conf_t;


/* app */

ngx_http_selkie_app_t *ngx_http_selkie_app_load(ngx_conf_t *cf,
    ngx_http_selkie_main_conf_t *smcf, ngx_str_t *file, ngx_str_t *data);

/* compile: runs `selkie compile`, its output goes to *json */

ngx_int_t ngx_http_selkie_compile(ngx_conf_t *cf, ngx_str_t *selkie,
    ngx_str_t *file, ngx_str_t *json);

/* host */

void ngx_http_selkie_own_host(ngx_http_request_t *r);
ngx_int_t ngx_http_selkie_host_valid(ngx_http_request_t *r);
ngx_int_t ngx_http_selkie_host_allowed(ngx_http_request_t *r,
    ngx_http_selkie_app_t *app);

/* router */

ngx_int_t ngx_http_selkie_target(ngx_http_request_t *r, ngx_str_t *target,
    ngx_str_t *path);

/* NGX_OK: *ctx is made for the route that matches. NGX_DECLINED: none does. */
ngx_int_t ngx_http_selkie_route(ngx_http_request_t *r,
    ngx_http_selkie_app_t *app, ngx_str_t *target, ngx_str_t *path,
    ngx_http_selkie_ctx_t **ctx);

/* frame */

int ngx_http_selkie_request_push(ngx_http_selkie_ctx_t *ctx);
ngx_int_t ngx_http_selkie_hop_by_hop(const u_char *name, size_t len);

/* request */

ngx_int_t ngx_http_selkie_begin(ngx_http_selkie_ctx_t *ctx);

/* Pushes whatever this request has to say to its process. NGX_OK, NGX_AGAIN
 * (it waits for the client or for room), or what the request ends with. */
ngx_int_t ngx_http_selkie_pump(ngx_http_selkie_ctx_t *ctx);

/* Begins again in another process, as nothing had been taken from its ring.
 * NGX_DECLINED when that cannot be. */
ngx_int_t ngx_http_selkie_again(ngx_http_selkie_ctx_t *ctx);

/* Ends a request: cuts it off its process (with an ABORT, if the process does
 * not know yet), replies with status and text if there is no reply so far,
 * else closes the connection. `ctx` is gone afterwards. */
void ngx_http_selkie_end(ngx_http_selkie_ctx_t *ctx, ngx_int_t rc,
    uint32_t reason);
void ngx_http_selkie_release(ngx_http_selkie_ctx_t *ctx, uint32_t reason);
void ngx_http_selkie_progress(ngx_http_selkie_ctx_t *ctx);

/* response: both return NULL, or what is wrong with the frame */

const char *ngx_http_selkie_response(ngx_http_selkie_ctx_t *ctx,
    struct sk_frame *frame);
const char *ngx_http_selkie_response_body(ngx_http_selkie_ctx_t *ctx,
    struct sk_frame *frame);

/* headers: NULL, or what is wrong */

extern const char  ngx_http_selkie_no_memory[];

const char *ngx_http_selkie_headers(ngx_http_request_t *r,
    struct sk_cursor *cursor, uint32_t count);

/* process */

void ngx_http_selkie_wait(ngx_http_selkie_ctx_t *ctx);
ngx_int_t ngx_http_selkie_slot_take(ngx_http_selkie_ctx_t *ctx);
void ngx_http_selkie_slot_give(ngx_http_selkie_ctx_t *ctx, uint32_t reason);
void ngx_http_selkie_abort_push(ngx_http_selkie_process_t *process);
void ngx_http_selkie_attach(ngx_http_selkie_place_t *place);
void ngx_http_selkie_attached(struct sk_received *message);
void ngx_http_selkie_unavailable(struct sk_received *message);
void ngx_http_selkie_process_gone(uint64_t id, ngx_int_t status,
    ngx_uint_t verdict);
void ngx_http_selkie_process_retire(uint64_t id);

/* Ends the process's requests and frees it; only the loop may call it. */
void ngx_http_selkie_process_reap(ngx_http_selkie_process_t *process);
void ngx_http_selkie_process_close(ngx_http_selkie_process_t *process);
void ngx_http_selkie_processes_lost(void);
void ngx_http_selkie_place_ask(ngx_http_selkie_place_t *place);
void ngx_http_selkie_place_refuse(ngx_http_selkie_place_t *place);

typedef void (*ngx_http_selkie_place_pt)(ngx_http_selkie_place_t *place);
void ngx_http_selkie_places_walk(ngx_http_selkie_place_pt visit);

void ngx_http_selkie_shutdown_requests(void);
ngx_http_selkie_process_t *ngx_http_selkie_process_next(
    ngx_http_selkie_process_t *process);

/* loop */

void ngx_http_selkie_loop_init(ngx_cycle_t *cycle);
void ngx_http_selkie_activate(ngx_http_selkie_process_t *process);
void ngx_http_selkie_wake_process(ngx_http_selkie_process_t *process);

/* supervisor */

ngx_int_t ngx_http_selkie_supervisor_start(ngx_cycle_t *cycle,
    ngx_http_selkie_main_conf_t *smcf);
ngx_int_t ngx_http_selkie_connect(ngx_cycle_t *cycle);
void ngx_http_selkie_disconnect(void);
void ngx_http_selkie_say(uint32_t type, uint64_t proc,
    ngx_http_selkie_place_t *place, const char *text);
void ngx_http_selkie_say_pending(void);

/* egress */

char *ngx_http_selkie_resolve(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_selkie_ca_file(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* What a CONFIG says of the egress: a heap string, or NULL. */
char *ngx_http_selkie_egress_json(ngx_http_selkie_main_conf_t *smcf);

/* static */

/* NGX_DECLINED when no static folder has it. */
ngx_int_t ngx_http_selkie_static_handler(ngx_http_request_t *r,
    ngx_http_selkie_app_t *app);
ngx_int_t ngx_http_selkie_static_location(ngx_conf_t *cf,
    ngx_http_selkie_static_t *st);

/* error */

ngx_int_t ngx_http_selkie_error(ngx_http_request_t *r, ngx_uint_t status);
ngx_int_t ngx_http_selkie_text(ngx_http_request_t *r, ngx_uint_t status,
    ngx_str_t *text);
ngx_int_t ngx_http_selkie_not_found(ngx_http_request_t *r);


extern ngx_module_t  ngx_http_selkie_module;


#endif /* _NGX_HTTP_SELKIE_MODULE_H_INCLUDED_ */
