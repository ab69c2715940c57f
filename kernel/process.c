/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of processes, and their making and unmaking. A process is in the
 * table from its making until it was waited for; its memory stays until its
 * last task has ended too. Both come in any order: `reaped` and an empty list
 * of tasks are the two halves, and whichever comes second frees it.
 */
#include "exec.h"
#include "file.h"
#include "process.h"

#define PID_MAX 4194304

static struct sk_process **bucket(struct sk_kernel *k, int32_t pid)
{
	return &k->pids[(uint32_t)pid % k->pid_buckets];
}

struct sk_process *sk_process_find(struct sk_kernel *k, int32_t pid)
{
	struct sk_process *p = pid > 0 ? *bucket(k, pid) : NULL;

	while (p && p->pid != pid)
		p = p->hash_next;
	return p;
}

/* A pid is free when it names no process, group or session. */
static bool pid_is_used(struct sk_kernel *k, int32_t pid)
{
	if (sk_process_find(k, pid))
		return true;
	SK_LIST_EACH(node, &k->processes)
	{
		struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		if (p->pgid == pid || p->sid == pid)
			return true;
	}
	return false;
}

static int32_t next_pid(struct sk_kernel *k)
{
	do {
		if (k->last_pid++ >= PID_MAX) {
			k->last_pid = 2;
			k->pids_wrapped = true;
		}
	} while (k->pids_wrapped && pid_is_used(k, k->last_pid));
	return k->last_pid;
}

static void enter_tables(struct sk_process *p)
{
	struct sk_kernel *k = p->kernel;
	struct sk_process **b = bucket(k, p->pid);

	p->hash_next = *b;
	*b = p;
	sk_list_add(&k->processes, &p->link);
	k->process_count++;
	if (p->parent)
		sk_list_add(&p->parent->children, &p->sibling);
}

static void leave_tables(struct sk_process *p)
{
	struct sk_process **at = bucket(p->kernel, p->pid);

	while (*at != p)
		at = &(*at)->hash_next;
	*at = p->hash_next;
	sk_list_remove(&p->link);
	sk_list_remove(&p->sibling);
	p->parent = NULL;
	p->kernel->process_count--;
}

static void free_process(struct sk_process *p)
{
	sk_waitq_fini(&p->child_changed);
	sk_waitq_fini(&p->signalled);
	sk_waitq_fini(&p->futexes);
	if (p->args)
		sk_free(p->kernel, p->args, p->args_size);
	sk_free(p->kernel, p, sizeof(*p));
}

int sk_process_new(struct sk_kernel *k, struct sk_process *parent,
		   struct sk_task **out)
{
	struct sk_process *p;
	int error;

	if (k->process_count >= k->max_processes)
		return -SK_EAGAIN;
	p = sk_alloc(k, sizeof(*p));
	if (!p)
		return -SK_ENOMEM;
	p->kernel = k;
	p->parent = parent;
	p->pid = p->pgid = p->sid = next_pid(k);
	sk_list_init(&p->link);
	sk_list_init(&p->tasks);
	sk_list_init(&p->children);
	sk_list_init(&p->sibling);
	sk_list_init(&p->mappings);
	sk_list_init(&p->queued);
	sk_list_init(&p->timers);
	sk_waitq_init(&p->child_changed);
	sk_waitq_init(&p->signalled);
	sk_waitq_init(&p->futexes);
	sk_alarm_init(p);
	p->started = sk_now(k, SK_CLOCK_MONOTONIC);
	p->umask = 022;
	error = sk_task_new(p, p->pid, out);
	if (error) {
		sk_free(k, p, sizeof(*p));
		return error;
	}
	enter_tables(p);
	return 0;
}

void sk_process_release(struct sk_process *p)
{
	sk_alarm_end(p);
	sk_timers_end(p);
	if (p->fds)
		sk_fds_put(p->fds, p);
	p->fds = NULL;
	sk_mappings_drop(p);
	if (p->tty)
		sk_tty_leave(p);
	sk_image_drop(p);
	sk_path_put(&p->cwd);
	sk_path_put(&p->root);
	sk_path_put(&p->program);
	p->cwd = p->root = p->program = (struct sk_path){ 0 };
}

void sk_process_drop(struct sk_process *p)
{
	sk_process_release(p);
	sk_task_free(sk_process_task(p));
	leave_tables(p);
	free_process(p);
}

void sk_process_reap(struct sk_process *p)
{
	leave_tables(p);
	p->reaped = true;
	sk_process_ended(p);
}

void sk_process_ended(struct sk_process *p)
{
	if (p->reaped && sk_list_empty(&p->tasks))
		free_process(p);
}

struct sk_task *sk_process_task(struct sk_process *p)
{
	if (sk_list_empty(&p->tasks))
		return NULL;
	return SK_CONTAINER(p->tasks.next, struct sk_task, link);
}
