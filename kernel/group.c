/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Process groups and sessions. A group is orphaned when no member has a
 * parent in another group of the same session: nobody is left who would
 * continue it when it stops.
 */
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
