/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process may use and has used. RLIMIT_NOFILE, FSIZE and NPROC are
 * kept (fd.c, readwrite.c, fork.c); the others are recorded.
 */
#include "calls.h"
#include "copy.h"
#include "process.h"

#define TICK		INT64_C(10000000) /* 100 a second */
#define RUSAGE_SELF	0
#define RUSAGE_CHILDREN (-1)
#define RUSAGE_THREAD	1

static int64_t own_time(struct sk_task *t)
{
	struct sk_kernel *k = sk_kernel_of(t);

	return k->host->cpu_time(k->self, t);
}

static void put_ns(int32_t *sec, int32_t *usec, int64_t ns)
{
	*sec = (int32_t)(ns / 1000000000);
	*usec = (int32_t)(ns % 1000000000 / 1000);
}

void sk_usage_fill(struct sk_abi_rusage *usage, int64_t utime, int64_t stime)
{
	*usage = (struct sk_abi_rusage){ 0 };
	put_ns(&usage->utime_sec, &usage->utime_usec, utime);
	put_ns(&usage->stime_sec, &usage->stime_usec, stime);
}

int64_t sk_sys_getrusage(struct sk_task *t, const uint64_t *a)
{
	const struct sk_process *p = t->process;
	struct sk_abi_rusage usage;

	switch ((int32_t)a[0]) {
	case RUSAGE_SELF:
	case RUSAGE_THREAD:
		sk_usage_fill(&usage, own_time(t), p->stime);
		usage.maxrss = (int32_t)(t->face.memory_size / 1024);
		break;
	case RUSAGE_CHILDREN:
		sk_usage_fill(&usage, p->child_utime, p->child_stime);
		break;
	default:
		return -SK_EINVAL;
	}
	return sk_copy_out(t, (sk_user)a[1], &usage, sizeof(usage));
}

int64_t sk_sys_times(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	const struct sk_process *p = t->process;
	struct sk_abi_tms tms = {
		.utime = (int32_t)(own_time(t) / TICK),
		.stime = (int32_t)(p->stime / TICK),
		.cutime = (int32_t)(p->child_utime / TICK),
		.cstime = (int32_t)(p->child_stime / TICK),
	};
	int64_t since = sk_now(k, SK_CLOCK_MONOTONIC) - k->boot_monotonic;

	if (a[0] && sk_copy_out(t, (sk_user)a[0], &tms, sizeof(tms)))
		return -SK_EFAULT;
	/* Stays positive: what is negative would be an error. */
	return since / TICK & INT32_MAX;
}

static int set_limit(struct sk_task *t, struct sk_process *p, uint32_t which,
		     const struct sk_abi_rlimit *new)
{
	struct sk_abi_rlimit *limit = &p->limits[which];

	if (new->cur > new->max)
		return -SK_EINVAL;
	if (new->max > limit->max && t->process->uid[1])
		return -SK_EPERM;
	if (which == SK_RLIMIT_NOFILE && new->max > p->kernel->max_fds)
		return -SK_EPERM;
	*limit = *new;
	return 0;
}

int64_t sk_sys_prlimit64(struct sk_task *t, const uint64_t *a)
{
	int32_t pid = (int32_t)a[0];
	uint32_t which = (uint32_t)a[1];
	struct sk_process *p =
		pid ? sk_process_find(sk_kernel_of(t), pid) : t->process;
	struct sk_abi_rlimit new, old;

	if (which >= SK_RLIMITS)
		return -SK_EINVAL;
	if (!p)
		return -SK_ESRCH;
	if (p != t->process && t->process->uid[1] &&
	    p->uid[0] != t->process->uid[0])
		return -SK_EPERM;
	old = p->limits[which];
	if (a[2] && sk_copy_in(t, &new, (sk_user)a[2], sizeof(new)))
		return -SK_EFAULT;
	if (a[2]) {
		int error = set_limit(t, p, which, &new);

		if (error)
			return error;
	}
	if (a[3] && sk_copy_out(t, (sk_user)a[3], &old, sizeof(old)))
		return -SK_EFAULT;
	return 0;
}

int64_t sk_sys_getrlimit(struct sk_task *t, const uint64_t *a)
{
	const uint64_t as[6] = { 0, a[0], 0, a[1] };

	return a[1] ? sk_sys_prlimit64(t, as) : -SK_EFAULT;
}

int64_t sk_sys_setrlimit(struct sk_task *t, const uint64_t *a)
{
	const uint64_t as[6] = { 0, a[0], a[1], 0 };

	return a[1] ? sk_sys_prlimit64(t, as) : -SK_EFAULT;
}
