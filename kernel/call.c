/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A system call, from its entry to its end.
 *
 *     USER --enter--> KERNEL --leave--> USER
 *
 * A task goes from USER to KERNEL before it may touch the lock, and back only
 * after it gave it back, so a host that ends threads by force (in USER, by
 * host->terminate) never ends one that holds it. Whoever ends a process makes
 * its tasks DYING: then entering or leaving fails, and the thread leaves the
 * program. A parked task stays in KERNEL.
 *
 * Three things make a call end in something else than its result: the process
 * is ending (SK_CALL_EXIT), it is stopped (the call parks, at its beginning),
 * a signal interrupts its wait (-EINTR or -ERESTART, never both handlers run
 * and work done twice: a call gives -SK_ERESTART only when it did nothing).
 */
#include "calls.h"
#include "process.h"

struct entry {
	sk_call_function *call;
	uint32_t flags;
};

static const struct entry table[SK_SYS_MAX] = {
#define ENTRY(name, flags) [SK_SYS_##name] = { sk_sys_##name, flags },
	SK_CALLS(ENTRY)
#undef ENTRY
};

static uint32_t attention(struct sk_task *t)
{
	return atomic_load_explicit(&t->face.attention, memory_order_relaxed);
}

static int64_t with_attention(struct sk_task *t, int64_t result)
{
	result = (int64_t)(uint32_t)result;
	return attention(t) ? result | SK_RESULT_SIGNAL : result;
}

bool sk_task_enter(struct sk_task *t)
{
	uint32_t state = SK_TASK_USER;

	return atomic_compare_exchange_strong(&t->state, &state,
					      SK_TASK_KERNEL);
}

bool sk_task_leave(struct sk_task *t)
{
	uint32_t state = SK_TASK_KERNEL;

	return atomic_compare_exchange_strong(&t->state, &state, SK_TASK_USER);
}

int64_t sk_task_parks(struct sk_task *t)
{
	t->parked = true;
	t->face.seen =
		atomic_load_explicit(&t->face.wake, memory_order_relaxed);
	sk_unlock(sk_kernel_of(t));
	return SK_CALL_PARK;
}

int64_t sk_task_exits(struct sk_task *t)
{
	sk_wait_leave(t);
	sk_process_finish(t);
	sk_unlock(sk_kernel_of(t));
	return SK_CALL_EXIT;
}

/* Whether the next handler wants the interrupted call made again. */
static bool restarts(struct sk_task *t)
{
	struct sk_process *p = t->process;
	uint64_t set = (t->pending | p->pending) & ~t->blocked;

	if (!set)
		return true;
	return p->actions[__builtin_ctzll(set) + 1].flags & SK_SA_RESTART;
}

static int64_t finish(struct sk_task *t, int64_t result, uint32_t flags)
{
	struct sk_kernel *k = sk_kernel_of(t);

	if (!sk_list_empty(&t->waiters))
		sk_wait_leave(t);
	if (result == -SK_EXIT || t->process->exiting)
		return sk_task_exits(t);
	if (result == -SK_ERESTART &&
	    ((flags & SK_CALL_NO_RESTART) || !restarts(t)))
		result = -SK_EINTR;
	/* A mask for this call only: a frame restores it, or nothing came. */
	if (t->has_saved_mask && !sk_signal_waits(t)) {
		t->has_saved_mask = false;
		sk_signal_mask(t, t->saved_mask);
		if (t->process->exiting)
			return sk_task_exits(t);
	}
	/* The task stays in KERNEL until the commit, or until it failed. */
	if (result == -SK_EXEC) {
		sk_unlock(k);
		return SK_CALL_EXEC;
	}
	if (result == -SK_ERESTART)
		result = (int64_t)(uint32_t)result | SK_RESULT_SIGNAL;
	else
		result = with_attention(t, result);
	sk_unlock(k);
	return sk_task_leave(t) ? result : SK_CALL_EXIT;
}

static int64_t run(struct sk_task *t)
{
	const struct entry *e = &table[t->call.n];
	int64_t result;

	t->face.deadline = SK_NEVER;
	if (t->process->exiting)
		return sk_task_exits(t);
	if (t->process->state == SK_PROCESS_STOPPED)
		return sk_task_parks(t);
	result = e->call(t, t->call.a);
	if (result == -SK_PARK)
		return sk_task_parks(t);
	return finish(t, result, e->flags);
}

int64_t sk_call(struct sk_task *t, uint32_t n, const uint64_t a[6])
{
	const struct entry *e;

	if (n >= SK_SYS_MAX || !table[n].call)
		return with_attention(t, -SK_ENOSYS);
	e = &table[n];
	if (e->flags & SK_CALL_UNLOCKED)
		return with_attention(t, e->call(t, a));
	if (!sk_task_enter(t))
		return SK_CALL_EXIT;
	memset(&t->call, 0, sizeof(t->call));
	t->call.n = n;
	memcpy(t->call.a, a, sizeof(t->call.a));
	sk_lock(sk_kernel_of(t));
	return run(t);
}

int64_t sk_call_again(struct sk_task *t)
{
	sk_lock(sk_kernel_of(t));
	t->parked = false;
	sk_wait_leave(t);
	t->call.again = true;
	return run(t);
}

void sk_task_park(struct sk_task *t)
{
	const struct sk_kernel *k = t->face.kernel;

	k->host->wait(k->self, &t->face.wake, t->face.seen, t->face.deadline);
}
