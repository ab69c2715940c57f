/* SPDX-License-Identifier: BSD-2-Clause */
/* The supervisor proper: its loop, its signals, its end. */
#include "supervisor/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/client.h"
#include "supervisor/door.h"
#include "supervisor/generation.h"
#include "supervisor/proc.h"

#define LOG_MS 1000 /* to write out the last log entries */

void sk_supervisor_drain(struct sk_supervisor *sup, const char *why)
{
	struct sk_proc *proc, *next;

	if (sup->draining)
		return;
	sup->draining = 1;
	sup->drained_by = sk_now() + 2 * SK_STOP_MS;
	sk_log_say(&sup->log, SK_LEVEL_DEBUG, "supervisor", getpid(),
		   "draining: %s", why);
	sk_loop_close(&sup->loop, &sup->door);
	for (proc = LIST_FIRST(&sup->procs); proc; proc = next) {
		next = LIST_NEXT(proc, link);
		sk_proc_stop(proc);
	}
}

static void reap(struct sk_supervisor *sup)
{
	struct sk_proc *proc;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == sup->zygote.pid) {
			sk_zygote_died(&sup->zygote, status);
			continue;
		}
		if (pid == sup->egress.pid) {
			sk_egress_died(&sup->egress, status);
			continue;
		}
		proc = sk_proc_by_pid(sup, pid);
		if (proc)
			sk_proc_ended(proc, status);
	}
}

static void signals_ready(struct sk_source *source, uint32_t events)
{
	struct signalfd_siginfo info;
	struct sk_supervisor *sup;

	(void)events;
	sup = (struct sk_supervisor *)((char *)source -
				       offsetof(struct sk_supervisor, signals));
	if (read(source->fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGCHLD)
		reap(sup);
	else
		sk_supervisor_drain(sup, "SIGTERM");
}

static int open_signals(struct sk_supervisor *sup)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sup->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	sup->signals.ready = signals_ready;
	if (sup->signals.fd < 0)
		return -errno;
	return sk_loop_add(&sup->loop, &sup->signals, EPOLLIN);
}

/* --- the watcher --- */

static void watcher_died(struct sk_supervisor *sup)
{
	int64_t delay;

	sk_loop_close(&sup->loop, &sup->watcher.source);
	delay = sk_peer_bury(&sup->watcher);
	sk_log_say(&sup->log, SK_LEVEL_ERROR, "supervisor", getpid(),
		   "the watcher died and is started again");
	sup->watcher_at = sk_now() + delay;
}

static void watcher_ready(struct sk_source *source, uint32_t events)
{
	(void)events;
	watcher_died((struct sk_supervisor *)((char *)source -
					      offsetof(struct sk_supervisor,
						       watcher.source)));
}

static void watch_watcher(struct sk_supervisor *sup)
{
	sup->watcher_at = 0;
	sup->watcher.source.ready = watcher_ready;
	if (sk_loop_add(&sup->loop, &sup->watcher.source, EPOLLIN) < 0)
		watcher_died(sup);
}

static void start_watcher(struct sk_supervisor *sup)
{
	int err;

	err = sk_peer_start(&sup->watcher, sup->options, "watcher");
	if (!err) {
		watch_watcher(sup);
		return;
	}
	sk_log_say(&sup->log, SK_LEVEL_ERROR, "supervisor", getpid(),
		   "cannot start the watcher: %s", strerror(-err));
	sup->watcher_at = sk_now() + SK_BACKOFF_MAX;
}

/* --- the loop --- */

static int needs_tick(const struct sk_supervisor *sup)
{
	return !LIST_EMPTY(&sup->procs) || !sup->zygote.pid || sup->grace ||
	       sup->watcher_at || sup->draining;
}

static void tick(struct sk_supervisor *sup)
{
	struct sk_proc *proc, *next;
	int64_t now = sk_now();

	for (proc = LIST_FIRST(&sup->procs); proc; proc = next) {
		next = LIST_NEXT(proc, link);
		sk_proc_tick(proc, now);
	}
	sk_zygote_tick(&sup->zygote);
	sk_egress_tick(&sup->egress);
	if (sup->watcher_at && now >= sup->watcher_at)
		start_watcher(sup);
	if (sup->grace)
		sk_generations_collect(sup);
}

static int step(struct sk_supervisor *sup)
{
	int64_t now = sk_now();
	int err, timeout = -1;

	if (needs_tick(sup)) {
		if (sup->next_tick > now + SK_TICK || !sup->next_tick)
			sup->next_tick = now + SK_TICK;
		timeout =
			sup->next_tick > now ? (int)(sup->next_tick - now) : 0;
	} else {
		sup->next_tick = 0;
	}
	err = sk_loop_step(&sup->loop, timeout);
	if (sup->next_tick && sk_now() >= sup->next_tick) {
		tick(sup);
		sup->next_tick = sk_now() + SK_TICK;
	}
	if (sup->door.fd < 0 && LIST_EMPTY(&sup->clients))
		sk_supervisor_drain(sup, "nginx has gone");
	sk_log_flush(&sup->log);
	return err < 0 ? err : 0;
}

static int is_done(const struct sk_supervisor *sup)
{
	return sup->draining &&
	       (LIST_EMPTY(&sup->procs) || sk_now() >= sup->drained_by);
}

static int open_all(struct sk_supervisor *sup)
{
	int err;

	err = sk_store_open(&sup->store, SK_STORE_FD);
	if (!err)
		err = open_signals(sup);
	if (!err)
		err = sk_zygote_init(&sup->zygote, sup);
	if (!err)
		err = sk_door_open(sup);
	return err;
}

/* What the parts own goes with them, so that a leak checker finds no more than
 * real leaks. */
static void close_all(struct sk_supervisor *sup)
{
	struct sk_generation *generation;

	while (!LIST_EMPTY(&sup->clients))
		sk_client_free(LIST_FIRST(&sup->clients));
	while ((generation = LIST_FIRST(&sup->generations))) {
		LIST_REMOVE(generation, link);
		sk_generation_free(generation);
	}
	sk_loop_close(&sup->loop, &sup->door);
	sk_loop_close(&sup->loop, &sup->signals);
	sk_loop_close(&sup->loop, &sup->watcher.source);
	sk_egress_fini(&sup->egress);
	sk_zygote_fini(&sup->zygote);
	sk_log_fini(&sup->log, LOG_MS);
	sk_loop_fini(&sup->loop);
}

static int run(struct sk_supervisor *sup, pid_t watcher)
{
	int err;

	sk_egress_init(&sup->egress, sup);
	err = open_all(sup);

	if (!err) {
		sk_generations_restore(sup);
		if (sk_peer_adopt(&sup->watcher, watcher) == 0)
			watch_watcher(sup);
		else
			start_watcher(sup);
		sk_zygote_start(&sup->zygote);
	}
	while (!err && !is_done(sup))
		err = step(sup);
	if (err)
		sk_log_say(&sup->log, SK_LEVEL_ERROR, "supervisor", getpid(),
			   "the supervisor ends: %s", strerror(-err));
	return err;
}

int sk_supervisor_run(struct sk_options *options, pid_t watcher)
{
	struct sk_supervisor *sup;
	int err;

	prctl(PR_SET_NAME, "selkie-super");
	/* Orphans of a dead zygote come to us, with their wait status. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sup = calloc(1, sizeof(*sup));
	if (!sup)
		return 1;
	sup->options = options;
	/* Never the numbers of a supervisor that died before us. */
	sup->next_proc = (uint64_t)sk_now() << 20;
	sup->door.fd = -1;
	sup->signals.fd = -1;
	sup->watcher.source.fd = -1;
	err = sk_loop_init(&sup->loop);
	if (!err)
		err = sk_log_init(&sup->log, &sup->loop, options->format,
				  options->debug);
	if (err)
		return 1;
	err = run(sup, watcher);
	close_all(sup);
	if (!err)
		sup->store.page->finished = 1;
	if (sup->store.page)
		sk_store_close(&sup->store);
	free(sup);
	return err != 0;
}
