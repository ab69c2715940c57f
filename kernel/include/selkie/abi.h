/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program and the kernel agree on: numbers, flags and layouts.
 * docs/abi.md explains; this file is the law. Numbers and meanings are
 * Linux's (asm-generic, as a 64-bit architecture has them); layouts are those
 * of a 32-bit musl 1.2 with 64-bit time and offsets. All is little-endian.
 */
#ifndef SELKIE_ABI_H
#define SELKIE_ABI_H

#include <stdint.h>

/* An address in a program's memory. */
typedef uint32_t sk_user;

/*
 * Result of kernel.syscall: low 32 bits are Linux's result (-errno on
 * failure); this bit says that a signal waits: call kernel.nextsig until it
 * answers 0.
 */
#define SK_RESULT_SIGNAL (INT64_C(1) << 32)

/* System calls: X(number, name). */
/* clang-format off */
#define SK_ABI_CALLS(X) \
	X(17, getcwd) X(19, eventfd2) X(20, epoll_create1) X(21, epoll_ctl) \
	X(22, epoll_pwait) X(23, dup) X(24, dup3) X(25, fcntl) X(29, ioctl) \
	X(32, flock) X(33, mknodat) X(34, mkdirat) X(35, unlinkat) \
	X(36, symlinkat) X(37, linkat) X(38, renameat) X(39, umount2) \
	X(40, mount) X(43, statfs) X(44, fstatfs) X(45, truncate) \
	X(46, ftruncate) X(47, fallocate) X(48, faccessat) X(49, chdir) \
	X(50, fchdir) X(51, chroot) X(52, fchmod) X(53, fchmodat) \
	X(54, fchownat) X(55, fchown) X(56, openat) X(57, close) \
	X(59, pipe2) X(61, getdents64) X(62, lseek) X(63, read) \
	X(64, write) X(65, readv) X(66, writev) X(67, pread64) \
	X(68, pwrite64) X(69, preadv) X(70, pwritev) X(71, sendfile) \
	X(72, pselect6) X(73, ppoll) X(74, signalfd4) X(76, splice) \
	X(78, readlinkat) X(79, newfstatat) X(80, fstat) X(81, sync) \
	X(82, fsync) X(83, fdatasync) X(85, timerfd_create) \
	X(86, timerfd_settime) X(87, timerfd_gettime) X(88, utimensat) \
	X(93, exit) X(94, exit_group) X(95, waitid) X(96, set_tid_address) \
	X(98, futex) X(99, set_robust_list) X(101, nanosleep) \
	X(102, getitimer) X(103, setitimer) X(107, timer_create) \
	X(108, timer_gettime) X(109, timer_getoverrun) X(110, timer_settime) \
	X(111, timer_delete) X(112, clock_settime) X(113, clock_gettime) \
	X(114, clock_getres) X(115, clock_nanosleep) X(118, sched_setparam) \
	X(119, sched_setscheduler) X(120, sched_getscheduler) \
	X(121, sched_getparam) X(122, sched_setaffinity) \
	X(123, sched_getaffinity) X(124, sched_yield) \
	X(125, sched_get_priority_max) X(126, sched_get_priority_min) \
	X(127, sched_rr_get_interval) X(129, kill) X(130, tkill) \
	X(131, tgkill) X(132, sigaltstack) X(133, rt_sigsuspend) \
	X(134, rt_sigaction) X(135, rt_sigprocmask) X(136, rt_sigpending) \
	X(137, rt_sigtimedwait) X(138, rt_sigqueueinfo) \
	X(139, rt_sigreturn) X(140, setpriority) X(141, getpriority) \
	X(143, setregid) X(144, setgid) X(145, setreuid) X(146, setuid) \
	X(147, setresuid) X(148, getresuid) X(149, setresgid) \
	X(150, getresgid) X(153, times) X(154, setpgid) X(155, getpgid) \
	X(156, getsid) X(157, setsid) X(158, getgroups) X(159, setgroups) \
	X(160, uname) X(161, sethostname) X(163, getrlimit) \
	X(164, setrlimit) X(165, getrusage) X(166, umask) X(167, prctl) \
	X(168, getcpu) X(169, gettimeofday) X(172, getpid) X(173, getppid) \
	X(174, getuid) X(175, geteuid) X(176, getgid) X(177, getegid) \
	X(178, gettid) X(179, sysinfo) X(180, mq_open) X(181, mq_unlink) \
	X(182, mq_timedsend) X(183, mq_timedreceive) X(184, mq_notify) \
	X(185, mq_getsetattr) X(198, socket) X(199, socketpair) X(200, bind) \
	X(201, listen) X(202, accept) X(203, connect) X(204, getsockname) \
	X(205, getpeername) X(206, sendto) X(207, recvfrom) \
	X(208, setsockopt) X(209, getsockopt) X(210, shutdown) \
	X(211, sendmsg) X(212, recvmsg) X(214, brk) X(215, munmap) \
	X(220, clone) X(221, execve) X(222, mmap) X(223, fadvise64) \
	X(226, mprotect) X(227, msync) X(233, madvise) X(242, accept4) \
	X(260, wait4) X(261, prlimit64) X(267, syncfs) X(276, renameat2) \
	X(278, getrandom) X(279, memfd_create) X(285, copy_file_range) \
	X(291, statx) X(436, close_range) X(439, faccessat2) \
	/* Selkie's own, docs/abi.md */ \
	X(1000, sk_args) X(1001, sk_spawn)
/* clang-format on */

enum sk_abi_call {
#define X(number, name) SK_SYS_##name = number,
	SK_ABI_CALLS(X)
#undef X
		SK_SYS_MAX = 1024,
};

/* Errors: X(number, name). */
/* clang-format off */
#define SK_ABI_ERRORS(X) \
	X(1, EPERM) X(2, ENOENT) X(3, ESRCH) X(4, EINTR) X(5, EIO) \
	X(6, ENXIO) X(7, E2BIG) X(8, ENOEXEC) X(9, EBADF) X(10, ECHILD) \
	X(11, EAGAIN) X(12, ENOMEM) X(13, EACCES) X(14, EFAULT) \
	X(15, ENOTBLK) X(16, EBUSY) X(17, EEXIST) X(18, EXDEV) \
	X(19, ENODEV) X(20, ENOTDIR) X(21, EISDIR) X(22, EINVAL) \
	X(23, ENFILE) X(24, EMFILE) X(25, ENOTTY) X(26, ETXTBSY) \
	X(27, EFBIG) X(28, ENOSPC) X(29, ESPIPE) X(30, EROFS) X(31, EMLINK) \
	X(32, EPIPE) X(33, EDOM) X(34, ERANGE) X(35, EDEADLK) \
	X(36, ENAMETOOLONG) X(37, ENOLCK) X(38, ENOSYS) X(39, ENOTEMPTY) \
	X(40, ELOOP) X(61, ENODATA) X(62, ETIME) X(71, EPROTO) \
	X(74, EBADMSG) X(75, EOVERFLOW) X(84, EILSEQ) X(88, ENOTSOCK) \
	X(89, EDESTADDRREQ) X(90, EMSGSIZE) X(91, EPROTOTYPE) \
	X(92, ENOPROTOOPT) X(93, EPROTONOSUPPORT) X(94, ESOCKTNOSUPPORT) \
	X(95, EOPNOTSUPP) X(96, EPFNOSUPPORT) X(97, EAFNOSUPPORT) \
	X(98, EADDRINUSE) X(99, EADDRNOTAVAIL) X(100, ENETDOWN) \
	X(101, ENETUNREACH) X(103, ECONNABORTED) X(104, ECONNRESET) \
	X(105, ENOBUFS) X(106, EISCONN) X(107, ENOTCONN) X(110, ETIMEDOUT) \
	X(111, ECONNREFUSED) X(113, EHOSTUNREACH) X(114, EALREADY) \
	X(115, EINPROGRESS) X(116, ESTALE) X(125, ECANCELED)
/* clang-format on */

enum sk_abi_error {
#define X(number, name) SK_##name = number,
	SK_ABI_ERRORS(X)
#undef X
	/*
	 * Only libc's system call wrapper sees this one, and only with
	 * SK_RESULT_SIGNAL: run the handlers, then make the call again.
	 */
	SK_ERESTART = 512,
};

/* Signals. A mask is 64 bits; signal n is bit n - 1. */
enum sk_abi_signal {
	SK_SIGHUP = 1,
	SK_SIGINT,
	SK_SIGQUIT,
	SK_SIGILL,
	SK_SIGTRAP,
	SK_SIGABRT,
	SK_SIGBUS,
	SK_SIGFPE,
	SK_SIGKILL,
	SK_SIGUSR1,
	SK_SIGSEGV,
	SK_SIGUSR2,
	SK_SIGPIPE,
	SK_SIGALRM,
	SK_SIGTERM,
	SK_SIGSTKFLT,
	SK_SIGCHLD,
	SK_SIGCONT,
	SK_SIGSTOP,
	SK_SIGTSTP,
	SK_SIGTTIN,
	SK_SIGTTOU,
	SK_SIGURG,
	SK_SIGXCPU,
	SK_SIGXFSZ,
	SK_SIGVTALRM,
	SK_SIGPROF,
	SK_SIGWINCH,
	SK_SIGIO,
	SK_SIGPWR,
	SK_SIGSYS,
	SK_SIGRTMIN = 32,
	SK_SIGMAX = 64,
};
#define SK_SIG_BIT(n)	 (UINT64_C(1) << ((n)-1))
#define SK_SIG_DFL	 0
#define SK_SIG_IGN	 1
#define SK_SIG_BLOCK	 0
#define SK_SIG_UNBLOCK	 1
#define SK_SIG_SETMASK	 2
#define SK_SA_NOCLDSTOP	 1
#define SK_SA_NOCLDWAIT	 2
#define SK_SA_SIGINFO	 4
#define SK_SA_ONSTACK	 0x08000000
#define SK_SA_RESTART	 0x10000000
#define SK_SA_NODEFER	 0x40000000
#define SK_SA_RESETHAND	 0x80000000u
#define SK_SS_ONSTACK	 1
#define SK_SS_DISABLE	 2
#define SK_SI_USER	 0
#define SK_SI_KERNEL	 0x80
#define SK_SI_QUEUE	 (-1)
#define SK_SI_TIMER	 (-2)
#define SK_SI_TKILL	 (-6)
#define SK_CLD_EXITED	 1
#define SK_CLD_KILLED	 2
#define SK_CLD_DUMPED	 3
#define SK_CLD_STOPPED	 5
#define SK_CLD_CONTINUED 6

struct sk_abi_sigaction {
	sk_user handler; /* table index, SK_SIG_DFL or SK_SIG_IGN */
	uint32_t flags;
	sk_user restorer; /* kept, never used */
	uint32_t mask[2];
};

struct sk_abi_siginfo { /* 128 bytes */
	int32_t signo;
	int32_t error;
	int32_t code;
	union {
		struct {
			int32_t pid;
			uint32_t uid;
			union {
				int32_t value;	/* sigqueue */
				int32_t status; /* SIGCHLD */
			};
			int32_t utime;
			int32_t stime;
		};
		struct {
			int32_t timer;
			int32_t overrun;
			int32_t timer_value;
		};
		sk_user addr; /* SIGSEGV and its kind */
		uint8_t pad[116];
	};
};

/*
 * What kernel.nextsig writes. libc calls the handler with (signo), or with
 * (signo, &info, &context) when flags has SK_SA_SIGINFO, then calls
 * rt_sigreturn(mask), which restores the mask; longjmp out is allowed.
 */
struct sk_abi_sigframe {
	int32_t signo;
	sk_user handler;
	uint32_t flags;
	uint32_t pad;
	uint32_t mask[2]; /* to be restored */
	struct sk_abi_siginfo info;
};

/* Time. Of nsec only the low 32 bits are read; all 64 are written. */
struct sk_abi_timespec {
	int64_t sec;
	int64_t nsec;
};
struct sk_abi_timeval {
	int64_t sec;
	int64_t usec;
};
struct sk_abi_itimerval { /* longs, as Linux's 32-bit call has them */
	int32_t interval_sec, interval_usec, value_sec, value_usec;
};
struct sk_abi_itimerspec {
	struct sk_abi_timespec interval, value;
};
#define SK_CLOCK_REALTIME	    0
#define SK_CLOCK_MONOTONIC	    1
#define SK_CLOCK_PROCESS_CPUTIME_ID 2
#define SK_CLOCK_THREAD_CPUTIME_ID  3
#define SK_CLOCK_MONOTONIC_RAW	    4
#define SK_CLOCK_REALTIME_COARSE    5
#define SK_CLOCK_MONOTONIC_COARSE   6
#define SK_CLOCK_BOOTTIME	    7
#define SK_TIMER_ABSTIME	    1
#define SK_ITIMER_REAL		    0
#define SK_ITIMER_VIRTUAL	    1
#define SK_ITIMER_PROF		    2
#define SK_UTIME_NOW		    0x3fffffff
#define SK_UTIME_OMIT		    0x3ffffffe

/* Processes. */
struct sk_abi_rusage { /* longs, as Linux's 32-bit call has them */
	int32_t utime_sec, utime_usec, stime_sec, stime_usec;
	int32_t maxrss, ixrss, idrss, isrss, minflt, majflt, nswap;
	int32_t inblock, oublock, msgsnd, msgrcv, nsignals, nvcsw, nivcsw;
};
struct sk_abi_rlimit {
	uint64_t cur, max;
};
struct sk_abi_utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65],
		domainname[65];
};
struct sk_abi_tms { /* 100 ticks a second */
	int32_t utime, stime, cutime, cstime;
};
struct sk_abi_sysinfo {
	uint32_t uptime, loads[3], totalram, freeram, sharedram, bufferram,
		totalswap, freeswap;
	uint16_t procs, pad;
	uint32_t totalhigh, freehigh, mem_unit;
	uint8_t reserved[256];
};
#define SK_WNOHANG	  1
#define SK_WUNTRACED	  2
#define SK_WSTOPPED	  2
#define SK_WEXITED	  4
#define SK_WCONTINUED	  8
#define SK_WNOWAIT	  0x01000000
#define SK_P_ALL	  0
#define SK_P_PID	  1
#define SK_P_PGID	  2
#define SK_RLIMIT_CPU	  0
#define SK_RLIMIT_FSIZE	  1
#define SK_RLIMIT_DATA	  2
#define SK_RLIMIT_STACK	  3
#define SK_RLIMIT_CORE	  4
#define SK_RLIMIT_RSS	  5
#define SK_RLIMIT_NPROC	  6
#define SK_RLIMIT_NOFILE  7
#define SK_RLIMIT_MEMLOCK 8
#define SK_RLIMIT_AS	  9
#define SK_RLIMITS	  16
#define SK_RLIM_INFINITY  UINT64_MAX

/* sk_spawn(path, argv, envp, struct sk_abi_spawn *): the child's pid. */
#define SK_SPAWN_RESETIDS   1
#define SK_SPAWN_SETPGROUP  2
#define SK_SPAWN_SETSIGDEF  4
#define SK_SPAWN_SETSIGMASK 8
#define SK_SPAWN_SETSID	    128
#define SK_SPAWN_SEARCH	    0x10000 /* posix_spawnp: look along PATH of envp */
struct sk_abi_spawn {
	uint32_t flags;
	int32_t pgroup;
	uint32_t sigmask[2], sigdefault[2];
	sk_user actions; /* struct sk_abi_spawn_action[] */
	uint32_t action_count;
};
enum sk_abi_spawn_kind {
	SK_SPAWN_CLOSE,
	SK_SPAWN_DUP2,
	SK_SPAWN_OPEN,
	SK_SPAWN_CHDIR,
	SK_SPAWN_FCHDIR,
};
struct sk_abi_spawn_action {
	uint32_t kind;
	int32_t fd;   /* closed, made, or opened as */
	int32_t from; /* DUP2 */
	sk_user path; /* OPEN, CHDIR */
	int32_t flags;
	uint32_t mode;
};

/* Files. */
#define SK_O_RDONLY	       0
#define SK_O_WRONLY	       1
#define SK_O_RDWR	       2
#define SK_O_ACCMODE	       3
#define SK_O_CREAT	       0100
#define SK_O_EXCL	       0200
#define SK_O_NOCTTY	       0400
#define SK_O_TRUNC	       01000
#define SK_O_APPEND	       02000
#define SK_O_NONBLOCK	       04000
#define SK_O_DSYNC	       010000
#define SK_O_ASYNC	       020000
#define SK_O_DIRECT	       040000
#define SK_O_LARGEFILE	       0100000
#define SK_O_DIRECTORY	       0200000
#define SK_O_NOFOLLOW	       0400000
#define SK_O_NOATIME	       01000000
#define SK_O_CLOEXEC	       02000000
#define SK_O_SYNC	       04010000
#define SK_O_PATH	       010000000
#define SK_O_TMPFILE	       020200000
#define SK_AT_FDCWD	       (-100)
#define SK_AT_SYMLINK_NOFOLLOW 0x100
#define SK_AT_REMOVEDIR	       0x200
#define SK_AT_EACCESS	       0x200
#define SK_AT_SYMLINK_FOLLOW   0x400
#define SK_AT_EMPTY_PATH       0x1000
#define SK_F_DUPFD	       0
#define SK_F_GETFD	       1
#define SK_F_SETFD	       2
#define SK_F_GETFL	       3
#define SK_F_SETFL	       4
#define SK_F_GETLK	       5
#define SK_F_SETLK	       6
#define SK_F_SETLKW	       7
#define SK_F_SETOWN	       8
#define SK_F_GETOWN	       9
#define SK_F_OFD_GETLK	       36
#define SK_F_OFD_SETLK	       37
#define SK_F_OFD_SETLKW	       38
#define SK_F_DUPFD_CLOEXEC     1030
#define SK_F_SETPIPE_SZ	       1031
#define SK_F_GETPIPE_SZ	       1032
#define SK_FD_CLOEXEC	       1
#define SK_F_RDLCK	       0
#define SK_F_WRLCK	       1
#define SK_F_UNLCK	       2
struct sk_abi_flock {
	int16_t type, whence;
	int32_t pad;
	int64_t start, len;
	int32_t pid, pad2;
};
#define SK_LOCK_SH	    1
#define SK_LOCK_EX	    2
#define SK_LOCK_NB	    4
#define SK_LOCK_UN	    8
#define SK_SEEK_SET	    0
#define SK_SEEK_CUR	    1
#define SK_SEEK_END	    2
#define SK_SEEK_DATA	    3
#define SK_SEEK_HOLE	    4
#define SK_S_IFMT	    0170000
#define SK_S_IFSOCK	    0140000
#define SK_S_IFLNK	    0120000
#define SK_S_IFREG	    0100000
#define SK_S_IFBLK	    0060000
#define SK_S_IFDIR	    0040000
#define SK_S_IFCHR	    0020000
#define SK_S_IFIFO	    0010000
#define SK_S_ISUID	    04000
#define SK_S_ISGID	    02000
#define SK_S_ISVTX	    01000
#define SK_DT_UNKNOWN	    0 /* otherwise (mode & SK_S_IFMT) >> 12 */
#define SK_RENAME_NOREPLACE 1
#define SK_RENAME_EXCHANGE  2
#define SK_R_OK		    4
#define SK_W_OK		    2
#define SK_X_OK		    1
#define SK_PATH_MAX	    4096
#define SK_NAME_MAX	    255
#define SK_IOV_MAX	    1024
#define SK_PIPE_BUF	    4096

struct sk_abi_stat { /* 112 bytes */
	uint64_t dev, ino;
	uint32_t mode, nlink, uid, gid;
	uint64_t rdev;
	int64_t size;
	int32_t blksize, pad;
	int64_t blocks;
	struct sk_abi_timespec atime, mtime, ctime;
};
struct sk_abi_statx_time {
	int64_t sec;
	uint32_t nsec;
	int32_t pad;
};
struct sk_abi_statx { /* 256 bytes, Linux's */
	uint32_t mask, blksize;
	uint64_t attributes;
	uint32_t nlink, uid, gid;
	uint16_t mode, pad;
	uint64_t ino, size, blocks, attributes_mask;
	struct sk_abi_statx_time atime, btime, ctime, mtime;
	uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
	uint64_t spare[14];
};
struct sk_abi_statfs { /* 88 bytes */
	uint32_t type, bsize;
	uint64_t blocks, bfree, bavail, files, ffree;
	int32_t fsid[2];
	uint32_t namelen, frsize, flags, spare[4], pad;
};
struct sk_abi_dirent { /* then the name, its NUL, padding to 8 bytes */
	uint64_t ino;
	int64_t off;
	uint16_t reclen;
	uint8_t type;
	char name[];
};
struct sk_abi_iovec {
	sk_user base;
	uint32_t len;
};

/* Memory. Anonymous mappings and brk are libc's own: docs/abi.md. */
#define SK_PROT_READ	 1
#define SK_PROT_WRITE	 2
#define SK_PROT_EXEC	 4
#define SK_MAP_SHARED	 1
#define SK_MAP_PRIVATE	 2
#define SK_MAP_FIXED	 0x10
#define SK_MAP_ANONYMOUS 0x20
#define SK_MS_ASYNC	 1
#define SK_MS_INVALIDATE 2
#define SK_MS_SYNC	 4

/* Waiting for many. */
#define SK_POLLIN     1
#define SK_POLLPRI    2
#define SK_POLLOUT    4
#define SK_POLLERR    8
#define SK_POLLHUP    0x10
#define SK_POLLNVAL   0x20
#define SK_POLLRDNORM 0x40
#define SK_POLLRDBAND 0x80
#define SK_POLLWRNORM 0x100
#define SK_POLLWRBAND 0x200
#define SK_POLLRDHUP  0x2000
struct sk_abi_pollfd {
	int32_t fd;
	int16_t events, revents;
};
#define SK_EPOLL_CTL_ADD  1
#define SK_EPOLL_CTL_DEL  2
#define SK_EPOLL_CTL_MOD  3
#define SK_EPOLLEXCLUSIVE (1u << 28)
#define SK_EPOLLONESHOT	  (1u << 30)
#define SK_EPOLLET	  (1u << 31)
struct sk_abi_epoll_event { /* 16 bytes */
	uint32_t events, pad;
	uint64_t data;
};
#define SK_EFD_SEMAPHORE 1

/* Terminals (asm-generic). TCGETS moves the first 36 bytes only. */
#define SK_TCGETS     0x5401
#define SK_TCSETS     0x5402
#define SK_TCSETSW    0x5403
#define SK_TCSETSF    0x5404
#define SK_TCSBRK     0x5409
#define SK_TCXONC     0x540a
#define SK_TCFLSH     0x540b
#define SK_TIOCEXCL   0x540c
#define SK_TIOCNXCL   0x540d
#define SK_TIOCSCTTY  0x540e
#define SK_TIOCGPGRP  0x540f
#define SK_TIOCSPGRP  0x5410
#define SK_TIOCOUTQ   0x5411
#define SK_TIOCSTI    0x5412
#define SK_TIOCGWINSZ 0x5413
#define SK_TIOCSWINSZ 0x5414
#define SK_FIONREAD   0x541b
#define SK_FIONBIO    0x5421
#define SK_TIOCNOTTY  0x5422
#define SK_TIOCGSID   0x5429
#define SK_TIOCGPTN   0x80045430u
#define SK_TIOCSPTLCK 0x40045431u
#define SK_FIONCLEX   0x5450
#define SK_FIOCLEX    0x5451
struct sk_abi_termios {
	uint32_t iflag, oflag, cflag, lflag;
	uint8_t line, cc[19];
};
struct sk_abi_winsize {
	uint16_t row, col, xpixel, ypixel;
};

/* Sockets. */
#define SK_AF_UNSPEC	    0
#define SK_AF_UNIX	    1
#define SK_AF_INET	    2
#define SK_AF_INET6	    10
#define SK_SOCK_STREAM	    1
#define SK_SOCK_DGRAM	    2
#define SK_SOCK_SEQPACKET   5
#define SK_SOCK_NONBLOCK    04000
#define SK_SOCK_CLOEXEC	    02000000
#define SK_SHUT_RD	    0
#define SK_SHUT_WR	    1
#define SK_SHUT_RDWR	    2
#define SK_MSG_OOB	    1
#define SK_MSG_PEEK	    2
#define SK_MSG_CTRUNC	    8
#define SK_MSG_TRUNC	    0x20
#define SK_MSG_DONTWAIT	    0x40
#define SK_MSG_WAITALL	    0x100
#define SK_MSG_NOSIGNAL	    0x4000
#define SK_MSG_CMSG_CLOEXEC 0x40000000
#define SK_SOL_SOCKET	    1
#define SK_SCM_RIGHTS	    1
#define SK_SOMAXCONN	    4096
struct sk_abi_sockaddr_in {
	uint16_t family;
	uint8_t port[2]; /* network order */
	uint8_t addr[4];
	uint8_t zero[8];
};
struct sk_abi_sockaddr_in6 {
	uint16_t family;
	uint8_t port[2];
	uint32_t flowinfo;
	uint8_t addr[16];
	uint32_t scope;
};
struct sk_abi_sockaddr_un {
	uint16_t family;
	char path[108];
};
struct sk_abi_msghdr { /* 28 bytes */
	sk_user name;
	uint32_t namelen;
	sk_user iov;
	int32_t iovlen;
	sk_user control;
	uint32_t controllen;
	int32_t flags;
};
struct sk_abi_cmsghdr { /* aligned to 4 bytes */
	uint32_t len;
	int32_t level, type;
};

#endif
