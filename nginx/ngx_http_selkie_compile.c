/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs `selkie compile APP.js` while nginx reads its configuration. What it
 * prints is the app's data; what it complains of goes to the error log, a line
 * an entry, and fails the configuration.
 */

#include "ngx_http_selkie_module.h"

#include <poll.h>
#include <sys/wait.h>


#define NGX_HTTP_SELKIE_JSON_MAX   (64 * 1024 * 1024)
#define NGX_HTTP_SELKIE_ERROR_MAX  (64 * 1024)


typedef struct {
    u_char   *data;
    size_t    len;
    size_t    size;
    size_t    max;
    int       fd;
} ngx_http_selkie_pipe_t;


static pid_t
ngx_http_selkie_compile_spawn(ngx_str_t *selkie, ngx_str_t *file, int out,
    int err)
{
    int        null;
    char      *argv[4];
    pid_t      pid;
    sigset_t   none;

    pid = fork();

    if (pid != 0) {
        return pid;
    }

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    null = open("/dev/null", O_RDONLY);

    if (null == -1 || dup2(null, 0) == -1 || dup2(out, 1) == -1
        || dup2(err, 2) == -1)
    {
        _exit(127);
    }

    argv[0] = (char *) selkie->data;
    argv[1] = "compile";
    argv[2] = (char *) file->data;
    argv[3] = NULL;

    execv(argv[0], argv);

    dprintf(2, "cannot run %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}


/* NGX_OK: more may come, NGX_DONE: the end, NGX_ERROR. */

static ngx_int_t
ngx_http_selkie_pipe_read(ngx_http_selkie_pipe_t *p)
{
    size_t    size;
    u_char   *data;
    ssize_t   n;

    if (p->len + 1 >= p->size) {
        size = p->size ? p->size * 2 : 16 * 1024;

        if (size > p->max) {
            return NGX_ERROR;
        }

        data = realloc(p->data, size);
        if (data == NULL) {
            return NGX_ERROR;
        }

        p->data = data;
        p->size = size;
    }

    n = read(p->fd, p->data + p->len, p->size - p->len - 1);

    if (n == -1) {
        return errno == EINTR ? NGX_OK : NGX_ERROR;
    }

    if (n == 0) {
        close(p->fd);
        p->fd = -1;
        return NGX_DONE;
    }

    p->len += n;
    p->data[p->len] = '\0';

    return NGX_OK;
}


static ngx_int_t
ngx_http_selkie_compile_read(ngx_http_selkie_pipe_t *out,
    ngx_http_selkie_pipe_t *err)
{
    struct pollfd  fds[2];

    while (out->fd != -1 || err->fd != -1) {
        fds[0].fd = out->fd;
        fds[0].events = POLLIN;
        fds[0].revents = 0;
        fds[1].fd = err->fd;
        fds[1].events = POLLIN;
        fds[1].revents = 0;

        if (poll(fds, 2, -1) == -1 && errno != EINTR) {
            return NGX_ERROR;
        }

        if (fds[0].revents && ngx_http_selkie_pipe_read(out) == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (fds[1].revents && ngx_http_selkie_pipe_read(err) == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static void
ngx_http_selkie_compile_log(ngx_conf_t *cf, ngx_uint_t level, u_char *text)
{
    char  *line, *rest;

    for (line = strtok_r((char *) text, "\n", &rest);
         line != NULL;
         line = strtok_r(NULL, "\n", &rest))
    {
        ngx_log_error(level, cf->log, 0, "selkie: %s", line);
    }
}


ngx_int_t
ngx_http_selkie_compile(ngx_conf_t *cf, ngx_str_t *selkie, ngx_str_t *file,
    ngx_str_t *json)
{
    int                     o[2], e[2], status;
    pid_t                   pid;
    ngx_int_t               rc;
    ngx_http_selkie_pipe_t  out, err;

    ngx_memzero(&out, sizeof(out));
    ngx_memzero(&err, sizeof(err));
    out.max = NGX_HTTP_SELKIE_JSON_MAX;
    err.max = NGX_HTTP_SELKIE_ERROR_MAX;
    rc = NGX_ERROR;
    status = -1;

    if (pipe2(o, O_CLOEXEC) == -1) {
        return NGX_ERROR;
    }

    if (pipe2(e, O_CLOEXEC) == -1) {
        close(o[0]);
        close(o[1]);
        return NGX_ERROR;
    }

    pid = ngx_http_selkie_compile_spawn(selkie, file, o[1], e[1]);

    close(o[1]);
    close(e[1]);
    out.fd = o[0];
    err.fd = e[0];

    if (pid == -1) {
        goto done;
    }

    rc = ngx_http_selkie_compile_read(&out, &err);

    if (rc != NGX_OK) {
        kill(pid, SIGKILL);
    }

    /* no status when SIGCHLD is ignored by whoever started nginx */

    while (waitpid(pid, &status, 0) == -1) {
        if (errno != EINTR) {
            status = (rc == NGX_OK && out.len) ? 0 : -1;
            break;
        }
    }

done:

    if (rc != NGX_OK || status != 0) {

        if (err.len) {
            ngx_http_selkie_compile_log(cf, NGX_LOG_EMERG, err.data);
        }

        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V compile %V\" failed", selkie, file);
        rc = NGX_ERROR;

    } else {

        if (err.len) {
            ngx_http_selkie_compile_log(cf, NGX_LOG_WARN, err.data);
        }

        json->len = out.len;
        json->data = ngx_pnalloc(cf->pool, out.len + 1);

        if (json->data == NULL) {
            rc = NGX_ERROR;

        } else {
            ngx_memcpy(json->data, out.len ? out.data : (u_char *) "", out.len);
            json->data[out.len] = '\0';
        }
    }

    if (out.fd != -1) {
        close(out.fd);
    }

    if (err.fd != -1) {
        close(err.fd);
    }

    free(out.data);
    free(err.data);

    return rc;
}
