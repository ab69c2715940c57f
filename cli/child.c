/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/file.h"

/* Runs between fork and exec: only calls that are safe there. */
static void become(const struct sk_command *command, int in, int out, int err)
{
	sigset_t none;
	int extra = -1;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (command->folder && chdir(command->folder) < 0)
		_exit(126);
	if (command->extra >= 0)
		extra = fcntl(command->extra, F_DUPFD, 10);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	if (extra >= 0 && dup2(extra, 3) < 0)
		_exit(126);
	syscall(SYS_close_range, extra >= 0 ? 4u : 3u, ~0u, 0u);
	execv(command->argv[0], (char *const *)command->argv);
	_exit(127);
}

int sk_child_start(struct sk_child *child, const struct sk_command *command)
{
	int result;
	int in = sk_file_memory(command->input, command->input_length);

	if (in < 0)
		return in;
	child->out = memfd_create("out", MFD_CLOEXEC);
	child->err = memfd_create("err", MFD_CLOEXEC);
	if (child->out < 0 || child->err < 0) {
		result = -errno;
		goto close_all;
	}
	child->pid = fork();
	if (child->pid < 0) {
		result = -errno;
		goto close_all;
	}
	if (child->pid == 0)
		become(command, in, child->out, child->err);
	close(in);
	return 0;
close_all:
	if (child->err >= 0)
		close(child->err);
	if (child->out >= 0)
		close(child->out);
	close(in);
	return result;
}

static void take_output(int fd, struct sk_text *text)
{
	char piece[16384];
	off_t at = 0;
	ssize_t got;

	while (text && (got = pread(fd, piece, sizeof(piece), at)) > 0) {
		sk_text_add(text, piece, (size_t)got);
		at += got;
	}
	close(fd);
}

/* Readable when the user wants us to end and whoever blocked these signals has
 * not yet heard of it; it takes none of them. */
static int open_wishes(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* 0 when the process has ended, -ETIMEDOUT, or -EINTR: we are to end. */
static int wait_for_end(pid_t pid, int timeout)
{
	struct pollfd pollers[2] = { { .events = POLLIN },
				     { .events = POLLIN } };
	int result = 0;
	int ready;

	pollers[0].fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pollers[0].fd < 0)
		return 0;
	pollers[1].fd = open_wishes();
	do
		ready = poll(pollers, 2, timeout);
	while (ready < 0 && errno == EINTR);
	if (!ready)
		result = -ETIMEDOUT;
	else if (!pollers[0].revents)
		result = -EINTR;
	close(pollers[0].fd);
	if (pollers[1].fd >= 0)
		close(pollers[1].fd);
	return result;
}

int sk_child_finish(struct sk_child *child, int timeout, struct sk_text *out,
		    struct sk_text *err)
{
	int cut = wait_for_end(child->pid, timeout);
	int status;

	if (cut)
		kill(child->pid, SIGKILL);
	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			break;
	take_output(child->out, out);
	take_output(child->err, err);
	if (cut)
		return cut;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int sk_child_run(const struct sk_command *command, int timeout,
		 struct sk_text *out, struct sk_text *err)
{
	struct sk_child child;
	int result = sk_child_start(&child, command);

	return result ? result : sk_child_finish(&child, timeout, out, err);
}
