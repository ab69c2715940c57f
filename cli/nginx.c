/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/nginx.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/file.h"
#include "cli/port.h"
#include "cli/relay.h"

#define START_TIMEOUT  20000 /* ms, each */
#define RELOAD_TIMEOUT 5000
#define DRAIN_TIMEOUT  11000 /* nginx itself cuts off at 10 s */
#define FAST_TIMEOUT   1000
#define REST_TIMEOUT   8000 /* the supervisor drains for 5 s */
#define LOOK_EVERY     3

#define WORKER_TITLE "nginx: worker process"

int sk_signal_take(int signals, int timeout, int *from_kernel)
{
	struct pollfd poller = { .fd = signals, .events = POLLIN };
	struct signalfd_siginfo info;

	if (poll(&poller, 1, timeout) <= 0)
		return 0;
	if (read(signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	if (from_kernel)
		*from_kernel = info.ssi_code == SI_KERNEL;
	return (int)info.ssi_signo;
}

/* Runs between fork and exec. */
static void become(const char *program, const char *prefix, const char *conf,
		   int out, pid_t parent)
{
	const char *argv[] = { "nginx",	 "-p", prefix, "-e",
			       "stderr", "-c", conf,   NULL };
	sigset_t none;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGQUIT);
	if (getppid() != parent)
		_exit(1);
	if (null >= 0)
		dup2(null, 0);
	if (out >= 0)
		dup2(out, 1);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv(program, (char *const *)argv);
	_exit(127);
}

int sk_nginx_start(struct sk_nginx *nginx, const char *program, const char *run)
{
	char *prefix = sk_format("%s/", run);
	char *conf = sk_format("%s/nginx.conf", run);
	pid_t self = getpid();
	int out = -1;
	int result;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	result = sk_relay_open(&out);
	if (result)
		goto free_paths;
	nginx->pid = fork();
	if (nginx->pid == 0)
		become(program, prefix, conf, out, self);
	if (nginx->pid < 0) {
		result = -errno;
		nginx->pid = 0;
	} else {
		setpgid(nginx->pid, nginx->pid);
	}
	if (out >= 0)
		close(out);
free_paths:
	free(conf);
	free(prefix);
	return result;
}

int sk_nginx_reap(struct sk_nginx *nginx)
{
	int others = 0;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != nginx->pid) {
			others++;
			continue;
		}
		nginx->pid = 0;
		nginx->status = status;
	}
	return others;
}

/* Waits a little for a signal; 1 when it was INT or TERM. */
static int pause_for(struct sk_nginx *nginx, int timeout)
{
	int signal = sk_signal_take(nginx->signals, timeout, NULL);

	if (signal == SIGCHLD)
		sk_nginx_reap(nginx);
	return signal == SIGINT || signal == SIGTERM;
}

/* nginx writes its pid when all of its modules are ready. */
static int has_pid_file(const char *run)
{
	char *path = sk_format("%s/nginx.pid", run);
	struct stat info;
	int there = stat(path, &info) == 0 && info.st_size > 0;

	free(path);
	return there;
}

int sk_nginx_wait(struct sk_nginx *nginx, const char *run, const char *address,
		  int port)
{
	long long end = sk_now() + START_TIMEOUT;

	while (sk_now() < end) {
		if (has_pid_file(run) && sk_port_accepts(address, port))
			return 0;
		if (pause_for(nginx, LOOK_EVERY))
			return -EINTR;
		if (!nginx->pid)
			return -ECHILD;
	}
	return -ETIMEDOUT;
}

static int has_new_worker(const struct sk_nginx *nginx,
			  const struct sk_pids *old)
{
	struct sk_pids now;
	int found = 0;

	sk_process_children(&now, nginx->pid, WORKER_TITLE);
	for (size_t i = 0; i < now.count; i++)
		found |= !sk_pids_have(old, now.items[i]);
	sk_pids_fini(&now);
	return found;
}

/* INT and TERM are left for the caller to read. */
static int wants_to_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) ||
					     sigismember(&pending, SIGTERM));
}

int sk_nginx_reload(struct sk_nginx *nginx)
{
	long long end = sk_now() + RELOAD_TIMEOUT;
	struct sk_pids old;
	int result = -ETIMEDOUT;

	sk_process_children(&old, nginx->pid, WORKER_TITLE);
	kill(nginx->pid, SIGHUP);
	while (sk_now() < end) {
		if (has_new_worker(nginx, &old)) {
			result = 0;
			break;
		}
		if (wants_to_end())
			break;
		poll(NULL, 0, 10);
		sk_nginx_reap(nginx);
		if (!nginx->pid) {
			result = -ECHILD;
			break;
		}
	}
	sk_pids_fini(&old);
	return result;
}

/* Waits for nginx's end. 1 when it ended; 0 at the time's end or when the user
 * has no patience. */
static int wait_for_nginx(struct sk_nginx *nginx, int timeout, int *hurry)
{
	long long end = sk_now() + timeout;

	sk_nginx_reap(nginx);
	while (nginx->pid && sk_now() < end) {
		if (pause_for(nginx, (int)(end - sk_now()))) {
			*hurry = 1;
			return 0;
		}
	}
	return !nginx->pid;
}

static int has_children(void)
{
	return waitid(P_ALL, 0, &(siginfo_t){ 0 },
		      WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* What nginx leaves has become our child. */
static void end_the_rest(struct sk_nginx *nginx, int hurry)
{
	long long end = sk_now() + (hurry ? FAST_TIMEOUT : REST_TIMEOUT);

	sk_nginx_reap(nginx);
	while (has_children() && !hurry && sk_now() < end) {
		hurry = pause_for(nginx, 50);
		sk_nginx_reap(nginx);
	}
	while (has_children()) {
		struct sk_pids left;

		sk_process_children(&left, getpid(), NULL);
		for (size_t i = 0; i < left.count; i++)
			kill(left.items[i], SIGKILL);
		sk_pids_fini(&left);
		pause_for(nginx, 10);
		sk_nginx_reap(nginx);
	}
}

void sk_nginx_stop(struct sk_nginx *nginx)
{
	pid_t group = nginx->pid;
	int hurry = 0;

	if (!group) {
		end_the_rest(nginx, 0);
		return;
	}
	kill(group, SIGQUIT);
	/* All of its processes in one stroke: a SIGTERM would make nginx's
	 * workers complain about what they leave open. */
	if (!wait_for_nginx(nginx, DRAIN_TIMEOUT, &hurry))
		kill(-group, SIGKILL);
	end_the_rest(nginx, hurry);
}
