/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selkie-run: programs on Selkie's kernel. It forks once, before any thread:
 * this process stays behind as the broker (broker.h) and gives the terminal
 * back at the end, whatever happens; its child runs kernel and programs
 * behind the walls of lib/sandbox/programs.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "host/linux/arena.h"
#include "host/linux/broker.h"
#include "host/linux/host.h"
#include "host/linux/init.h"
#include "host/linux/options.h"
#include "host/linux/runner.h"
#include "host/linux/store.h"
#include "host/linux/translate.h"
#include "host/linux/traps.h"
#include "host/linux/window.h"
#include "sandbox/sandbox.h"

static char self[PATH_MAX];

/* Selkie's programs: beside this one, in a build tree and installed. */
static int open_programs(void)
{
	static const char *const places[] = { "../../programs",
					      "../../lib/selkie/programs" };
	const char *given = getenv("SELKIE_PROGRAMS");
	char path[PATH_MAX + 64];
	int fd = -1;
	size_t i;

	if (given && *given)
		return open(given, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (i = 0; i < 2 && fd < 0; i++) {
		snprintf(path, sizeof(path), "%s/%s", self, places[i]);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return fd;
}

/* Signals of the host for the program, or (WINCH) for process 1. */
static void *signals_main(void *arg)
{
	struct sk_init *init = arg;
	sigset_t set;
	int signo;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	for (;;) {
		int theirs;

		if (sigwait(&set, &signo))
			continue;
		theirs = signo == SIGHUP    ? SK_SIGHUP
			 : signo == SIGINT  ? SK_SIGINT
			 : signo == SIGQUIT ? SK_SIGQUIT
			 : signo == SIGTERM ? SK_SIGTERM
					    : SK_SIGWINCH;
		if (theirs == SK_SIGWINCH)
			sk_kernel_kill(init->kernel, 1, theirs);
		else if (init->pid > 0)
			sk_kernel_kill(init->kernel, init->pid, theirs);
		else
			_exit(128 + signo);
	}
	return NULL;
}

static void waited_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGWINCH);
}

static int start_threads(struct sk_init *init)
{
	pthread_t thread;
	sigset_t set;
	int err;

	waited_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	err = sk_host_start(init->kernel);
	if (!err)
		err = -pthread_create(&thread, NULL, signals_main, init);
	return err;
}

static int confine(struct sk_init *init, struct sk_sandbox *sandbox)
{
	const struct sk_run_options *o = init->options;
	int folders[SK_MOUNTS_MAX + 1], writable[SK_MOUNTS_MAX + 1];
	int i, n = 0;

	for (i = 0; i < o->mount_count; i++) {
		if (o->mounts[i].kind != SK_MOUNT_HOSTFS)
			continue;
		folders[n] = o->mounts[i].fd;
		writable[n++] = !o->mounts[i].read_only;
	}
	if (init->programs_fd >= 0) {
		folders[n] = init->programs_fd;
		writable[n++] = 0;
	}
	return sk_sandbox_programs(sandbox, folders, writable, n);
}

static int is_there(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* Names what failed at the start; the exit status. */
static int fail(const char *what, int error)
{
	sk_host_say("%s: %s", what, strerror(-error));
	return 1;
}

static int run(struct sk_run_options *options)
{
	struct sk_init init = { .options = options };
	struct sk_sandbox sandbox = { .die_with_parent = 1 };
	struct sk_config config = { .host = &sk_host_linux };
	char missing[128];
	int err, n;

	for (n = 0; n < 3; n++)
		init.streams[n] =
			is_there(n) ? sk_stream_own(n, n ? O_WRONLY : O_RDONLY)
				    : -1;
	init.programs_fd = open_programs();
	err = sk_windows_init();
	if (!err)
		err = sk_arena_enter();
	if (err)
		return fail("memory", err);
	err = confine(&init, &sandbox);
	if (err)
		return fail("sandbox", err);
	sk_traps_init();
	err = sk_kernel_new(&config, &init.kernel);
	if (!err)
		err = sk_init_start(&init, init.kernel);
	if (!err)
		err = start_threads(&init);
	if (err)
		return fail("kernel", err);
	err = sk_sandbox_programs_close(&sandbox);
	if (err)
		return fail("sandbox", err);
	if (sk_sandbox_missing(&sandbox, missing, sizeof(missing)))
		sk_host_say("this system lacks %s: programs run without it",
			    missing);
	err = sk_init_mount(&init);
	if (!err)
		err = sk_init_run(&init);
	sk_traps_told();
	return err;
}

static int broker(int socket, pid_t child, const struct termios *before)
{
	int status = sk_broker_serve(socket, child);

	if (before)
		tcsetattr(0, TCSAFLUSH, before);
	if (WIFSIGNALED(status)) {
		sk_host_say("the kernel's process ended by signal %d",
			    WTERMSIG(status));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}

/* Before the fork, so that whoever restores it knows how it was. */
static int make_raw(struct termios *before)
{
	struct termios raw;

	if (tcgetattr(0, before))
		return 0;
	raw = *before;
	cfmakeraw(&raw);
	tcsetattr(0, TCSANOW, &raw);
	return 1;
}

static void find_self(void)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	sk_translate_init(self);
	if (strrchr(self, '/'))
		*strrchr(self, '/') = '\0';
}

int main(int argc, char **argv)
{
	static struct sk_run_options options;
	struct termios before;
	int sockets[2], status, raw = 0;
	pid_t child;

	close_range(3, ~0U, 0);
	status = sk_run_options_parse(&options, argc, argv);
	if (status >= 0)
		return status;
	find_self();
	status = sk_store_open();
	if (!status)
		status = sk_arena_init();
	if (!status &&
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		status = -errno;
	if (status)
		return fail("start", status);
	if (options.terminal)
		raw = make_raw(&before);
	/* Who reads our output may leave: then it is the program's SIGPIPE. */
	signal(SIGPIPE, SIG_IGN);
	child = fork();
	if (child == 0) {
		close(sockets[0]);
		sk_broker_connect(sockets[1]);
		_exit(run(&options));
	}
	close(sockets[1]);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	return broker(sockets[0], child, raw ? &before : NULL);
}
