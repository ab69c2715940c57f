/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers, sorted by deadline. The host is told of the first one; it calls
 * sk_kernel_tick then or later. Sleeping calls need none of these: their
 * deadline goes with the park.
 */
#include "wait.h"

static void arm(struct sk_kernel *k)
{
	int64_t first = SK_NEVER;

	if (!sk_list_empty(&k->timers))
		first = SK_CONTAINER(k->timers.next, struct sk_timer, link)
				->deadline;
	if (first == k->armed)
		return;
	k->armed = first;
	k->host->timer(k->self, first);
}

void sk_timer_init(struct sk_timer *timer,
		   void (*fire)(struct sk_kernel *k, struct sk_timer *timer))
{
	sk_list_init(&timer->link);
	timer->deadline = SK_NEVER;
	timer->fire = fire;
}

void sk_timer_set(struct sk_kernel *k, struct sk_timer *timer, int64_t deadline)
{
	struct sk_list *at;

	sk_list_remove(&timer->link);
	timer->deadline = deadline;
	if (deadline != SK_NEVER) {
		for (at = k->timers.next; at != &k->timers; at = at->next)
			if (SK_CONTAINER(at, struct sk_timer, link)->deadline >
			    deadline)
				break;
		sk_list_add(at, &timer->link);
	}
	arm(k);
}

void sk_kernel_tick(struct sk_kernel *k)
{
	int64_t now;

	sk_lock(k);
	now = sk_now(k, SK_CLOCK_MONOTONIC);
	k->armed = SK_NEVER;
	while (!sk_list_empty(&k->timers)) {
		struct sk_timer *timer =
			SK_CONTAINER(k->timers.next, struct sk_timer, link);

		if (timer->deadline > now)
			break;
		sk_list_remove(&timer->link);
		timer->expired = timer->deadline;
		timer->deadline = SK_NEVER;
		timer->fire(k, timer);
	}
	arm(k);
	sk_unlock(k);
}
