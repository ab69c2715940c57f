/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fork and vfork: the kernel's half. The child has all that it inherits and
 * no memory; the host gives it one and a thread (or the parent's, vfork).
 */
#include "file.h"
#include "process.h"

/* What a child has of its parent but for open files and arguments. */
static void inherit(struct sk_process *child, struct sk_process *parent)
{
	child->pgid = parent->pgid;
	child->sid = parent->sid;
	memcpy(child->uid, parent->uid, sizeof(child->uid));
	memcpy(child->gid, parent->gid, sizeof(child->gid));
	memcpy(child->groups, parent->groups, sizeof(child->groups));
	child->group_count = parent->group_count;
	child->cwd = parent->cwd;
	child->root = parent->root;
	child->program = parent->program;
	sk_path_get(&child->program);
	sk_path_get(&child->cwd);
	sk_path_get(&child->root);
	child->umask = parent->umask;
	memcpy(child->limits, parent->limits, sizeof(child->limits));
	child->nice = parent->nice;
	child->policy = parent->policy;
	child->priority = parent->priority;
	memcpy(child->name, parent->name, sizeof(child->name));
	child->tty = parent->tty;
	if (child->tty)
		sk_tty_join(child->tty);
}

static int copy_args(struct sk_process *child, const struct sk_process *parent)
{
	if (!parent->args)
		return 0;
	child->args = sk_alloc(child->kernel, parent->args_size);
	if (!child->args)
		return -SK_ENOMEM;
	memcpy(child->args, parent->args, parent->args_size);
	child->args_size = parent->args_size;
	child->argc = parent->argc;
	child->envc = parent->envc;
	return 0;
}

/* RLIMIT_NPROC, which root does not have. */
static bool too_many(const struct sk_process *p)
{
	uint32_t count = 0;

	if (!p->uid[1] ||
	    p->limits[SK_RLIMIT_NPROC].cur >= p->kernel->max_processes)
		return false;
	SK_LIST_EACH(node, &p->kernel->processes)
	count += SK_CONTAINER(node, struct sk_process, link)->uid[0] ==
		 p->uid[0];
	return count >= p->limits[SK_RLIMIT_NPROC].cur;
}

int sk_process_copy(struct sk_task *t, struct sk_task **out)
{
	struct sk_process *parent = t->process, *child;
	struct sk_task *task;
	int error;

	if (too_many(parent))
		return -SK_EAGAIN;
	error = sk_process_new(parent->kernel, parent, &task);
	if (error)
		return error;
	child = task->process;
	inherit(child, parent);
	sk_signal_fork(task, t);
	error = sk_fds_copy(parent->fds, &child->fds);
	if (!error)
		error = copy_args(child, parent);
	if (error) {
		sk_process_drop(child);
		return error;
	}
	*out = task;
	return 0;
}

int64_t sk_fork(struct sk_task *t, struct sk_task **child)
{
	struct sk_kernel *k = sk_kernel_of(t);
	int64_t result;

	if (!sk_task_enter(t))
		return SK_CALL_EXIT;
	sk_lock(k);
	if (t->process->exiting)
		return sk_task_exits(t);
	result = sk_process_copy(t, child);
	/* A fork has the parent's memory, and so its mappings: no spawn. */
	if (!result) {
		result = sk_mappings_copy(t->process, (*child)->process);
		if (result)
			sk_process_drop((*child)->process);
	}
	if (!result)
		result = (*child)->process->pid;
	sk_unlock(k);
	if (sk_task_leave(t))
		return result;
	if (result > 0)
		sk_fork_undo(*child);
	return SK_CALL_EXIT;
}

void sk_fork_undo(struct sk_task *child)
{
	struct sk_kernel *k = sk_kernel_of(child);

	sk_lock(k);
	sk_process_drop(child->process);
	sk_unlock(k);
}
