/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <poll.h>

int main(void)
{
	int p[2];
	struct pollfd fd = { .events = POLLIN };
	long long start;
	pid_t pid;

	CHECK(pipe(p) == 0);
	fd.fd = p[0];
	start = now_ms();
	CHECK(poll(&fd, 1, 1000) == 0);
	CHECK(now_ms() - start >= 999);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		pause_ms(50);
		CHECK(write(p[1], "x", 1) == 1);
		_exit(0);
	}
	CHECK(poll(&fd, 1, 60000) == 1 && fd.revents == POLLIN);
	CHECK(waited(pid) == 0);
	return done();
}
