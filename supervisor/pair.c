/* SPDX-License-Identifier: BSD-2-Clause */
/* The watcher, and how each of the pair starts the other; see pair.h. */
#include "supervisor/pair.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/child.h"
#include "supervisor/supervisor.h"

#define QUICK_MS  1000 /* a life shorter than this was quick */
#define DELAY_MAX 5000

static int pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* In the child: the same program, arguments and all, in another role. */
static void exec_role(const struct sk_options *options, const char *role,
		      pid_t parent)
{
	char *argv[options->argc + 5];
	char peer[16];
	int i, n = 0;

	snprintf(peer, sizeof(peer), "%d", (int)parent);
	argv[n++] = options->argv[0];
	argv[n++] = "--role";
	argv[n++] = (char *)role;
	argv[n++] = peer;
	for (i = 1; i < options->argc; i++)
		argv[n++] = options->argv[i];
	argv[n] = NULL;
	sk_child_reset();
	execv("/proc/self/exe", argv);
	_exit(127);
}

int sk_peer_start(struct sk_peer *peer, const struct sk_options *options,
		  const char *role)
{
	pid_t parent = getpid();
	int err;

	peer->started = sk_now();
	peer->pid = fork();
	if (peer->pid < 0)
		return -errno;
	if (peer->pid == 0)
		exec_role(options, role, parent);
	peer->source.fd = pidfd_open(peer->pid);
	if (peer->source.fd >= 0)
		return 0;
	err = -errno;
	kill(peer->pid, SIGKILL);
	waitpid(peer->pid, NULL, 0);
	return err;
}

int sk_peer_adopt(struct sk_peer *peer, pid_t pid)
{
	peer->source.fd = pidfd_open(pid);
	if (peer->source.fd < 0)
		return -ESRCH;
	/* While it is our parent, its number is nobody else's. */
	if (getppid() != pid) {
		close(peer->source.fd);
		peer->source.fd = -1;
		return -ESRCH;
	}
	peer->pid = pid;
	peer->started = sk_now();
	return 0;
}

int64_t sk_peer_bury(struct sk_peer *peer)
{
	int64_t delay = 100;
	unsigned i;

	waitpid(peer->pid, NULL, WNOHANG);
	if (sk_now() - peer->started >= QUICK_MS) {
		peer->quick = 0;
		return 0;
	}
	for (i = 0; i < peer->quick && delay < DELAY_MAX; i++)
		delay *= 2;
	peer->quick++;
	return delay < DELAY_MAX ? delay : DELAY_MAX;
}

struct watcher {
	struct sk_options *options;
	struct sk_loop loop;
	struct sk_log log;
	struct sk_store store;
	struct sk_peer peer;
	struct sk_source signals;
	int64_t start_at; /* 0: the supervisor lives */
	int ending;
};

static void peer_ready(struct sk_source *source, uint32_t events)
{
	struct watcher *watcher;
	int64_t delay;

	(void)events;
	watcher = (struct watcher *)((char *)source -
				     offsetof(struct watcher, peer.source));
	sk_loop_close(&watcher->loop, source);
	delay = sk_peer_bury(&watcher->peer);
	if (watcher->store.page->finished)
		watcher->ending = 1;
	if (watcher->ending)
		return;
	sk_log_say(&watcher->log, SK_LEVEL_ERROR, "supervisor",
		   watcher->peer.pid,
		   "the supervisor died and is started again");
	watcher->start_at = sk_now() + delay;
}

static void signals_ready(struct sk_source *source, uint32_t events)
{
	struct signalfd_siginfo info;
	struct watcher *watcher;

	(void)events;
	watcher = (struct watcher *)((char *)source -
				     offsetof(struct watcher, signals));
	if (read(source->fd, &info, sizeof(info)) != sizeof(info))
		return;
	watcher->ending = 1;
	if (watcher->peer.source.fd >= 0)
		syscall(SYS_pidfd_send_signal, watcher->peer.source.fd, SIGTERM,
			NULL, 0);
}

static int watch_peer(struct watcher *watcher)
{
	watcher->start_at = 0;
	watcher->peer.source.ready = peer_ready;
	return sk_loop_add(&watcher->loop, &watcher->peer.source, EPOLLIN);
}

static int start_peer(struct watcher *watcher)
{
	int err = sk_peer_start(&watcher->peer, watcher->options, "supervisor");

	if (!err)
		return watch_peer(watcher);
	watcher->peer.source.fd = -1;
	sk_log_say(&watcher->log, SK_LEVEL_ERROR, "supervisor", getpid(),
		   "cannot start the supervisor: %s", strerror(-err));
	watcher->start_at = sk_now() + DELAY_MAX;
	return 0;
}

static int watcher_open(struct watcher *watcher, pid_t supervisor)
{
	sigset_t set;
	int err;

	err = sk_store_open(&watcher->store, SK_STORE_FD);
	if (err)
		return err;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	watcher->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	watcher->signals.ready = signals_ready;
	if (watcher->signals.fd < 0)
		return -errno;
	err = sk_loop_add(&watcher->loop, &watcher->signals, EPOLLIN);
	if (err)
		return err;
	if (supervisor && sk_peer_adopt(&watcher->peer, supervisor) == 0)
		return watch_peer(watcher);
	if (watcher->store.page->finished) {
		watcher->ending = 1;
		return 0;
	}
	return start_peer(watcher);
}

static int watcher_step(struct watcher *watcher)
{
	int64_t now = sk_now();
	int err, timeout = -1;

	if (watcher->start_at)
		timeout = watcher->start_at > now
				  ? (int)(watcher->start_at - now)
				  : 0;
	err = sk_loop_step(&watcher->loop, timeout);
	if (err >= 0 && watcher->start_at && !watcher->ending &&
	    sk_now() >= watcher->start_at)
		err = start_peer(watcher);
	sk_log_flush(&watcher->log);
	return err < 0 ? err : 0;
}

int sk_watcher_run(struct sk_options *options, pid_t supervisor)
{
	struct watcher *watcher;
	int err;

	prctl(PR_SET_NAME, "selkie-watcher");
	watcher = calloc(1, sizeof(*watcher));
	if (!watcher)
		return 1;
	watcher->options = options;
	watcher->peer.source.fd = -1;
	watcher->signals.fd = -1;
	err = sk_loop_init(&watcher->loop);
	if (!err)
		err = sk_log_init(&watcher->log, &watcher->loop,
				  options->format, options->debug);
	if (err)
		return 1;
	err = watcher_open(watcher, supervisor);
	/* Until the supervisor has gone, and is not to come again. */
	while (!err && (!watcher->ending || watcher->peer.source.fd >= 0))
		err = watcher_step(watcher);
	if (err)
		sk_log_say(&watcher->log, SK_LEVEL_ERROR, "supervisor",
			   getpid(), "the watcher ends: %s", strerror(-err));
	sk_log_fini(&watcher->log, 100);
	sk_loop_close(&watcher->loop, &watcher->peer.source);
	sk_loop_close(&watcher->loop, &watcher->signals);
	sk_loop_fini(&watcher->loop);
	if (watcher->store.page)
		sk_store_close(&watcher->store);
	free(watcher);
	return err != 0;
}
