/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For programs that are compiled by selkie-cc and by gcc for Linux alike: the
 * time, and the one number that each prints.
 */
#ifndef SK_BENCH_H
#define SK_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static inline void bench_die(const char *what)
{
	perror(what);
	exit(1);
}

static inline void bench_say(double value, const char *unit)
{
	printf("%.4f %s\n", value, unit);
}

#endif
