/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A task is a thread of a process: what runs, calls, waits and takes signals.
 * (Today a process has one; what belongs to the thread stands here, what
 * belongs to the process in process.h, so that more can come.)
 *
 * A call that has to wait adds the task to wait queues (wait.h) and returns
 * -SK_PARK. When it is made again (sk_call_again) it starts from the top with
 * the same arguments; what it must remember stands in `call`. While it waits
 * it is on queues; they are left before it is made again and when it ends.
 */
#ifndef SK_TASK_H
#define SK_TASK_H

#include "state.h"

struct sk_process;

#define SK_PARK 513 /* as -SK_PARK; never seen by a program */
#define SK_EXIT 514 /* as -SK_EXIT: becomes SK_CALL_EXIT */
#define SK_EXEC 515 /* as -SK_EXEC: becomes SK_CALL_EXEC */

enum sk_task_state {
	SK_TASK_USER,
	SK_TASK_KERNEL,
	SK_TASK_DYING,
};

/* One place in one wait queue. */
struct sk_waiter {
	struct sk_list link;	/* in sk_waitq.waiters */
	struct sk_list of_task; /* in sk_task.waiters */
	struct sk_task *task;
	bool allocated;
};

struct sk_task {
	struct sk_face face; /* first: sk_task_face */
	struct sk_process *process;
	struct sk_list link; /* in sk_process.tasks */
	int32_t tid;
	_Atomic uint32_t state; /* enum sk_task_state */

	/* The call that is being made; zeroed at the start of each. */
	struct {
		uint32_t n;
		uint64_t a[6];
		bool again;	   /* made again after a park */
		int64_t done;	   /* bytes moved so far, by calls that go on */
		int64_t deadline;  /* 0: not set yet */
		uint64_t stage[2]; /* whatever else a call must remember */
	} call;
	struct sk_list waiters;	 /* sk_waiter.of_task */
	struct sk_waiter waiter; /* the first needs no memory */
	bool waiter_used;
	bool parked; /* -SK_PARK was returned, and nobody woke it since */

	/* Signals, signal.c. */
	uint64_t blocked, pending, saved_mask;
	bool has_saved_mask;   /* sigsuspend, ppoll: restored by the frame */
	struct sk_list queued; /* siginfos of what is pending */
	struct sk_alt_stack {  /* as sigaltstack has it */
		sk_user sp;
		int32_t flags;
		uint32_t size;
	} alt_stack;
};

/*
 * A room's calls stand in its list, kernel/calls_ROOM.h, as X(name, flags)
 * for `int64_t sk_sys_NAME(struct sk_task *t, const uint64_t *a)`.
 */
#define SK_CALL_UNLOCKED   1 /* runs without the lock; cannot park */
#define SK_CALL_NO_RESTART 2 /* -SK_ERESTART is always -SK_EINTR */

/*
 * Calls: what a system call's function is like. Locked (unless the table says
 * otherwise). Returns the result, -errno, -SK_PARK, -SK_EXIT or -SK_EXEC;
 * -SK_ERESTART where a signal interrupts what may be restarted.
 */
typedef int64_t sk_call_function(struct sk_task *t, const uint64_t *a);

#endif
