/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Futexes of one process: its tasks wait on words of their memory. All wait in
 * one queue of the process; a wake picks those whose word it is and tells them
 * so in call.stage[0].
 */
#include "calls.h"
#include "copy.h"
#include "process.h"

#define FUTEX_WAIT     0
#define FUTEX_WAKE     1
#define FUTEX_COMMANDS 127 /* without PRIVATE and CLOCK_REALTIME */

static int64_t wait(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	int64_t deadline = SK_NEVER, ns;
	uint32_t word;
	int error;

	if (t->call.stage[0])
		return 0;
	if (a[0] % 4)
		return -SK_EINVAL;
	if (sk_copy_in(t, &word, (sk_user)a[0], 4))
		return -SK_EFAULT;
	if (!t->call.again && word != (uint32_t)a[2])
		return -SK_EAGAIN;
	if (a[3]) {
		error = sk_copy_time(t, &ns, (sk_user)a[3]);
		if (error)
			return error;
		deadline = sk_now(k, SK_CLOCK_MONOTONIC);
		deadline = ns > SK_NEVER - deadline ? SK_NEVER : deadline + ns;
	}
	return sk_wait_until(t, &t->process->futexes, deadline);
}

static int64_t wake(struct sk_task *t, sk_user word, uint32_t most)
{
	uint32_t count = 0;

	SK_LIST_EACH(node, &t->process->futexes.waiters)
	{
		struct sk_task *other =
			SK_CONTAINER(node, struct sk_waiter, link)->task;

		if (count == most)
			break;
		if ((sk_user)other->call.a[0] != word || other->call.stage[0])
			continue;
		other->call.stage[0] = 1;
		sk_task_wake(other);
		count++;
	}
	return count;
}

int64_t sk_sys_futex(struct sk_task *t, const uint64_t *a)
{
	switch ((uint32_t)a[1] & FUTEX_COMMANDS) {
	case FUTEX_WAIT:
		return wait(t, a);
	case FUTEX_WAKE:
		return wake(t, (sk_user)a[0], (uint32_t)a[2]);
	}
	return -SK_ENOSYS;
}

/* Robust futexes are for threads that die with a lock held. */
int64_t sk_sys_set_robust_list(struct sk_task *t, const uint64_t *a)
{
	(void)t;
	(void)a;
	return 0;
}
