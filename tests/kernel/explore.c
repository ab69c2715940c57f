/* SPDX-License-Identifier: BSD-2-Clause */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/kernel/explore.h"

#define FRAME	  60000 /* where signal frames lie in an actor's memory */
#define PATHS	  59000
#define STEPS_MAX 100000

static _Thread_local struct actor *me;

static void fail(struct world *w, const char *what)
{
	fprintf(stderr, "%s (seed %llu, step %u)\n", what,
		(unsigned long long)w->seed, w->steps);
	for (int i = 0; i < ACTORS; i++)
		if (w->actors[i].used && !w->actors[i].done)
			fprintf(stderr, "  actor %d%s waits at %p\n", i,
				w->actors[i].ticker ? " (timers)" : "",
				(void *)w->actors[i].word);
	abort();
}

static uint32_t pick(struct world *w, uint32_t below)
{
	w->random = w->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(w->random >> 33) % below;
}

/* Whether an actor can go on now. */
static bool ready(struct world *w, struct actor *a)
{
	if (!a->used || a->done)
		return false;
	if (a->ticker)
		return !a->idle || w->ending || w->timer <= w->now;
	return !a->word || atomic_load(a->word) != a->seen ||
	       a->deadline <= w->now;
}

/* Time goes on to the first deadline; false when there is none. */
static bool skip_time(struct world *w)
{
	int64_t first = w->timer;

	for (int i = 0; i < ACTORS; i++) {
		struct actor *a = &w->actors[i];

		if (a->used && !a->done && a->word && a->deadline < first)
			first = a->deadline;
	}
	if (first == SK_NEVER)
		return false;
	w->now = first;
	return true;
}

static bool all_done(struct world *w)
{
	for (int i = 0; i < ACTORS; i++)
		if (w->actors[i].used && !w->actors[i].done &&
		    !w->actors[i].ticker)
			return false;
	return true;
}

/* Somebody who can go on, by the generator. Mutex held. */
static void choose(struct world *w)
{
	struct actor *list[ACTORS];
	uint32_t count = 0;

	if (++w->steps > STEPS_MAX)
		fail(w, "it does not end");
	if (all_done(w))
		w->ending = true;
	do {
		for (int i = 0; i < ACTORS; i++)
			if (ready(w, &w->actors[i]))
				list[count++] = &w->actors[i];
	} while (!count && !w->ending && skip_time(w));
	if (!count && !w->ending)
		fail(w, "all wait: a wake-up was lost");
	w->running = count ? list[pick(w, count)] : NULL;
	if (w->running)
		pthread_cond_signal(&w->running->chosen);
	else
		pthread_cond_broadcast(&w->changed);
}

/* The running actor lets the generator pick; comes back when picked. */
static void yield(struct actor *a)
{
	struct world *w = a->world;

	if (!w->by_seed)
		return;
	pthread_mutex_lock(&w->mutex);
	choose(w);
	while (w->running != a)
		pthread_cond_wait(&a->chosen, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
}

/* At a host's function: sometimes another goes on in the midst of a call. */
static void maybe_yield(struct world *w)
{
	if (me && w->by_seed && pick(w, 4) == 0)
		yield(me);
}

static void *host_alloc(void *self, size_t size)
{
	struct world *w = self;

	maybe_yield(w);
	atomic_fetch_add(&w->allocations, 1);
	return calloc(1, size);
}

static void host_free(void *self, void *memory, size_t size)
{
	struct world *w = self;

	(void)size;
	maybe_yield(w);
	atomic_fetch_sub(&w->allocations, 1);
	free(memory);
}

static void wait_freely(struct world *w, _Atomic uint32_t *word, uint32_t seen,
			int64_t deadline)
{
	struct timespec until = { deadline / 1000000000,
				  deadline % 1000000000 };

	pthread_mutex_lock(&w->mutex);
	while (atomic_load(word) == seen) {
		if (deadline == SK_NEVER)
			pthread_cond_wait(&w->changed, &w->mutex);
		else if (pthread_cond_timedwait(&w->changed, &w->mutex, &until))
			break;
	}
	pthread_mutex_unlock(&w->mutex);
}

static void host_wait(void *self, _Atomic uint32_t *word, uint32_t seen,
		      int64_t deadline)
{
	struct world *w = self;

	if (!w->by_seed) {
		wait_freely(w, word, seen, deadline);
		return;
	}
	me->word = word;
	me->seen = seen;
	me->deadline = deadline;
	yield(me);
	me->word = NULL;
}

static void host_wake(void *self, _Atomic uint32_t *word)
{
	struct world *w = self;

	(void)word;
	if (w->by_seed)
		return;
	pthread_mutex_lock(&w->mutex);
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->mutex);
}

static int64_t host_now(void *self, int clock)
{
	struct world *w = self;
	struct timespec ts;

	maybe_yield(w);
	if (w->by_seed)
		return w->now;
	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static int64_t host_cpu_time(void *self, struct sk_task *task)
{
	(void)task;
	maybe_yield(self);
	return 1;
}

static void host_random(void *self, void *out, size_t size)
{
	(void)self;
	memset(out, 7, size);
}

static void host_timer(void *self, int64_t deadline)
{
	struct world *w = self;

	if (!w->by_seed)
		pthread_mutex_lock(&w->mutex);
	w->timer = deadline;
	pthread_cond_broadcast(&w->changed);
	if (!w->by_seed)
		pthread_mutex_unlock(&w->mutex);
}

static int host_start(void *self, struct sk_task *child)
{
	(void)self;
	(void)child;
	return -SK_ENOEXEC;
}

static void host_log(void *self, const char *line)
{
	(void)self;
	fprintf(stderr, "%s\n", line);
}

static const struct sk_host host = {
	.alloc = host_alloc,
	.free = host_free,
	.wait = host_wait,
	.wake = host_wake,
	.now = host_now,
	.cpu_time = host_cpu_time,
	.random = host_random,
	.timer = host_timer,
	.start = host_start,
	.log = host_log,
};

static void finish(struct actor *a)
{
	struct world *w = a->world;

	pthread_mutex_lock(&w->mutex);
	a->done = true;
	if (w->by_seed)
		choose(w);
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->mutex);
}

static void wait_for_turn(struct actor *a)
{
	struct world *w = a->world;

	if (!w->by_seed)
		return;
	pthread_mutex_lock(&w->mutex);
	while (w->running != a)
		pthread_cond_wait(&a->chosen, &w->mutex);
	pthread_mutex_unlock(&w->mutex);
}

static void *run_actor(void *arg)
{
	struct actor *a = arg;

	me = a;
	wait_for_turn(a);
	if (!setjmp(a->leave)) {
		a->run(a);
		X(a, exit_group, 0);
	}
	sk_task_end(a->task);
	finish(a);
	return NULL;
}

/* Whether the timers are due; a deadline is told once. */
static bool take_deadline(struct world *w)
{
	int64_t now = host_now(w, SK_CLOCK_MONOTONIC);
	bool due;

	if (!w->by_seed)
		pthread_mutex_lock(&w->mutex);
	due = w->timer <= now;
	if (due)
		w->timer = SK_NEVER;
	if (!w->by_seed)
		pthread_mutex_unlock(&w->mutex);
	return due;
}

/* The thread of the timers: runs what is due. */
static void *run_ticker(void *arg)
{
	struct actor *a = arg;
	struct world *w = a->world;

	me = a;
	wait_for_turn(a);
	for (;;) {
		bool ending;

		if (w->by_seed) {
			a->idle = true;
			yield(a);
			a->idle = false;
			ending = w->ending;
		} else {
			sched_yield();
			pthread_mutex_lock(&w->mutex);
			ending = w->ending;
			pthread_mutex_unlock(&w->mutex);
		}
		if (ending)
			break;
		if (take_deadline(w))
			sk_kernel_tick(w->k);
	}
	finish(a);
	return NULL;
}

static struct actor *new_actor(struct world *w, struct sk_task *task,
			       actor_function *run, int64_t arg)
{
	struct actor *a = NULL;
	struct sk_face *face;

	pthread_mutex_lock(&w->mutex);
	for (int i = 0; i < ACTORS && !a; i++)
		if (!w->actors[i].used)
			a = &w->actors[i];
	if (!a)
		fail(w, "more actors than there is room for");
	*a = (struct actor){
		.world = w, .task = task, .run = run, .arg = arg, .used = true
	};
	pthread_mutex_unlock(&w->mutex);
	pthread_cond_init(&a->chosen, NULL);
	a->memory = calloc(1, ACTOR_MEMORY);
	if (!task)
		return a;
	face = sk_task_face(task);
	face->memory = a->memory;
	face->memory_size = ACTOR_MEMORY;
	face->host = a;
	return a;
}

static void start_actor(struct actor *a, void *(*run)(void *))
{
	if (pthread_create(&a->thread, NULL, run, a))
		fail(a->world, "no thread");
}

int64_t actor_fork(struct actor *a, actor_function *run, int64_t arg)
{
	struct sk_task *task;
	struct actor *child;
	int64_t pid;

	yield(a);
	pid = sk_fork(a->task, &task);
	if (pid == SK_CALL_EXIT)
		longjmp(a->leave, 1);
	if (pid < 0)
		return pid;
	child = new_actor(a->world, task, run, arg);
	memcpy(child->memory, a->memory, ACTOR_MEMORY);
	start_actor(child, run_actor);
	return pid;
}

/* Handlers: all that are due; each is noted, and returns. */
static void take_signals(struct actor *a)
{
	const struct sk_abi_sigframe *frame = (const void *)(a->memory + FRAME);
	int64_t result;

	for (;;) {
		result = sk_next_signal(a->task, FRAME);
		if (result == SK_CALL_EXIT)
			longjmp(a->leave, 1);
		if (result == SK_CALL_PARK) {
			sk_task_park(a->task);
			continue;
		}
		if (!result)
			return;
		a->handled |= SK_SIG_BIT(frame->signo);
		X(a, rt_sigreturn,
		  frame->mask[0] | (uint64_t)frame->mask[1] << 32);
	}
}

int64_t actor_call(struct actor *a, uint32_t n, const uint64_t args[7])
{
	int64_t result;

	do {
		yield(a);
		result = sk_call(a->task, n, args);
		while (result == SK_CALL_PARK) {
			sk_task_park(a->task);
			result = sk_call_again(a->task);
		}
		if (result == SK_CALL_EXIT)
			longjmp(a->leave, 1);
		if (result == SK_CALL_EXEC)
			return result;
		if (result & SK_RESULT_SIGNAL && n != SK_SYS_rt_sigreturn)
			take_signals(a);
	} while ((int32_t)result == -SK_ERESTART);
	return (int32_t)result;
}

int64_t actor_exec(struct actor *a, const char *path)
{
	int64_t result;

	actor_put(a, PATHS, path, (uint32_t)strlen(path) + 1);
	result = X(a, execve, PATHS, 0, 0);
	if (result != SK_CALL_EXEC)
		return result;
	yield(a);
	if (sk_exec_commit(a->task) == SK_CALL_EXIT)
		longjmp(a->leave, 1);
	return 0;
}

void actor_catch(struct actor *a, int signo, uint32_t flags)
{
	const struct sk_abi_sigaction action = { .handler = 99,
						 .flags = flags };

	X(a, rt_sigaction, (uint64_t)signo,
	  actor_put(a, PATHS, &action, sizeof(action)), 0, 8);
}

void actor_mask(struct actor *a, int how, uint64_t set)
{
	X(a, rt_sigprocmask, (uint64_t)how, actor_put(a, PATHS, &set, 8), 0, 8);
}

void actor_note(struct actor *a, int which, int64_t add)
{
	pthread_mutex_lock(&a->world->mutex);
	a->world->notes[which] += add;
	pthread_mutex_unlock(&a->world->mutex);
}

sk_user actor_put(struct actor *a, sk_user at, const void *data, uint32_t size)
{
	memcpy(a->memory + at, data, size);
	return at;
}

void actor_expect(bool condition, const char *what, int line)
{
	if (condition)
		return;
	fprintf(stderr, "line %d: %s\n", line, what);
	fail(me->world, "not as expected");
}

void actor_expect_equal(int64_t a, int64_t b, const char *what, int line)
{
	if (a == b)
		return;
	fprintf(stderr, "line %d: %s is %lld, not %lld\n", line, what,
		(long long)a, (long long)b);
	fail(me->world, "not as expected");
}

int32_t actor_word(struct actor *a, sk_user at)
{
	int32_t word;

	memcpy(&word, a->memory + at, 4);
	return word;
}

static void set_up(struct world *w)
{
	const struct sk_config config = { .host = &host, .self = w };
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	w->now = 1000000000;
	w->timer = SK_NEVER;
	w->random = w->seed * 0x9e3779b97f4a7c15u;
	if (sk_kernel_new(&config, &w->k))
		fail(w, "no kernel");
}

static void clear(struct world *w)
{
	for (int i = 0; i < ACTORS; i++) {
		if (!w->actors[i].used)
			continue;
		pthread_join(w->actors[i].thread, NULL);
		pthread_cond_destroy(&w->actors[i].chosen);
		free(w->actors[i].memory);
	}
	sk_kernel_free(w->k);
	if (w->allocations)
		fail(w, "memory was left behind");
	pthread_mutex_destroy(&w->mutex);
	pthread_cond_destroy(&w->changed);
}

void explore(struct world *w, actor_function *first)
{
	struct sk_task *task;
	struct actor *a, *ticker;

	set_up(w);
	if (sk_fork(sk_kernel_init(w->k), &task) < 0)
		fail(w, "no process");
	ticker = new_actor(w, NULL, NULL, 0);
	ticker->ticker = true;
	a = new_actor(w, task, first, 0);
	w->running = w->by_seed ? a : NULL;
	start_actor(ticker, run_ticker);
	start_actor(a, run_actor);
	pthread_mutex_lock(&w->mutex);
	while (!all_done(w))
		pthread_cond_wait(&w->changed, &w->mutex);
	if (!w->by_seed)
		w->ending = true;
	pthread_mutex_unlock(&w->mutex);
	clear(w);
}

void explore_many(actor_function *first, void (*check)(struct world *w),
		  uint32_t count, bool by_seed)
{
	for (uint32_t i = 1; i <= count; i++) {
		struct world *w = calloc(1, sizeof(*w));

		w->by_seed = by_seed;
		w->seed = i;
		explore(w, first);
		if (check)
			check(w);
		free(w);
	}
}
