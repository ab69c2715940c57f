/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small scenarios of several processes, each an actor with a thread of its
 * own, run in two ways:
 *
 *   by seed   one actor runs at a time; at each call, and at many of the
 *             host's functions, a generator picks who goes on. The same seed
 *             gives the same run. Time stands still until all wait, then goes
 *             to the first deadline. All waiting without one: a lost wake-up.
 *   freely    all run at once, in real time (under TSan).
 *
 * An actor makes calls by X(); these wait, take signals and restart as libc
 * does. Its process ends when its function returns, or inside X() when it is
 * to exit.
 */
#ifndef SK_EXPLORE_H
#define SK_EXPLORE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "selkie/kernel.h"

#define ACTORS	     16
#define ACTOR_MEMORY 65536

struct world;
struct actor;
typedef void actor_function(struct actor *a);

struct actor {
	struct world *world;
	struct sk_task *task;
	actor_function *run;
	int64_t arg;
	pthread_t thread;
	pthread_cond_t chosen;
	bool used, ticker, idle, done;
	uint64_t handled; /* signals whose handler ran */
	/* In host->wait: what for. */
	_Atomic uint32_t *word;
	uint32_t seen;
	int64_t deadline;
	jmp_buf leave;
	uint8_t *memory;
};

struct world {
	struct sk_kernel *k;
	bool by_seed;
	uint64_t seed, random;
	uint32_t steps;
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* freely: a word, or an actor's end */
	struct actor *running;
	struct actor actors[ACTORS];
	int64_t now, timer;
	bool ending;
	_Atomic int allocations;
	int64_t notes[16]; /* what a scenario finds out, guarded by mutex */
};

/* Runs `first` as a child of process 1, to the end of all. */
void explore(struct world *w, actor_function *first);
/* All seeds from 1 on, or freely `count` times; `check` looks at the notes. */
void explore_many(actor_function *first, void (*check)(struct world *w),
		  uint32_t count, bool by_seed);

int64_t actor_call(struct actor *a, uint32_t n, const uint64_t args[7]);
#define X(a, name, ...)                                                        \
	actor_call(a, SK_SYS_##name,                                           \
		   (const uint64_t[7]){ __VA_ARGS__ __VA_OPT__(, ) 0 })
/* A child that runs `run`, with a copy of the memory; its pid or -errno. */
int64_t actor_fork(struct actor *a, actor_function *run, int64_t arg);
int64_t actor_exec(struct actor *a, const char *path);
void actor_catch(struct actor *a, int signo, uint32_t flags);
void actor_mask(struct actor *a, int how, uint64_t set);
void actor_note(struct actor *a, int which, int64_t add);
/* Puts bytes at a place of the memory that the scenario chooses. */
sk_user actor_put(struct actor *a, sk_user at, const void *data, uint32_t size);
int32_t actor_word(struct actor *a, sk_user at);

/* In place of cmocka's, which belong to the main thread. */
#define EXPECT(condition) actor_expect(condition, #condition, __LINE__)
#define EXPECT_EQUAL(a, b)                                                     \
	actor_expect_equal((int64_t)(a), (int64_t)(b), #a, __LINE__)
void actor_expect(bool condition, const char *what, int line);
void actor_expect_equal(int64_t a, int64_t b, const char *what, int line);

#endif
