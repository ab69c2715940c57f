/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that worker processes are forked from; see zygote.h. */
#include "supervisor/zygote.h"

#include <errno.h>
#include <stddef.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/child.h"
#include "supervisor/proc.h"
#include "supervisor/supervisor.h"

/* Deaths in a row after which processes that wait for it are given up. */
#define GIVE_UP 3

int sk_zygote_up(const struct sk_zygote *zygote)
{
	return zygote->pid != 0;
}

/* --- what it and its family write --- */

static void log_line(struct sk_zygote *zygote)
{
	struct sk_entry entry = { SK_LEVEL_WARN, "selkie-worker", zygote->pid,
				  zygote->line, zygote->used };

	if (zygote->used &&
	    sk_bucket_take(&zygote->bucket, sk_now(), zygote->used))
		sk_log_entry(&zygote->sup->log, &entry);
	zygote->used = 0;
}

static void chatter_ready(struct sk_source *source, uint32_t events)
{
	struct sk_zygote *zygote;
	char bytes[4096];
	ssize_t n, i;

	(void)events;
	zygote = (struct sk_zygote *)((char *)source -
				      offsetof(struct sk_zygote, chatter));
	n = read(source->fd, bytes, sizeof(bytes));
	if (n > 0 && (zygote->heard += (size_t)n) > SK_HEAR_BYTES)
		sk_loop_change(&zygote->sup->loop, source, 0);
	for (i = 0; i < n; i++) {
		if (bytes[i] != '\n')
			zygote->line[zygote->used++] = bytes[i];
		if (bytes[i] == '\n' || zygote->used == SK_CHATTER_LINE)
			log_line(zygote);
	}
}

void sk_zygote_tick(struct sk_zygote *zygote)
{
	if (zygote->heard > SK_HEAR_BYTES)
		sk_loop_change(&zygote->sup->loop, &zygote->chatter, EPOLLIN);
	zygote->heard = 0;
	sk_zygote_start(zygote);
}

int sk_zygote_init(struct sk_zygote *zygote, struct sk_supervisor *sup)
{
	int pair[2];

	memset(zygote, 0, sizeof(*zygote));
	zygote->sup = sup;
	zygote->socket.fd = -1;
	zygote->chatter.fd = -1;
	sk_outbox_init(&zygote->outbox, &sup->loop, &zygote->socket);
	sk_bucket_init(&zygote->bucket, sk_now());
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	zygote->chatter = (struct sk_source){ pair[0], chatter_ready };
	zygote->write_end = pair[1];
	return sk_loop_add(&sup->loop, &zygote->chatter, EPOLLIN);
}

/* --- messages --- */

void sk_zygote_kill(struct sk_zygote *zygote)
{
	if (zygote->pid)
		kill(zygote->pid, SIGKILL);
}

static void take_spawned(struct sk_supervisor *sup, struct sk_received *got)
{
	struct sk_proc *proc = sk_proc_find(sup, got->head.proc);

	if (!proc || proc->state == SK_PROC_QUEUED || proc->pid ||
	    got->nfds != 1 || got->head.value <= 0)
		return;
	sk_proc_spawned(proc, got->head.value, got->fds[0]);
	got->fds[0] = -1;
}

static int take_message(void *arg, struct sk_received *got)
{
	struct sk_supervisor *sup = arg;
	struct sk_proc *proc;

	switch (got->head.type) {
	case SK_MSG_SPAWNED:
		take_spawned(sup, got);
		break;
	case SK_MSG_SPAWN_FAILED:
		proc = sk_proc_find(sup, got->head.proc);
		if (proc && !proc->pid)
			sk_proc_unborn(proc, got->head.value);
		break;
	case SK_MSG_EXITED:
		proc = sk_proc_find(sup, got->head.proc);
		if (proc && proc->pid)
			sk_proc_ended(proc, got->head.value);
		break;
	default:
		sk_log_say(&sup->log, SK_LEVEL_ERROR, "supervisor",
			   sup->zygote.pid,
			   "an unknown message (%u) from the zygote",
			   got->head.type);
	}
	return 0;
}

static void socket_ready(struct sk_source *source, uint32_t events)
{
	struct sk_zygote *zygote;

	zygote = (struct sk_zygote *)((char *)source -
				      offsetof(struct sk_zygote, socket));
	if (!sk_outbox_serve(&zygote->outbox, events, zygote->sup->buffer,
			     sizeof(zygote->sup->buffer), take_message,
			     zygote->sup))
		return;
	/* Of no use without its socket; its death is handled when reaped. */
	sk_loop_close(&zygote->sup->loop, source);
	sk_zygote_kill(zygote);
}

int sk_zygote_spawn(struct sk_zygote *zygote, struct sk_proc *proc)
{
	struct sk_message head = { .type = SK_MSG_SPAWN, .proc = proc->number };
	struct sk_message page = { .type = SK_MSG_SPAWN_PAGE,
				   .proc = proc->number };
	struct sk_route *route = proc->route;
	int fds[4], err;

	fds[0] = proc->peer;
	fds[3] = proc->wake;
	/* Opened anew: the file offset of one process is no other's. */
	fds[1] = sk_open_again(route->bundle);
	fds[2] = route->map < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC)
				: sk_open_again(route->map);
	err = fds[1] < 0 || fds[2] < 0 ? -errno : 0;
	if (!err)
		err = sk_outbox_send(&zygote->outbox, &head, route->start,
				     strlen(route->start), fds, 4);
	if (!err)
		err = sk_outbox_send(&zygote->outbox, &page, NULL, 0,
				     &proc->page_fd, 1);
	if (fds[1] >= 0)
		close(fds[1]);
	if (fds[2] >= 0)
		close(fds[2]);
	return err;
}

/* --- life and death --- */

static int zygote_exec(struct sk_zygote *zygote, int sock, int out)
{
	const char *worker = zygote->sup->options->worker;
	char *argv[] = { (char *)worker, "--zygote", NULL };
	pid_t parent = getpid();

	zygote->pid = fork();
	if (zygote->pid < 0) {
		zygote->pid = 0;
		return -errno;
	}
	if (zygote->pid > 0)
		return 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sk_child_reset();
	/* `sock` and `out` are above 4: none is overwritten before its use. */
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0 ||
	    dup2(sock, 3) < 0)
		_exit(126);
	close_range(4, ~0u, 0);
	execv(worker, argv);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", worker, strerror(errno));
	_exit(127);
}

static int zygote_try(struct sk_zygote *zygote)
{
	struct sk_loop *loop = &zygote->sup->loop;
	int pair[2], err;

	err = sk_control_pair(pair);
	if (err)
		return err;
	err = zygote_exec(zygote, pair[1], zygote->write_end);
	close(pair[1]);
	zygote->socket = (struct sk_source){ pair[0], socket_ready };
	if (!err)
		err = sk_loop_add(loop, &zygote->socket, EPOLLIN);
	if (!err)
		return 0;
	sk_loop_close(loop, &zygote->socket);
	sk_zygote_kill(zygote);
	return err;
}

void sk_zygote_start(struct sk_zygote *zygote)
{
	struct sk_supervisor *sup = zygote->sup;
	struct sk_proc *proc, *next;
	int err;

	if (zygote->pid || sup->draining ||
	    sk_backoff_left(&zygote->backoff, sk_now()))
		return;
	zygote->started = sk_now();
	err = zygote_try(zygote);
	if (err) {
		sk_backoff_fail(&zygote->backoff, sk_now(), -1);
		sk_log_say(&sup->log, SK_LEVEL_ERROR, "supervisor", getpid(),
			   "cannot start the zygote: %s", strerror(-err));
		return;
	}
	for (proc = LIST_FIRST(&sup->procs); proc; proc = next) {
		next = LIST_NEXT(proc, link);
		if (proc->state == SK_PROC_QUEUED)
			sk_proc_spawn(proc);
	}
}

void sk_zygote_died(struct sk_zygote *zygote, int status)
{
	struct sk_supervisor *sup = zygote->sup;
	struct sk_proc *proc, *next;
	pid_t pid = zygote->pid;
	int64_t delay;
	char text[64];

	zygote->pid = 0;
	/* Its last messages may tell of exits. */
	if (zygote->socket.fd >= 0)
		socket_ready(&zygote->socket, EPOLLIN);
	sk_loop_close(&sup->loop, &zygote->socket);
	sk_outbox_fini(&zygote->outbox);
	sk_outbox_init(&zygote->outbox, &sup->loop, &zygote->socket);
	delay = sk_backoff_fail(&zygote->backoff, sk_now(),
				sk_now() - zygote->started);
	sk_status_text(status, text, sizeof(text));
	sk_log_say(&sup->log, SK_LEVEL_ERROR, "supervisor", pid,
		   "the zygote ended with %s; the next start is in %lld ms",
		   text, (long long)delay);
	for (proc = LIST_FIRST(&sup->procs); proc; proc = next) {
		next = LIST_NEXT(proc, link);
		if (proc->pid)
			continue;
		if (zygote->backoff.failures < GIVE_UP && !sup->draining)
			sk_proc_requeue(proc);
		else
			sk_proc_unborn(proc, ECHILD);
	}
	sk_zygote_start(zygote);
}

void sk_zygote_fini(struct sk_zygote *zygote)
{
	sk_loop_close(&zygote->sup->loop, &zygote->socket);
	sk_outbox_fini(&zygote->outbox);
	if (zygote->pid) {
		kill(zygote->pid, SIGKILL);
		waitpid(zygote->pid, NULL, 0);
	}
	zygote->pid = 0;
	if (zygote->chatter.fd < 0)
		return;
	chatter_ready(&zygote->chatter, EPOLLIN);
	close(zygote->write_end);
	sk_loop_close(&zygote->sup->loop, &zygote->chatter);
}
