/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event loop: epoll, one event at a time.
 *
 * One event at a time, because the handler of an event may free any other
 * source: what was removed from epoll can then never be delivered.
 */
#ifndef SK_LOOP_H
#define SK_LOOP_H

#include <stdint.h>

struct sk_source {
	int fd; /* -1: closed */
	void (*ready)(struct sk_source *source, uint32_t events);
};

struct sk_loop {
	int epoll;
};

/* 0 or -errno. */
int sk_loop_init(struct sk_loop *loop);
void sk_loop_fini(struct sk_loop *loop);

/* The source stays the caller's. 0 or -errno. */
int sk_loop_add(struct sk_loop *loop, struct sk_source *source,
		uint32_t events);
int sk_loop_change(struct sk_loop *loop, struct sk_source *source,
		   uint32_t events);

/* Forgets the source; its descriptor stays open. */
void sk_loop_remove(struct sk_loop *loop, struct sk_source *source);

/* Forgets the source, then closes its descriptor and sets it to -1. Safe on a
 * source that is closed or was never added. */
void sk_loop_close(struct sk_loop *loop, struct sk_source *source);

/* Waits up to `timeout` ms (-1: for ever) and handles one event.
 * 1: handled one, 0: time is up (or a signal came), or -errno. */
int sk_loop_step(struct sk_loop *loop, int timeout);

/* Milliseconds on the monotonic clock. */
int64_t sk_now(void);

#endif
