/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the process room: X(name, flags), see task.h. */
#define SK_CALLS_PROCESS(X)                                                    \
	X(exit, 0)                                                             \
	X(exit_group, 0)                                                       \
	X(getpid, SK_CALL_UNLOCKED)                                            \
	X(gettid, SK_CALL_UNLOCKED)                                            \
	X(sched_yield, SK_CALL_UNLOCKED)
