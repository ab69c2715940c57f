/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
// wasm
#include "sk_test.h"
#include "tests/kernel/rig.h"

#define SECOND INT64_C(1000000000)

static sk_user time_at(struct sk_task *t, int64_t sec, int64_t nsec)
{
	const struct sk_abi_timespec ts = { sec, nsec };

	return rig_put(t, &ts, sizeof(ts));
}

static int64_t ns_at(struct sk_task *t, sk_user at)
{
	const struct sk_abi_timespec *ts = rig_at(t, at);

	return ts->sec * SECOND + ts->nsec;
}

static void catch (struct sk_task *t, int signo)
{
	const struct sk_abi_sigaction action = { .handler = 99,
						 .flags = SK_SA_SIGINFO };

	RIG(t, rt_sigaction, (uint64_t)signo,
	    rig_put(t, &action, sizeof(action)), 0, 8);
}

SK_TEST(clocks_answer_what_the_host_says)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	sk_user at = time_at(t, 0, 0);

	r->cpu_time = 77;
	assert_int_equal(RIG(t, clock_gettime, SK_CLOCK_REALTIME, at), 0);
	assert_int_equal(ns_at(t, at), r->realtime);
	RIG(t, clock_gettime, SK_CLOCK_BOOTTIME, at);
	assert_int_equal(ns_at(t, at), r->monotonic);
	RIG(t, clock_gettime, SK_CLOCK_PROCESS_CPUTIME_ID, at);
	assert_int_equal(ns_at(t, at), 77);
	assert_int_equal(RIG(t, clock_gettime, 99, at), -SK_EINVAL);
	assert_int_equal(RIG(t, clock_gettime, 0, RIG_MEMORY - 8), -SK_EFAULT);
	/* As clock_getcpuclockid codes the pids 2 and 99. */
	assert_int_equal(RIG(t, clock_gettime, (uint64_t)(-3 * 8 + 2), at), 0);
	assert_int_equal(RIG(t, clock_gettime, (uint64_t)(-100 * 8 + 2), at),
			 -SK_EINVAL);
	assert_int_equal(RIG(t, clock_gettime, (uint64_t)-1, at), -SK_EINVAL);
	assert_int_equal(RIG(t, clock_getres, 1, at), 0);
	assert_int_equal(ns_at(t, at), 1);
	rig_free(r);
}

SK_TEST(nanosleep_sleeps_as_long_as_it_says)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	assert_int_equal(RIG(t, nanosleep, time_at(t, 1, 5), 0), RIG_PARKED);
	rig_sleep(r, SECOND + 4);
	assert_int_equal(rig_again(t), RIG_PARKED);
	rig_sleep(r, 1);
	assert_int_equal(rig_again(t), 0);
	assert_int_equal(RIG(t, nanosleep, time_at(t, 0, 0), 0), 0);
	assert_int_equal(RIG(t, nanosleep, time_at(t, 0, SECOND), 0),
			 -SK_EINVAL);
	assert_int_equal(RIG(t, nanosleep, time_at(t, -1, 0), 0), -SK_EINVAL);
	rig_free(r);
}

SK_TEST(an_interrupted_sleep_tells_what_is_left)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	sk_user left = time_at(t, 0, 0);

	catch (t, SK_SIGUSR1);
	assert_int_equal(RIG(t, nanosleep, time_at(t, 10, 0), left),
			 RIG_PARKED);
	rig_sleep(r, 3 * SECOND);
	RIG(r->init, kill, 2, SK_SIGUSR1);
	assert_int_equal(rig_again(t), -SK_EINTR);
	assert_int_equal(ns_at(t, left), 7 * SECOND);
	rig_free(r);
}

SK_TEST(a_sleep_until_a_realtime_moment_follows_the_clock)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	int64_t moment = r->realtime / SECOND + 100;

	assert_int_equal(RIG(t, clock_nanosleep, SK_CLOCK_REALTIME,
			     SK_TIMER_ABSTIME, time_at(t, moment, 0), 0),
			 RIG_PARKED);
	assert_int_equal(RIG(r->init, clock_settime, SK_CLOCK_REALTIME,
			     time_at(r->init, moment - 1, 0)),
			 0);
	assert_int_equal(rig_again(t), RIG_PARKED);
	rig_sleep(r, SECOND);
	assert_int_equal(rig_again(t), 0);
	rig_free(r);
}

SK_TEST(an_alarm_rings_and_again_at_its_interval)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	const struct sk_abi_itimerval value = { 1, 0, 2, 500000 };
	struct sk_abi_itimerval *left;
	sk_user at = rig_put(t, &value, sizeof(value));
	struct sk_abi_sigframe frame;

	catch (t, SK_SIGALRM);
	assert_int_equal(RIG(t, setitimer, SK_ITIMER_REAL, at, 0), 0);
	assert_int_equal(r->timer, r->monotonic + 5 * SECOND / 2);
	rig_sleep(r, SECOND);
	RIG(t, getitimer, SK_ITIMER_REAL, at);
	left = rig_at(t, at);
	assert_int_equal(left->value_sec, 1);
	assert_int_equal(left->value_usec, 500000);
	rig_sleep(r, 3 * SECOND / 2);
	assert_int_equal(rig_next_signal(t, &frame), 1);
	assert_int_equal(frame.signo, SK_SIGALRM);
	RIG(t, rt_sigreturn, 0);
	rig_sleep(r, SECOND);
	assert_int_equal(rig_next_signal(t, &frame), 1);
	memset(left, 0, sizeof(*left));
	RIG(t, setitimer, SK_ITIMER_REAL, at, 0);
	assert_int_equal(r->timer, SK_NEVER);
	assert_int_equal(RIG(t, setitimer, 3, at, 0), -SK_EINVAL);
	left->value_usec = 1000000;
	assert_int_equal(RIG(t, setitimer, 0, at, 0), -SK_EINVAL);
	rig_free(r);
}

SK_TEST(an_alarm_is_of_the_process_not_of_its_child)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init), *child;
	const struct sk_abi_itimerval value = { 0, 0, 1, 0 };
	sk_user at = rig_put(t, &value, sizeof(value));

	RIG(t, setitimer, SK_ITIMER_REAL, at, 0);
	child = rig_fork(r, t);
	rig_sleep(r, SECOND);
	assert_int_equal(RIG(child, umask, 0), 022);
	assert_int_equal(RIG(t, umask, 0), RIG_EXITED);
	rig_free(r);
}

static int32_t make_timer(struct sk_task *t, int clock, int signo, int value)
{
	const int32_t event[4] = { value, signo, 0, 0 };
	sk_user at = rig_room(t, 4);

	assert_int_equal(RIG(t, timer_create, (uint64_t)clock,
			     rig_put(t, event, sizeof(event)), at),
			 0);
	return *(int32_t *)rig_at(t, at);
}

static int64_t set_timer(struct sk_task *t, int32_t id, int flags,
			 int64_t interval, int64_t value)
{
	const struct sk_abi_itimerspec spec = {
		{ interval / SECOND, interval % SECOND },
		{ value / SECOND, value % SECOND },
	};

	return RIG(t, timer_settime, (uint64_t)id, (uint64_t)flags,
		   rig_put(t, &spec, sizeof(spec)), 0);
}

SK_TEST(a_timer_sends_its_value_and_counts_overruns)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	const uint64_t set = SK_SIG_BIT(40);
	struct sk_abi_sigframe frame;
	int32_t id;

	catch (t, 40);
	id = make_timer(t, SK_CLOCK_MONOTONIC, 40, 1234);
	RIG(t, rt_sigprocmask, SK_SIG_BLOCK, rig_put(t, &set, 8), 0, 8);
	assert_int_equal(set_timer(t, id, 0, SECOND, SECOND), 0);
	for (int i = 0; i < 4; i++)
		rig_sleep(r, SECOND);
	rig_sleep(r, 3 * SECOND);
	RIG(t, rt_sigprocmask, SK_SIG_UNBLOCK, rig_put(t, &set, 8), 0, 8);
	assert_int_equal(rig_next_signal(t, &frame), 1);
	assert_int_equal(frame.info.code, SK_SI_TIMER);
	assert_int_equal(frame.info.timer_value, 1234);
	assert_int_equal(frame.info.overrun, 6);
	assert_int_equal(RIG(t, timer_getoverrun, (uint64_t)id), 6);
	assert_int_equal(RIG(t, timer_delete, (uint64_t)id), 0);
	assert_int_equal(RIG(t, timer_delete, (uint64_t)id), -SK_EINVAL);
	assert_int_equal(r->timer, SK_NEVER);
	rig_free(r);
}

SK_TEST(a_timer_at_a_realtime_moment_follows_the_clock)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	int64_t moment = r->realtime / SECOND + 100;
	int32_t id;

	catch (t, SK_SIGUSR1);
	id = make_timer(t, SK_CLOCK_REALTIME, SK_SIGUSR1, 0);
	set_timer(t, id, SK_TIMER_ABSTIME, 0, moment * SECOND);
	RIG(r->init, clock_settime, SK_CLOCK_REALTIME,
	    time_at(r->init, moment + 1, 0));
	assert_int_equal(r->timer, r->monotonic);
	rig_sleep(r, 0);
	RIG(t, umask, 0);
	assert_true(rig_signalled(t));
	rig_free(r);
}

SK_TEST(timers_that_cannot_be_are_refused)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	const int32_t event[4] = { 0, 65, 0, 0 };
	sk_user at = rig_room(t, 4);

	assert_int_equal(RIG(t, timer_create, 99, 0, at), -SK_EINVAL);
	assert_int_equal(
		RIG(t, timer_create, 0, rig_put(t, event, sizeof(event)), at),
		-SK_EINVAL);
	assert_int_equal(RIG(t, timer_create, 0, 0, RIG_MEMORY), -SK_EFAULT);
	assert_int_equal(set_timer(t, 0, 0, 0, SECOND), -SK_EINVAL);
	rig_free(r);
}

SK_TEST(usage_of_children_counts_when_they_are_waited_for)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init), *child = rig_fork(r, t);
	sk_user at = rig_room(t, sizeof(struct sk_abi_rusage));
	const struct sk_abi_rusage *usage = rig_at(t, at);

	r->cpu_time = 1500000000;
	RIG(child, exit_group, 0);
	RIG(t, getrusage, (uint64_t)-1, at);
	assert_int_equal(usage->utime_sec, 0);
	RIG(t, wait4, (uint64_t)-1, 0, 0, 0);
	RIG(t, getrusage, (uint64_t)-1, at);
	assert_int_equal(usage->utime_sec, 1);
	assert_int_equal(usage->utime_usec, 500000);
	assert_int_equal(RIG(t, getrusage, 7, at), -SK_EINVAL);
	rig_free(r);
}
