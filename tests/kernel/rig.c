/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/rig.h"

#define CHECK(condition)                                                       \
	((condition) ? (void)0 : fail(#condition, __FILE__, __LINE__))

/* All tasks of all rigs of this process, for rig_free. */
static struct rig_task *tasks;
static uint32_t swept; /* rigs that failed an allocation, rig_sweep */

static void fail(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}

static void *rig_alloc(void *self, size_t size)
{
	struct rig *r = self;
	void *memory;

	if (r->fail_at && --r->fail_at == 0) {
		r->failed++;
		swept++;
		return NULL;
	}
	memory = calloc(1, size);
	CHECK(memory);
	r->allocations++;
	return memory;
}

static void rig_free_memory(void *self, void *memory, size_t size)
{
	struct rig *r = self;

	memset(memory, 0xdb, size);
	free(memory);
	r->allocations--;
}

static void rig_wait(void *self, _Atomic uint32_t *word, uint32_t seen,
		     int64_t deadline)
{
	(void)self, (void)word, (void)seen, (void)deadline;
	fail("the kernel's lock was taken twice", __FILE__, __LINE__);
}

static void rig_wake(void *self, _Atomic uint32_t *word)
{
	(void)self, (void)word;
}

static int64_t rig_now(void *self, int clock)
{
	struct rig *r = self;

	return clock == SK_CLOCK_REALTIME ? r->realtime : r->monotonic;
}

static int64_t rig_cpu_time(void *self, struct sk_task *task)
{
	(void)task;
	return ((struct rig *)self)->cpu_time;
}

static void rig_random(void *self, void *out, size_t size)
{
	struct rig *r = self;

	for (size_t i = 0; i < size; i++) {
		r->random = r->random * 6364136223846793005u + 1442695u;
		((uint8_t *)out)[i] = (uint8_t)(r->random >> 33);
	}
}

static void rig_timer(void *self, int64_t deadline)
{
	((struct rig *)self)->timer = deadline;
}

static int rig_start(void *self, struct sk_task *child)
{
	struct rig *r = self;

	if (r->refuse_start)
		return -SK_ENOEXEC;
	r->started++;
	r->last_started = child;
	rig_adopt(r, child);
	return 0;
}

static void rig_log(void *self, const char *line)
{
	(void)line;
	((struct rig *)self)->logged++;
}

static const struct sk_host host = {
	.alloc = rig_alloc,
	.free = rig_free_memory,
	.wait = rig_wait,
	.wake = rig_wake,
	.now = rig_now,
	.cpu_time = rig_cpu_time,
	.random = rig_random,
	.timer = rig_timer,
	.start = rig_start,
	.log = rig_log,
};

struct rig *rig_new_with(const struct sk_config *limits, uint32_t fail_at)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct sk_config config = { 0 };

	CHECK(r);
	if (limits)
		config = *limits;
	r->host = host;
	config.host = &r->host;
	config.self = r;
	r->realtime = INT64_C(1700000000) * 1000000000;
	r->monotonic = 1000000000;
	r->timer = SK_NEVER;
	r->fail_at = fail_at;
	if (sk_kernel_new(&config, &r->k)) {
		CHECK(r->allocations == 0);
		free(r);
		return NULL;
	}
	r->init = sk_kernel_init(r->k);
	rig_adopt(r, r->init);
	return r;
}

struct rig *rig_new(void)
{
	return rig_new_with(NULL, 0);
}

void rig_free(struct rig *r)
{
	struct rig_task **at = &tasks, *rt;

	r->fail_at = 0;
	for (rt = tasks; rt;) {
		struct rig_task *next = rt->next;

		if (rt->rig == r && rt != rig_of(r->init))
			sk_kernel_kill(r->k, sk_task_pid(rt->task), SK_SIGKILL);
		rt = next;
	}
	while (*at) {
		rt = *at;
		if (rt->rig == r && rt->task != r->init) {
			rig_end(rt->task);
			at = &tasks;
		} else {
			at = &rt->next;
		}
	}
	rt = rig_of(r->init);
	for (at = &tasks; *at != rt; at = &(*at)->next)
		;
	*at = rt->next;
	sk_kernel_free(r->k);
	free(rt->memory);
	free(rt);
	if (r->allocations) {
		fprintf(stderr, "%u allocations leaked\n", r->allocations);
		fail("no leaks", __FILE__, __LINE__);
	}
	free(r);
}

void rig_adopt(struct rig *r, struct sk_task *t)
{
	struct sk_face *face = sk_task_face(t);
	struct rig_task *rt = calloc(1, sizeof(*rt));

	CHECK(rt);
	rt->rig = r;
	rt->task = t;
	rt->memory = calloc(1, RIG_MEMORY);
	CHECK(rt->memory);
	rt->used = 1024;
	rt->next = tasks;
	tasks = rt;
	face->memory = rt->memory;
	face->memory_size = RIG_MEMORY;
	face->host = rt;
}

struct sk_task *rig_fork(struct rig *r, struct sk_task *parent)
{
	struct sk_task *child;

	if (sk_fork(parent, &child) < 0)
		return NULL;
	rig_adopt(r, child);
	memcpy(rig_of(child)->memory, rig_of(parent)->memory, RIG_MEMORY);
	rig_of(child)->used = rig_of(parent)->used;
	return child;
}

void rig_end(struct sk_task *t)
{
	struct rig_task *rt = rig_of(t), **at = &tasks;

	while (*at != rt)
		at = &(*at)->next;
	*at = rt->next;
	sk_task_end(t);
	free(rt->memory);
	free(rt);
}

static int64_t result_of(struct sk_task *t, int64_t result)
{
	struct rig_task *rt = rig_of(t);

	rt->parked = result == SK_CALL_PARK;
	if (result == SK_CALL_PARK)
		return RIG_PARKED;
	if (result == SK_CALL_EXIT)
		return RIG_EXITED;
	if (result == SK_CALL_EXEC)
		return RIG_EXEC;
	rt->signalled = result & SK_RESULT_SIGNAL;
	return (int32_t)(uint32_t)result;
}

int64_t rig_call(struct sk_task *t, uint32_t n, const uint64_t a[6])
{
	CHECK(!rig_of(t)->parked);
	return result_of(t, sk_call(t, n, a));
}

bool rig_woken(struct sk_task *t)
{
	struct sk_face *face = sk_task_face(t);

	return face->wake != face->seen ||
	       rig_of(t)->rig->monotonic >= face->deadline;
}

int64_t rig_again(struct sk_task *t)
{
	CHECK(rig_of(t)->parked);
	if (!rig_woken(t))
		return RIG_PARKED;
	return result_of(t, sk_call_again(t));
}

int64_t rig_next_signal(struct sk_task *t, struct sk_abi_sigframe *frame)
{
	uint32_t used = rig_of(t)->used;
	sk_user at = rig_room(t, sizeof(*frame));
	int64_t result = result_of(t, sk_next_signal(t, at));

	if (result == 1)
		memcpy(frame, rig_at(t, at), sizeof(*frame));
	rig_of(t)->used = used;
	return result;
}

void rig_sleep(struct rig *r, int64_t ns)
{
	r->monotonic += ns;
	r->realtime += ns;
	if (r->timer <= r->monotonic)
		sk_kernel_tick(r->k);
}

sk_user rig_room(struct sk_task *t, uint32_t size)
{
	struct rig_task *rt = rig_of(t);
	sk_user at = rt->used;

	CHECK(size <= RIG_MEMORY - rt->used - 16);
	rt->used += (size + 15) & ~15u;
	memset(rt->memory + at, 0, size);
	return at;
}

sk_user rig_put(struct sk_task *t, const void *data, uint32_t size)
{
	sk_user at = rig_room(t, size);

	memcpy(rig_at(t, at), data, size);
	return at;
}

sk_user rig_str(struct sk_task *t, const char *s)
{
	return rig_put(t, s, (uint32_t)strlen(s) + 1);
}

void rig_sweep(void (*scenario)(uint32_t fail_at))
{
	for (uint32_t n = 1;; n++) {
		uint32_t before = swept;

		scenario(n);
		if (swept == before)
			return;
	}
}
