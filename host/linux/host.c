/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/host.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "host/linux/futex.h"
#include "host/linux/runner.h"

#define KILL_AGAIN 1000000 /* ns */

static struct {
	_Atomic int64_t deadline;
	_Atomic int64_t asleep_until;
	_Atomic uint32_t word;
	struct sk_kernel *kernel;
} timer = { .deadline = SK_NEVER };

static void *host_alloc(void *self, size_t size)
{
	(void)self;
	return calloc(1, size);
}

static void host_free(void *self, void *memory, size_t size)
{
	(void)self;
	(void)size;
	free(memory);
}

static void host_wait(void *self, _Atomic uint32_t *word, uint32_t seen,
		      int64_t deadline)
{
	(void)self;
	sk_futex_wait(word, seen, deadline);
}

static void host_wake(void *self, _Atomic uint32_t *word)
{
	(void)self;
	sk_futex_wake(word);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t host_now(void *self, int clock)
{
	(void)self;
	return clock_ns(clock == SK_CLOCK_REALTIME ? CLOCK_REALTIME
						   : CLOCK_MONOTONIC);
}

static int64_t host_cpu_time(void *self, struct sk_task *task)
{
	struct sk_runner *r = sk_task_face(task)->host;

	(void)self;
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - (r ? r->cpu_base : 0);
}

static void host_random(void *self, void *out, size_t size)
{
	char *at = out;

	(void)self;
	while (size) {
		ssize_t n = getrandom(at, size, 0);

		if (n <= 0)
			continue;
		at += n;
		size -= (size_t)n;
	}
}

/* A later deadline than the one slept for needs no wake: the thread looks
 * again when it wakes by itself. */
static void host_timer(void *self, int64_t deadline)
{
	(void)self;
	atomic_store(&timer.deadline, deadline);
	if (deadline >= atomic_load(&timer.asleep_until))
		return;
	atomic_fetch_add(&timer.word, 1);
	sk_futex_wake(&timer.word);
}

/* The timer's thread sees to it that the signal reaches the program. */
static void host_terminate(void *self, struct sk_task *task)
{
	sk_runner_terminate(self, task);
	atomic_fetch_add(&timer.word, 1);
	sk_futex_wake(&timer.word);
}

static void *timer_main(void *arg)
{
	struct sk_kernel *k = arg;

	for (;;) {
		uint32_t seen = atomic_load(&timer.word);
		int64_t now = clock_ns(CLOCK_MONOTONIC);
		int64_t until = atomic_load(&timer.deadline);

		if (until <= now) {
			int64_t due = until;

			/* Unless the kernel arms it again. */
			atomic_compare_exchange_strong(&timer.deadline, &due,
						       SK_NEVER);
			sk_kernel_tick(k);
			until = atomic_load(&timer.deadline);
		}
		if (sk_runners_kill_again() && until > now + KILL_AGAIN)
			until = now + KILL_AGAIN;
		atomic_store(&timer.asleep_until, until);
		if (atomic_load(&timer.deadline) < until)
			continue;
		sk_futex_wait(&timer.word, seen, until);
	}
	return NULL;
}

void sk_host_log(void *self, const char *line)
{
	(void)self;
	sk_host_say("%s", line);
}

void sk_host_say(const char *format, ...)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "selkie: ");
	va_list args;

	va_start(args, format);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n - 3, format, args);
	va_end(args);
	if (n > (int)sizeof(line) - 3)
		n = (int)sizeof(line) - 3;
	if (line[n - 1] == '\n')
		n--;
	/* The terminal may be raw. */
	n += snprintf(line + n, 3, "%s", isatty(2) ? "\r\n" : "\n");
	if (write(2, line, (size_t)n) < 0)
		return;
}

int sk_host_start(struct sk_kernel *k)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int err;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&thread, &attributes, timer_main, k);
	pthread_attr_destroy(&attributes);
	return err ? -err : sk_streams_start(k);
}

const struct sk_host sk_host_linux = {
	.alloc = host_alloc,
	.free = host_free,
	.wait = host_wait,
	.wake = host_wake,
	.now = host_now,
	.cpu_time = host_cpu_time,
	.random = host_random,
	.timer = host_timer,
	.start = sk_runner_start,
	.terminate = host_terminate,
	.log = sk_host_log,
	.files = &sk_host_files_linux,
};
