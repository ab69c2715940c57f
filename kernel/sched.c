/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling is the host's: these calls record what a program asks for and
 * answer it again. A program sees one processor.
 */
#include "calls.h"
#include "copy.h"
#include "process.h"

#define PRIO_PROCESS 0
#define PRIO_PGRP    1
#define PRIO_USER    2

#define SCHED_OTHER   0
#define SCHED_FIFO    1
#define SCHED_RR      2
#define SCHED_BATCH   3
#define SCHED_IDLE    5
#define RESET_ON_FORK 0x40000000
#define SLICE	      100000000 /* ns, of SCHED_RR */

/* Unlocked. */
int64_t sk_sys_sched_yield(struct sk_task *t, const uint64_t *a)
{
	(void)t;
	(void)a;
	return 0;
}

static struct sk_process *named(struct sk_task *t, uint64_t pid)
{
	if (!(int32_t)pid)
		return t->process;
	return sk_process_find(sk_kernel_of(t), (int32_t)pid);
}

static bool is_realtime(int32_t policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

static bool is_policy(int32_t policy)
{
	return is_realtime(policy) || policy == SCHED_OTHER ||
	       policy == SCHED_BATCH || policy == SCHED_IDLE;
}

static int64_t set(struct sk_task *t, uint64_t pid, int32_t policy,
		   sk_user param)
{
	struct sk_process *p = named(t, pid);
	int32_t priority;

	if ((int32_t)pid < 0 || !param)
		return -SK_EINVAL;
	if (!p)
		return -SK_ESRCH;
	if (sk_copy_in(t, &priority, param, 4))
		return -SK_EFAULT;
	if (policy < 0)
		policy = p->policy;
	policy &= ~RESET_ON_FORK;
	if (!is_policy(policy) ||
	    (is_realtime(policy) ? priority < 1 || priority > 99
				 : priority != 0))
		return -SK_EINVAL;
	if (t->process->uid[1] &&
	    (is_realtime(policy) || p->uid[0] != t->process->uid[1]))
		return -SK_EPERM;
	p->policy = policy;
	p->priority = priority;
	return 0;
}

int64_t sk_sys_sched_setscheduler(struct sk_task *t, const uint64_t *a)
{
	if ((int32_t)a[1] < 0)
		return -SK_EINVAL;
	return set(t, a[0], (int32_t)a[1], (sk_user)a[2]);
}

int64_t sk_sys_sched_setparam(struct sk_task *t, const uint64_t *a)
{
	return set(t, a[0], -1, (sk_user)a[1]);
}

int64_t sk_sys_sched_getscheduler(struct sk_task *t, const uint64_t *a)
{
	const struct sk_process *p = named(t, a[0]);

	if ((int32_t)a[0] < 0)
		return -SK_EINVAL;
	return p ? p->policy : -SK_ESRCH;
}

int64_t sk_sys_sched_getparam(struct sk_task *t, const uint64_t *a)
{
	const struct sk_process *p = named(t, a[0]);

	if ((int32_t)a[0] < 0 || !a[1])
		return -SK_EINVAL;
	if (!p)
		return -SK_ESRCH;
	return sk_copy_out(t, (sk_user)a[1], &p->priority, 4);
}

int64_t sk_sys_sched_get_priority_max(struct sk_task *t, const uint64_t *a)
{
	(void)t;
	if (!is_policy((int32_t)a[0]))
		return -SK_EINVAL;
	return is_realtime((int32_t)a[0]) ? 99 : 0;
}

int64_t sk_sys_sched_get_priority_min(struct sk_task *t, const uint64_t *a)
{
	(void)t;
	if (!is_policy((int32_t)a[0]))
		return -SK_EINVAL;
	return is_realtime((int32_t)a[0]) ? 1 : 0;
}

int64_t sk_sys_sched_rr_get_interval(struct sk_task *t, const uint64_t *a)
{
	const struct sk_process *p = named(t, a[0]);

	if ((int32_t)a[0] < 0)
		return -SK_EINVAL;
	if (!p)
		return -SK_ESRCH;
	return sk_put_time(t, (sk_user)a[1],
			   p->policy == SCHED_FIFO ? 0 : SLICE);
}

int64_t sk_sys_sched_getaffinity(struct sk_task *t, const uint64_t *a)
{
	const uint32_t mask[2] = { 1, 0 };
	uint32_t size = (uint32_t)a[1];

	if (!named(t, a[0]))
		return -SK_ESRCH;
	if (size < 4 || size % 4)
		return -SK_EINVAL;
	if (size > sizeof(mask))
		size = sizeof(mask);
	if (sk_copy_out(t, (sk_user)a[2], mask, size))
		return -SK_EFAULT;
	return size;
}

int64_t sk_sys_sched_setaffinity(struct sk_task *t, const uint64_t *a)
{
	uint8_t first = 0;

	if (!named(t, a[0]))
		return -SK_ESRCH;
	if (!(uint32_t)a[1])
		return -SK_EINVAL;
	if (sk_copy_in(t, &first, (sk_user)a[2], 1))
		return -SK_EFAULT;
	return first & 1 ? 0 : -SK_EINVAL;
}

/* Unlocked. */
int64_t sk_sys_getcpu(struct sk_task *t, const uint64_t *a)
{
	const uint32_t zero = 0;

	for (int i = 0; i < 2; i++)
		if (a[i] && sk_copy_out(t, (sk_user)a[i], &zero, 4))
			return -SK_EFAULT;
	return 0;
}

static bool has_nice(struct sk_task *t, const struct sk_process *p,
		     int32_t which, int32_t who)
{
	const struct sk_process *me = t->process;

	switch (which) {
	case PRIO_PROCESS:
		return p->pid == (who ? who : me->pid);
	case PRIO_PGRP:
		return p->pgid == (who ? who : me->pgid);
	}
	return p->uid[0] == (who ? (uint32_t)who : me->uid[0]);
}

int64_t sk_sys_getpriority(struct sk_task *t, const uint64_t *a)
{
	int64_t best = -SK_ESRCH;

	if ((uint32_t)a[0] > PRIO_USER)
		return -SK_EINVAL;
	SK_LIST_EACH(node, &sk_kernel_of(t)->processes)
	{
		const struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		/* 1 to 40, so that none is an error. */
		if (has_nice(t, p, (int32_t)a[0], (int32_t)a[1]) &&
		    20 - p->nice > best)
			best = 20 - p->nice;
	}
	return best;
}

static int64_t set_nice(const struct sk_task *t, struct sk_process *p,
			int32_t nice)
{
	const uint32_t *mine = t->process->uid;

	if (mine[1] && mine[1] != p->uid[0] && mine[1] != p->uid[1])
		return -SK_EPERM;
	if (mine[1] && nice < p->nice)
		return -SK_EACCES;
	p->nice = nice;
	return 0;
}

int64_t sk_sys_setpriority(struct sk_task *t, const uint64_t *a)
{
	int32_t nice = (int32_t)a[2];
	int64_t result = -SK_ESRCH, one;

	if ((uint32_t)a[0] > PRIO_USER)
		return -SK_EINVAL;
	nice = nice < -20 ? -20 : nice > 19 ? 19 : nice;
	SK_LIST_EACH(node, &sk_kernel_of(t)->processes)
	{
		struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		if (!has_nice(t, p, (int32_t)a[0], (int32_t)a[1]))
			continue;
		one = set_nice(t, p, nice);
		if (result == -SK_ESRCH || one)
			result = one;
	}
	return result;
}
