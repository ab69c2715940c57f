/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a process, in three steps.
 *
 *   exiting   sk_process_exit, from anywhere (a signal, another process): only
 *             notes the status and tells the tasks.
 *   zombie    sk_process_finish, by its own thread at the top of the kernel,
 *             where no other function can be surprised: gives back files, cwd
 *             and terminal (which may let go of the lock), hands its children
 *             to process 1, reports to the parent.
 *   gone      waited for, or nobody waits; and its thread has left.
 */
#include "calls.h"
#include "file.h"
#include "process.h"

void sk_process_exit(struct sk_process *p, int32_t status)
{
	struct sk_kernel *k = p->kernel;

	if (p->exiting)
		return;
	p->exiting = true;
	p->status = status;
	p->state = SK_PROCESS_RUNNING;
	SK_LIST_EACH(node, &p->tasks)
	{
		struct sk_task *t = SK_CONTAINER(node, struct sk_task, link);
		uint32_t was = atomic_exchange(&t->state, SK_TASK_DYING);

		sk_signal_attend(t);
		sk_task_wake(t);
		if (was == SK_TASK_USER && k->host->terminate)
			k->host->terminate(k->self, t);
	}
}

/* Children of the dead belong to process 1, which does not wait for them. */
static void give_away_children(struct sk_process *p)
{
	struct sk_process *init = p->kernel->init;

	SK_LIST_EACH(node, &p->children)
	{
		struct sk_process *child =
			SK_CONTAINER(node, struct sk_process, sibling);

		sk_list_remove(&child->sibling);
		child->parent = init;
		child->auto_reap = true;
		sk_list_add(&init->children, &child->sibling);
		if (child->state == SK_PROCESS_ZOMBIE)
			sk_process_reap(child);
	}
}

static bool parent_waits(struct sk_process *p)
{
	const struct sk_abi_sigaction *action = &p->parent->actions[SK_SIGCHLD];

	return !p->auto_reap && action->handler != SK_SIG_IGN &&
	       !(action->flags & SK_SA_NOCLDWAIT);
}

void sk_process_report(struct sk_process *p, int code, int32_t status)
{
	struct sk_process *parent = p->parent;
	struct sk_abi_siginfo info = {
		.signo = SK_SIGCHLD,
		.code = code,
	};
	bool quiet = code == SK_CLD_STOPPED || code == SK_CLD_CONTINUED;

	info.pid = p->pid;
	info.uid = p->uid[0];
	info.status = status;
	info.utime = (int32_t)(p->utime / 10000000);
	info.stime = (int32_t)(p->stime / 10000000);
	if (!quiet || !(parent->actions[SK_SIGCHLD].flags & SK_SA_NOCLDSTOP))
		sk_signal_send(parent, SK_SIGCHLD, &info);
	sk_waitq_wake(&parent->child_changed);
}

static void report_end(struct sk_process *p)
{
	bool waits = parent_waits(p);

	if (p->status & 0x7f)
		sk_process_report(p, SK_CLD_KILLED, p->status & 0x7f);
	else
		sk_process_report(p, SK_CLD_EXITED, p->status >> 8 & 0xff);
	if (!waits)
		sk_process_reap(p);
}

void sk_process_finish(struct sk_task *t)
{
	struct sk_process *p = t->process;
	struct sk_kernel *k = p->kernel;

	if (p->finishing)
		return;
	p->finishing = true;
	p->utime += k->host->cpu_time(k->self, t);
	sk_mappings_end(t);
	sk_process_release(p);
	sk_signal_drop_process(p);
	sk_group_check_orphans(p);
	give_away_children(p);
	p->state = SK_PROCESS_ZOMBIE;
	report_end(p);
}

int64_t sk_sys_exit(struct sk_task *t, const uint64_t *a)
{
	sk_process_exit(t->process, (int32_t)(a[0] & 0xff) << 8);
	return -SK_EXIT;
}

int64_t sk_sys_exit_group(struct sk_task *t, const uint64_t *a)
{
	return sk_sys_exit(t, a);
}
