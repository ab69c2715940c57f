/* SPDX-License-Identifier: BSD-2-Clause */
/* What both filters have, and how a table becomes a filter. */
#include "sandbox/filter.h"

#include <errno.h>
#include <linux/prctl.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory, threads, time; waiting; descriptors that are there. */
static const int allowed[] = {
	SCMP_SYS(madvise),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(brk),
	SCMP_SYS(futex),
	SCMP_SYS(rseq),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sysinfo),
	SCMP_SYS(getrandom),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(eventfd2),
	SCMP_SYS(read),
	SCMP_SYS(pread64),
	SCMP_SYS(write),
	SCMP_SYS(close),
	SCMP_SYS(lseek),
	SCMP_SYS(fstat),
	SCMP_SYS(sendmsg),
	SCMP_SYS(recvmsg),
};

/* Tried by libraries, which live with the refusal. */
static const struct sk__refusal refused[] = {
	{ SCMP_SYS(open), EACCES },	  { SCMP_SYS(readlink), EACCES },
	{ SCMP_SYS(readlinkat), EACCES }, { SCMP_SYS(lstat), EACCES },
	{ SCMP_SYS(getcwd), EACCES },	  { SCMP_SYS(clone3), ENOSYS },
	{ SCMP_SYS(membarrier), ENOSYS }, { SCMP_SYS(prlimit64), EPERM },
};

static int add_all(scmp_filter_ctx context, const struct sk__filter *filter)
{
	size_t i;
	int err = 0;

	for (i = 0; i < filter->nallowed && !err; i++)
		err = seccomp_rule_add(context, SCMP_ACT_ALLOW,
				       filter->allowed[i], 0);
	for (i = 0; i < filter->nrefused && !err; i++)
		err = seccomp_rule_add(context,
				       SCMP_ACT_ERRNO(filter->refused[i].error),
				       filter->refused[i].call, 0);
	for (i = 0; i < filter->nrules && !err; i++)
		err = seccomp_rule_add_array(context, filter->rules[i].action,
					     filter->rules[i].call, 1,
					     &filter->rules[i].arg);
	return err;
}

static bool allows(const struct sk__filter *filter, int call)
{
	for (size_t i = 0; i < filter->nallowed; i++)
		if (filter->allowed[i] == call)
			return true;
	return false;
}

/* Threads but no processes, signals only to this process; memory that is
 * made executable is no one's. */
static int add_common(scmp_filter_ctx context, const struct sk__filter *own)
{
	const scmp_datum_t exec = PROT_EXEC, thread = CLONE_THREAD;
	const struct sk__rule rules[] = {
		{ SCMP_ACT_ALLOW, SCMP_SYS(clone),
		  SCMP_A0_64(SCMP_CMP_MASKED_EQ, thread, thread) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
		  SCMP_A0_64(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(mmap),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(mprotect),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, 0) },
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(mprotect),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, exec) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(prctl),
		  SCMP_A0_64(SCMP_CMP_EQ, PR_SET_NAME, 0) },
	};
	struct sk__refusal others[sizeof(refused) / sizeof(*refused)];
	size_t i, count = 0;

	for (i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (!allows(own, refused[i].call))
			others[count++] = refused[i];
	const struct sk__filter common = {
		.allowed = allowed,
		.nallowed = sizeof(allowed) / sizeof(*allowed),
		.refused = others,
		.nrefused = count,
		.rules = rules,
		.nrules = sizeof(rules) / sizeof(*rules),
	};

	return add_all(context, &common);
}

int sk__filter_load(const struct sk__filter *filter)
{
	scmp_filter_ctx context = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int err;

	if (!context)
		return -ENOMEM;
	err = seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!err)
		err = seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!err)
		err = add_common(context, filter);
	if (!err)
		err = add_all(context, filter);
	if (!err)
		err = seccomp_load(context);
	seccomp_release(context);
	return err;
}
