/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls on signals: actions, masks, waiting for one, sending one. */
#include "calls.h"
#include "copy.h"
#include "process.h"

#define SET_SIZE      8
#define ALT_STACK_MIN 2048

static int copy_set(struct sk_task *t, uint64_t *set, sk_user from)
{
	return sk_copy_in(t, set, from, SET_SIZE);
}

int64_t sk_sys_rt_sigaction(struct sk_task *t, const uint64_t *a)
{
	int32_t signo = (int32_t)a[0];
	struct sk_abi_sigaction *action, new;

	if (signo < 1 || signo > SK_SIGMAX || (uint32_t)a[3] != SET_SIZE)
		return -SK_EINVAL;
	action = &t->process->actions[signo];
	if (a[1] && sk_copy_in(t, &new, (sk_user)a[1], sizeof(new)))
		return -SK_EFAULT;
	if (a[1] && (signo == SK_SIGKILL || signo == SK_SIGSTOP))
		return -SK_EINVAL;
	if (a[2] && sk_copy_out(t, (sk_user)a[2], action, sizeof(*action)))
		return -SK_EFAULT;
	if (!a[1])
		return 0;
	*action = new;
	if (sk_signal_ignored(t->process, signo))
		sk_signal_discard(t->process, SK_SIG_BIT(signo));
	sk_signal_act(t);
	return 0;
}

int64_t sk_sys_rt_sigprocmask(struct sk_task *t, const uint64_t *a)
{
	uint64_t set = 0, old = t->blocked;

	if ((uint32_t)a[3] != SET_SIZE)
		return -SK_EINVAL;
	if (a[1] && copy_set(t, &set, (sk_user)a[1]))
		return -SK_EFAULT;
	if (a[2] && sk_copy_out(t, (sk_user)a[2], &old, SET_SIZE))
		return -SK_EFAULT;
	if (!a[1])
		return 0;
	switch ((int32_t)a[0]) {
	case SK_SIG_BLOCK:
		set |= old;
		break;
	case SK_SIG_UNBLOCK:
		set = old & ~set;
		break;
	case SK_SIG_SETMASK:
		break;
	default:
		return -SK_EINVAL;
	}
	sk_signal_mask(t, set);
	return 0;
}

int64_t sk_sys_rt_sigreturn(struct sk_task *t, const uint64_t *a)
{
	sk_signal_mask(t, a[0]);
	return 0;
}

int64_t sk_sys_rt_sigpending(struct sk_task *t, const uint64_t *a)
{
	uint64_t set = (t->pending | t->process->pending) & t->blocked;

	if ((uint32_t)a[1] != SET_SIZE)
		return -SK_EINVAL;
	return sk_copy_out(t, (sk_user)a[0], &set, SET_SIZE);
}

int64_t sk_sys_rt_sigsuspend(struct sk_task *t, const uint64_t *a)
{
	uint64_t set;

	if ((uint32_t)a[1] != SET_SIZE)
		return -SK_EINVAL;
	if (copy_set(t, &set, (sk_user)a[0]))
		return -SK_EFAULT;
	sk_signal_swap_mask(t, set);
	return sk_wait_on(t, NULL);
}

int64_t sk_sys_rt_sigtimedwait(struct sk_task *t, const uint64_t *a)
{
	struct sk_abi_siginfo info;
	int64_t deadline = SK_NEVER, now, result;
	uint64_t set;
	int signo, error;

	if ((uint32_t)a[3] != SET_SIZE)
		return -SK_EINVAL;
	if (copy_set(t, &set, (sk_user)a[0]))
		return -SK_EFAULT;
	if (a[2]) {
		error = sk_copy_time(t, &deadline, (sk_user)a[2]);
		if (error)
			return error;
		now = sk_now(sk_kernel_of(t), SK_CLOCK_MONOTONIC);
		deadline =
			deadline > SK_NEVER - now ? SK_NEVER : now + deadline;
	}
	signo = sk_signal_take(t, set, &info);
	if (signo) {
		sk_signal_attend(t);
		if (a[1] && sk_copy_out(t, (sk_user)a[1], &info, sizeof(info)))
			return -SK_EFAULT;
		return signo;
	}
	result = sk_wait_until(t, &t->process->signalled, deadline);
	return result == -SK_ETIMEDOUT ? -SK_EAGAIN : result;
}

/* As Linux: an own uid that is one of theirs, or root. */
static bool may_signal(const struct sk_process *from,
		       const struct sk_process *to, int signo)
{
	const uint32_t *mine = from->uid, *theirs = to->uid;

	if (to == to->kernel->init && from != to && mine[1])
		return false;
	return !mine[1] || mine[0] == theirs[0] || mine[0] == theirs[2] ||
	       mine[1] == theirs[0] || mine[1] == theirs[2] ||
	       (signo == SK_SIGCONT && from->sid == to->sid);
}

static struct sk_abi_siginfo from_task(struct sk_task *t, int signo, int code)
{
	struct sk_abi_siginfo info = { .signo = signo, .code = code };

	info.pid = t->process->pid;
	info.uid = t->process->uid[0];
	return info;
}

#define ALL (-1) /* in place of a group */

/* To all of a group: 0 when one could be sent to. */
static int64_t kill_many(struct sk_task *t, int signo, int32_t pgid)
{
	struct sk_process *me = t->process;
	struct sk_abi_siginfo info = from_task(t, signo, SK_SI_USER);
	int64_t result = -SK_ESRCH;

	SK_LIST_EACH(node, &me->kernel->processes)
	{
		struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		if (pgid == ALL ? p == me || p == me->kernel->init
				: p->pgid != pgid)
			continue;
		if (!may_signal(me, p, signo)) {
			if (result == -SK_ESRCH)
				result = -SK_EPERM;
			continue;
		}
		sk_signal_send(p, signo, &info);
		result = 0;
	}
	return result;
}

int64_t sk_sys_kill(struct sk_task *t, const uint64_t *a)
{
	int32_t pid = (int32_t)a[0], signo = (int32_t)a[1];
	struct sk_abi_siginfo info;
	struct sk_process *p;

	if (signo < 0 || signo > SK_SIGMAX)
		return -SK_EINVAL;
	if (pid == -1)
		return kill_many(t, signo, ALL);
	if (pid == INT32_MIN)
		return -SK_ESRCH;
	if (pid <= 0)
		return kill_many(t, signo, pid ? -pid : t->process->pgid);
	p = sk_process_find(sk_kernel_of(t), pid);
	if (!p)
		return -SK_ESRCH;
	if (!may_signal(t->process, p, signo))
		return -SK_EPERM;
	info = from_task(t, signo, SK_SI_USER);
	return sk_signal_send(p, signo, &info);
}

static int64_t kill_task(struct sk_task *t, int32_t tgid, int32_t tid,
			 int signo)
{
	struct sk_abi_siginfo info = from_task(t, signo, SK_SI_TKILL);
	struct sk_process *p;
	struct sk_task *to;

	if (tid <= 0 || (tgid <= 0 && tgid != -1) || signo < 0 ||
	    signo > SK_SIGMAX)
		return -SK_EINVAL;
	p = sk_process_find(sk_kernel_of(t), tid);
	to = p ? sk_process_task(p) : NULL;
	if (!to || (tgid != -1 && p->pid != tgid))
		return -SK_ESRCH;
	if (!may_signal(t->process, p, signo))
		return -SK_EPERM;
	return sk_signal_task(to, signo, &info);
}

int64_t sk_sys_tkill(struct sk_task *t, const uint64_t *a)
{
	return kill_task(t, -1, (int32_t)a[0], (int32_t)a[1]);
}

int64_t sk_sys_tgkill(struct sk_task *t, const uint64_t *a)
{
	int32_t tgid = (int32_t)a[0];

	if (tgid <= 0)
		return -SK_EINVAL;
	return kill_task(t, tgid, (int32_t)a[1], (int32_t)a[2]);
}

int64_t sk_sys_rt_sigqueueinfo(struct sk_task *t, const uint64_t *a)
{
	int32_t pid = (int32_t)a[0], signo = (int32_t)a[1];
	struct sk_abi_siginfo info;
	struct sk_process *p;

	if (sk_copy_in(t, &info, (sk_user)a[2], sizeof(info)))
		return -SK_EFAULT;
	if (signo < 0 || signo > SK_SIGMAX)
		return -SK_EINVAL;
	/* Nobody may say that the kernel, or a tkill, sent it. */
	if ((info.code >= 0 || info.code == SK_SI_TKILL) &&
	    pid != t->process->pid)
		return -SK_EPERM;
	p = pid > 0 ? sk_process_find(sk_kernel_of(t), pid) : NULL;
	if (!p)
		return -SK_ESRCH;
	if (!may_signal(t->process, p, signo))
		return -SK_EPERM;
	info.signo = signo;
	return sk_signal_send(p, signo, &info);
}

int64_t sk_sys_sigaltstack(struct sk_task *t, const uint64_t *a)
{
	struct sk_alt_stack new;

	if (a[0] && sk_copy_in(t, &new, (sk_user)a[0], sizeof(new)))
		return -SK_EFAULT;
	if (a[1] &&
	    sk_copy_out(t, (sk_user)a[1], &t->alt_stack, sizeof(t->alt_stack)))
		return -SK_EFAULT;
	if (!a[0])
		return 0;
	if (new.flags & ~SK_SS_DISABLE)
		return -SK_EINVAL;
	if (new.flags & SK_SS_DISABLE)
		new = (struct sk_alt_stack){ .flags = SK_SS_DISABLE };
	else if (new.size < ALT_STACK_MIN)
		return -SK_ENOMEM;
	t->alt_stack = new;
	return 0;
}
