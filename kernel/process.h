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
	SK_PROCESS_RUNNING, SK_PROCESS_STOPPED, SK_PROCESS_ZOMBIE,
};

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

	/* For wait. */
	int32_t status; /* as wait4 gives it */
	bool stop_unreported, continue_unreported;
	bool auto_reap; /* an orphan under process 1 */
	struct sk_waitq child_changed;

	/* Files. */
	struct sk_fds *fds;
	struct sk_path cwd, root;
	uint32_t umask;
	struct sk_list mappings; /* shared file mappings, mmap.c */

	/* Signals. */
	struct sk_abi_sigaction actions[SK_SIGMAX + 1];
	uint64_t pending; /* for the process as a whole */
	struct sk_list queued; /* siginfos of real-time signals, signal.c */
	struct sk_timer alarm; /* ITIMER_REAL */
	int64_t alarm_interval;

	struct sk_tty *tty; /* controlling terminal, owns a reference */
	struct sk_abi_rlimit limits[SK_RLIMITS];
	int32_t nice;
	int64_t started; /* ns of MONOTONIC */
	int64_t utime, stime, child_utime, child_stime; /* ns */

	/* The program: as ps shows it, and as sk_args gives it. */
	char name[16];
	char *args; /* argv then envp, each string with its NUL */
	uint32_t args_size, argc, envc;
	bool did_exec; /* setpgid of a child after its exec: EACCES */
	struct sk_image_file *image;
};

struct sk_process *sk_process_find(struct sk_kernel *k, int32_t pid);

/* Ends a process with a wait status; its tasks leave as they come by. */
void sk_process_exit(struct sk_process *p, int32_t status);

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
/* Whether a signal is pending that the task has to act upon now. */
bool sk_signal_waits(struct sk_task *t);
bool sk_signal_ignored(struct sk_process *p, int signo);
/* A mask for this call only (ppoll, sigsuspend). */
void sk_signal_swap_mask(struct sk_task *t, uint64_t mask);

static inline struct sk_kernel *sk_kernel_of(struct sk_task *t)
{
	return t->face.kernel;
}

#endif
