/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The limits that end a script and leave the process alive. The engine calls
 * tick() each TICK of CPU time that is spent inside a turn. The callback counts
 * the time of the present step, reads the process's private memory, and either
 * ends the script or arms itself again.
 *
 * Over the memory limit a full collection comes first: what is over it may be
 * garbage that nobody had a reason to collect yet. It must bring the process
 * clearly below the limit, or a script that hovers there would collect at each
 * tick.
 */
#include "worker/engine_js.h"
#include "worker/process.h"

#include <stdlib.h>
#include <unistd.h>

#define TICK	      0.002 /* seconds of CPU time */
#define TICK_NS	      2000000
#define RELIEF_EIGHTHS 7 /* of the limit: what a collection must reach */

uint64_t sk_engine_memory(const struct sk_engine *engine)
{
	char text[128];
	unsigned long resident, shared;
	ssize_t n = pread(engine->limits.statm_fd, text, sizeof(text) - 1, 0);
	char *at;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	strtoul(text, &at, 10);
	resident = strtoul(at, &at, 10);
	shared = strtoul(at, NULL, 10);
	return (uint64_t)(resident - shared) * (uint64_t)getpagesize();
}

uint64_t sk_engine_memory_limit(const struct sk_engine *engine)
{
	return engine->limits.memory;
}

static bool over_memory(struct sk_engine *engine)
{
	uint64_t limit = engine->limits.memory;

	if (!limit || sk_engine_memory(engine) <= limit)
		return false;
	engine->js.collect(engine->ctx);
	engine->js.release_memory();
	return sk_engine_memory(engine) > limit / 8 * RELIEF_EIGHTHS;
}

static bool over_cpu(struct sk_engine *engine)
{
	uint64_t now = (uint64_t)sk_thread_cpu();

	if (engine->tick_step != engine->step) {
		engine->tick_step = engine->step;
		engine->step_cpu = now - TICK_NS;
	}
	return engine->limits.cpu &&
	       now - engine->step_cpu > engine->limits.cpu;
}

static bool tick(JSContextRef ctx, void *arg)
{
	struct sk_engine *engine = arg;

	(void)ctx;
	engine->ticks++;
	if (over_cpu(engine))
		engine->stop = SK_STOP_CPU;
	else if (over_memory(engine))
		engine->stop = SK_STOP_MEMORY;
	else
		engine->js.set_time_limit(engine->group, TICK, tick, engine);
	return engine->stop != SK_STOP_NONE;
}

void sk__engine_arm(struct sk_engine *engine)
{
	if (engine->limits.cpu || engine->limits.memory)
		engine->js.set_time_limit(engine->group, TICK, tick, engine);
}

void sk_engine_set_limits(struct sk_engine *engine,
			  const struct sk_engine_limits *limits)
{
	engine->limits = *limits;
	sk__engine_arm(engine);
}
