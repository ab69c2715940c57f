/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting. A task is parked from the moment a call returns -SK_PARK until the
 * host makes that call again; only then does a wake move its word. A second
 * wake of a task that has not come back yet costs nothing.
 */
#include "process.h"

void sk_waitq_init(struct sk_waitq *q)
{
	sk_list_init(&q->waiters);
	sk_list_init(&q->watchers);
}

void sk_waitq_wake(struct sk_waitq *q)
{
	SK_LIST_EACH(node, &q->waiters)
	sk_task_wake(SK_CONTAINER(node, struct sk_waiter, link)->task);
	SK_LIST_EACH(node, &q->watchers)
	{
		struct sk_watcher *w =
			SK_CONTAINER(node, struct sk_watcher, link);
		w->woken(w);
	}
}

void sk_waitq_fini(struct sk_waitq *q)
{
	sk_waitq_wake(q);
	SK_LIST_EACH(node, &q->waiters)
	sk_list_remove(node);
	SK_LIST_EACH(node, &q->watchers)
	sk_list_remove(node);
}

int sk_wait_join(struct sk_task *t, struct sk_waitq *q)
{
	struct sk_waiter *w = &t->waiter;

	if (!t->waiter_used) {
		t->waiter_used = true;
	} else {
		w = sk_alloc(sk_kernel_of(t), sizeof(*w));
		if (!w)
			return -SK_ENOMEM;
		w->allocated = true;
	}
	w->task = t;
	sk_list_add(&q->waiters, &w->link);
	sk_list_add(&t->waiters, &w->of_task);
	return 0;
}

void sk_wait_leave(struct sk_task *t)
{
	SK_LIST_EACH(node, &t->waiters)
	{
		struct sk_waiter *w =
			SK_CONTAINER(node, struct sk_waiter, of_task);

		sk_list_remove(&w->link);
		sk_list_remove(&w->of_task);
		if (w->allocated)
			sk_free(sk_kernel_of(t), w, sizeof(*w));
	}
	t->waiter_used = false;
}

int64_t sk_wait_on(struct sk_task *t, struct sk_waitq *q)
{
	return sk_wait_until(t, q, SK_NEVER);
}

int64_t sk_wait_until(struct sk_task *t, struct sk_waitq *q, int64_t deadline)
{
	int error;

	if (!t->call.deadline)
		t->call.deadline = deadline > 0 ? deadline : 1;
	if (t->call.deadline != SK_NEVER &&
	    sk_now(sk_kernel_of(t), SK_CLOCK_MONOTONIC) >= t->call.deadline)
		return -SK_ETIMEDOUT;
	if (sk_signal_waits(t))
		return -SK_ERESTART;
	error = q ? sk_wait_join(t, q) : 0;
	if (error)
		return error;
	t->face.deadline = t->call.deadline;
	return -SK_PARK;
}

void sk_task_wake(struct sk_task *t)
{
	if (!t->parked)
		return;
	t->parked = false;
	atomic_fetch_add_explicit(&t->face.wake, 1, memory_order_release);
	sk_lock_wake(sk_kernel_of(t), &t->face.wake);
}
