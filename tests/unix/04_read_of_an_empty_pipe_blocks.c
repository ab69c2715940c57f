/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

int main(void)
{
	int p[2];
	char c;
	pid_t pid;
	long long start = now_ms();

	CHECK(pipe(p) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		pause_ms(200);
		CHECK(write(p[1], "y", 1) == 1);
		_exit(0);
	}
	CHECK(read(p[0], &c, 1) == 1 && c == 'y');
	CHECK(now_ms() - start >= 190);
	CHECK(waited(pid) == 0);
	return done();
}
