/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a worker process.
 *
 *   QUEUED    there is no zygote to ask; goes on when it is up
 *   SPAWNING  SPAWN is sent. SPAWNED gives pid and pidfd; SPAWN_FAILED ends it
 *   STARTING  it loads its module. READY; FAILED, its death or SK_START_MS
 *             end it
 *   READY     clients attach, one area each
 *   RETIRING  by a reload, idleness or RECYCLE: the place forgets it, so that
 *             whoever asks now gets a fresh process beside it; each attached
 *             gateway got RETIRE and answers RETIRED
 *   STOPPING  STOP is sent; SIGKILL after SK_STOP_MS
 *   DYING     SIGKILL is sent, or the pidfd says that it has died
 *
 * A process leaves the list only when its end is known: by EXITED of the
 * zygote or by waitpid (we are the subreaper of a zygote that died), which
 * have the wait status; if neither comes within a second after the pidfd fired,
 * without one. Then the clients get GONE and, if it was the process of
 * its place, the place counts the failure.
 *
 * What a worker process sends is hostile until it is checked. It can say READY
 * or FAILED once, log within its allowance and ask to be replaced. Anything else
 * gets it killed. It is never waited for: its control socket is non-blocking,
 * and one that does not read what it is sent is killed too.
 */
#include "supervisor/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/supervisor.h"

#define PAGE	   4096
#define PAGE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define STATUS_MS  1000
#define LAST_WORDS 8 /* batches read after its end */

void sk_proc_say(struct sk_proc *proc, enum sk_level level, const char *format,
		 ...)
{
	char text[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	sk_log_say(&proc->sup->log, level, proc->route->label, proc->pid, "%s",
		   text);
}

void sk_status_text(int status, char *text, size_t size)
{
	if (status == -1)
		snprintf(text, size, "a status that is not known");
	else if (WIFSIGNALED(status))
		snprintf(text, size, "signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, size, "status %d", WEXITSTATUS(status));
}

struct sk_proc *sk_proc_find(struct sk_supervisor *sup, uint64_t number)
{
	struct sk_proc *proc;

	LIST_FOREACH(proc, &sup->procs, link)
	if (proc->number == number)
		return proc;
	return NULL;
}

struct sk_proc *sk_proc_by_pid(struct sk_supervisor *sup, pid_t pid)
{
	struct sk_proc *proc;

	LIST_FOREACH(proc, &sup->procs, link)
	if (proc->pid == pid)
		return proc;
	return NULL;
}

/* --- what it is made of --- */

static int open_page(struct sk_proc *proc)
{
	void *page;

	proc->page_fd =
		memfd_create("selkie-status", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* Sealed: a page cut off by its process would end us by SIGBUS. */
	if (proc->page_fd < 0 || ftruncate(proc->page_fd, PAGE) < 0 ||
	    fcntl(proc->page_fd, F_ADD_SEALS, PAGE_SEALS) < 0)
		return -errno;
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, proc->page_fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	proc->page = page;
	return 0;
}

static void close_parts(struct sk_proc *proc)
{
	sk_loop_close(&proc->sup->loop, &proc->control);
	sk_loop_close(&proc->sup->loop, &proc->exit);
	if (proc->wake >= 0)
		close(proc->wake);
	if (proc->peer >= 0)
		close(proc->peer);
	if (proc->page_fd >= 0)
		close(proc->page_fd);
	if (proc->page)
		munmap(proc->page, PAGE);
	proc->wake = -1;
	proc->peer = -1;
	proc->page_fd = -1;
	proc->page = NULL;
}

static int open_parts(struct sk_proc *proc)
{
	int pair[2], err;

	err = sk_control_pair(pair);
	if (err)
		return err;
	proc->control.fd = pair[0];
	proc->control.ready = sk_proc_hear;
	proc->peer = pair[1];
	proc->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = proc->wake < 0 ? -errno : open_page(proc);
	if (!err)
		err = sk_loop_add(&proc->sup->loop, &proc->control, EPOLLIN);
	if (err)
		close_parts(proc);
	return err;
}

static void proc_free(struct sk_proc *proc)
{
	struct sk_route *route = proc->route;

	sk_egress_detach(&proc->sup->egress, proc);
	while (!LIST_EMPTY(&proc->attachments))
		sk_attachment_free(LIST_FIRST(&proc->attachments));
	close_parts(proc);
	LIST_REMOVE(proc, link);
	free(proc->reason);
	free(proc);
	sk_route_reap(route);
}

/* --- birth --- */

int sk_proc_start(struct sk_place *place)
{
	struct sk_supervisor *sup = place->route->sup;
	struct sk_proc *proc;
	int err;

	proc = calloc(1, sizeof(*proc));
	if (!proc)
		return -ENOMEM;
	proc->sup = sup;
	proc->route = place->route;
	proc->place = place;
	proc->number = ++sup->next_proc;
	proc->exit.fd = -1;
	proc->ready_at = -1;
	proc->deadline = sk_now() + SK_START_MS;
	LIST_INIT(&proc->attachments);
	sk_bucket_init(&proc->bucket, sk_now());
	err = open_parts(proc);
	if (err) {
		free(proc);
		return err;
	}
	place->proc = proc;
	place->route->procs++;
	LIST_INSERT_HEAD(&sup->procs, proc, link);
	if (sk_zygote_up(&sup->zygote))
		sk_proc_spawn(proc);
	else
		sk_zygote_start(&sup->zygote);
	return 0;
}

void sk_proc_spawn(struct sk_proc *proc)
{
	int err;

	/* First, so that the module finds it when it loads. */
	sk_egress_attach(&proc->sup->egress, proc);
	err = sk_zygote_spawn(&proc->sup->zygote, proc);

	/* A zygote that has just died: the process waits for the next one. */
	if (err == -EPIPE || err == -ECONNRESET || err == -EBADF)
		return;
	if (err) {
		sk_proc_unborn(proc, -err);
		return;
	}
	close(proc->peer);
	close(proc->page_fd);
	proc->peer = -1;
	proc->page_fd = -1;
	proc->state = SK_PROC_SPAWNING;
	sk_watch_init(&proc->watch, sk_now());
}

void sk_proc_requeue(struct sk_proc *proc)
{
	int err;

	if (proc->doomed) {
		proc_free(proc);
		return;
	}
	/* Its READY overtook SPAWNED: the orphan ends with its socket. */
	if (proc->ready_at >= 0) {
		sk_proc_ended(proc, -1);
		return;
	}
	/* All parts anew: a child that was forked unseen may hold the old. */
	sk_egress_detach(&proc->sup->egress, proc);
	close_parts(proc);
	proc->state = SK_PROC_QUEUED;
	err = open_parts(proc);
	if (err)
		sk_proc_unborn(proc, -err);
}

/* The place counts the failure, and has no process any more. */
static void fail_place(struct sk_proc *proc, const char *reason)
{
	struct sk_place *place = proc->place;
	int64_t lived = proc->ready_at < 0 ? -1 : sk_now() - proc->ready_at;

	if (!place)
		return;
	proc->place = NULL;
	sk_place_failed(place, lived, proc->pid, reason);
}

void sk_proc_unborn(struct sk_proc *proc, int error)
{
	if (!proc->doomed)
		sk_proc_say(proc, SK_LEVEL_ERROR, "cannot start a process: %s",
			    strerror(error));
	fail_place(proc, "cannot start a process");
	proc_free(proc);
}

static void exit_ready(struct sk_source *source, uint32_t events)
{
	struct sk_proc *proc;

	(void)events;
	proc = (struct sk_proc *)((char *)source -
				  offsetof(struct sk_proc, exit));
	/* The status follows by another way; the tick waits no longer than
	 * STATUS_MS for it. */
	sk_loop_remove(&proc->sup->loop, source);
	proc->gone = 1;
	proc->state = SK_PROC_DYING;
	proc->deadline = sk_now() + STATUS_MS;
}

void sk_proc_spawned(struct sk_proc *proc, pid_t pid, int pidfd)
{
	int err;

	proc->pid = pid;
	proc->exit.fd = pidfd;
	proc->exit.ready = exit_ready;
	if (proc->state == SK_PROC_SPAWNING)
		proc->state = SK_PROC_STARTING;
	err = sk_loop_add(&proc->sup->loop, &proc->exit, EPOLLIN);
	if (err)
		sk_proc_kill(proc, "its pidfd cannot be watched");
	else if (proc->doomed || proc->control.fd < 0)
		sk_proc_signal(proc);
	else
		sk_proc_say(proc, SK_LEVEL_DEBUG, "process %llu started",
			    (unsigned long long)proc->number);
}

void sk_proc_failed(struct sk_proc *proc, const char *text)
{
	struct sk_entry entry = { SK_LEVEL_ERROR, proc->route->label, proc->pid,
				  text, strlen(text) };

	sk_log_entry(&proc->sup->log, &entry);
	fail_place(proc, text);
	proc->expected = 1;
	proc->state = SK_PROC_STOPPING;
	proc->deadline = sk_now() + STATUS_MS;
}

/* --- death --- */

void sk_proc_signal(struct sk_proc *proc)
{
	proc->state = SK_PROC_DYING;
	proc->doomed = 1;
	if (proc->exit.fd >= 0)
		syscall(SYS_pidfd_send_signal, proc->exit.fd, SIGKILL, NULL, 0);
}

void sk_proc_kill(struct sk_proc *proc, const char *why)
{
	if (proc->doomed || proc->gone)
		return;
	sk_proc_say(proc, SK_LEVEL_ERROR, "killed: %s", why);
	proc->expected = 1;
	sk_proc_signal(proc);
	fail_place(proc, why);
}

void sk_proc_stop(struct sk_proc *proc)
{
	if (proc->state >= SK_PROC_STOPPING)
		return;
	if (proc->place)
		proc->place->proc = NULL;
	proc->place = NULL;
	proc->expected = 1;
	if (proc->state == SK_PROC_QUEUED) {
		proc_free(proc);
	} else if (proc->state < SK_PROC_READY) {
		sk_proc_signal(proc);
	} else if (sk_proc_tell(proc, SK_MSG_STOP, 0, NULL, 0) == 0) {
		proc->state = SK_PROC_STOPPING;
		proc->deadline = sk_now() + SK_STOP_MS;
	}
}

void sk_proc_retire(struct sk_proc *proc, const char *why)
{
	if (proc->state >= SK_PROC_RETIRING)
		return;
	sk_proc_say(proc, SK_LEVEL_DEBUG, "process %llu retires: %s",
		    (unsigned long long)proc->number, why);
	if (proc->state < SK_PROC_READY) {
		sk_proc_stop(proc);
		return;
	}
	proc->place->proc = NULL;
	proc->place = NULL;
	proc->state = SK_PROC_RETIRING;
	sk_attachments_retire(proc);
}

/* Says how it ended, unless that was our wish. */
static void report_end(struct sk_proc *proc, int status)
{
	char text[96];

	sk_status_text(status, text, sizeof(text));
	if (proc->bucket.dropped)
		sk_proc_say(proc, SK_LEVEL_WARN, "%llu log entries dropped",
			    (unsigned long long)proc->bucket.dropped);
	if (proc->expected) {
		sk_proc_say(proc, SK_LEVEL_DEBUG, "process %llu ended with %s",
			    (unsigned long long)proc->number, text);
		return;
	}
	sk_proc_say(proc, SK_LEVEL_ERROR, "the process ended with %s", text);
	free(proc->reason);
	if (asprintf(&proc->reason, "the process ended with %s", text) < 0)
		proc->reason = NULL;
}

void sk_proc_ended(struct sk_proc *proc, int status)
{
	int i;

	proc->gone = 1;
	proc->state = SK_PROC_DYING;
	/* What it said last: FAILED, or the reason of a crash. */
	for (i = 0; i < LAST_WORDS && proc->control.fd >= 0; i++)
		sk_proc_hear(&proc->control, EPOLLIN);
	report_end(proc, status);
	sk_attachments_gone(proc, status);
	fail_place(proc, proc->reason ? proc->reason : "the process ended");
	proc_free(proc);
}

/* --- the tick --- */

static void look(struct sk_proc *proc, int64_t now)
{
	struct sk_look look = {
		.turn = proc->page->turn,
		.in_turn = proc->page->in_turn,
		.inflight = proc->page->inflight,
		.now = now,
	};
	struct timespec used = { 0 };
	clockid_t clock;
	char why[96];

	if (look.in_turn && clock_getcpuclockid(proc->pid, &clock) == 0 &&
	    clock_gettime(clock, &used) == 0)
		look.cpu = (int64_t)used.tv_sec * 1000 + used.tv_nsec / 1000000;
	switch (sk_watch_look(&proc->watch, &look, &proc->route->limits)) {
	case SK_OVER_CPU:
		proc->verdict = 503;
		snprintf(why, sizeof(why), "a turn used %lld ms of CPU time",
			 (long long)(look.cpu - proc->watch.cpu));
		sk_proc_kill(proc, why);
		break;
	case SK_OVER_WALL:
		proc->verdict = 504;
		snprintf(why, sizeof(why), "a turn took %lld ms",
			 (long long)(now - proc->watch.wall));
		sk_proc_kill(proc, why);
		break;
	case SK_IDLE:
		if (proc->state == SK_PROC_READY)
			sk_proc_retire(proc, "idle");
		break;
	case SK_FINE:
		break;
	}
}

/* Not ready SK_START_MS after it was asked for. */
static void over_time(struct sk_proc *proc)
{
	struct sk_zygote *zygote = &proc->sup->zygote;

	switch (proc->state) {
	case SK_PROC_QUEUED:
		sk_proc_unborn(proc, ETIMEDOUT);
		break;
	case SK_PROC_SPAWNING:
		/* Freed when the death of the zygote is seen. */
		sk_proc_kill(proc, "the zygote does not answer");
		sk_zygote_kill(zygote);
		break;
	default:
		sk_proc_kill(proc, "it was not ready in time");
	}
}

void sk_proc_tick(struct sk_proc *proc, int64_t now)
{
	proc->heard = 0;
	if (proc->paused && proc->control.fd >= 0)
		sk_loop_change(&proc->sup->loop, &proc->control, EPOLLIN);
	proc->paused = 0;
	if (proc->bucket.dropped &&
	    sk_bucket_take(&proc->bucket, now, SK_BUCKET_RATE)) {
		sk_proc_say(proc, SK_LEVEL_WARN, "%llu log entries dropped",
			    (unsigned long long)proc->bucket.dropped);
		proc->bucket.dropped = 0;
	}
	if (proc->state == SK_PROC_DYING) {
		if (proc->gone && now >= proc->deadline)
			sk_proc_ended(proc, -1);
	} else if (proc->state == SK_PROC_STOPPING) {
		if (now < proc->deadline)
			return;
		sk_proc_say(proc, SK_LEVEL_WARN, "killed: it did not stop");
		sk_proc_signal(proc);
	} else if (proc->state < SK_PROC_READY && now >= proc->deadline) {
		over_time(proc);
	} else if (proc->pid) {
		look(proc, now);
	}
}
