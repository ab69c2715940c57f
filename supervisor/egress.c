/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that makes every outbound call; see egress.h. */
#include "supervisor/egress.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring/ring.h"
#include "supervisor/child.h"
#include "supervisor/generation.h"
#include "supervisor/proc.h"
#include "supervisor/supervisor.h"

void sk_egress_init(struct sk_egress *egress, struct sk_supervisor *sup)
{
	memset(egress, 0, sizeof(*egress));
	egress->sup = sup;
	egress->socket.fd = -1;
	sk_outbox_init(&egress->outbox, &sup->loop, &egress->socket);
	sk_bucket_init(&egress->bucket, sk_now());
}

static void say(struct sk_egress *egress, enum sk_level level, const char *text)
{
	sk_log_say(&egress->sup->log, level, "selkie-egress", egress->pid, "%s",
		   text);
}

static void kill_it(struct sk_egress *egress)
{
	if (egress->pid)
		kill(egress->pid, SIGKILL);
}

/* --- what it says --- */

/* An entry about a process counts against that process's allowance. */
static void take_log(struct sk_egress *egress, const struct sk_received *got)
{
	struct sk_supervisor *sup = egress->sup;
	struct sk_proc *proc = sk_proc_find(sup, got->head.proc);
	struct sk_entry entry = {
		.level = SK_LEVEL_ERROR,
		.route = proc ? proc->route->label : "selkie-egress",
		.pid = proc ? proc->pid : egress->pid,
		.text = (const char *)got->payload,
		.length = got->length,
	};

	if (got->head.value >= 0 && got->head.value < SK_LEVEL_ERROR)
		entry.level = (enum sk_level)got->head.value;
	if (sk_bucket_take(proc ? &proc->bucket : &egress->bucket, sk_now(),
			   got->length))
		sk_log_entry(&sup->log, &entry);
}

static int take_message(void *arg, struct sk_received *got)
{
	struct sk_egress *egress = arg;
	struct sk_proc *proc;

	switch (got->head.type) {
	case SK_MSG_LOG:
		take_log(egress, got);
		break;
	case SK_MSG_EGRESS_HOSTILE:
		proc = sk_proc_find(egress->sup, got->head.proc);
		if (proc)
			sk_proc_kill(proc, (const char *)got->payload);
		break;
	default:
		say(egress, SK_LEVEL_ERROR, "an unknown message from it");
	}
	return 0;
}

static void socket_ready(struct sk_source *source, uint32_t events)
{
	struct sk_egress *egress;

	egress = (struct sk_egress *)((char *)source -
				      offsetof(struct sk_egress, socket));
	if (!sk_outbox_serve(&egress->outbox, events, egress->sup->buffer,
			     sizeof(egress->sup->buffer), take_message, egress))
		return;
	/* Of no use without its socket; its death is handled when reaped. */
	sk_loop_close(&egress->sup->loop, source);
	kill_it(egress);
}

/* --- areas --- */

static int send(struct sk_egress *egress, struct sk_message *head,
		const char *payload, const int *fds, int nfds)
{
	int err;

	if (egress->socket.fd < 0)
		return -EPIPE;
	err = sk_outbox_send(&egress->outbox, head, payload,
			     payload ? strlen(payload) : 0, fds, nfds);
	if (err)
		kill_it(egress); /* it lacks a message: begin anew */
	return err;
}

/* An area for both. 0 or -errno. */
static int share(struct sk_egress *egress, struct sk_proc *proc)
{
	struct sk_message head = { .type = SK_MSG_EGRESS_AREA,
				   .proc = proc->number };
	int area, wake, err;

	area = sk_area_create();
	if (area < 0)
		return area;
	wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = wake < 0 ? -errno : 0;
	if (!err)
		err = send(egress, &head, proc->route->egress,
			   (int[]){ area, proc->wake, wake }, 3);
	if (!err)
		err = sk_proc_tell(proc, SK_MSG_EGRESS, 0,
				   (int[]){ area, wake }, 2);
	if (wake >= 0)
		close(wake);
	close(area);
	return err;
}

static void start(struct sk_egress *egress);

void sk_egress_attach(struct sk_egress *egress, struct sk_proc *proc)
{
	int err = -EAGAIN;

	if (!proc->route->egress)
		return;
	start(egress);
	if (egress->pid && !egress->outdated)
		err = share(egress, proc);
	/* Without an area: it may call out, but not now. */
	if (err)
		sk_proc_tell(proc, SK_MSG_EGRESS, 0, NULL, 0);
}

void sk_egress_detach(struct sk_egress *egress, struct sk_proc *proc)
{
	struct sk_message head = { .type = SK_MSG_EGRESS_GONE,
				   .proc = proc->number };

	if (proc->route->egress && egress->pid)
		send(egress, &head, NULL, NULL, 0);
}

static int has_egress(const struct sk_proc *proc)
{
	return proc->route->egress && proc->state >= SK_PROC_SPAWNING &&
	       proc->state <= SK_PROC_RETIRING;
}

/* Tells all that may call out that there is a new one, or none. The list may
 * lose members: one that does not listen is killed, not freed. */
static void tell_all(struct sk_egress *egress)
{
	struct sk_proc *proc, *next;

	for (proc = LIST_FIRST(&egress->sup->procs); proc; proc = next) {
		next = LIST_NEXT(proc, link);
		if (!has_egress(proc))
			continue;
		if (!egress->pid || share(egress, proc))
			sk_proc_tell(proc, SK_MSG_EGRESS, 0, NULL, 0);
	}
}

/* --- life and death --- */

static char **newest_args(const struct sk_supervisor *sup)
{
	const struct sk_generation *newest = LIST_FIRST(&sup->generations);

	return newest ? newest->egress_args : NULL;
}

static size_t count(char **args)
{
	size_t n = 0;

	while (args && args[n])
		n++;
	return n;
}

static int same_args(char **one, char **other)
{
	size_t i, n = count(one);

	if (n != count(other))
		return 0;
	for (i = 0; i < n; i++)
		if (strcmp(one[i], other[i]))
			return 0;
	return 1;
}

/* The program, who it is to run as, and the configuration's options. */
static char **make_argv(const struct sk_options *options, char **args)
{
	static char uid[16], gid[16];
	size_t i, n = 0;
	char **argv = calloc(count(args) + 6, sizeof(*argv));

	if (!argv)
		return NULL;
	argv[n++] = (char *)options->egress;
	if (geteuid() == 0) {
		snprintf(uid, sizeof(uid), "%u", options->uid);
		snprintf(gid, sizeof(gid), "%u", options->gid);
		argv[n++] = "--uid";
		argv[n++] = uid;
		argv[n++] = "--gid";
		argv[n++] = gid;
	}
	for (i = 0; args && args[i]; i++)
		argv[n++] = args[i];
	return argv;
}

__attribute__((noreturn)) static void
run_child(struct sk_egress *egress, char **argv, int sock, pid_t parent)
{
	int out = egress->sup->zygote.write_end;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sk_child_reset();
	/* `sock` and `out` are above 4: none is overwritten before its use. */
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0 ||
	    dup2(sock, 3) < 0)
		_exit(126);
	close_range(4, ~0u, 0);
	execv(argv[0], argv);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int launch(struct sk_egress *egress)
{
	struct sk_loop *loop = &egress->sup->loop;
	pid_t parent = getpid();
	int pair[2], err;
	char **argv;

	argv = make_argv(egress->sup->options, egress->args);
	if (!argv)
		return -ENOMEM;
	err = sk_control_pair(pair);
	if (err)
		goto no_pair;
	egress->pid = fork();
	if (egress->pid == 0)
		run_child(egress, argv, pair[1], parent);
	if (egress->pid < 0) {
		err = -errno;
		egress->pid = 0;
	}
	close(pair[1]);
	egress->socket = (struct sk_source){ pair[0], socket_ready };
	if (!err)
		err = sk_loop_add(loop, &egress->socket, EPOLLIN);
	if (err) {
		sk_loop_close(loop, &egress->socket);
		kill_it(egress);
	}
no_pair:
	free(argv);
	return err;
}

static int copy_args(struct sk_egress *egress)
{
	char **from = newest_args(egress->sup);
	size_t i, n = count(from);
	char **args = calloc(n + 1, sizeof(*args));

	if (!args)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		args[i] = strdup(from[i]);
		if (!args[i]) {
			sk_egress_args_free(args);
			return -ENOMEM;
		}
	}
	sk_egress_args_free(egress->args);
	egress->args = args;
	return 0;
}

/* Unless it runs, is backing off, or everything ends. */
static void start(struct sk_egress *egress)
{
	char text[160];
	int err;

	if (egress->pid || egress->sup->draining ||
	    sk_backoff_left(&egress->backoff, sk_now()))
		return;
	egress->started = sk_now();
	egress->outdated = 0;
	err = copy_args(egress);
	if (!err)
		err = launch(egress);
	if (err) {
		sk_backoff_fail(&egress->backoff, sk_now(), -1);
		snprintf(text, sizeof(text), "cannot be started: %s",
			 strerror(-err));
		say(egress, SK_LEVEL_ERROR, text);
		return;
	}
	tell_all(egress);
}

void sk_egress_tick(struct sk_egress *egress)
{
	struct sk_proc *proc;

	if (egress->pid)
		return;
	LIST_FOREACH(proc, &egress->sup->procs, link)
	if (has_egress(proc))
		break;
	if (proc)
		start(egress);
}

void sk_egress_configure(struct sk_egress *egress)
{
	if (!egress->pid || egress->outdated ||
	    same_args(egress->args, newest_args(egress->sup)))
		return;
	say(egress, SK_LEVEL_INFO, "is started again with other options");
	egress->outdated = 1;
	kill_it(egress);
}

static void report(struct sk_egress *egress, pid_t pid, int status)
{
	struct sk_log *log = &egress->sup->log;
	int64_t delay, now = sk_now();
	char text[64];

	delay = sk_backoff_fail(&egress->backoff, now, now - egress->started);
	sk_status_text(status, text, sizeof(text));
	sk_log_say(log, SK_LEVEL_ERROR, "selkie-egress", pid,
		   "ended with %s; its calls fail; the next start is in %lld "
		   "ms",
		   text, (long long)delay);
}

void sk_egress_died(struct sk_egress *egress, int status)
{
	pid_t pid = egress->pid;

	/* Its last messages may say why. */
	if (egress->socket.fd >= 0)
		socket_ready(&egress->socket, EPOLLIN);
	egress->pid = 0;
	sk_loop_close(&egress->sup->loop, &egress->socket);
	sk_outbox_fini(&egress->outbox);
	sk_outbox_init(&egress->outbox, &egress->sup->loop, &egress->socket);
	/* It may end by itself, to begin anew. */
	if (status && !egress->outdated && !egress->sup->draining)
		report(egress, pid, status);
	sk_egress_tick(egress);
	if (!egress->pid)
		tell_all(egress);
}

void sk_egress_fini(struct sk_egress *egress)
{
	if (!egress->sup)
		return;
	sk_loop_close(&egress->sup->loop, &egress->socket);
	sk_outbox_fini(&egress->outbox);
	if (egress->pid) {
		kill_it(egress);
		waitpid(egress->pid, NULL, 0);
	}
	egress->pid = 0;
	sk_egress_args_free(egress->args);
	egress->args = NULL;
}
