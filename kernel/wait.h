/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wait queues. A thing that can be waited for (a pipe, a process's children)
 * embeds one and wakes it at each change; who waits looks again by itself.
 * All calls: locked.
 */
#ifndef SK_WAIT_H
#define SK_WAIT_H

#include "task.h"

/*
 * Something that follows a queue without being a task (an epoll instance):
 * `woken` is called at each wake, locked, and may not unlink others.
 */
struct sk_watcher {
	struct sk_list link; /* in sk_waitq.watchers */
	void (*woken)(struct sk_watcher *w);
};

void sk_waitq_init(struct sk_waitq *q);
/* Before the memory of a queue goes: wakes all and unlinks them. */
void sk_waitq_fini(struct sk_waitq *q);

/* All who wait look again. */
void sk_waitq_wake(struct sk_waitq *q);

/* Joins a queue for this park only. 0 or -SK_ENOMEM (second and later). */
int sk_wait_join(struct sk_task *t, struct sk_waitq *q);

/*
 * The end of a call that found nothing to do: -SK_PARK after joining `q`, or
 * when a signal that the task must take is pending, -SK_ERESTART. The usual:
 *     while (!ready) -> return sk_wait_on(t, &thing->waitq);
 * `q` may be NULL (only a signal or the deadline ends the wait).
 */
int64_t sk_wait_on(struct sk_task *t, struct sk_waitq *q);

/*
 * The same with a time limit. The first time, `deadline` (ns of MONOTONIC,
 * SK_NEVER) is kept in t->call.deadline; when it has passed: -SK_ETIMEDOUT.
 */
int64_t sk_wait_until(struct sk_task *t, struct sk_waitq *q, int64_t deadline);

/* Leaves all queues. */
void sk_wait_leave(struct sk_task *t);

/* Wakes one task, whatever it waits for (signals, stop, continue). */
void sk_task_wake(struct sk_task *t);

/* Timers: `fire` is called once, locked, from any thread. */
struct sk_timer {
	struct sk_list link;
	int64_t deadline; /* ns of MONOTONIC */
	int64_t expired;  /* the deadline that `fire` is called for */
	void (*fire)(struct sk_kernel *k, struct sk_timer *timer);
};
void sk_timer_init(struct sk_timer *timer,
		   void (*fire)(struct sk_kernel *k, struct sk_timer *timer));
void sk_timer_set(struct sk_kernel *k, struct sk_timer *timer,
		  int64_t deadline); /* SK_NEVER: takes it off */

#endif
