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
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Beside what both filters have; filter.c. */
static const int allowed[] = {
	SCMP_SYS(gettimeofday), SCMP_SYS(getuid), SCMP_SYS(geteuid),
	SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(pipe2),
	/* descriptors; Landlock says which files */
	SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(fcntl),
	SCMP_SYS(newfstatat), SCMP_SYS(stat), SCMP_SYS(access),
	SCMP_SYS(faccessat), SCMP_SYS(getdents64), SCMP_SYS(uname),
	/* sockets */
	SCMP_SYS(connect), SCMP_SYS(sendto), SCMP_SYS(sendmmsg),
	SCMP_SYS(recvfrom), SCMP_SYS(shutdown), SCMP_SYS(getsockname),
	SCMP_SYS(getpeername), SCMP_SYS(getsockopt), SCMP_SYS(setsockopt),
	SCMP_SYS(socketpair), SCMP_SYS(bind), /* of the resolver's netlink
						  * socket */
};

static const struct sk__refusal refused[] = {
	{ SCMP_SYS(statx), ENOSYS },
};

int sk__seccomp_load_network(void)
{
	const scmp_datum_t write = PROT_WRITE;
	const struct sk__rule rules[] = {
		{ SCMP_ACT_ALLOW, SCMP_SYS(openat),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, O_ACCMODE, O_RDONLY) },
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, O_WRONLY, O_WRONLY) },
		{ SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, O_RDWR, O_RDWR) },
		/* The resolver maps libraries; nothing is both writable and
		 * executable, or becomes executable. */
		{ SCMP_ACT_ALLOW, SCMP_SYS(mmap),
		  SCMP_A2_64(SCMP_CMP_MASKED_EQ, write, 0) },
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
