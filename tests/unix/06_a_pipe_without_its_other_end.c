/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

int main(void)
{
	int p[2];
	char c;
	int status;
	pid_t pid;

	CHECK(pipe(p) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		close(p[0]);
		for (;;)
			if (write(p[1], "y\n", 2) < 0)
				_exit(9);
	}
	close(p[1]);
	CHECK(read(p[0], &c, 1) == 1);
	close(p[0]);
	status = waited(pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);

	CHECK(pipe(p) == 0);
	signal(SIGPIPE, SIG_IGN);
	close(p[0]);
	CHECK(write(p[1], "x", 1) == -1 && errno == EPIPE);
	close(p[1]);

	CHECK(pipe(p) == 0);
	close(p[1]);
	CHECK(read(p[0], &c, 1) == 0);
	return done();
}
