/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The limits that end a script and leave the process alive. The engine calls
 * tick() every so often while a turn lasts. The callback counts the CPU time of
 * the present step, reads the process's private memory, and either ends the
 * script or arms itself again.
 *
 * Ticks are far apart, because the engine (2.50) ends the process by an
 * assertion when the next one comes before it has dealt with the last: seen
 * about once a minute at 2 ms on a loaded machine. A process that is half way
 * to its memory limit is looked at more often.
 *
 * Reading a thread's CPU clock at each step would cost as much as a small
 * handler. So it is read at a tick, and at the begin of a turn when the last
 * reading is older than MARK_AGE; a step counts from the last reading before
 * it, and is forgiven what may have been used in between.
 *
 * A regular expression that backtracks lets no tick through, and gives up at a
 * limit of the engine's own after a second or three. A step is looked at when
 * it answers and when it ends, therefore: over the limit it is stopped then.
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

#define TICK	       0.1	/* seconds */
#define TICK_NEAR      0.02	/* beyond half of the memory limit */
#define MARK_AGE       20000000 /* ns */
#define RELIEF_EIGHTHS 7	/* of the limit: what a collection must reach */

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

/* The memory is over the limit; is it still, without its garbage? */
static bool collect_in_vain(struct sk_engine *engine)
{
	engine->js.collect(engine->ctx);
	engine->js.release_memory();
	return sk_engine_memory(engine) >
	       engine->limits.memory / 8 * RELIEF_EIGHTHS;
}

static bool over_cpu(struct sk_engine *engine)
{
	uint64_t now = (uint64_t)sk_thread_cpu();

	if (engine->seen_step != engine->step) {
		engine->seen_step = engine->step;
		engine->step_cpu = engine->cpu_mark + MARK_AGE;
	}
	engine->cpu_mark = now;
	engine->marked = sk_now();
	return engine->limits.cpu && now > engine->step_cpu &&
	       now - engine->step_cpu > engine->limits.cpu;
}

void sk__engine_mark(struct sk_engine *engine)
{
	if (engine->turn_began - engine->marked < MARK_AGE)
		return;
	engine->cpu_mark = (uint64_t)sk_thread_cpu();
	engine->marked = engine->turn_began;
}

int sk__engine_overdue(struct sk_engine *engine)
{
	engine->looked = sk_now();
	if (!engine->stop && engine->limits.cpu &&
	    engine->looked - engine->turn_began > (int64_t)engine->limits.cpu &&
	    over_cpu(engine))
		engine->stop = SK_STOP_CPU;
	return engine->stop != SK_STOP_NONE;
}

static bool tick(JSContextRef ctx, void *arg)
{
	struct sk_engine *engine = arg;
	uint64_t limit = engine->limits.memory;
	uint64_t used = limit ? sk_engine_memory(engine) : 0;

	(void)ctx;
	if (over_cpu(engine))
		engine->stop = SK_STOP_CPU;
	else if (used > limit && collect_in_vain(engine))
		engine->stop = SK_STOP_MEMORY;
	else
		engine->js.set_time_limit(engine->group,
					  used > limit / 2 ? TICK_NEAR : TICK,
					  tick, engine);
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
