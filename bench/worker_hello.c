// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a request costs the worker process: CPU time of the real selkie-worker
 * per request through the ring, with no nginx, for three handlers.
 *
 * usage: worker_hello [REQUESTS]
 */
// link: tests/unit/worker_rig.c -lcmocka
#include "tests/unit/worker_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define IN_FLIGHT 64
#define WARM_UP	  20000

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* `count` requests, IN_FLIGHT at a time. */
static void serve(struct rig *rig, unsigned count)
{
	static uint32_t serial;
	unsigned done, i;

	for (done = 0; done < count; done += IN_FLIGHT) {
		serial++;
		for (i = 0; i < IN_FLIGHT; i++)
			rig_request(rig, i, serial, "GET", "/hello?x=1", 0);
		for (i = 0; i < IN_FLIGHT; i++) {
			struct rig_reply reply = { 0 };

			rig_take(rig, i, serial, &reply, 0, 0);
			if (reply.status != 200)
				exit(1);
			rig_reply_free(&reply);
		}
	}
}

static void measure(const char *name, const char *module, unsigned count)
{
	struct rig rig;
	clockid_t clock;
	double cpu, wall;

	rig_open(&rig);
	wall = seconds(CLOCK_MONOTONIC);
	rig_spawn(&rig, module, NULL);
	wall = seconds(CLOCK_MONOTONIC) - wall;
	if (rig.verdict != SK_MSG_READY || clock_getcpuclockid(rig.pid, &clock))
		exit(1);
	printf("%-28s start with zygote %5.1f ms", name, wall * 1e3);
	serve(&rig, WARM_UP);
	cpu = seconds(clock);
	wall = seconds(CLOCK_MONOTONIC);
	serve(&rig, count);
	cpu = seconds(clock) - cpu;
	wall = seconds(CLOCK_MONOTONIC) - wall;
	printf("  %6.0f ns CPU a request in the worker process, %6.0f ns in "
	       "all\n",
	       cpu / count * 1e9, wall / count * 1e9);
	fflush(stdout);
	rig_close(&rig);
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 300000;

	measure("string", "() => 'Hello World!'", count);
	measure("promise of a string", "async () => 'Hello World!'", count);
	measure("method, url, header; JSON",
		"(r) => ({ method: r.method, url: r.url, "
		"one: r.headers.get('x-two') })",
		count);
	return 0;
}
