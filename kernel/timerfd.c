/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timerfd: a timer that is read. Its expirations are counted, and a read takes
 * the count; it waits while that is 0. A moment of REALTIME becomes one of
 * MONOTONIC when the timer is set.
 */
#include "calls.h"
#include "file.h"
#include "process.h"

#define NSEC	  INT64_C(1000000000)
#define FLAGS_SET 3u /* SK_TIMER_ABSTIME, and cancel-on-set: has no effect */

struct timerfd {
	struct sk_timer timer;
	int64_t interval; /* ns, 0: once */
	uint64_t ticks;
	int32_t clock;
	struct sk_waitq ticked;
};

static int64_t later(int64_t now, int64_t ns)
{
	return ns > SK_NEVER - now ? SK_NEVER : now + ns;
}

static void fires(struct sk_kernel *k, struct sk_timer *timer)
{
	struct timerfd *tf = SK_CONTAINER(timer, struct timerfd, timer);
	int64_t now = sk_now(k, SK_CLOCK_MONOTONIC);

	tf->ticks++;
	if (tf->interval) {
		int64_t missed = (now - timer->expired) / tf->interval;

		tf->ticks += (uint64_t)missed;
		sk_timer_set(
			k, timer,
			later(timer->expired, (missed + 1) * tf->interval));
	}
	sk_waitq_wake(&tf->ticked);
}

static int64_t timerfd_read(struct sk_file *f, struct sk_task *t,
			    struct sk_io *io)
{
	struct timerfd *tf = f->data;

	if (io->left < sizeof(tf->ticks))
		return -SK_EINVAL;
	if (!tf->ticks)
		return io->flags & SK_O_NONBLOCK ? -SK_EAGAIN
						 : sk_wait_on(t, &tf->ticked);
	if (sk_io_put(io, &tf->ticks, sizeof(tf->ticks)) != sizeof(tf->ticks))
		return -SK_EFAULT;
	tf->ticks = 0;
	return sizeof(tf->ticks);
}

static uint32_t timerfd_poll(struct sk_file *f, struct sk_waitq *queues[2],
			     uint32_t *count)
{
	struct timerfd *tf = f->data;

	queues[0] = &tf->ticked;
	*count = 1;
	return tf->ticks ? SK_POLLIN : 0;
}

static void timerfd_release(struct sk_file *f)
{
	struct timerfd *tf = f->data;

	sk_timer_set(f->kernel, &tf->timer, SK_NEVER);
	sk_waitq_fini(&tf->ticked);
	sk_free(f->kernel, tf, sizeof(*tf));
}

static const struct sk_file_ops timerfd_ops = {
	.mode = 0600,
	.read = timerfd_read,
	.poll = timerfd_poll,
	.release = timerfd_release,
};

int64_t sk_sys_timerfd_create(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	int32_t clock = (int32_t)a[0];
	uint32_t flags = (uint32_t)a[1];
	struct timerfd *tf;
	struct sk_file *f;
	int error;

	if (clock != SK_CLOCK_REALTIME && clock != SK_CLOCK_MONOTONIC &&
	    clock != SK_CLOCK_BOOTTIME)
		return -SK_EINVAL;
	if (flags & ~(uint32_t)(SK_O_CLOEXEC | SK_O_NONBLOCK))
		return -SK_EINVAL;
	tf = sk_alloc(k, sizeof(*tf));
	if (!tf)
		return -SK_ENOMEM;
	error = sk_file_new(k, &timerfd_ops,
			    SK_O_RDWR | (flags & SK_O_NONBLOCK), &f);
	if (error) {
		sk_free(k, tf, sizeof(*tf));
		return error;
	}
	tf->clock = clock;
	sk_timer_init(&tf->timer, fires);
	sk_waitq_init(&tf->ticked);
	f->data = tf;
	return sk_fd_install(t, f, 0, flags & SK_O_CLOEXEC);
}

static struct timerfd *timer_of(struct sk_task *t, int fd, int *error)
{
	struct sk_file *f = sk_fd_file(t, fd);

	*error = !f ? -SK_EBADF : f->ops != &timerfd_ops ? -SK_EINVAL : 0;
	return *error ? NULL : f->data;
}

/* What is left, and the interval. */
static int copy_state(struct sk_task *t, const struct timerfd *tf, sk_user to)
{
	int64_t left = 0;
	struct sk_abi_itimerspec spec;

	if (tf->timer.deadline != SK_NEVER) {
		left = tf->timer.deadline -
		       sk_now(sk_kernel_of(t), SK_CLOCK_MONOTONIC);
		if (left <= 0)
			left = 1;
	}
	spec.value = (struct sk_abi_timespec){ left / NSEC, left % NSEC };
	spec.interval = (struct sk_abi_timespec){ tf->interval / NSEC,
						  tf->interval % NSEC };
	return sk_copy_out(t, to, &spec, sizeof(spec));
}

/* ns of a timespec; -SK_EINVAL. */
static int64_t ns_of(const struct sk_abi_timespec *ts)
{
	int32_t nsec = (int32_t)ts->nsec;

	if (ts->sec < 0 || nsec < 0 || nsec >= NSEC)
		return -SK_EINVAL;
	return ts->sec > SK_NEVER / NSEC - 1 ? SK_NEVER - 1
					     : ts->sec * NSEC + nsec;
}

/* When a timer is to fire, in MONOTONIC. */
static int64_t deadline_of(struct sk_kernel *k, const struct timerfd *tf,
			   int64_t value, bool absolute)
{
	int64_t now = sk_now(k, SK_CLOCK_MONOTONIC);

	if (absolute && tf->clock != SK_CLOCK_REALTIME)
		return value;
	if (absolute)
		value -= sk_now(k, SK_CLOCK_REALTIME);
	return value <= 0 ? now : later(now, value);
}

int64_t sk_sys_timerfd_settime(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	uint32_t flags = (uint32_t)a[1];
	struct sk_abi_itimerspec spec;
	int64_t value, interval;
	int error;
	struct timerfd *tf = timer_of(t, (int)a[0], &error);

	if (flags & ~FLAGS_SET)
		return -SK_EINVAL;
	if (sk_copy_in(t, &spec, (sk_user)a[2], sizeof(spec)))
		return -SK_EFAULT;
	if (!tf)
		return error;
	value = ns_of(&spec.value);
	interval = ns_of(&spec.interval);
	if (value < 0 || interval < 0)
		return -SK_EINVAL;
	error = a[3] ? copy_state(t, tf, (sk_user)a[3]) : 0;
	if (error)
		return error;
	tf->ticks = 0;
	tf->interval = value ? interval : 0;
	sk_timer_set(k, &tf->timer,
		     value ? deadline_of(k, tf, value, flags & SK_TIMER_ABSTIME)
			   : SK_NEVER);
	return 0;
}

int64_t sk_sys_timerfd_gettime(struct sk_task *t, const uint64_t *a)
{
	int error;
	const struct timerfd *tf = timer_of(t, (int)a[0], &error);

	return tf ? copy_state(t, tf, (sk_user)a[1]) : error;
}
