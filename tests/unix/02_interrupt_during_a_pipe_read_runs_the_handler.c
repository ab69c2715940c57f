/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

static volatile int runs;

static void on_signal(int signo)
{
	(void)signo;
	runs++;
}

/* A child that interrupts its parent, and then writes a byte. */
static pid_t disturber(int to)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		pause_ms(100);
		kill(getppid(), SIGINT);
		pause_ms(100);
		CHECK(write(to, "x", 1) == 1);
		_exit(0);
	}
	return pid;
}

int main(void)
{
	int p[2];
	char c;
	pid_t pid;

	CHECK(pipe(p) == 0);
	handle(SIGINT, on_signal, 0);
	pid = disturber(p[1]);
	CHECK(read(p[0], &c, 1) == -1 && errno == EINTR);
	CHECK(runs == 1);
	CHECK(read(p[0], &c, 1) == 1 && c == 'x');
	CHECK(waited(pid) == 0);

	handle(SIGINT, on_signal, SA_RESTART);
	pid = disturber(p[1]);
	CHECK(read(p[0], &c, 1) == 1 && c == 'x');
	CHECK(runs == 2);
	CHECK(waited(pid) == 0);
	return done();
}
