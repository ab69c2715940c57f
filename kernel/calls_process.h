/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the process room: X(name, flags), see task.h. */
#ifndef SK_CALLS_PROCESS_H
/* clang-format off */
#define SK_CALLS_PROCESS_H

#define SK_CALLS_PROCESS(X) \
	X(exit, 0) X(exit_group, 0) X(waitid, 0) X(wait4, 0) \
	X(execve, 0) X(sk_args, 0) X(sk_spawn, 0) \
	X(set_tid_address, SK_CALL_UNLOCKED) X(futex, 0) \
	X(set_robust_list, SK_CALL_UNLOCKED) \
	X(nanosleep, SK_CALL_NO_RESTART) \
	X(clock_nanosleep, SK_CALL_NO_RESTART) \
	X(getitimer, 0) X(setitimer, 0) X(timer_create, 0) \
	X(timer_gettime, 0) X(timer_getoverrun, 0) X(timer_settime, 0) \
	X(timer_delete, 0) X(clock_settime, 0) \
	X(clock_gettime, SK_CALL_UNLOCKED) \
	X(clock_getres, SK_CALL_UNLOCKED) \
	X(gettimeofday, SK_CALL_UNLOCKED) X(times, 0) \
	X(sched_setparam, 0) X(sched_setscheduler, 0) \
	X(sched_getscheduler, 0) X(sched_getparam, 0) \
	X(sched_setaffinity, 0) X(sched_getaffinity, 0) \
	X(sched_yield, SK_CALL_UNLOCKED) X(sched_get_priority_max, 0) \
	X(sched_get_priority_min, 0) X(sched_rr_get_interval, 0) \
	X(getpriority, 0) X(setpriority, 0) X(getcpu, SK_CALL_UNLOCKED) \
	X(kill, 0) X(tkill, 0) X(tgkill, 0) X(sigaltstack, 0) \
	X(rt_sigsuspend, SK_CALL_NO_RESTART) X(rt_sigaction, 0) \
	X(rt_sigprocmask, 0) X(rt_sigpending, 0) \
	X(rt_sigtimedwait, SK_CALL_NO_RESTART) X(rt_sigqueueinfo, 0) \
	X(rt_sigreturn, 0) \
	X(getpid, SK_CALL_UNLOCKED) X(gettid, SK_CALL_UNLOCKED) \
	X(getppid, 0) X(getuid, SK_CALL_UNLOCKED) \
	X(geteuid, SK_CALL_UNLOCKED) X(getgid, SK_CALL_UNLOCKED) \
	X(getegid, SK_CALL_UNLOCKED) X(setuid, 0) X(setgid, 0) \
	X(setreuid, 0) X(setregid, 0) X(setresuid, 0) X(getresuid, 0) \
	X(setresgid, 0) X(getresgid, 0) X(getgroups, 0) X(setgroups, 0) \
	X(umask, 0) X(setpgid, 0) X(getpgid, 0) X(getsid, 0) X(setsid, 0) \
	X(getrlimit, 0) X(setrlimit, 0) X(prlimit64, 0) X(getrusage, 0) \
	X(uname, 0) X(sethostname, 0) X(sysinfo, 0) X(getrandom, 0) \
	X(prctl, 0)

#endif
