/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls of the egress: sockets to call out, the threads and the
 * files of the resolver. No socket listens, none is a unix socket (a service
 * of this machine would obey whoever may connect, and the resolver does
 * without), no program is run. Anything else kills the process.
 */
#include "sandbox/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static const int allowed[] = {
	/* memory, threads, time */
	SCMP_SYS(madvise), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk),
	SCMP_SYS(futex), SCMP_SYS(rseq), SCMP_SYS(set_robust_list),
	SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(sysinfo),
	SCMP_SYS(getrandom), SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep),
	SCMP_SYS(gettimeofday), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
	SCMP_SYS(getgid), SCMP_SYS(getegid),
	/* waiting */
	SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_ctl),
	SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(eventfd2), SCMP_SYS(pipe2),
	/* descriptors; Landlock says which files */
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write),
	SCMP_SYS(writev), SCMP_SYS(close), SCMP_SYS(lseek), SCMP_SYS(fcntl),
	SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(stat), SCMP_SYS(access),
	SCMP_SYS(faccessat), SCMP_SYS(getdents64), SCMP_SYS(uname),
	/* sockets */
	SCMP_SYS(connect), SCMP_SYS(sendto), SCMP_SYS(sendmsg),
	SCMP_SYS(sendmmsg), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg),
	SCMP_SYS(shutdown), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
	SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(socketpair),
	SCMP_SYS(bind), /* of the resolver's netlink socket */
};

static const struct sk__refusal refused[] = {
	{ SCMP_SYS(open), EACCES },	  { SCMP_SYS(readlink), EACCES },
	{ SCMP_SYS(readlinkat), EACCES }, { SCMP_SYS(lstat), EACCES },
	{ SCMP_SYS(getcwd), EACCES },	  { SCMP_SYS(statx), ENOSYS },
	{ SCMP_SYS(clone3), ENOSYS },	  { SCMP_SYS(membarrier), ENOSYS },
	{ SCMP_SYS(prlimit64), EPERM },
};

int sk__seccomp_load_network(void)
{
	const scmp_datum_t exec = PROT_EXEC, write = PROT_WRITE;
	const scmp_datum_t thread = CLONE_THREAD;
	const scmp_datum_t own = (scmp_datum_t)getpid();
	const struct sk__rule rules[] = {
		{ SCMP_ACT_ALLOW, SCMP_SYS(clone),
		  SCMP_A0_64(SCMP_CMP_MASKED_EQ, thread, thread) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
		  SCMP_A0_64(SCMP_CMP_EQ, own, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(openat),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, O_ACCMODE, O_RDONLY) },
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, O_WRONLY, O_WRONLY) },
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, O_RDWR, O_RDWR) },
		/* The resolver maps libraries; nothing is both writable and
		 * executable, or becomes executable. */
		{ SCMP_ACT_ALLOW, SCMP_SYS(mmap),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(mmap),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, write, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(mprotect),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, 0) },
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(mprotect),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, exec, exec) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(prctl),
		  SCMP_A0_64(SCMP_CMP_EQ, PR_SET_NAME, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(socket),
		  SCMP_A0_64(SCMP_CMP_EQ, AF_INET, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(socket),
		  SCMP_A0_64(SCMP_CMP_EQ, AF_INET6, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(socket),
		  SCMP_A0_64(SCMP_CMP_EQ, AF_NETLINK, 0) },
		{ SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket),
		  SCMP_A0_64(SCMP_CMP_EQ, AF_UNIX, 0) },
		{ SCMP_ACT_ALLOW, SCMP_SYS(ioctl),
		  SCMP_A1_64(SCMP_CMP_EQ, 0x541b, 0) }, /* FIONREAD */
		{ SCMP_ACT_ALLOW, SCMP_SYS(ioctl),
		  SCMP_A1_64(SCMP_CMP_EQ, 0x5421, 0) }, /* FIONBIO */
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
