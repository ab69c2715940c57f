/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The gateway's two lines to the supervisor (docs/control.md).
 *
 * The door belongs to nginx's master, which starts the supervisor when it
 * first loads an app and tells it every configuration. It never waits for it:
 * the socket is non-blocking, and what does not fit is an error in the log.
 *
 * The client socket belongs to an nginx worker. What it has to say is queued
 * and sent once a turn. When the socket breaks, worker processes are lost with
 * the supervisor that held them; a timer connects again.
 */

#include "ngx_http_selkie_module.h"

#include <sys/mman.h>


#define NGX_HTTP_SELKIE_RECONNECT_MIN  50
#define NGX_HTTP_SELKIE_RECONNECT_MAX  2000


typedef struct {
    ngx_queue_t         queue;
    struct sk_message   head;
    const char         *text;
} ngx_http_selkie_say_t;


static void ngx_http_selkie_client_read(ngx_event_t *ev);
static void ngx_http_selkie_client_write(ngx_event_t *ev);
static void ngx_http_selkie_client_lost(void);
static void ngx_http_selkie_reconnect(ngx_event_t *ev);


/* the master's, inherited by its workers; they outlive a reload */

static int               ngx_http_selkie_door = -1;
static uint64_t          ngx_http_selkie_generation;

/* an nginx worker's own */

static ngx_connection_t  *ngx_http_selkie_client;
static ngx_queue_t        ngx_http_selkie_says;
static ngx_event_t        ngx_http_selkie_timer;
static ngx_msec_t         ngx_http_selkie_delay =
                                              NGX_HTTP_SELKIE_RECONNECT_MIN;


/* --- nginx's master --- */

static void
ngx_http_selkie_supervisor_exec(ngx_http_selkie_main_conf_t *smcf, int fd)
{
    int        null;
    char      *argv[6];
    size_t     n;
    sigset_t   none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    null = open("/dev/null", O_RDONLY);

    if (null != -1 && null != fd) {
        dup2(null, 0);
    }

    /* dup2() leaves close-on-exec alone when there is nothing to do */

    if (fd == 3 ? fcntl(fd, F_SETFD, 0) == -1 : dup2(fd, 3) == -1) {
        _exit(127);
    }

    n = 0;
    argv[n++] = (char *) smcf->supervisor.data;
    argv[n++] = "--log-format";
    argv[n++] = smcf->log_format ? "json" : "text";

    if (smcf->worker_user.len) {
        argv[n++] = "--worker-user";
        argv[n++] = (char *) smcf->worker_user.data;
    }

    argv[n] = NULL;

    execv(argv[0], argv);

    dprintf(2, "selkie: cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}


/*
 * The supervisor and its watcher start each other again, so the one that
 * nginx started may end any time. It is no child of nginx's master, which would
 * report the end of a process that it does not know: a child forks it and ends.
 */

static ngx_int_t
ngx_http_selkie_supervisor_fork(ngx_cycle_t *cycle,
    ngx_http_selkie_main_conf_t *smcf, int fd)
{
    int        err, status;
    pid_t      pid;
    sigset_t   chld, before;

    /* this end is ours to collect, not that of nginx's handler */

    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, &before);

    pid = fork();

    if (pid == 0) {
        pid = fork();

        if (pid == 0) {
            ngx_http_selkie_supervisor_exec(smcf, fd);
        }

        _exit(pid == -1 ? ngx_errno : 0);
    }

    err = pid == -1 ? ngx_errno : 0;

    if (pid != -1 && waitpid(pid, &status, 0) == pid) {
        err = WIFEXITED(status) ? WEXITSTATUS(status) : NGX_ECHILD;
    }

    sigprocmask(SIG_SETMASK, &before, NULL);

    if (err) {
        ngx_log_error(NGX_LOG_EMERG, cycle->log, err,
                      "selkie: fork() failed");
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_selkie_supervisor_spawn(ngx_cycle_t *cycle,
    ngx_http_selkie_main_conf_t *smcf)
{
    int        pair[2], err;
    ngx_int_t  rc;

    if (access((char *) smcf->supervisor.data, X_OK) == -1) {
        ngx_log_error(NGX_LOG_EMERG, cycle->log, ngx_errno,
                      "selkie: cannot run \"%V\"", &smcf->supervisor);
        return NGX_ERROR;
    }

    err = sk_control_pair(pair);
    if (err) {
        ngx_log_error(NGX_LOG_EMERG, cycle->log, -err,
                      "selkie: socketpair() failed");
        return NGX_ERROR;
    }

    rc = ngx_http_selkie_supervisor_fork(cycle, smcf, pair[1]);

    close(pair[1]);

    if (rc != NGX_OK) {
        close(pair[0]);
        return NGX_ERROR;
    }

    ngx_http_selkie_door = pair[0];

    return NGX_OK;
}


static ngx_int_t
ngx_http_selkie_write_all(int fd, const void *data, size_t len)
{
    ssize_t        n;
    const u_char  *p;

    for (p = data; len; p += n, len -= n) {
        n = write(fd, p, len);

        if (n <= 0) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* The sealed memfd of a CONFIG message, or -1. */

static int
ngx_http_selkie_config_fd(ngx_http_selkie_main_conf_t *smcf)
{
    int                      fd;
    char                     head[64], *egress;
    ngx_int_t                rc;
    ngx_uint_t               i;
    ngx_http_selkie_app_t  **app;

    fd = memfd_create("selkie-config", MFD_CLOEXEC|MFD_ALLOW_SEALING);
    if (fd == -1) {
        return -1;
    }

    egress = ngx_http_selkie_egress_json(smcf);
    if (egress == NULL) {
        close(fd);
        return -1;
    }

    snprintf(head, sizeof(head), "{\"version\":1,\"log\":\"%s\",\"egress\":",
             smcf->log_format ? "json" : "text");

    rc = ngx_http_selkie_write_all(fd, head, strlen(head));

    if (rc == NGX_OK) {
        rc = ngx_http_selkie_write_all(fd, egress, strlen(egress));
    }

    free(egress);

    if (rc == NGX_OK) {
        rc = ngx_http_selkie_write_all(fd, ",\"apps\":[", 9);
    }

    app = smcf->apps.elts;

    for (i = 0; i < smcf->apps.nelts && rc == NGX_OK; i++) {
        if (i) {
            rc = ngx_http_selkie_write_all(fd, ",", 1);
        }

        if (rc == NGX_OK) {
            rc = ngx_http_selkie_write_all(fd, app[i]->json.data,
                                           app[i]->json.len);
        }
    }

    if (rc != NGX_OK
        || ngx_http_selkie_write_all(fd, "]}", 2) != NGX_OK
        || lseek(fd, 0, SEEK_SET) == -1
        || fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE|F_SEAL_SHRINK|F_SEAL_GROW
                                  |F_SEAL_SEAL)
           == -1)
    {
        close(fd);
        return -1;
    }

    return fd;
}


/* 0 or -errno. */

static int
ngx_http_selkie_config_send(ngx_http_selkie_main_conf_t *smcf)
{
    int                fd, err;
    struct sk_message  head;

    fd = ngx_http_selkie_config_fd(smcf);
    if (fd == -1) {
        return -ngx_errno;
    }

    ngx_memzero(&head, sizeof(head));
    head.type = SK_MSG_CONFIG;
    head.generation = ngx_http_selkie_generation;

    err = sk_message_send(ngx_http_selkie_door, &head, NULL, 0, &fd, 1);

    close(fd);

    return err;
}


ngx_int_t
ngx_http_selkie_supervisor_start(ngx_cycle_t *cycle,
    ngx_http_selkie_main_conf_t *smcf)
{
    int         err;
    ngx_uint_t  first;

    first = ngx_is_init_cycle(cycle->old_cycle);

    if (ngx_http_selkie_generation == 0) {
        ngx_http_selkie_generation = (uint64_t) ngx_time() << 16;
    }

    ngx_http_selkie_generation++;

    err = -EPIPE;

    if (ngx_http_selkie_door != -1) {
        err = ngx_http_selkie_config_send(smcf);

        if (err == -EPIPE || err == -ECONNRESET) {
            close(ngx_http_selkie_door);
            ngx_http_selkie_door = -1;
        }
    }

    if (smcf->apps.nelts == 0) {

        /* nothing runs, or has been told to end */

        return NGX_OK;
    }

    if (ngx_http_selkie_door == -1) {

        /* an error here would end a master that only reloads */

        if (ngx_http_selkie_supervisor_spawn(cycle, smcf) != NGX_OK) {
            return first ? NGX_ERROR : NGX_OK;
        }

        err = ngx_http_selkie_config_send(smcf);
    }

    if (err) {
        ngx_log_error(NGX_LOG_EMERG, cycle->log, -err,
                      "selkie: cannot tell the supervisor its configuration");
        return first ? NGX_ERROR : NGX_OK;
    }

    return NGX_OK;
}


/* --- an nginx worker --- */

static ngx_int_t
ngx_http_selkie_client_open(ngx_cycle_t *cycle)
{
    int                pair[2], err;
    ngx_connection_t  *c;
    struct sk_message  head;

    err = sk_control_pair(pair);
    if (err) {
        return NGX_ERROR;
    }

    ngx_memzero(&head, sizeof(head));
    head.type = SK_MSG_CONNECT;
    head.generation = ngx_http_selkie_generation;

    err = sk_message_send(ngx_http_selkie_door, &head, NULL, 0, &pair[1], 1);

    close(pair[1]);

    if (err) {
        ngx_log_error(NGX_LOG_ERR, cycle->log, -err,
                      "selkie: cannot reach the supervisor");
        close(pair[0]);
        return NGX_ERROR;
    }

    c = ngx_get_connection(pair[0], cycle->log);
    if (c == NULL) {
        close(pair[0]);
        return NGX_ERROR;
    }

    c->read->handler = ngx_http_selkie_client_read;
    c->read->log = cycle->log;
    c->write->handler = ngx_http_selkie_client_write;
    c->write->log = cycle->log;

    if (ngx_add_event(c->read, NGX_READ_EVENT, NGX_CLEAR_EVENT) != NGX_OK
        || ngx_add_event(c->write, NGX_WRITE_EVENT, NGX_CLEAR_EVENT) != NGX_OK)
    {
        ngx_close_connection(c);
        return NGX_ERROR;
    }

    ngx_http_selkie_client = c;

    return NGX_OK;
}


static void
ngx_http_selkie_reconnect_later(ngx_cycle_t *cycle)
{
    ngx_http_selkie_timer.handler = ngx_http_selkie_reconnect;
    ngx_http_selkie_timer.log = cycle->log;
    ngx_http_selkie_timer.cancelable = 1;

    ngx_add_timer(&ngx_http_selkie_timer, ngx_http_selkie_delay);

    ngx_http_selkie_delay = ngx_min(ngx_http_selkie_delay * 2,
                                    NGX_HTTP_SELKIE_RECONNECT_MAX);
}


static void
ngx_http_selkie_reconnect(ngx_event_t *ev)
{
    if (ngx_http_selkie_client_open((ngx_cycle_t *) ngx_cycle) != NGX_OK) {

        if (ngx_http_selkie_delay >= NGX_HTTP_SELKIE_RECONNECT_MAX) {

            /* its watcher would have started it by now: it is not coming */

            ngx_http_selkie_places_walk(ngx_http_selkie_place_refuse);
        }

        ngx_http_selkie_reconnect_later((ngx_cycle_t *) ngx_cycle);
        return;
    }

    ngx_http_selkie_places_walk(ngx_http_selkie_place_ask);
}


ngx_int_t
ngx_http_selkie_connect(ngx_cycle_t *cycle)
{
    ngx_queue_init(&ngx_http_selkie_says);

    if (ngx_http_selkie_client_open(cycle) != NGX_OK) {
        ngx_http_selkie_reconnect_later(cycle);
    }

    return NGX_OK;
}


void
ngx_http_selkie_disconnect(void)
{
    if (ngx_http_selkie_client) {
        ngx_http_selkie_say_pending();
    }

    if (ngx_http_selkie_client) {
        ngx_close_connection(ngx_http_selkie_client);
        ngx_http_selkie_client = NULL;
    }
}


/* The text is a constant. What is said while nobody listens is forgotten:
 * places ask again, and processes of a lost supervisor are lost too. */

void
ngx_http_selkie_say(uint32_t type, uint64_t proc,
    ngx_http_selkie_place_t *place, const char *text)
{
    ngx_http_selkie_say_t  *say;

    if (ngx_http_selkie_client == NULL) {
        return;
    }

    say = calloc(1, sizeof(ngx_http_selkie_say_t));

    if (say == NULL) {

        /* a message less is a lie to the supervisor: begin anew */

        ngx_http_selkie_client_lost();
        return;
    }

    say->head.type = type;
    say->head.generation = ngx_http_selkie_generation;
    say->head.proc = proc;
    say->text = text;

    if (place) {
        say->head.app = place->route->app->number;
        say->head.route = place->route->number;
        say->head.index = place->index;
    }

    ngx_queue_insert_tail(&ngx_http_selkie_says, &say->queue);
}


void
ngx_http_selkie_say_pending(void)
{
    int                     err;
    ngx_queue_t            *q;
    ngx_http_selkie_say_t  *say;

    while (ngx_http_selkie_client
           && !ngx_queue_empty(&ngx_http_selkie_says))
    {
        q = ngx_queue_head(&ngx_http_selkie_says);
        say = ngx_queue_data(q, ngx_http_selkie_say_t, queue);

        err = sk_message_send(ngx_http_selkie_client->fd, &say->head,
                              say->text, say->text ? strlen(say->text) : 0,
                              NULL, 0);

        if (err == -EAGAIN) {
            return;
        }

        if (err) {
            ngx_http_selkie_client_lost();
            return;
        }

        ngx_queue_remove(q);
        free(say);
    }
}


static void
ngx_http_selkie_client_lost(void)
{
    ngx_queue_t  *q;

    if (ngx_http_selkie_client == NULL) {
        return;
    }

    ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                  "selkie: the supervisor has closed its connection");

    ngx_close_connection(ngx_http_selkie_client);
    ngx_http_selkie_client = NULL;

    while (!ngx_queue_empty(&ngx_http_selkie_says)) {
        q = ngx_queue_head(&ngx_http_selkie_says);
        ngx_queue_remove(q);
        free(ngx_queue_data(q, ngx_http_selkie_say_t, queue));
    }

    ngx_http_selkie_processes_lost();
    ngx_http_selkie_reconnect_later((ngx_cycle_t *) ngx_cycle);
}


static void
ngx_http_selkie_client_message(struct sk_received *message)
{
    switch (message->head.type) {

    case SK_MSG_ATTACHED:
        ngx_http_selkie_attached(message);
        break;

    case SK_MSG_UNAVAILABLE:
        ngx_http_selkie_unavailable(message);
        break;

    case SK_MSG_GONE:
        ngx_http_selkie_process_gone(message->head.proc, message->head.value,
                                     message->head.index);
        break;

    case SK_MSG_RETIRE:
        ngx_http_selkie_process_retire(message->head.proc);
        break;

    default:
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                      "selkie: a message of type %uD from the supervisor",
                      message->head.type);
        break;
    }
}


static void
ngx_http_selkie_client_read(ngx_event_t *ev)
{
    int                 rc;
    struct sk_received  message;

    static u_char       buffer[SK_MESSAGE_MAX + 1];

    while (ngx_http_selkie_client) {

        rc = sk_message_receive(ngx_http_selkie_client->fd, &message, buffer,
                                sizeof(buffer));

        if (rc == -EAGAIN) {
            return;
        }

        if (rc != 1) {
            ngx_http_selkie_client_lost();
            return;
        }

        ngx_http_selkie_delay = NGX_HTTP_SELKIE_RECONNECT_MIN;

        ngx_http_selkie_client_message(&message);
        sk_received_close(&message);
    }
}


/* There is room again; the loop sends before it waits. */

static void
ngx_http_selkie_client_write(ngx_event_t *ev)
{
    ev->ready = 1;
}
