/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nginx that `selkie APP.js` runs: start, reload, end.
 *
 * It leads a process group of its own, so that ^C on the terminal reaches only
 * this command, and gets SIGQUIT when this command is killed. This command is
 * the subreaper of whatever nginx starts (workers, the supervisor and its
 * processes), so at the end it waits for all of them, and kills what stays.
 */
#ifndef SK_CLI_NGINX_H
#define SK_CLI_NGINX_H

#include <sys/types.h>

#include "cli/process.h"

struct sk_nginx {
	pid_t pid;   /* 0: it does not run */
	int status;  /* its wait status, once it has ended */
	int signals; /* signalfd: INT, TERM, HUP, CHLD; the caller's */
};

/* Starts nginx with RUN/nginx.conf. 0 or -errno. */
int sk_nginx_start(struct sk_nginx *nginx, const char *program,
		   const char *run);

/* Waits until it serves on the address. 0; -ECHILD when it ended instead;
 * -EINTR when INT or TERM came; -ETIMEDOUT. */
int sk_nginx_wait(struct sk_nginx *nginx, const char *run, const char *address,
		  int port);

/* Makes it load its configuration again and waits for a new worker of it. 0,
 * -ETIMEDOUT when it kept the old one, -ECHILD when it ended. */
int sk_nginx_reload(struct sk_nginx *nginx);

/* Reaps children that have ended; notices when nginx is one of them, and
 * returns how many were others: what nginx started has become our child. */
int sk_nginx_reap(struct sk_nginx *nginx);

/* Ends it and everything that it started: lets requests finish, for at most
 * ten seconds, or until INT or TERM come again. */
void sk_nginx_stop(struct sk_nginx *nginx);

/* Waits for a signal, at most `timeout` ms (-1: no limit). Returns its number,
 * or 0. `from_kernel` is set when it came from the kernel (a terminal that
 * hung up); it may be NULL. */
int sk_signal_take(int signals, int timeout, int *from_kernel);

#endif
