/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait4 and waitid. Orphans that process 1 was given are nobody's to wait
 * for: they go by themselves.
 */
#include "calls.h"
#include "copy.h"
#include "process.h"

struct want {
	int which; /* SK_P_* */
	int32_t id;
	uint32_t options; /* SK_WEXITED... */
};

struct got {
	int32_t pid; /* 0: nothing yet */
	uint32_t uid;
	int code;	/* SK_CLD_* */
	int32_t status; /* as wait4 gives it */
	int32_t value;	/* as waitid gives it */
	int64_t utime, stime;
};

static bool wanted(const struct want *w, const struct sk_process *child)
{
	if (child->auto_reap)
		return false;
	switch (w->which) {
	case SK_P_PID:
		return child->pid == w->id;
	case SK_P_PGID:
		return child->pgid == w->id;
	}
	return true;
}

static void get_end(struct sk_process *child, struct got *got)
{
	int signo = child->status & 0x7f;

	got->code = signo ? SK_CLD_KILLED : SK_CLD_EXITED;
	got->status = child->status;
	got->value = signo ? signo : child->status >> 8 & 0xff;
}

/* What a child has to say that is wanted; takes it unless WNOWAIT. */
static bool look(struct sk_process *child, uint32_t options, struct got *got)
{
	bool keep = options & SK_WNOWAIT;

	if (child->state == SK_PROCESS_ZOMBIE) {
		if (!(options & SK_WEXITED))
			return false;
		get_end(child, got);
	} else if (child->stop_unreported && (options & SK_WSTOPPED)) {
		child->stop_unreported = keep;
		got->code = SK_CLD_STOPPED;
		got->value = child->stop_signal;
		got->status = got->value << 8 | 0x7f;
	} else if (child->continue_unreported && (options & SK_WCONTINUED)) {
		child->continue_unreported = keep;
		got->code = SK_CLD_CONTINUED;
		got->value = SK_SIGCONT;
		got->status = 0xffff;
	} else {
		return false;
	}
	got->pid = child->pid;
	got->uid = child->uid[0];
	got->utime = child->utime + child->child_utime;
	got->stime = child->stime + child->child_stime;
	return true;
}

static void account(struct sk_process *p, struct sk_process *child)
{
	p->child_utime += child->utime + child->child_utime;
	p->child_stime += child->stime + child->child_stime;
}

/* 0 with *got filled (its pid 0 with WNOHANG), or -errno, -SK_PARK. */
static int64_t wait_for(struct sk_task *t, const struct want *w,
			struct got *got)
{
	struct sk_process *p = t->process;
	bool any = false;

	*got = (struct got){ 0 };
	SK_LIST_EACH(node, &p->children)
	{
		struct sk_process *child =
			SK_CONTAINER(node, struct sk_process, sibling);

		if (!wanted(w, child))
			continue;
		any = true;
		if (!look(child, w->options, got))
			continue;
		if (child->state == SK_PROCESS_ZOMBIE &&
		    !(w->options & SK_WNOWAIT)) {
			account(p, child);
			sk_process_reap(child);
		}
		return 0;
	}
	if (!any)
		return -SK_ECHILD;
	if (w->options & SK_WNOHANG)
		return 0;
	return sk_wait_on(t, &p->child_changed);
}

static int put_usage(struct sk_task *t, sk_user to, const struct got *got)
{
	struct sk_abi_rusage usage;

	if (!to)
		return 0;
	sk_usage_fill(&usage, got->utime, got->stime);
	return sk_copy_out(t, to, &usage, sizeof(usage));
}

int64_t sk_sys_wait4(struct sk_task *t, const uint64_t *a)
{
	int32_t id = (int32_t)a[0];
	struct want w = { SK_P_ALL, 0, (uint32_t)a[2] };
	struct got got;
	int64_t result;

	if (w.options & ~(SK_WNOHANG | SK_WUNTRACED | SK_WCONTINUED))
		return -SK_EINVAL;
	if (id == INT32_MIN)
		return -SK_ESRCH;
	w.options |= SK_WEXITED;
	if (id > 0)
		w = (struct want){ SK_P_PID, id, w.options };
	else if (id != -1)
		w = (struct want){ SK_P_PGID, id ? -id : t->process->pgid,
				   w.options };
	result = wait_for(t, &w, &got);
	if (result || !got.pid)
		return result;
	if (a[1] && sk_copy_out(t, (sk_user)a[1], &got.status, 4))
		return -SK_EFAULT;
	if (put_usage(t, (sk_user)a[3], &got))
		return -SK_EFAULT;
	return got.pid;
}

static int put_info(struct sk_task *t, sk_user to, const struct got *got)
{
	struct sk_abi_siginfo info = { 0 };

	if (!to)
		return 0;
	if (got->pid) {
		info.signo = SK_SIGCHLD;
		info.code = got->code;
		info.pid = got->pid;
		info.uid = got->uid;
		info.status = got->value;
	}
	return sk_copy_out(t, to, &info, sizeof(info));
}

int64_t sk_sys_waitid(struct sk_task *t, const uint64_t *a)
{
	const uint32_t events = SK_WEXITED | SK_WSTOPPED | SK_WCONTINUED;
	struct want w = { (int32_t)a[0], (int32_t)a[1], (uint32_t)a[3] };
	struct got got;
	int64_t result;

	if ((w.options & ~(events | SK_WNOHANG | SK_WNOWAIT)) ||
	    !(w.options & events) || w.which < SK_P_ALL ||
	    w.which > SK_P_PGID || (w.which == SK_P_PID && w.id <= 0) ||
	    (w.which == SK_P_PGID && w.id < 0))
		return -SK_EINVAL;
	if (w.which == SK_P_PGID && !w.id)
		w.id = t->process->pgid;
	result = wait_for(t, &w, &got);
	if (result)
		return result;
	if (put_info(t, (sk_user)a[2], &got) ||
	    put_usage(t, (sk_user)a[4], &got))
		return -SK_EFAULT;
	return 0;
}
