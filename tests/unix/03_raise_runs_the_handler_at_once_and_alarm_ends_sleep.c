/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

static volatile int last;

static void on_signal(int signo)
{
	last = signo;
}

int main(void)
{
	long long start;

	handle(SIGUSR1, on_signal, 0);
	CHECK(raise(SIGUSR1) == 0);
	CHECK(last == SIGUSR1);

	handle(SIGALRM, on_signal, 0);
	start = now_ms();
	CHECK(alarm(1) == 0);
	CHECK(sleep(20) > 0);
	CHECK(last == SIGALRM);
	CHECK(now_ms() - start >= 990);
	CHECK(alarm(0) == 0);
	return done();
}
