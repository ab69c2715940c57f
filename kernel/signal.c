/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals, from their generation to the handler.
 *
 * A signal that nothing blocks and whose action is the default or to ignore it
 * is acted upon at once, by whoever makes it deliverable (the sender, or the
 * call that unblocks it); sk_process_exit only notes an end, so this is safe
 * anywhere. Hence the invariant: what is pending and not blocked has a
 * handler, and `attention` says that there is such a one. The program takes
 * it by sk_next_signal.
 *
 * A bit in `pending` says that a signal is pending; `queued` holds what is
 * known of it, one siginfo for signals below SK_SIGRTMIN (and none when memory
 * ran out), one for each sending of the real-time ones.
 */
#include "copy.h"
#include "process.h"

#define QUEUED_MAX 1024

struct queued {
	struct sk_list link;
	struct sk_abi_siginfo info;
};

enum effect { IGNORE, END, STOP, CONTINUE };

static enum effect default_effect(int signo)
{
	switch (signo) {
	case SK_SIGCHLD:
	case SK_SIGURG:
	case SK_SIGWINCH:
		return IGNORE;
	case SK_SIGCONT:
		return CONTINUE;
	case SK_SIGSTOP:
	case SK_SIGTSTP:
	case SK_SIGTTIN:
	case SK_SIGTTOU:
		return STOP;
	}
	return END;
}

#define STOPS                                                                  \
	(SK_SIG_BIT(SK_SIGSTOP) | SK_SIG_BIT(SK_SIGTSTP) |                     \
	 SK_SIG_BIT(SK_SIGTTIN) | SK_SIG_BIT(SK_SIGTTOU))
#define NEVER_BLOCKED (SK_SIG_BIT(SK_SIGKILL) | SK_SIG_BIT(SK_SIGSTOP))

bool sk_signal_ignored(struct sk_process *p, int signo)
{
	sk_user handler = p->actions[signo].handler;

	if (handler == SK_SIG_DFL)
		return default_effect(signo) == IGNORE ||
		       default_effect(signo) == CONTINUE;
	return handler == SK_SIG_IGN;
}

bool sk_signal_waits(struct sk_task *t)
{
	return (t->pending | t->process->pending) & ~t->blocked;
}

void sk_signal_attend(struct sk_task *t)
{
	const struct sk_process *p = t->process;

	atomic_store_explicit(&t->face.attention,
			      p->exiting || p->state == SK_PROCESS_STOPPED ||
				      sk_signal_waits(t),
			      memory_order_relaxed);
}

static void drop_queued(struct sk_process *p, struct sk_list *queued,
			uint64_t set)
{
	SK_LIST_EACH(node, queued)
	{
		struct queued *q = SK_CONTAINER(node, struct queued, link);

		if (!(SK_SIG_BIT(q->info.signo) & set))
			continue;
		sk_list_remove(&q->link);
		sk_free(p->kernel, q, sizeof(*q));
		p->queued_count--;
	}
}

void sk_signal_drop_task(struct sk_task *t)
{
	drop_queued(t->process, &t->queued, UINT64_MAX);
	t->pending = 0;
}

void sk_signal_drop_process(struct sk_process *p)
{
	drop_queued(p, &p->queued, UINT64_MAX);
	p->pending = 0;
}

void sk_signal_discard(struct sk_process *p, uint64_t set)
{
	if (p->pending & set)
		drop_queued(p, &p->queued, set);
	p->pending &= ~set;
	SK_LIST_EACH(node, &p->tasks)
	{
		struct sk_task *t = SK_CONTAINER(node, struct sk_task, link);

		if (t->pending & set)
			drop_queued(p, &t->queued, set);
		t->pending &= ~set;
	}
}

/* Adds a siginfo; the bit is the caller's. */
static int queue(struct sk_process *p, struct sk_list *queued, int signo,
		 const struct sk_abi_siginfo *info)
{
	struct queued *q = NULL;

	if (p->queued_count < QUEUED_MAX)
		q = sk_alloc(p->kernel, sizeof(*q));
	if (!q)
		return signo >= SK_SIGRTMIN && info && info->code < 0
			       ? -SK_EAGAIN
			       : 0;
	if (info)
		q->info = *info;
	else
		q->info.code = SK_SI_KERNEL;
	q->info.signo = signo;
	sk_list_add(queued, &q->link);
	p->queued_count++;
	return 0;
}

/* The first siginfo of a signal; tells whether there are more of it. */
static bool unqueue(struct sk_process *p, struct sk_list *queued, int signo,
		    struct sk_abi_siginfo *info)
{
	struct queued *found = NULL;

	*info = (struct sk_abi_siginfo){ .signo = signo };
	SK_LIST_EACH(node, queued)
	{
		struct queued *q = SK_CONTAINER(node, struct queued, link);

		if (q->info.signo != signo)
			continue;
		if (found)
			return true;
		found = q;
		*info = q->info;
		sk_list_remove(&q->link);
		sk_free(p->kernel, q, sizeof(*q));
		p->queued_count--;
	}
	return false;
}

bool sk_signal_holds_timer(struct sk_process *p, int32_t timer)
{
	SK_LIST_EACH(node, &p->queued)
	{
		const struct queued *q =
			SK_CONTAINER(node, struct queued, link);

		if (q->info.code == SK_SI_TIMER && q->info.timer == timer)
			return true;
	}
	return false;
}

int sk_signal_take(struct sk_task *t, uint64_t set, struct sk_abi_siginfo *info)
{
	struct sk_process *p = t->process;
	struct sk_abi_siginfo unused;
	uint64_t mine = t->pending & set, there = (mine | p->pending) & set;
	bool own, more;
	int signo;

	if (!there)
		return 0;
	if (!info)
		info = &unused;
	signo = __builtin_ctzll(there) + 1;
	own = mine & SK_SIG_BIT(signo);
	more = unqueue(p, own ? &t->queued : &p->queued, signo, info);
	if (info->code == SK_SI_TIMER)
		sk_timer_taken(p, info);
	if (!more && own)
		t->pending &= ~SK_SIG_BIT(signo);
	else if (!more)
		p->pending &= ~SK_SIG_BIT(signo);
	return signo;
}

static void stop(struct sk_process *p, int signo)
{
	if (p->state != SK_PROCESS_RUNNING)
		return;
	/* Who could continue it: nobody. */
	if (signo != SK_SIGSTOP && sk_group_orphaned(p->kernel, p->pgid))
		return;
	p->state = SK_PROCESS_STOPPED;
	p->stop_signal = signo;
	p->stop_unreported = true;
	p->continue_unreported = false;
	sk_process_report(p, SK_CLD_STOPPED, signo);
}

static void resume(struct sk_process *p)
{
	if (p->state != SK_PROCESS_STOPPED)
		return;
	p->state = SK_PROCESS_RUNNING;
	p->stop_unreported = false;
	p->continue_unreported = true;
	SK_LIST_EACH(node, &p->tasks)
	{
		struct sk_task *t = SK_CONTAINER(node, struct sk_task, link);

		sk_signal_attend(t);
		sk_task_wake(t);
	}
	sk_process_report(p, SK_CLD_CONTINUED, SK_SIGCONT);
}

/* What the default action or SIG_IGN does with a signal that was taken. */
static void act_on(struct sk_process *p, int signo)
{
	if (p->actions[signo].handler == SK_SIG_IGN)
		return;
	if (default_effect(signo) == END)
		sk_process_exit(p, signo);
	else if (default_effect(signo) == STOP)
		stop(p, signo);
}

void sk_signal_act(struct sk_task *t)
{
	struct sk_process *p = t->process;
	uint64_t set = (t->pending | p->pending) & ~t->blocked;

	while (set && !p->exiting) {
		int signo = __builtin_ctzll(set) + 1;

		set &= ~SK_SIG_BIT(signo);
		if (p->actions[signo].handler > SK_SIG_IGN)
			continue;
		while (sk_signal_take(t, SK_SIG_BIT(signo), NULL))
			;
		act_on(p, signo);
	}
	sk_signal_attend(t);
}

void sk_signal_mask(struct sk_task *t, uint64_t mask)
{
	t->blocked = mask & ~NEVER_BLOCKED;
	sk_signal_act(t);
}

void sk_signal_swap_mask(struct sk_task *t, uint64_t mask)
{
	if (t->has_saved_mask)
		return;
	t->has_saved_mask = true;
	t->saved_mask = t->blocked;
	sk_signal_mask(t, mask);
}

/* A task that would take the signal now, else the first. */
static struct sk_task *taker(struct sk_process *p, int signo)
{
	SK_LIST_EACH(node, &p->tasks)
	{
		struct sk_task *t = SK_CONTAINER(node, struct sk_task, link);

		if (!(t->blocked & SK_SIG_BIT(signo)))
			return t;
	}
	return sk_process_task(p);
}

/* To a task (`own`) or, by it, to its process. */
static int generate(struct sk_task *t, bool own, int signo,
		    const struct sk_abi_siginfo *info)
{
	struct sk_process *p = t->process;
	uint64_t bit = SK_SIG_BIT(signo);
	uint64_t *pending = own ? &t->pending : &p->pending;
	bool blocked = t->blocked & bit;
	int error;

	if (signo == SK_SIGCONT || signo == SK_SIGKILL)
		resume(p);
	if (signo == SK_SIGCONT)
		sk_signal_discard(p, STOPS);
	else if (bit & STOPS)
		sk_signal_discard(p, SK_SIG_BIT(SK_SIGCONT));
	/* Blocked and ignored: kept, for who gives it a handler, or waits. */
	if (!blocked && p->actions[signo].handler <= SK_SIG_IGN) {
		act_on(p, signo);
		sk_signal_attend(t);
		return 0;
	}
	if (signo >= SK_SIGRTMIN || !(*pending & bit)) {
		error = queue(p, own ? &t->queued : &p->queued, signo, info);
		if (error)
			return error;
		*pending |= bit;
	}
	if (!blocked) {
		sk_signal_attend(t);
		sk_task_wake(t);
	}
	sk_waitq_wake(&p->signalled);
	return 0;
}

/* Process 1 is its host: no signal is for it. */
static bool deaf(struct sk_process *p)
{
	return p->exiting || p->state == SK_PROCESS_ZOMBIE ||
	       p == p->kernel->init || sk_list_empty(&p->tasks);
}

int sk_signal_send(struct sk_process *p, int signo,
		   const struct sk_abi_siginfo *info)
{
	if (signo < 0 || signo > SK_SIGMAX)
		return -SK_EINVAL;
	if (signo == 0 || deaf(p))
		return 0;
	return generate(taker(p, signo), false, signo, info);
}

int sk_signal_task(struct sk_task *t, int signo,
		   const struct sk_abi_siginfo *info)
{
	if (signo < 0 || signo > SK_SIGMAX)
		return -SK_EINVAL;
	if (signo == 0 || deaf(t->process))
		return 0;
	return generate(t, true, signo, info);
}

int sk_signal_group(struct sk_kernel *k, int32_t pgid, int signo)
{
	int result = -SK_ESRCH;

	SK_LIST_EACH(node, &k->processes)
	{
		struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		if (p->pgid != pgid)
			continue;
		sk_signal_send(p, signo, NULL);
		result = 0;
	}
	return result;
}

int sk_kernel_kill(struct sk_kernel *k, int32_t pid, int signo)
{
	struct sk_process *p;
	int result = -SK_ESRCH;

	sk_lock(k);
	p = sk_process_find(k, pid);
	if (p)
		result = sk_signal_send(p, signo, NULL);
	sk_unlock(k);
	return result;
}

void sk_signal_fork(struct sk_task *child, const struct sk_task *parent)
{
	memcpy(child->process->actions, parent->process->actions,
	       sizeof(child->process->actions));
	child->blocked = parent->blocked;
}

void sk_signal_exec(struct sk_task *t)
{
	for (int signo = 1; signo <= SK_SIGMAX; signo++) {
		struct sk_abi_sigaction *a = &t->process->actions[signo];

		*a = (struct sk_abi_sigaction){ .handler =
							a->handler == SK_SIG_IGN
								? SK_SIG_IGN
								: SK_SIG_DFL };
	}
	sk_signal_act(t);
}

/* Enters the handler's mask; the frame has what is to be restored. */
static void fill_frame(struct sk_task *t, int signo,
		       struct sk_abi_sigframe *frame)
{
	struct sk_abi_sigaction *a = &t->process->actions[signo];
	uint64_t restore = t->has_saved_mask ? t->saved_mask : t->blocked;
	uint64_t mask = a->mask[0] | (uint64_t)a->mask[1] << 32;

	frame->signo = signo;
	frame->handler = a->handler;
	frame->flags = a->flags;
	frame->mask[0] = (uint32_t)restore;
	frame->mask[1] = (uint32_t)(restore >> 32);
	t->has_saved_mask = false;
	if (!(a->flags & SK_SA_NODEFER))
		mask |= SK_SIG_BIT(signo);
	if (a->flags & SK_SA_RESETHAND) {
		a->handler = SK_SIG_DFL;
		a->flags &= ~(uint32_t)SK_SA_SIGINFO;
	}
	sk_signal_mask(t, t->blocked | mask);
}

static int64_t next(struct sk_task *t, sk_user to)
{
	struct sk_abi_sigframe frame = { 0 };
	int signo;

	/* Nothing left: a mask for one call only is over. */
	if (!sk_signal_waits(t) && t->has_saved_mask) {
		t->has_saved_mask = false;
		sk_signal_mask(t, t->saved_mask);
	}
	if (!sk_signal_waits(t))
		return 0;
	signo = sk_signal_take(t, ~t->blocked, &frame.info);
	fill_frame(t, signo, &frame);
	if (sk_copy_out(t, to, &frame, sizeof(frame)))
		sk_process_exit(t->process, SK_SIGSEGV);
	return 1;
}

int64_t sk_next_signal(struct sk_task *t, sk_user frame)
{
	struct sk_process *p = t->process;
	int64_t result;

	/* After a park the task is in KERNEL already. */
	if (atomic_load(&t->state) != SK_TASK_KERNEL && !sk_task_enter(t))
		return SK_CALL_EXIT;
	sk_lock(p->kernel);
	t->parked = false;
	t->face.deadline = SK_NEVER;
	if (!p->exiting && p->state == SK_PROCESS_STOPPED)
		return sk_task_parks(t);
	result = p->exiting ? 0 : next(t, frame);
	if (p->exiting)
		return sk_task_exits(t);
	if (p->state == SK_PROCESS_STOPPED && !result)
		return sk_task_parks(t);
	sk_unlock(p->kernel);
	return sk_task_leave(t) ? result : SK_CALL_EXIT;
}

/* Whether the handler of a trap's signal can run: else it ends the process. */
static bool catches(const struct sk_task *t, int signo)
{
	return t->process->actions[signo].handler > SK_SIG_IGN &&
	       !(t->blocked & SK_SIG_BIT(signo));
}

int64_t sk_trap(struct sk_task *t, int signo, int code, sk_user addr)
{
	struct sk_process *p = t->process;
	struct sk_abi_siginfo info = { .signo = signo, .code = code };

	if (!sk_task_enter(t))
		return SK_CALL_EXIT;
	sk_lock(p->kernel);
	info.addr = addr;
	if (!p->exiting && catches(t, signo))
		sk_signal_task(t, signo, &info);
	else
		sk_process_exit(p, signo);
	if (p->exiting)
		return sk_task_exits(t);
	sk_unlock(p->kernel);
	return sk_task_leave(t) ? 0 : SK_CALL_EXIT;
}
