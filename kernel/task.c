/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks: made with their process, ended by their host. */
#include "process.h"

int32_t sk_task_pid(struct sk_task *t)
{
	return t->process->pid;
}

int sk_task_new(struct sk_process *p, int32_t tid, struct sk_task **out)
{
	struct sk_task *t = sk_alloc(p->kernel, sizeof(*t));

	if (!t)
		return -SK_ENOMEM;
	t->face.kernel = p->kernel;
	t->face.deadline = SK_NEVER;
	t->process = p;
	t->tid = tid;
	t->alt_stack.flags = SK_SS_DISABLE;
	sk_list_init(&t->waiters);
	sk_list_init(&t->queued);
	sk_list_add(&p->tasks, &t->link);
	*out = t;
	return 0;
}

void sk_task_free(struct sk_task *t)
{
	sk_wait_leave(t);
	sk_signal_drop_task(t);
	sk_list_remove(&t->link);
	sk_free(t->face.kernel, t, sizeof(*t));
}

void sk_task_end(struct sk_task *t)
{
	struct sk_kernel *k = t->face.kernel;
	struct sk_process *p = t->process;

	sk_lock(k);
	sk_wait_leave(t);
	/* A thread that just went away: as if the program had left. */
	if (!p->exiting)
		sk_process_exit(p, 0);
	sk_process_finish(t);
	sk_task_free(t);
	sk_process_ended(p);
	sk_unlock(k);
}
