/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walls round the process that runs programs in our kernel. Its code for
 * programs lies in a mapping that exists when the filter comes and that it
 * cannot write; from then on no memory becomes executable, no process starts,
 * and no socket opens. Files are opened beneath the mounted folders only.
 */
#include "sandbox/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

static const int allowed[] = {
	SCMP_SYS(pwrite64),	   SCMP_SYS(newfstatat), SCMP_SYS(fstatfs),
	SCMP_SYS(openat2),	   SCMP_SYS(getdents64), SCMP_SYS(ftruncate),
	SCMP_SYS(fsync),	   SCMP_SYS(mkdirat),	 SCMP_SYS(unlinkat),
	SCMP_SYS(renameat2),	   SCMP_SYS(linkat),	 SCMP_SYS(symlinkat),
	SCMP_SYS(readlinkat),	   SCMP_SYS(fchmod),	 SCMP_SYS(fchmodat),
	SCMP_SYS(utimensat),	   SCMP_SYS(sendto),	 SCMP_SYS(recvfrom),
	SCMP_SYS(rt_sigtimedwait),
};

/* Tried by libraries, which live with the refusal. */
static const struct sk__refusal refused[] = {
	{ SCMP_SYS(openat), EACCES },
	{ SCMP_SYS(sched_getparam), EPERM },
	{ SCMP_SYS(sched_getscheduler), EPERM },
};

static int load_filter(void)
{
	const scmp_datum_t exec = PROT_EXEC;
	const struct sk__rule rules[] = {
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(mmap),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, exec) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(prctl),
		  SCMP_A0_64(SCMP_CMP_EQ, PR_SET_VMA, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(fcntl),
		  SCMP_A1_64(SCMP_CMP_EQ, F_GETFL, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(ioctl),
		  SCMP_A1_64(SCMP_CMP_EQ, TIOCGWINSZ, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(ioctl),
		  SCMP_A1_64(SCMP_CMP_EQ, TCGETS, 0) },
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

static int is_absent(int err)
{
	return err == -ENOSYS || err == -EOPNOTSUPP;
}

int sk_sandbox_programs(struct sk_sandbox *sandbox, const int *folders,
			const int *writable, int count)
{
	int err = sk__sandbox_drop(sandbox);

	sandbox->missing = 0; /* programs run as whoever asks for it */
	if (!err)
		err = sk__sandbox_limit(RLIMIT_CORE, 0);
	if (!err)
		err = sk__sandbox_limit(RLIMIT_MEMLOCK, 0);
	if (err)
		return err;
	err = sk__landlock_beneath(folders, writable, count);
	if (is_absent(err)) {
		sk__sandbox_miss(sandbox, SK__LAYER_LANDLOCK);
		err = 0;
	}
	return err;
}

int sk_sandbox_programs_close(struct sk_sandbox *sandbox)
{
	int err = load_filter();

	if (is_absent(err)) {
		sk__sandbox_miss(sandbox, SK__LAYER_SECCOMP);
		err = 0;
	}
	return err;
}
