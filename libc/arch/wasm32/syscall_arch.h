/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A system call is a call of the one function that a program imports. Numbers
 * are Linux's; a 64-bit argument goes whole in one of six.
 */
#define __SYSCALL_LL_E(x) (x)
#define __SYSCALL_LL_O(x) (x)

#define __scc(x)                                                               \
	(sizeof(1 ? (x) : 0ULL) < 8 ? (unsigned long)(x) : (long long)(x))
typedef long long syscall_arg_t;

/* Also runs the handlers of signals that wait, and calls again after them. */
long __sk_call(int, long long, long long, long long, long long, long long,
	       long long);

static __inline long __syscall0(int n)
{
	return __sk_call(n, 0, 0, 0, 0, 0, 0);
}

/* There is no brk: malloc sees that it fails and maps pages instead. */
static __inline long __syscall1(int n, long long a)
{
	if (n == __NR_brk)
		return -ENOMEM;
	return __sk_call(n, a, 0, 0, 0, 0, 0);
}

static __inline long __syscall2(int n, long long a, long long b)
{
	return __sk_call(n, a, b, 0, 0, 0, 0);
}

static __inline long __syscall3(int n, long long a, long long b, long long c)
{
	return __sk_call(n, a, b, c, 0, 0, 0);
}

static __inline long __syscall4(int n, long long a, long long b, long long c,
				long long d)
{
	return __sk_call(n, a, b, c, d, 0, 0);
}

static __inline long __syscall5(int n, long long a, long long b, long long c,
				long long d, long long e)
{
	return __sk_call(n, a, b, c, d, e, 0);
}

static __inline long __syscall6(int n, long long a, long long b, long long c,
				long long d, long long e, long long f)
{
	return __sk_call(n, a, b, c, d, e, f);
}

/* Time is 64 bits wide in the calls that have no other name for it. */
#define SYS_clock_gettime64		 SYS_clock_gettime
#define SYS_clock_settime64		 SYS_clock_settime
#define SYS_clock_adjtime64		 SYS_clock_adjtime
#define SYS_clock_getres_time64		 SYS_clock_getres
#define SYS_clock_nanosleep_time64	 SYS_clock_nanosleep
#define SYS_timer_gettime64		 SYS_timer_gettime
#define SYS_timer_settime64		 SYS_timer_settime
#define SYS_timerfd_gettime64		 SYS_timerfd_gettime
#define SYS_timerfd_settime64		 SYS_timerfd_settime
#define SYS_utimensat_time64		 SYS_utimensat
#define SYS_pselect6_time64		 SYS_pselect6
#define SYS_ppoll_time64		 SYS_ppoll
#define SYS_recvmmsg_time64		 SYS_recvmmsg
#define SYS_mq_timedsend_time64		 SYS_mq_timedsend
#define SYS_mq_timedreceive_time64	 SYS_mq_timedreceive
#define SYS_semtimedop_time64		 SYS_semtimedop
#define SYS_rt_sigtimedwait_time64	 SYS_rt_sigtimedwait
#define SYS_futex_time64		 SYS_futex
#define SYS_sched_rr_get_interval_time64 SYS_sched_rr_get_interval

#define IPC_64 0
