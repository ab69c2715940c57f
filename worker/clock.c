/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clocks, and the one that the engine's time limit sees.
 *
 * JavaScriptCore 2.50 ends its process by an assertion when two of its
 * watchdog's timers fire within some microseconds. They do when its timer, set by
 * wall time, is early by a little CPU time: it then sets another one for the
 * rest. So this program's clock_gettime, which the library finds before the C
 * library's, answers the question for a thread's CPU time by wall time: there is
 * never a rest. The limit's callback reads the true CPU time itself.
 */
#include "worker/process.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef int read_clock(clockid_t clock, struct timespec *time);

static read_clock *libc_clock;

__attribute__((constructor)) static void find_clock(void)
{
	void *address = dlsym(RTLD_NEXT, "clock_gettime");

	memcpy(&libc_clock, &address, sizeof(libc_clock));
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	if (clock == CLOCK_THREAD_CPUTIME_ID)
		clock = CLOCK_MONOTONIC;
	if (!libc_clock) /* a library's constructor, before ours */
		return (int)syscall(SYS_clock_gettime, clock, time);
	return libc_clock(clock, time);
}

static int64_t nanoseconds(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

int64_t sk_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return nanoseconds(&time);
}

int64_t sk_thread_cpu(void)
{
	struct timespec time = { 0, 0 };

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time);
	return nanoseconds(&time);
}
