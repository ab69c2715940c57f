/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes: a tree under process 1.
 *
 *     running --exit, fatal signal--> zombie --wait, or ignored--> gone
 *        ^ |
 *   CONT | | STOP, TSTP, TTIN, TTOU
 *        | v
 *      stopped
 *
 * The struct of a process lives until it is waited for and its last task has
 * ended; descriptors, cwd and mappings go at exit. docs/lifetimes.md.
 */
#ifndef SK_PROCESS_H
#define SK_PROCESS_H

#include "inode.h"
#include "wait.h"

struct sk_fds;
struct sk_tty;

enum sk_process_state {
	SK_PROCESS_RUNNING,
	SK_PROCESS_STOPPED,
	SK_PROCESS_ZOMBIE,
};

#define SK_GROUPS 32

struct sk_image_file; /* exec.c: what an exec has found */

struct sk_process {
	struct sk_kernel *kernel;
	struct sk_list link; /* in sk_kernel.processes */
	struct sk_process *hash_next;
	struct sk_list tasks; /* sk_task.link */
	struct sk_process *parent;
	struct sk_list children, sibling;
	int32_t pid, pgid, sid;
	enum sk_process_state state;
	bool finishing, reaped; /* exit.c, process.c */
	bool exiting; /* `status` stands; its tasks leave as they come by */
	uint32_t uid[3], gid[3]; /* real, effective, saved */
	uint32_t groups[SK_GROUPS], group_count;

	/* For wait. */
	int32_t status; /* as wait4 gives it */
	int32_t stop_signal;
	bool stop_unreported, continue_unreported;
	bool auto_reap; /* an orphan under process 1 */
	struct sk_waitq child_changed;

	/* Files. */
	struct sk_fds *fds;
	struct sk_path cwd, root, program;
	uint32_t umask;
	struct sk_list mappings; /* shared file mappings, mmap.c */

	/* Signals. */
	struct sk_abi_sigaction actions[SK_SIGMAX + 1];
	uint64_t pending;	   /* for the process as a whole */
	struct sk_list queued;	   /* siginfos of what is pending, signal.c */
	uint32_t queued_count;	   /* of the process and its tasks */
	struct sk_waitq signalled; /* woken at each new pending signal */
	struct sk_alarm {	   /* setitimer, clock.c */
		struct sk_timer timer;
		int64_t interval;
		struct sk_process *process;
		int signo;
	} alarms[3];
	struct sk_list timers; /* timer_create, ptimer.c */
	int32_t next_timer;
	uint32_t timer_count;
	struct sk_waitq futexes; /* futex.c */

	struct sk_tty *tty; /* controlling terminal, owns a reference */
	struct sk_abi_rlimit limits[SK_RLIMITS];
	int32_t nice, policy, priority;			/* recorded only */
	int64_t started;				/* ns of MONOTONIC */
	int64_t utime, stime, child_utime, child_stime; /* ns */

	/* The program: as ps shows it, and as sk_args gives it. */
	char name[16];
	char *args; /* argv then envp, each string with its NUL */
	uint32_t args_size, argc, envc;
	bool did_exec; /* setpgid of a child after its exec: EACCES */
	struct sk_image_file *image;
};

struct sk_process *sk_process_find(struct sk_kernel *k, int32_t pid);

/*
 * Ends a process with a wait status; its tasks leave as they come by, and
 * the last one gives back what the process holds (exit.c). So this may be
 * called anywhere.
 */
void sk_process_exit(struct sk_process *p, int32_t status);

/* A process with one task, both of them empty. -SK_EAGAIN, -SK_ENOMEM. */
int sk_process_new(struct sk_kernel *k, struct sk_process *parent,
		   struct sk_task **out);
/* A child that has what a fork inherits. */
int sk_process_copy(struct sk_task *t, struct sk_task **out);
/* Undoes it: for a process that never ran. */
void sk_process_drop(struct sk_process *p);
/* Gives back files, cwd, root and terminal: at exit, and by the undo above. */
void sk_process_release(struct sk_process *p);
/* A zombie that nobody has to wait for any more: out of the tables. */
void sk_process_reap(struct sk_process *p);
/* Frees a process that is reaped and has no task left. */
void sk_process_ended(struct sk_process *p);
int sk_task_new(struct sk_process *p, int32_t tid, struct sk_task **out);
void sk_task_free(struct sk_task *t);
void sk_alarm_init(struct sk_process *p);
void sk_alarm_end(struct sk_process *p);
void sk_timers_end(struct sk_process *p); /* of timer_create: at exec, exit */
/* Such a timer's signal is taken: its overrun goes into the info. */
void sk_timer_taken(struct sk_process *p, struct sk_abi_siginfo *info);
void sk_timers_clock_set(struct sk_process *p); /* the realtime clock moved */
void sk_usage_fill(struct sk_abi_rusage *usage, int64_t utime, int64_t stime);
/* A timespec of the program, in ns; -SK_EFAULT, -SK_EINVAL. */
int sk_copy_time(struct sk_task *t, int64_t *ns, sk_user from);
int sk_put_time(struct sk_task *t, sk_user to, int64_t ns);
struct sk_task *sk_process_task(struct sk_process *p); /* the first, or NULL */
/* The last steps of a process whose task leaves (exit.c). Top level only. */
void sk_process_finish(struct sk_task *t);
/* Tells the parent: SIGCHLD with a code of SK_CLD_*, and its waits. */
void sk_process_report(struct sk_process *p, int code, int32_t status);
/* After process `p` left its group or is about to: SIGHUP to the stopped. */
void sk_group_check_orphans(struct sk_process *p);

/*
 * Another room's part of an exit, tty.c: gives back p->tty; a session's leader
 * hangs it up.
 */
void sk_tty_leave(struct sk_process *p);
void sk_tty_join(struct sk_tty *tty); /* one reference more (fork) */

/* Borrowed: where the program is that the process runs; or empty. exec.c */
void sk_process_program(struct sk_process *p, struct sk_path *out);

/* Whether a group has no member with a parent outside it in its session. */
bool sk_group_orphaned(struct sk_kernel *k, int32_t pgid);

/*
 * Signals (signal.c). sk_signal_send: to a process; info NULL: SI_KERNEL.
 * sk_signal_group: -SK_ESRCH when the group has no member.
 */
int sk_signal_send(struct sk_process *p, int signo,
		   const struct sk_abi_siginfo *info);
int sk_signal_task(struct sk_task *t, int signo,
		   const struct sk_abi_siginfo *info);
int sk_signal_group(struct sk_kernel *k, int32_t pgid, int signo);
/* What of a task's state changes attention: signals, stop, exit. */
void sk_signal_attend(struct sk_task *t);
/* Default actions of signals that are no longer blocked; then attends. */
void sk_signal_act(struct sk_task *t);
/* The mask of a task; acts. KILL and STOP cannot be blocked. */
void sk_signal_mask(struct sk_task *t, uint64_t mask);
/* Forgets what is pending of a set, for the process and its tasks. */
void sk_signal_discard(struct sk_process *p, uint64_t set);
/* Whether a signal of that timer of timer_create is pending. */
bool sk_signal_holds_timer(struct sk_process *p, int32_t timer);
/* Takes a pending signal of `set`, lowest first: its number, or 0. */
int sk_signal_take(struct sk_task *t, uint64_t set,
		   struct sk_abi_siginfo *info);
/* fork: the actions; exec: handlers become SK_SIG_DFL; end: the queues go. */
void sk_signal_fork(struct sk_task *child, const struct sk_task *parent);
void sk_signal_exec(struct sk_task *t);
void sk_signal_drop_task(struct sk_task *t);
void sk_signal_drop_process(struct sk_process *p);
/* Whether a signal is pending that the task has to act upon now. */
bool sk_signal_waits(struct sk_task *t);
bool sk_signal_ignored(struct sk_process *p, int signo);
/* A mask for this call only (ppoll, sigsuspend). */
void sk_signal_swap_mask(struct sk_task *t, uint64_t mask);

/*
 * The border (call.c), for what enters beside sk_call. enter and leave are
 * false for a task that is to end (then SK_CALL_EXIT, unlocked); parks and
 * exits give the lock back and are what to return.
 */
bool sk_task_enter(struct sk_task *t);
bool sk_task_leave(struct sk_task *t);
int64_t sk_task_parks(struct sk_task *t);
int64_t sk_task_exits(struct sk_task *t);

static inline struct sk_kernel *sk_kernel_of(struct sk_task *t)
{
	return t->face.kernel;
}

#endif
