/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers of timer_create. A timer's signal is pending at most once; what
 * expires meanwhile is counted, and is the overrun of the one that is taken.
 * CPU-time clocks have no timers (-SK_ENOTSUP at their making).
 */
#include "calls.h"
#include "copy.h"
#include "process.h"

#define TIMERS_MAX	256
#define SIGEV_SIGNAL	0
#define SIGEV_NONE	1
#define SIGEV_THREAD_ID 4
#define OVERRUNS_MAX	INT32_MAX

struct ptimer {
	struct sk_list link; /* in sk_process.timers */
	struct sk_timer timer;
	struct sk_process *process;
	int32_t id, clock, signo, value, notify;
	int64_t interval;      /* ns, 0: once */
	int64_t moment;	       /* of REALTIME, when it was set to one; else 0 */
	int64_t overruns;      /* since its signal was sent */
	int32_t last_overruns; /* of the signal that was taken last */
};

struct event { /* what musl hands over */
	int32_t value, signo, notify, tid;
};

static int64_t later(int64_t now, int64_t ns)
{
	return ns > SK_NEVER - now ? SK_NEVER : now + ns;
}

static void fires(struct sk_kernel *k, struct sk_timer *timer)
{
	struct ptimer *pt = SK_CONTAINER(timer, struct ptimer, timer);
	int64_t now = sk_now(k, SK_CLOCK_MONOTONIC), missed;
	struct sk_abi_siginfo info = { .code = SK_SI_TIMER };

	pt->moment = 0;
	if (pt->interval) {
		missed = (now - timer->expired) / pt->interval;
		sk_timer_set(
			k, timer,
			later(timer->expired, (missed + 1) * pt->interval));
		pt->overruns += missed;
	}
	if (pt->notify == SIGEV_NONE)
		return;
	if (sk_signal_holds_timer(pt->process, pt->id)) {
		pt->overruns++;
		return;
	}
	info.timer = pt->id;
	info.timer_value = pt->value;
	sk_signal_send(pt->process, pt->signo, &info);
}

static struct ptimer *find(struct sk_process *p, int32_t id)
{
	SK_LIST_EACH(node, &p->timers)
	{
		struct ptimer *pt = SK_CONTAINER(node, struct ptimer, link);

		if (pt->id == id)
			return pt;
	}
	return NULL;
}

void sk_timer_taken(struct sk_process *p, struct sk_abi_siginfo *info)
{
	struct ptimer *pt = find(p, info->timer);

	if (!pt)
		return;
	pt->last_overruns = pt->overruns < OVERRUNS_MAX ? (int32_t)pt->overruns
							: OVERRUNS_MAX;
	pt->overruns = 0;
	info->overrun = pt->last_overruns;
}

static int read_event(struct sk_task *t, sk_user from, struct event *event)
{
	if (!from)
		return 0;
	if (sk_copy_in(t, event, from, sizeof(*event)))
		return -SK_EFAULT;
	if (event->notify == SIGEV_NONE)
		return 0;
	if (event->notify != SIGEV_SIGNAL && event->notify != SIGEV_THREAD_ID)
		return -SK_EINVAL;
	return event->signo < 1 || event->signo > SK_SIGMAX ? -SK_EINVAL : 0;
}

static int check_clock(int32_t clock)
{
	switch (clock) {
	case SK_CLOCK_REALTIME:
	case SK_CLOCK_MONOTONIC:
	case SK_CLOCK_BOOTTIME:
		return 0;
	case SK_CLOCK_PROCESS_CPUTIME_ID:
	case SK_CLOCK_THREAD_CPUTIME_ID:
		return -SK_EOPNOTSUPP;
	}
	return -SK_EINVAL;
}

int64_t sk_sys_timer_create(struct sk_task *t, const uint64_t *a)
{
	struct sk_process *p = t->process;
	struct event event = { .signo = SK_SIGALRM };
	struct ptimer *pt;
	int error = check_clock((int32_t)a[0]);

	if (!error)
		error = read_event(t, (sk_user)a[1], &event);
	if (error)
		return error;
	if (p->next_timer >= INT32_MAX - 1 || p->timer_count >= TIMERS_MAX)
		return -SK_EAGAIN;
	pt = sk_alloc(p->kernel, sizeof(*pt));
	if (!pt)
		return -SK_EAGAIN;
	pt->process = p;
	pt->id = p->next_timer;
	pt->clock = (int32_t)a[0];
	pt->signo = event.signo;
	pt->value = a[1] ? event.value : pt->id;
	pt->notify = event.notify;
	if (sk_copy_out(t, (sk_user)a[2], &pt->id, 4)) {
		sk_free(p->kernel, pt, sizeof(*pt));
		return -SK_EFAULT;
	}
	sk_timer_init(&pt->timer, fires);
	sk_list_add(&p->timers, &pt->link);
	p->next_timer++;
	p->timer_count++;
	return 0;
}

static void drop(struct ptimer *pt)
{
	struct sk_process *p = pt->process;

	sk_timer_set(p->kernel, &pt->timer, SK_NEVER);
	sk_list_remove(&pt->link);
	sk_free(p->kernel, pt, sizeof(*pt));
	p->timer_count--;
}

int64_t sk_sys_timer_delete(struct sk_task *t, const uint64_t *a)
{
	struct ptimer *pt = find(t->process, (int32_t)a[0]);

	if (!pt)
		return -SK_EINVAL;
	drop(pt);
	return 0;
}

void sk_timers_end(struct sk_process *p)
{
	SK_LIST_EACH(node, &p->timers)
	drop(SK_CONTAINER(node, struct ptimer, link));
	p->next_timer = 0;
}

/* A moment of REALTIME lies elsewhere on MONOTONIC now. */
static void set_moment(struct ptimer *pt)
{
	struct sk_kernel *k = pt->process->kernel;
	int64_t left = pt->moment - sk_now(k, SK_CLOCK_REALTIME);

	sk_timer_set(k, &pt->timer,
		     later(sk_now(k, SK_CLOCK_MONOTONIC), left > 0 ? left : 0));
}

void sk_timers_clock_set(struct sk_process *p)
{
	SK_LIST_EACH(node, &p->timers)
	{
		struct ptimer *pt = SK_CONTAINER(node, struct ptimer, link);

		if (pt->moment)
			set_moment(pt);
	}
}

static int put_times(struct sk_task *t, sk_user to, const struct ptimer *pt)
{
	int64_t left = 0;

	if (pt->timer.deadline != SK_NEVER) {
		left = pt->timer.deadline -
		       sk_now(sk_kernel_of(t), SK_CLOCK_MONOTONIC);
		left = left > 0 ? left : 1;
	}
	if (sk_put_time(t, to, pt->interval))
		return -SK_EFAULT;
	return sk_put_time(t, to + sizeof(struct sk_abi_timespec), left);
}

int64_t sk_sys_timer_gettime(struct sk_task *t, const uint64_t *a)
{
	const struct ptimer *pt = find(t->process, (int32_t)a[0]);

	return pt ? put_times(t, (sk_user)a[1], pt) : -SK_EINVAL;
}

int64_t sk_sys_timer_getoverrun(struct sk_task *t, const uint64_t *a)
{
	const struct ptimer *pt = find(t->process, (int32_t)a[0]);

	return pt ? pt->last_overruns : -SK_EINVAL;
}

int64_t sk_sys_timer_settime(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct ptimer *pt = find(t->process, (int32_t)a[0]);
	int64_t interval, value;
	int error;

	if (!pt || !a[2])
		return -SK_EINVAL;
	error = sk_copy_time(t, &interval, (sk_user)a[2]);
	if (!error)
		error = sk_copy_time(t, &value,
				     (sk_user)a[2] +
					     sizeof(struct sk_abi_timespec));
	if (!error && a[3])
		error = put_times(t, (sk_user)a[3], pt);
	if (error)
		return error;
	pt->interval = interval;
	pt->overruns = 0;
	pt->moment = 0;
	if (!value) {
		sk_timer_set(k, &pt->timer, SK_NEVER);
	} else if (!(a[1] & SK_TIMER_ABSTIME)) {
		sk_timer_set(k, &pt->timer,
			     later(sk_now(k, SK_CLOCK_MONOTONIC), value));
	} else if (pt->clock == SK_CLOCK_REALTIME) {
		pt->moment = value;
		set_moment(pt);
	} else {
		sk_timer_set(k, &pt->timer, value);
	}
	return 0;
}
