/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Process groups and sessions. A group is orphaned when no member has a
 * parent in another group of the same session: nobody is left who would
 * continue it when it stops.
 */
#include "calls.h"
#include "process.h"

/* Whether `p` ties its group to the rest of the session. */
static bool ties(const struct sk_process *p)
{
	return !p->finishing && p->parent && p->parent->pgid != p->pgid &&
	       p->parent->sid == p->sid;
}

static bool orphaned_without(struct sk_kernel *k, int32_t pgid,
			     const struct sk_process *without)
{
	SK_LIST_EACH(node, &k->processes)
	{
		struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		if (p->pgid == pgid && p != without && ties(p) &&
		    p->parent != without)
			return false;
	}
	return true;
}

bool sk_group_orphaned(struct sk_kernel *k, int32_t pgid)
{
	return orphaned_without(k, pgid, NULL);
}

static bool has_stopped(struct sk_kernel *k, int32_t pgid,
			const struct sk_process *without)
{
	SK_LIST_EACH(node, &k->processes)
	{
		struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		if (p->pgid == pgid && p != without &&
		    p->state == SK_PROCESS_STOPPED)
			return true;
	}
	return false;
}

static void hang_up(struct sk_kernel *k, int32_t pgid,
		    const struct sk_process *leaving)
{
	if (!has_stopped(k, pgid, leaving) ||
	    !orphaned_without(k, pgid, leaving))
		return;
	sk_signal_group(k, pgid, SK_SIGHUP);
	sk_signal_group(k, pgid, SK_SIGCONT);
}

void sk_group_check_orphans(struct sk_process *p)
{
	struct sk_kernel *k = p->kernel;

	if (p->parent && p->parent->sid == p->sid && p->parent->pgid != p->pgid)
		hang_up(k, p->pgid, p);
	SK_LIST_EACH(node, &p->children)
	{
		struct sk_process *child =
			SK_CONTAINER(node, struct sk_process, sibling);

		if (child->pgid != p->pgid && child->sid == p->sid)
			hang_up(k, child->pgid, p);
	}
}

/* The process that a pid argument names; 0 is the caller. */
static struct sk_process *named(struct sk_task *t, uint64_t pid)
{
	if (!(int32_t)pid)
		return t->process;
	return sk_process_find(sk_kernel_of(t), (int32_t)pid);
}

int64_t sk_sys_getpgid(struct sk_task *t, const uint64_t *a)
{
	const struct sk_process *p = named(t, a[0]);

	return p ? p->pgid : -SK_ESRCH;
}

int64_t sk_sys_getsid(struct sk_task *t, const uint64_t *a)
{
	const struct sk_process *p = named(t, a[0]);

	return p ? p->sid : -SK_ESRCH;
}

#define ANY_SESSION (-1)

/* A group of that id in that session. */
static bool group_exists(struct sk_kernel *k, int32_t pgid, int32_t sid)
{
	SK_LIST_EACH(node, &k->processes)
	{
		const struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		if (p->pgid == pgid && (sid == ANY_SESSION || p->sid == sid))
			return true;
	}
	return false;
}

int64_t sk_sys_setpgid(struct sk_task *t, const uint64_t *a)
{
	struct sk_process *me = t->process, *p = named(t, a[0]);
	int32_t pgid = (int32_t)a[1];

	if (pgid < 0)
		return -SK_EINVAL;
	if (!p || (p != me && p->parent != me))
		return -SK_ESRCH;
	if (p != me && p->sid != me->sid)
		return -SK_EPERM;
	if (p != me && p->did_exec)
		return -SK_EACCES;
	if (p->sid == p->pid)
		return -SK_EPERM;
	if (!pgid)
		pgid = p->pid;
	if (pgid == p->pgid)
		return 0;
	if (pgid != p->pid && !group_exists(me->kernel, pgid, p->sid))
		return -SK_EPERM;
	sk_group_check_orphans(p);
	p->pgid = pgid;
	return 0;
}

int64_t sk_sys_setsid(struct sk_task *t, const uint64_t *a)
{
	struct sk_process *p = t->process;

	(void)a;
	if (group_exists(p->kernel, p->pid, ANY_SESSION))
		return -SK_EPERM;
	if (p->tty)
		sk_tty_leave(p);
	sk_group_check_orphans(p);
	p->sid = p->pgid = p->pid;
	return p->sid;
}
