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
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#define PR_SET_VMA_ 0x53564d41 /* names a mapping; not in older headers */

/* Beside what both filters have; filter.c. */
static const int allowed[] = {
	SCMP_SYS(rt_sigsuspend),
	SCMP_SYS(epoll_create1),
	SCMP_SYS(sched_getparam),
	SCMP_SYS(sched_getscheduler),
};

/* Tried by libraries, which live with the refusal. */
static const struct sk__refusal refused[] = {
	{ SCMP_SYS(openat), EACCES },
	{ SCMP_SYS(access), EACCES },
	{ SCMP_SYS(faccessat), EACCES },
	{ SCMP_SYS(stat), EACCES },
	{ SCMP_SYS(sched_setscheduler), EPERM },
	{ SCMP_SYS(sched_setparam), EPERM },
	{ SCMP_SYS(setpriority), EPERM },
	{ SCMP_SYS(uname), EPERM },
	{ SCMP_SYS(ioctl), ENOTTY },
};

/* What an argument decides: threads but no processes, signals only to this
 * process, memory that is never made executable. */
int sk__seccomp_load(void)
{
	const scmp_datum_t exec = PROT_EXEC;
	const struct sk__rule rules[] = {
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(mmap),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, exec) },
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
