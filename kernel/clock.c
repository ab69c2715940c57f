/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks, sleeps and alarms (setitimer).
 *
 * The kernel counts in ns of MONOTONIC. REALTIME is the host's plus what
 * clock_settime added; who waits for a moment of it looks again when that
 * changes. ITIMER_VIRTUAL and ITIMER_PROF run in real time: the kernel is not
 * told when a program computes.
 */
#include "calls.h"
#include "copy.h"
#include "process.h"

#define SECOND	    INT64_C(1000000000)
#define CPU_CLOCK   2 /* in the low bits of a coded pid */
#define SECONDS_MAX (INT64_MAX / SECOND - 1)

int sk_copy_time(struct sk_task *t, int64_t *ns, sk_user from)
{
	struct sk_abi_timespec ts;
	int32_t part;

	if (sk_copy_in(t, &ts, from, sizeof(ts)))
		return -SK_EFAULT;
	part = (int32_t)ts.nsec;
	if (ts.sec < 0 || part < 0 || part >= SECOND)
		return -SK_EINVAL;
	*ns = ts.sec > SECONDS_MAX ? SK_NEVER : ts.sec * SECOND + part;
	return 0;
}

int sk_put_time(struct sk_task *t, sk_user to, int64_t ns)
{
	struct sk_abi_timespec ts = { ns / SECOND, ns % SECOND };

	if (ts.nsec < 0) {
		ts.sec--;
		ts.nsec += SECOND;
	}
	return sk_copy_out(t, to, &ts, sizeof(ts));
}

static int64_t later(int64_t now, int64_t ns)
{
	return ns > SK_NEVER - now ? SK_NEVER : now + ns;
}

/* Clocks that have a number of their own: the clock that they follow. */
static int base_of(int32_t id)
{
	switch (id) {
	case SK_CLOCK_REALTIME:
	case SK_CLOCK_REALTIME_COARSE:
		return SK_CLOCK_REALTIME;
	case SK_CLOCK_MONOTONIC:
	case SK_CLOCK_MONOTONIC_RAW:
	case SK_CLOCK_MONOTONIC_COARSE:
	case SK_CLOCK_BOOTTIME:
		return SK_CLOCK_MONOTONIC;
	}
	return -1;
}

/*
 * CPU time of a clock: of this process, or of the one whose pid is coded in a
 * negative id, as clock_getcpuclockid makes them. A running process other
 * than this one has 0 until it ends.
 */
static int64_t cpu_clock(struct sk_task *t, int32_t id)
{
	struct sk_kernel *k = t->face.kernel;
	int32_t pid = id < 0 ? ~(id >> 3) : 0;
	struct sk_process *p;
	int64_t ns;

	if (id < 0 ? (id & 7) != CPU_CLOCK
		   : id != SK_CLOCK_PROCESS_CPUTIME_ID &&
			     id != SK_CLOCK_THREAD_CPUTIME_ID)
		return -SK_EINVAL;
	if (!pid || pid == t->process->pid)
		return k->host->cpu_time(k->self, t);
	sk_lock(k);
	p = sk_process_find(k, pid);
	ns = p ? p->utime : -SK_EINVAL;
	sk_unlock(k);
	return ns;
}

static int64_t read_clock(struct sk_task *t, int32_t id)
{
	int base = base_of(id);
	int64_t ns;

	if (base >= 0)
		return sk_now(t->face.kernel, base);
	if (id < 0 && !sk_task_enter(t))
		return 0;
	ns = cpu_clock(t, id);
	if (id < 0)
		sk_task_leave(t);
	return ns;
}

/* Unlocked. */
int64_t sk_sys_clock_gettime(struct sk_task *t, const uint64_t *a)
{
	int64_t ns = read_clock(t, (int32_t)a[0]);

	if (ns == -SK_EINVAL)
		return ns;
	return sk_put_time(t, (sk_user)a[1], ns);
}

/* Unlocked. */
int64_t sk_sys_clock_getres(struct sk_task *t, const uint64_t *a)
{
	if (read_clock(t, (int32_t)a[0]) == -SK_EINVAL)
		return -SK_EINVAL;
	return a[1] ? sk_put_time(t, (sk_user)a[1], 1) : 0;
}

/* Unlocked. */
int64_t sk_sys_gettimeofday(struct sk_task *t, const uint64_t *a)
{
	int64_t ns = sk_now(t->face.kernel, SK_CLOCK_REALTIME);
	struct sk_abi_timeval tv = { ns / SECOND, ns % SECOND / 1000 };

	return a[0] ? sk_copy_out(t, (sk_user)a[0], &tv, sizeof(tv)) : 0;
}

int64_t sk_sys_clock_settime(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	int64_t ns;
	int error;

	if ((int32_t)a[0] != SK_CLOCK_REALTIME)
		return -SK_EINVAL;
	error = sk_copy_time(t, &ns, (sk_user)a[1]);
	if (error)
		return error;
	if (ns == SK_NEVER)
		return -SK_EINVAL;
	if (t->process->uid[1])
		return -SK_EPERM;
	k->realtime_offset += ns - sk_now(k, SK_CLOCK_REALTIME);
	SK_LIST_EACH(node, &k->processes)
	sk_timers_clock_set(SK_CONTAINER(node, struct sk_process, link));
	sk_waitq_wake(&k->clock_set);
	return 0;
}

/* -SK_PARK until a moment of MONOTONIC; then 0. */
static int64_t sleep_until(struct sk_task *t, struct sk_waitq *q,
			   int64_t deadline)
{
	int64_t result = sk_wait_until(t, q, deadline);

	return result == -SK_ETIMEDOUT ? 0 : result;
}

static int64_t sleep_for(struct sk_task *t, int64_t ns, sk_user remaining)
{
	struct sk_kernel *k = sk_kernel_of(t);
	int64_t now = sk_now(k, SK_CLOCK_MONOTONIC), left, result;

	result = sleep_until(t, NULL, later(now, ns));
	if (result == -SK_ERESTART && remaining) {
		left = t->call.deadline - now;
		if (sk_put_time(t, remaining, left > 0 ? left : 0))
			return -SK_EFAULT;
	}
	return result;
}

int64_t sk_sys_nanosleep(struct sk_task *t, const uint64_t *a)
{
	int64_t ns;
	int error = sk_copy_time(t, &ns, (sk_user)a[0]);

	return error ? error : sleep_for(t, ns, (sk_user)a[1]);
}

/* The moment is one of the realtime clock: it moves when that is set. */
static int64_t sleep_until_realtime(struct sk_task *t, int64_t moment)
{
	struct sk_kernel *k = sk_kernel_of(t);
	int64_t left = moment - sk_now(k, SK_CLOCK_REALTIME);

	t->call.deadline = 0;
	return sleep_until(
		t, &k->clock_set,
		later(sk_now(k, SK_CLOCK_MONOTONIC), left > 0 ? left : 0));
}

int64_t sk_sys_clock_nanosleep(struct sk_task *t, const uint64_t *a)
{
	int32_t id = (int32_t)a[0];
	int base = base_of(id);
	int64_t ns;
	int error = sk_copy_time(t, &ns, (sk_user)a[2]);

	if (id == SK_CLOCK_THREAD_CPUTIME_ID)
		return -SK_EINVAL;
	if (base < 0)
		return id == SK_CLOCK_PROCESS_CPUTIME_ID || id < 0
			       ? -SK_EOPNOTSUPP
			       : -SK_EINVAL;
	if (error)
		return error;
	if (!(a[1] & SK_TIMER_ABSTIME))
		return sleep_for(t, ns, (sk_user)a[3]);
	if (base == SK_CLOCK_REALTIME)
		return sleep_until_realtime(t, ns);
	return sleep_until(t, NULL, ns);
}

static void alarm_fires(struct sk_kernel *k, struct sk_timer *timer)
{
	struct sk_alarm *alarm = SK_CONTAINER(timer, struct sk_alarm, timer);

	if (alarm->interval)
		sk_timer_set(
			k, timer,
			later(sk_now(k, SK_CLOCK_MONOTONIC), alarm->interval));
	sk_signal_send(alarm->process, alarm->signo, NULL);
}

void sk_alarm_init(struct sk_process *p)
{
	static const int signals[] = { SK_SIGALRM, SK_SIGVTALRM, SK_SIGPROF };

	for (int i = 0; i < 3; i++) {
		sk_timer_init(&p->alarms[i].timer, alarm_fires);
		p->alarms[i].process = p;
		p->alarms[i].signo = signals[i];
	}
}

void sk_alarm_end(struct sk_process *p)
{
	for (int i = 0; i < 3; i++)
		sk_timer_set(p->kernel, &p->alarms[i].timer, SK_NEVER);
}

static int put_alarm(struct sk_task *t, sk_user to,
		     const struct sk_alarm *alarm)
{
	struct sk_abi_itimerval value = { 0 };
	int64_t left = 0;

	if (alarm->timer.deadline != SK_NEVER) {
		left = alarm->timer.deadline -
		       sk_now(sk_kernel_of(t), SK_CLOCK_MONOTONIC);
		/* What is about to fire has not fired yet. */
		if (left < 1000)
			left = 1000;
	}
	value.interval_sec = (int32_t)(alarm->interval / SECOND);
	value.interval_usec = (int32_t)(alarm->interval % SECOND / 1000);
	/* Rounded up: alarm() answers whole seconds that are left. */
	left += 999;
	value.value_sec = (int32_t)(left / SECOND);
	value.value_usec = (int32_t)(left % SECOND / 1000);
	return sk_copy_out(t, to, &value, sizeof(value));
}

int64_t sk_sys_getitimer(struct sk_task *t, const uint64_t *a)
{
	if ((uint32_t)a[0] > SK_ITIMER_PROF)
		return -SK_EINVAL;
	return put_alarm(t, (sk_user)a[1], &t->process->alarms[a[0] & 3]);
}

static bool is_time(int32_t sec, int32_t usec)
{
	return sec >= 0 && usec >= 0 && usec < 1000000;
}

int64_t sk_sys_setitimer(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_abi_itimerval value = { 0 };
	struct sk_alarm *alarm;
	int64_t ns;

	if ((uint32_t)a[0] > SK_ITIMER_PROF)
		return -SK_EINVAL;
	if (a[1] && sk_copy_in(t, &value, (sk_user)a[1], sizeof(value)))
		return -SK_EFAULT;
	if (!is_time(value.interval_sec, value.interval_usec) ||
	    !is_time(value.value_sec, value.value_usec))
		return -SK_EINVAL;
	alarm = &t->process->alarms[a[0] & 3];
	if (a[2] && put_alarm(t, (sk_user)a[2], alarm))
		return -SK_EFAULT;
	ns = value.value_sec * SECOND + value.value_usec * INT64_C(1000);
	alarm->interval = value.interval_sec * SECOND +
			  value.interval_usec * INT64_C(1000);
	sk_timer_set(k, &alarm->timer,
		     ns ? later(sk_now(k, SK_CLOCK_MONOTONIC), ns) : SK_NEVER);
	return 0;
}
