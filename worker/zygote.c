/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The zygote: has the libraries loaded and bound, and forks a worker process
 * for each SPAWN. It makes no VM and no thread, ever: a fork of those would
 * hang. It is the parent of all worker processes, so it reaps them too.
 */
#include "worker/start.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUPERVISOR_FD 3
#define MAP_AFTER     200 /* ms without work */

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

struct child {
	pid_t pid;
	uint64_t proc;
};

struct zygote {
	int signal_fd;
	sigset_t before; /* the signal mask that children get */
	struct child *children;
	size_t count;
	size_t cap;
	/* SPAWN that waits for its SPAWN_PAGE. */
	uint64_t proc;
	struct sk_start start;
	int waiting;
};

static void send(uint32_t type, uint64_t proc, int value, const int *fd)
{
	struct sk_message head = { .type = type, .proc = proc, .value = value };
	struct pollfd ready = { SUPERVISOR_FD, POLLOUT, 0 };

	while (sk_message_send(SUPERVISOR_FD, &head, NULL, 0, fd, fd ? 1 : 0) ==
	       -EAGAIN)
		poll(&ready, 1, 1000);
}

static void drop_start(struct zygote *zygote)
{
	const int fds[] = { zygote->start.control_fd, zygote->start.bundle_fd,
			    zygote->start.map_fd, zygote->start.wake_fd };
	size_t i;

	if (!zygote->waiting)
		return;
	for (i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		close(fds[i]);
	free((char *)zygote->start.json);
	zygote->waiting = 0;
}

static int remember(struct zygote *zygote, pid_t pid, uint64_t proc)
{
	if (zygote->count == zygote->cap) {
		size_t cap = zygote->cap ? zygote->cap * 2 : 32;
		struct child *more =
			realloc(zygote->children, cap * sizeof(*more));

		if (!more)
			return -ENOMEM;
		zygote->children = more;
		zygote->cap = cap;
	}
	zygote->children[zygote->count].pid = pid;
	zygote->children[zygote->count].proc = proc;
	zygote->count++;
	return 0;
}

static _Noreturn void become_worker(struct zygote *zygote)
{
	struct sk_start start = zygote->start;

	sigprocmask(SIG_SETMASK, &zygote->before, NULL);
	sk_worker_main(&start);
}

static void spawn(struct zygote *zygote)
{
	pid_t pid = fork();
	int pidfd, err;

	if (pid == 0)
		become_worker(zygote);
	if (pid < 0) {
		send(SK_MSG_SPAWN_FAILED, zygote->proc, errno, NULL);
		return;
	}
	err = remember(zygote, pid, zygote->proc);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (err || pidfd < 0) {
		kill(pid, SIGKILL);
		send(SK_MSG_SPAWN_FAILED, zygote->proc, err ? -err : errno,
		     NULL);
	} else {
		send(SK_MSG_SPAWNED, zygote->proc, pid, &pidfd);
	}
	if (pidfd >= 0)
		close(pidfd);
}

static void on_spawn(struct zygote *zygote, struct sk_received *message)
{
	char *json;

	drop_start(zygote);
	if (message->nfds != 4 ||
	    !(json = strndup((char *)message->payload, message->length))) {
		send(SK_MSG_SPAWN_FAILED, message->head.proc, EINVAL, NULL);
		return;
	}
	zygote->proc = message->head.proc;
	zygote->start.json = json;
	zygote->start.control_fd = message->fds[0];
	zygote->start.bundle_fd = message->fds[1];
	zygote->start.map_fd = message->fds[2];
	zygote->start.wake_fd = message->fds[3];
	zygote->waiting = 1;
	memset(message->fds, -1, sizeof(message->fds));
}

static void on_page(struct zygote *zygote, struct sk_received *message)
{
	if (!zygote->waiting || message->head.proc != zygote->proc ||
	    message->nfds != 1)
		return;
	zygote->start.page_fd = message->fds[0];
	spawn(zygote);
	drop_start(zygote);
}

/* 0, or -ESHUTDOWN when the supervisor is gone. */
static int read_supervisor(struct zygote *zygote)
{
	static unsigned char buffer[SK_MESSAGE_MAX + 1];
	struct sk_received message;
	int got = sk_message_receive(SUPERVISOR_FD, &message, buffer,
				     sizeof(buffer));

	if (got == -EAGAIN || got == -EINTR || got == -EPROTO)
		return 0;
	if (got != 1)
		return -ESHUTDOWN;
	if (message.head.type == SK_MSG_SPAWN)
		on_spawn(zygote, &message);
	else if (message.head.type == SK_MSG_SPAWN_PAGE)
		on_page(zygote, &message);
	sk_received_close(&message);
	return 0;
}

static void reap(struct zygote *zygote)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;
	size_t i;

	while (read(zygote->signal_fd, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < zygote->count; i++)
			if (zygote->children[i].pid == pid)
				break;
		if (i == zygote->count)
			continue;
		send(SK_MSG_EXITED, zygote->children[i].proc, status, NULL);
		zygote->children[i] = zygote->children[--zygote->count];
	}
}

/* Maps the engine's library in whole. Its pages are in the page cache anyhow;
 * mapped here too they count as shared, and a worker process that is alone does
 * not look as if it owned them. Failure costs nothing. */
static void map_engine(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;

		if (strstr(line, "libjavascriptcoregtk") &&
		    sscanf(line, "%lx-%lx r", &from, &to) == 2)
			madvise((void *)from, to - from, MADV_POPULATE_READ);
	}
	if (maps)
		fclose(maps);
}

int sk_zygote_main(void)
{
	static struct zygote zygote;
	struct pollfd fds[2];
	sigset_t mask;
	int mapped = 0;

	prctl(PR_SET_NAME, "selkie-zygote");
	sk_title_set("selkie-worker: zygote");
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &zygote.before);
	zygote.signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (zygote.signal_fd < 0)
		return 1;
	fds[0] = (struct pollfd){ SUPERVISOR_FD, POLLIN, 0 };
	fds[1] = (struct pollfd){ zygote.signal_fd, POLLIN, 0 };
	for (;;) {
		int n = poll(fds, 2, mapped ? -1 : MAP_AFTER);

		if (n < 0 && errno != EINTR)
			return 1;
		if (n == 0) {
			map_engine();
			mapped = 1;
		}
		if (fds[1].revents)
			reap(&zygote);
		if (fds[0].revents && read_supervisor(&zygote))
			return 0;
	}
}
