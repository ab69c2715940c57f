/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A runner is a thread of the host that runs one task of the kernel at a
 * time: the program's C on the thread's own stack, its memory in a window.
 *
 *     idle --start, fork--> running --exit, kill--> idle
 *                            |   ^
 *                            +---+ exec (same thread, new window)
 *
 * A program is left by longjmp to `base`: it holds nothing but its window.
 * fork unwinds the program's stack into its own memory (asyncify), copies the
 * window and winds it up again in both. The child of a vfork runs on its
 * parent's thread: `task` is the child then, `parent` who waits for it.
 */
#ifndef SK_HOST_RUNNER_H
#define SK_HOST_RUNNER_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>

#include "host/linux/guest/wasm-rt.h"
#include "host/linux/window.h"
#include "selkie/kernel.h"

#define SK_STACK_GUARD (64 << 10)

/* Why `base` was jumped to. */
enum sk_leave {
	SK_LEAVE_EXIT = 1, /* the kernel said so */
	SK_LEAVE_EXEC,	   /* `next` is to run */
	SK_LEAVE_OVERFLOW, /* the stack has no room left */
	SK_LEAVE_KILLED,   /* host->terminate */
};

enum sk_unwinding { SK_UNWIND_NOT, SK_UNWIND_OUT, SK_UNWIND_BACK };

struct sk_trap {
	int signo, code;
	sk_user address;
	uintptr_t pc; /* 0: not known */
	const char *what;
};

struct sk_runner {
	struct w2c_kernel imports; /* first: what the program's C holds */
	struct sk_task *task, *parent;
	struct sk_window *window;
	const struct sk_object *object;
	void *instance;
	char name[64]; /* of the program, for messages */

	jmp_buf base;
	uintptr_t stack_end;  /* lowest address that may be used */
	uintptr_t stack_mark; /* below it no call of the kernel begins */
	struct sk_trap trap;
	unsigned nested; /* calls of the host into the program */

	/* fork: */
	enum sk_unwinding unwinding;
	int32_t fork_result;

	/* exec and start: */
	const struct sk_object *next;
	int commit; /* sk_exec_commit is due */

	/* Exceptions. */
	jmp_buf *target;
	wasm_rt_tag_t tag;
	uint32_t exception_size;
	uint8_t exception[64];

	/* The thread. */
	pthread_t thread;
	pid_t tid;
	int64_t cpu_base;    /* its CPU time when the task began */
	_Atomic uint32_t go; /* what an idle one sleeps on */
	_Atomic int killed;  /* terminate: until it has left */
	struct sk_runner *next_idle;
	struct sk_runner *all_next, *all_prev;
	void *signal_stack;
};

/* Of the calling thread; NULL on threads that run no tasks. */
extern __thread struct sk_runner *sk_runner_current;

/* host->start: loads the child's image and runs it on a thread. */
int sk_runner_start(void *self, struct sk_task *child);
/* host->terminate */
void sk_runner_terminate(void *self, struct sk_task *task);
/* Signals again those that a kill did not reach; 1: there are some. */
int sk_runners_kill_again(void);

/* Leaves the program for good. */
_Noreturn void sk_runner_leave(struct sk_runner *r, enum sk_leave why);

/* The task of `r` from now on (exec, vfork). */
void sk_runner_adopt(struct sk_runner *r, struct sk_task *task);

/* A thread for `child`, which owns a window and an object from then on. */
struct sk_runner *sk_runner_new(void);
/* What it is to run: the image that its task's exec or spawn has found. */
void sk_runner_program(struct sk_runner *r, const struct sk_object *object);
void sk_runner_go(struct sk_runner *r);
void sk_runner_drop(struct sk_runner *r); /* it never went */

/* The end of a vfork child that the program called no exit for. */
void sk_runner_child_over(struct sk_runner *r, int by_exit);

/*
 * A signal of the program's own doing: its handler runs on top of what
 * trapped, or the program ends. On the runner's stack.
 */
_Noreturn void sk_runner_trap(struct sk_runner *r);

/* The signal handlers; once. */
void sk_traps_init(void);

#endif
