/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the programs of this folder: each shows one row of cases-unix.md, on
 * Linux and on Selkie's kernel alike. Status 0 and the line "ok", or a line
 * that says which check did not hold.
 */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(what)                                                            \
	do {                                                                   \
		if (!(what)) {                                                 \
			int e = errno;                                         \
			printf("%s:%d: not so: %s (errno %d: %s)\n", __FILE__, \
			       __LINE__, #what, e, strerror(e));               \
			fflush(stdout);                                        \
			_exit(1);                                              \
		}                                                              \
	} while (0)

static inline void pause_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

static inline long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static inline int waited(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static inline void handle(int signo, void (*f)(int), int flags)
{
	struct sigaction sa = { .sa_handler = f, .sa_flags = flags };

	sigemptyset(&sa.sa_mask);
	CHECK(sigaction(signo, &sa, NULL) == 0);
}

static inline int done(void)
{
	puts("ok");
	return 0;
}

#endif
