/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct sk_kernel: all state hangs off it. One lock guards all of it
 * (docs/locking.md); it is taken at the entry of a call and given back at its
 * end, and while the host's files are being used (sk_unlock .. sk_lock).
 */
#ifndef SK_STATE_H
#define SK_STATE_H

#include <stdbool.h>

#include "list.h"
#include "selkie/kernel.h"

struct sk_mount;
struct sk_process;
struct sk_tty;

struct sk_waitq {		 /* wait.h */
	struct sk_list waiters;	 /* sk_waiter.link */
	struct sk_list watchers; /* sk_watcher.link */
};

struct sk_kernel {
	const struct sk_host *host;
	void *self;
	_Atomic uint32_t lock; /* 0 free, 1 held, 2 held and waited for */
	/* Words to be woken when the lock is given back, lock.c. */
#define SK_WAKES 8
	_Atomic uint32_t *wakes[SK_WAKES];
	uint32_t wake_count;

	/* Protected by lock, all below. */
	uint64_t bytes, max_bytes;
	uint32_t allocations;
	uint32_t process_count, max_processes;
	uint32_t file_count, inode_count, max_fds;
	uint32_t uid, gid;
	char hostname[65];
	int64_t boot_realtime, boot_monotonic;
	_Atomic int64_t realtime_offset; /* clock_settime; read unlocked */

	struct sk_list processes; /* sk_process.link, by start */
	struct sk_process **pids; /* pid % max_processes*2 -> process chain */
	uint32_t pid_buckets;
	int32_t last_pid;
	bool pids_wrapped;
	struct sk_waitq clock_set; /* woken by clock_settime */
	struct sk_process *init;
	struct sk_list timers; /* sk_timer.link, by deadline */
	int64_t armed;	       /* what host->timer was told */

	struct sk_list mounts; /* sk_mount.link */
	struct sk_mount *root;
	uint64_t next_dev, next_generation;

	struct sk_net *net;	/* sockets' tables, made at first use */
	struct sk_tty *ttys;	/* by index */
	struct sk_list watches; /* sk_host_watch.link, stream.c */
};

/* The lock. Never taken twice by one thread. */
void sk_lock(struct sk_kernel *k);
void sk_unlock(struct sk_kernel *k);
bool sk_lock_try(struct sk_kernel *k);
/* Gives it back and takes it again, when somebody waits. */
void sk_lock_breathe(struct sk_kernel *k);
/* host->wake of a word, as soon as the lock is given back. Locked. */
void sk_lock_wake(struct sk_kernel *k, _Atomic uint32_t *word);

/*
 * Zeroed memory that counts against the kernel's limit; NULL beyond it.
 * Locked. sk_free takes the size again.
 */
void *sk_alloc(struct sk_kernel *k, size_t size);
void sk_free(struct sk_kernel *k, void *memory, size_t size);
/* NULL leaves the old block as it was. New bytes are zero. */
void *sk_realloc(struct sk_kernel *k, void *memory, size_t old, size_t size);
/* A copy of a string; free with its strlen + 1. */
char *sk_strdup(struct sk_kernel *k, const char *s);

/* ns of REALTIME (as clock_settime has left it) or MONOTONIC. */
static inline int64_t sk_now(struct sk_kernel *k, int clock)
{
	int64_t now = k->host->now(k->self, clock);

	if (clock == SK_CLOCK_REALTIME)
		now += atomic_load_explicit(&k->realtime_offset,
					    memory_order_relaxed);
	return now;
}

/*
 * Memory and string functions: the host's C library's, or string.c (wasm).
 * The macros let a freestanding compiler put small ones in line.
 */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
void *memchr(const void *s, int byte, size_t size);
#define memcpy	__builtin_memcpy
#define memmove __builtin_memmove
#define memset	__builtin_memset
#define memcmp	__builtin_memcmp
#define strlen	__builtin_strlen
#define strcmp	__builtin_strcmp
/*
 * snprintf for %s %d %u %x %o %c %lld %llu %llx with width and 0; the length
 * that all would take.
 */
size_t sk_format(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
