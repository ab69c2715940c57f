/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel for tests: one thread, a clock that the test moves, tasks with
 * small flat memories. Tests that need it begin with
 *     // link: kernel
 * and go:
 *
 *     SK_TEST(read_of_an_empty_pipe_waits)
 *     {
 *             struct rig *r = rig_new();
 *             struct sk_task *t = rig_fork(r, r->init);
 *             ...
 *             assert_int_equal(RIG(t, read, fd, at, 5), RIG_PARKED);
 *             ...
 *             assert_int_equal(rig_again(t), 5);
 *             rig_free(r);    // ends all tasks, checks for leaks
 *     }
 */
#ifndef SK_RIG_H
#define SK_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "selkie/kernel.h"

#define RIG_MEMORY (1u << 20)
#define RIG_PARKED (-1000) /* the call waits: rig_again later */
#define RIG_EXITED (-1001) /* the program is to leave: rig_end */
#define RIG_EXEC   (-1002) /* sk_image can be read: sk_exec_commit */

struct rig {
	struct sk_kernel *k;
	struct sk_host host; /* `files` may be set before it is used */
	struct sk_task *init;
	int64_t realtime, monotonic; /* ns; move with rig_sleep */
	int64_t timer;		     /* what the kernel armed */
	int64_t cpu_time;	     /* what cpu_time answers */
	uint64_t random; /* state of a generator: the same numbers each time */
	/* Allocations: fail_at counts down to the one that fails (0: none). */
	uint32_t fail_at, failed, allocations;
	uint32_t terminated, started, logged;
	struct sk_task *last_started;
	bool refuse_start;
};

/* A task's host data. */
struct rig_task {
	struct rig *rig;
	struct rig_task *next;
	struct sk_task *task;
	uint8_t *memory;
	uint32_t used;	/* rig_room takes from here on */
	bool signalled; /* the last result said that a signal waits */
	bool parked;
};

/* NULL when the kernel could not be made (fail_at, rig_sweep). */
struct rig *rig_new(void);
struct rig *rig_new_with(const struct sk_config *limits, uint32_t fail_at);
/* Ends all tasks that are left; fails the test when anything leaked. */
void rig_free(struct rig *r);

/* A child with a copy of the memory. NULL when fork failed. */
struct sk_task *rig_fork(struct rig *r, struct sk_task *parent);
/* For a task made by sk_spawn: gives it a memory. */
void rig_adopt(struct rig *r, struct sk_task *t);
void rig_end(struct sk_task *t);

/* A call: the result as a program sees it (-errno), or RIG_PARKED... */
int64_t rig_call(struct sk_task *t, uint32_t n, const uint64_t a[6]);
int64_t rig_again(struct sk_task *t);
/* Whether a wake, or its deadline, has come for a parked task. */
bool rig_woken(struct sk_task *t);
#define RIG(t, name, ...)                                                      \
	rig_call(t, SK_SYS_##name,                                             \
		 (const uint64_t[7]){ __VA_ARGS__ __VA_OPT__(, ) 0 })

/* Moves the clocks and runs the timers that are due. */
void rig_sleep(struct rig *r, int64_t ns);

/* The program's memory. */
static inline struct rig_task *rig_of(struct sk_task *t)
{
	return sk_task_face(t)->host;
}
/* Fresh room, zeroed, aligned to 16; never given back. */
sk_user rig_room(struct sk_task *t, uint32_t size);
sk_user rig_put(struct sk_task *t, const void *data, uint32_t size);
sk_user rig_str(struct sk_task *t, const char *s);
static inline void *rig_at(struct sk_task *t, sk_user at)
{
	return rig_of(t)->memory + at;
}

/* Whether the last result had SK_RESULT_SIGNAL. */
static inline bool rig_signalled(struct sk_task *t)
{
	return rig_of(t)->signalled;
}
/* kernel.nextsig: 1 with *frame, 0, RIG_PARKED, RIG_EXITED. */
int64_t rig_next_signal(struct sk_task *t, struct sk_abi_sigframe *frame);

/*
 * Runs a scenario again and again, its first allocation failing, its second
 * and so on, until it went through without one. It makes its kernel by
 * rig_new_with(NULL, fail_at) and must end it by rig_free in all cases.
 */
void rig_sweep(void (*scenario)(uint32_t fail_at));

#endif
