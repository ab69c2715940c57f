/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls that are left to a worker process: what JavaScriptCore's
 * JIT, collector and threads need, plus the event loop on descriptors that it
 * already has. Anything else kills the process.
 *
 * Calls that libraries try and do without get an errno, so that a probe (of a
 * time zone file, say) is no crash. Executable memory: the engine reserves its
 * one region for code before the filter is loaded, so no new executable
 * mapping is allowed; that region itself stays writable and executable, which
 * only running without the JIT would change.
 */
#include "sandbox/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define PR_SET_VMA_ 0x53564d41 /* names a mapping; not in older headers */

static const int allowed[] = {
	SCMP_SYS(madvise),
	SCMP_SYS(futex),
	SCMP_SYS(sched_yield),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigsuspend),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(read),
	SCMP_SYS(write),
	SCMP_SYS(pread64),
	SCMP_SYS(close),
	SCMP_SYS(lseek),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(brk),
	SCMP_SYS(rseq),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sysinfo),
	SCMP_SYS(getrandom),
	SCMP_SYS(eventfd2),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendmsg),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(fstat),
	SCMP_SYS(epoll_create1),
	SCMP_SYS(sched_getparam),
	SCMP_SYS(sched_getscheduler),
};

/* Tried by libraries, which live with the refusal. */
static const struct sk__refusal refused[] = {
	{ SCMP_SYS(openat), EACCES },
	{ SCMP_SYS(open), EACCES },
	{ SCMP_SYS(readlink), EACCES },
	{ SCMP_SYS(readlinkat), EACCES },
	{ SCMP_SYS(access), EACCES },
	{ SCMP_SYS(faccessat), EACCES },
	{ SCMP_SYS(stat), EACCES },
	{ SCMP_SYS(lstat), EACCES },
	{ SCMP_SYS(clone3), ENOSYS },
	{ SCMP_SYS(membarrier), ENOSYS },
	{ SCMP_SYS(sched_setscheduler), EPERM },
	{ SCMP_SYS(sched_setparam), EPERM },
	{ SCMP_SYS(setpriority), EPERM },
	{ SCMP_SYS(uname), EPERM },
	{ SCMP_SYS(ioctl), ENOTTY },
	{ SCMP_SYS(getcwd), EACCES },
	{ SCMP_SYS(prlimit64), EPERM },
};

/* What an argument decides: threads but no processes, signals only to this
 * process, memory that is never made executable. */
int sk__seccomp_load(void)
{
	const scmp_datum_t exec = PROT_EXEC;
	const scmp_datum_t thread = CLONE_THREAD;
	const struct sk__rule rules[] = {
		{ SCMP_ACT_ALLOW, SCMP_SYS(clone),
		  SCMP_A0_64(SCMP_CMP_MASKED_EQ, thread, thread) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
		  SCMP_A0_64(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(mmap),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, 0) },
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(mmap),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, exec) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(mprotect),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, 0) },
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(mprotect),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, exec) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(prctl),
		  SCMP_A0_64(SCMP_CMP_EQ, PR_SET_NAME, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(prctl),
		  SCMP_A0_64(SCMP_CMP_EQ, PR_SET_VMA_, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(fcntl),
		  SCMP_A1_64(SCMP_CMP_EQ, F_GET_SEALS, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(fcntl),
		  SCMP_A1_64(SCMP_CMP_EQ, F_GETFL, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(newfstatat),
		  SCMP_A3_64(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH,
			     AT_EMPTY_PATH) },
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(newfstatat),
		  SCMP_A3_64(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, 0) },
	};
	const struct sk__filter filter = {
		.allowed = allowed,
		.nallowed = sizeof(allowed) / sizeof(*allowed),
		.refused = refused,
		.nrefused = sizeof(refused) / sizeof(*refused),
		.rules = rules,
		.nrules = sizeof(rules) / sizeof(*rules),
	};

	return sk__filter_load(&filter);
}
