/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Copies until the end; throws away what nobody takes any more, so that nginx
 * never waits for a reader that has gone. */
static void copy(int from)
{
	char piece[16384];
	int gone = 0;
	ssize_t got;

	while ((got = read(from, piece, sizeof(piece))) != 0) {
		const char *at = piece;

		if (got < 0 && errno != EINTR)
			break;
		while (got > 0 && !gone) {
			ssize_t put = write(1, at, (size_t)got);

			if (put < 0 && errno != EINTR)
				gone = 1;
			if (put > 0) {
				at += put;
				got -= put;
			}
		}
	}
}

/* Two writers of one file must append, or one writes over the other. */
static void append_to_file(void)
{
	struct stat info;
	int flags = fcntl(1, F_GETFL);

	if (flags >= 0 && fstat(1, &info) == 0 && S_ISREG(info.st_mode))
		fcntl(1, F_SETFL, flags | O_APPEND);
}

/* A pipe can, but the open would wait for ever once its reader has gone, and
 * nginx opens its logs again at each reload. */
static int can_open_again(void)
{
	struct stat info;
	int fd;

	if (fstat(1, &info) == 0 && S_ISFIFO(info.st_mode))
		return 0;
	fd = open("/dev/stdout",
		  O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return 0;
	close(fd);
	return 1;
}

int sk_relay_open(int *out)
{
	int pipes[2];
	pid_t pid;

	*out = -1;
	append_to_file();
	if (can_open_again())
		return 0;
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		close(pipes[0]);
		close(pipes[1]);
		return -errno;
	}
	if (pid == 0) {
		/* ^C must not cut off the last lines. */
		setpgid(0, 0);
		prctl(PR_SET_NAME, "selkie-relay");
		signal(SIGPIPE, SIG_IGN);
		dup2(pipes[0], 3);
		syscall(SYS_close_range, 4u, ~0u, 0u);
		copy(3);
		_exit(0);
	}
	close(pipes[0]);
	*out = pipes[1];
	return 0;
}
