/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
// wasm
#include "sk_test.h"
#include "tests/kernel/rig.h"

#define MS INT64_C(1000000)

struct world {
	struct rig *r;
	struct sk_task *t, *other;
	int in, out;
};

static struct world world_new(void)
{
	struct world w = { .r = rig_new() };
	sk_user at;

	w.t = rig_fork(w.r, w.r->init);
	at = rig_room(w.t, 8);
	assert_int_equal(RIG(w.t, pipe2, at, 0), 0);
	w.in = ((int32_t *)rig_at(w.t, at))[0];
	w.out = ((int32_t *)rig_at(w.t, at))[1];
	w.other = rig_fork(w.r, w.t);
	return w;
}

static sk_user timespec(struct sk_task *t, int64_t ns)
{
	struct sk_abi_timespec ts = { ns / 1000000000, ns % 1000000000 };

	return rig_put(t, &ts, sizeof(ts));
}

static int revents(struct sk_task *t, sk_user fds, int i)
{
	return ((struct sk_abi_pollfd *)rig_at(t, fds))[i].revents;
}

SK_TEST(poll_with_nothing_to_do_waits_exactly_its_time)
{
	struct world w = world_new();
	struct sk_abi_pollfd fd = { w.in, SK_POLLIN, 0 };
	sk_user fds = rig_put(w.t, &fd, sizeof(fd));

	assert_int_equal(RIG(w.t, ppoll, fds, 1, timespec(w.t, 1000 * MS)),
			 RIG_PARKED);
	rig_sleep(w.r, 999 * MS);
	assert_int_equal(rig_again(w.t), RIG_PARKED);
	rig_sleep(w.r, 1 * MS);
	assert_int_equal(rig_again(w.t), 0);
	rig_free(w.r);
}

SK_TEST(poll_wakes_on_data)
{
	struct world w = world_new();
	struct sk_abi_pollfd two[2] = { { w.in, SK_POLLIN, 0 },
					{ w.out, 0, 0 } };
	sk_user fds = rig_put(w.t, two, sizeof(two));

	assert_int_equal(RIG(w.t, ppoll, fds, 2, 0), RIG_PARKED);
	RIG(w.other, write, w.out, rig_str(w.other, "x"), 1);
	assert_int_equal(rig_again(w.t), 1);
	assert_int_equal(revents(w.t, fds, 0), SK_POLLIN);
	assert_int_equal(revents(w.t, fds, 1), 0);
	rig_free(w.r);
}

SK_TEST(poll_tells_hangup_error_and_nonsense)
{
	struct world w = world_new();
	struct sk_abi_pollfd three[3] = { { w.in, 0, 0 },
					  { 99, SK_POLLIN, 0 },
					  { -1, SK_POLLIN, 7 } };
	struct sk_abi_pollfd one = { w.out, SK_POLLOUT, 0 };
	sk_user fds = rig_put(w.t, three, sizeof(three));

	RIG(w.t, close, w.out);
	RIG(w.other, close, w.out);
	assert_int_equal(RIG(w.t, ppoll, fds, 3, 0), 2);
	assert_int_equal(revents(w.t, fds, 0), SK_POLLHUP);
	assert_int_equal(revents(w.t, fds, 1), SK_POLLNVAL);
	assert_int_equal(revents(w.t, fds, 2), 0);
	rig_free(w.r);
	w = world_new();
	fds = rig_put(w.t, &one, sizeof(one));
	RIG(w.t, close, w.in);
	RIG(w.other, close, w.in);
	assert_int_equal(RIG(w.t, ppoll, fds, 1, 0), 1);
	assert_int_equal(revents(w.t, fds, 0), SK_POLLOUT | SK_POLLERR);
	rig_free(w.r);
}

SK_TEST(select_sets_bits_and_counts_them)
{
	struct world w = world_new();
	uint8_t *in, *out;
	sk_user rd = rig_room(w.t, 16), wr = rig_room(w.t, 16);

	in = rig_at(w.t, rd);
	out = rig_at(w.t, wr);
	in[0] = (uint8_t)(1 << w.in);
	out[0] = (uint8_t)(1 << w.out);
	assert_int_equal(RIG(w.t, pselect6, 8, rd, wr, 0, 0), 1);
	assert_int_equal(in[0], 0);
	assert_int_equal(out[0], 1 << w.out);
	in[0] = (uint8_t)(1 << w.in);
	assert_int_equal(RIG(w.t, pselect6, 8, rd, 0, 0, 0), RIG_PARKED);
	RIG(w.other, write, w.out, rig_str(w.other, "x"), 1);
	assert_int_equal(rig_again(w.t), 1);
	assert_int_equal(in[0], 1 << w.in);
	in[0] = 0x80;
	assert_int_equal(RIG(w.t, pselect6, 8, rd, 0, 0, 0), -SK_EBADF);
	assert_int_equal(RIG(w.t, pselect6, (uint64_t)-1, 0, 0, 0, 0),
			 -SK_EINVAL);
	rig_free(w.r);
}

SK_TEST(select_without_files_sleeps)
{
	struct world w = world_new();

	assert_int_equal(RIG(w.t, pselect6, 0, 0, 0, 0, timespec(w.t, 5 * MS)),
			 RIG_PARKED);
	rig_sleep(w.r, 5 * MS);
	assert_int_equal(rig_again(w.t), 0);
	rig_free(w.r);
}

static uint64_t counter(struct sk_task *t, sk_user at)
{
	return *(uint64_t *)rig_at(t, at);
}

SK_TEST(an_eventfd_counts)
{
	struct world w = world_new();
	uint64_t three = 3, most = UINT64_MAX - 1;
	sk_user at = rig_room(w.t, 8), add = rig_put(w.t, &three, 8);
	sk_user much = rig_put(w.t, &most, 8);
	int64_t fd = RIG(w.t, eventfd2, 2, SK_O_NONBLOCK);

	assert_true(fd >= 0);
	assert_int_equal(RIG(w.t, write, fd, add, 8), 8);
	assert_int_equal(RIG(w.t, write, fd, much, 8), -SK_EAGAIN);
	assert_int_equal(RIG(w.t, write, fd, add, 7), -SK_EINVAL);
	assert_int_equal(RIG(w.t, read, fd, at, 8), 8);
	assert_int_equal(counter(w.t, at), 5);
	assert_int_equal(RIG(w.t, read, fd, at, 8), -SK_EAGAIN);
	fd = RIG(w.t, eventfd2, 2, SK_EFD_SEMAPHORE);
	assert_int_equal(RIG(w.t, read, fd, at, 8), 8);
	assert_int_equal(counter(w.t, at), 1);
	assert_int_equal(RIG(w.t, read, fd, at, 8), 8);
	assert_int_equal(RIG(w.t, read, fd, at, 8), RIG_PARKED);
	rig_free(w.r);
}

/* epoll. */

static int64_t ctl(struct sk_task *t, int64_t set, int op, int fd,
		   uint32_t events, uint64_t data)
{
	struct sk_abi_epoll_event event = { .events = events, .data = data };

	return RIG(t, epoll_ctl, set, op, fd,
		   rig_put(t, &event, sizeof(event)));
}

static int64_t wait_now(struct sk_task *t, int64_t set, sk_user at, int max)
{
	return RIG(t, epoll_pwait, set, at, max, 0);
}

static const struct sk_abi_epoll_event *event_at(struct sk_task *t, sk_user at,
						 int i)
{
	return (struct sk_abi_epoll_event *)rig_at(t, at) + i;
}

SK_TEST(epoll_by_level_tells_as_long_as_it_is_so)
{
	struct world w = world_new();
	int64_t set = RIG(w.t, epoll_create1, 0);
	sk_user at = rig_room(w.t, 64);

	assert_int_equal(ctl(w.t, set, SK_EPOLL_CTL_ADD, w.in, SK_POLLIN, 77),
			 0);
	assert_int_equal(ctl(w.t, set, SK_EPOLL_CTL_ADD, w.in, SK_POLLIN, 77),
			 -SK_EEXIST);
	assert_int_equal(wait_now(w.t, set, at, 4), 0);
	RIG(w.other, write, w.out, rig_str(w.other, "xy"), 2);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(wait_now(w.t, set, at, 4), 1);
		assert_int_equal(event_at(w.t, at, 0)->events, SK_POLLIN);
		assert_int_equal(event_at(w.t, at, 0)->data, 77);
	}
	RIG(w.t, read, w.in, at, 2);
	assert_int_equal(wait_now(w.t, set, at, 4), 0);
	rig_free(w.r);
}

SK_TEST(epoll_by_edge_tells_once_for_each_change)
{
	struct world w = world_new();
	int64_t set = RIG(w.t, epoll_create1, 0);
	sk_user at = rig_room(w.t, 64);

	ctl(w.t, set, SK_EPOLL_CTL_ADD, w.in, SK_POLLIN | SK_EPOLLET, 1);
	RIG(w.other, write, w.out, rig_str(w.other, "x"), 1);
	assert_int_equal(wait_now(w.t, set, at, 4), 1);
	assert_int_equal(wait_now(w.t, set, at, 4), 0);
	RIG(w.other, write, w.out, rig_str(w.other, "x"), 1);
	assert_int_equal(wait_now(w.t, set, at, 4), 1);
	rig_free(w.r);
}

SK_TEST(epoll_one_shot_is_silent_until_it_is_armed_again)
{
	struct world w = world_new();
	int64_t set = RIG(w.t, epoll_create1, 0);
	sk_user at = rig_room(w.t, 64);

	ctl(w.t, set, SK_EPOLL_CTL_ADD, w.in, SK_POLLIN | SK_EPOLLONESHOT, 1);
	RIG(w.other, write, w.out, rig_str(w.other, "x"), 1);
	assert_int_equal(wait_now(w.t, set, at, 4), 1);
	RIG(w.other, write, w.out, rig_str(w.other, "x"), 1);
	assert_int_equal(wait_now(w.t, set, at, 4), 0);
	ctl(w.t, set, SK_EPOLL_CTL_MOD, w.in, SK_POLLIN, 2);
	assert_int_equal(wait_now(w.t, set, at, 4), 1);
	assert_int_equal(event_at(w.t, at, 0)->data, 2);
	assert_int_equal(ctl(w.t, set, SK_EPOLL_CTL_DEL, w.in, 0, 0), 0);
	assert_int_equal(ctl(w.t, set, SK_EPOLL_CTL_DEL, w.in, 0, 0),
			 -SK_ENOENT);
	rig_free(w.r);
}

SK_TEST(epoll_waits_and_is_woken)
{
	struct world w = world_new();
	int64_t set = RIG(w.t, epoll_create1, 0);
	sk_user at = rig_room(w.t, 64);

	ctl(w.t, set, SK_EPOLL_CTL_ADD, w.in, SK_POLLIN, 1);
	assert_int_equal(RIG(w.t, epoll_pwait, set, at, 4, (uint64_t)-1),
			 RIG_PARKED);
	RIG(w.other, write, w.out, rig_str(w.other, "x"), 1);
	assert_int_equal(rig_again(w.t), 1);
	RIG(w.t, read, w.in, at, 1);
	assert_int_equal(RIG(w.t, epoll_pwait, set, at, 4, 10), RIG_PARKED);
	rig_sleep(w.r, 10 * MS);
	assert_int_equal(rig_again(w.t), 0);
	rig_free(w.r);
}

SK_TEST(sets_hold_sets_but_no_circles)
{
	struct world w = world_new();
	int64_t inner = RIG(w.t, epoll_create1, 0);
	int64_t outer = RIG(w.t, epoll_create1, SK_O_CLOEXEC);
	sk_user at = rig_room(w.t, 64);

	assert_int_equal(ctl(w.t, inner, SK_EPOLL_CTL_ADD, w.in, SK_POLLIN, 1),
			 0);
	assert_int_equal(
		ctl(w.t, outer, SK_EPOLL_CTL_ADD, (int)inner, SK_POLLIN, 2), 0);
	assert_int_equal(
		ctl(w.t, inner, SK_EPOLL_CTL_ADD, (int)outer, SK_POLLIN, 3),
		-SK_ELOOP);
	assert_int_equal(
		ctl(w.t, inner, SK_EPOLL_CTL_ADD, (int)inner, SK_POLLIN, 3),
		-SK_EINVAL);
	assert_int_equal(wait_now(w.t, outer, at, 4), 0);
	RIG(w.other, write, w.out, rig_str(w.other, "x"), 1);
	assert_int_equal(wait_now(w.t, outer, at, 4), 1);
	assert_int_equal(event_at(w.t, at, 0)->data, 2);
	rig_free(w.r);
}

SK_TEST(a_file_that_is_closed_leaves_its_sets)
{
	struct world w = world_new();
	int64_t set = RIG(w.t, epoll_create1, 0);
	sk_user at = rig_room(w.t, 64);

	ctl(w.t, set, SK_EPOLL_CTL_ADD, w.in, SK_POLLIN, 1);
	RIG(w.t, write, w.out, rig_str(w.t, "x"), 1);
	RIG(w.other, close, w.in);
	RIG(w.t, close, w.in);
	assert_int_equal(wait_now(w.t, set, at, 4), 0);
	rig_free(w.r);
}

SK_TEST(a_timerfd_counts_its_ticks)
{
	struct world w = world_new();
	struct sk_abi_itimerspec spec = { { 0, 10 * MS }, { 0, 30 * MS } };
	int64_t fd = RIG(w.t, timerfd_create, SK_CLOCK_MONOTONIC, 0);
	sk_user at = rig_room(w.t, 32), set = rig_put(w.t, &spec, 32);
	struct sk_abi_pollfd one = { (int32_t)fd, SK_POLLIN, 0 };

	assert_true(fd >= 0);
	assert_int_equal(RIG(w.t, timerfd_settime, fd, 0, set, 0), 0);
	assert_int_equal(RIG(w.t, read, fd, at, 8), RIG_PARKED);
	rig_sleep(w.r, 30 * MS);
	assert_int_equal(rig_again(w.t), 8);
	assert_int_equal(counter(w.t, at), 1);
	rig_sleep(w.r, 35 * MS);
	assert_int_equal(RIG(w.t, ppoll, rig_put(w.t, &one, sizeof(one)), 1, 0),
			 1);
	assert_int_equal(RIG(w.t, read, fd, at, 8), 8);
	assert_int_equal(counter(w.t, at), 3);
	assert_int_equal(RIG(w.t, timerfd_gettime, fd, at), 0);
	memcpy(&spec, rig_at(w.t, at), sizeof(spec));
	assert_int_equal(spec.value.nsec, 5 * MS);
	assert_int_equal(spec.interval.nsec, 10 * MS);
	assert_int_equal(RIG(w.t, timerfd_gettime, w.in, at), -SK_EINVAL);
	rig_free(w.r);
}

SK_TEST(a_timerfd_of_a_moment)
{
	struct world w = world_new();
	struct sk_abi_itimerspec spec = {
		.value = { w.r->realtime / 1000000000 + 2, 0 }
	};
	int64_t fd = RIG(w.t, timerfd_create, SK_CLOCK_REALTIME, 0);
	sk_user at = rig_room(w.t, 32), set = rig_put(w.t, &spec, 32);

	assert_int_equal(
		RIG(w.t, timerfd_settime, fd, SK_TIMER_ABSTIME, set, 0), 0);
	assert_int_equal(RIG(w.t, read, fd, at, 8), RIG_PARKED);
	rig_sleep(w.r, 1999 * MS);
	assert_int_equal(rig_again(w.t), RIG_PARKED);
	rig_sleep(w.r, MS);
	assert_int_equal(rig_again(w.t), 8);
	rig_free(w.r);
}

SK_TEST(a_signalfd_gives_what_is_blocked)
{
	struct world w = world_new();
	uint64_t mask = SK_SIG_BIT(SK_SIGUSR1);
	sk_user set = rig_put(w.t, &mask, 8), at = rig_room(w.t, 128);
	int64_t fd;

	RIG(w.t, rt_sigprocmask, SK_SIG_BLOCK, set, 0, 8);
	fd = RIG(w.t, signalfd4, (uint64_t)-1, set, 8, 0);
	assert_true(fd >= 0);
	assert_int_equal(RIG(w.t, read, fd, at, 128), RIG_PARKED);
	RIG(w.other, kill, (uint64_t)sk_task_pid(w.t), SK_SIGUSR1);
	assert_int_equal(rig_again(w.t), 128);
	assert_int_equal(*(uint32_t *)rig_at(w.t, at), SK_SIGUSR1);
	assert_int_equal(((uint32_t *)rig_at(w.t, at))[3],
			 sk_task_pid(w.other));
	rig_free(w.r);
}

static void wait_for_many(uint32_t fail_at)
{
	struct rig *r = rig_new_with(NULL, fail_at);
	struct sk_task *t = r ? rig_fork(r, r->init) : NULL;
	struct sk_abi_pollfd fds[3] = { { 0, SK_POLLIN, 0 },
					{ 1, SK_POLLIN, 0 },
					{ 2, SK_POLLIN, 0 } };
	int64_t set;

	if (t) {
		RIG(t, pipe2, rig_room(t, 8), 0);
		RIG(t, eventfd2, 0, 0);
		RIG(t, timerfd_create, 0, 0);
		RIG(t, signalfd4, (uint64_t)-1, rig_room(t, 8), 8, 0);
		set = RIG(t, epoll_create1, 0);
		if (set >= 0) {
			ctl(t, set, SK_EPOLL_CTL_ADD, 0, SK_POLLIN, 0);
			ctl(t, set, SK_EPOLL_CTL_ADD, 2, SK_POLLIN, 0);
		}
		RIG(t, ppoll, rig_put(t, fds, sizeof(fds)), 3, 0);
	}
	if (r)
		rig_free(r);
}

SK_TEST(waits_without_memory_leave_nothing_behind)
{
	rig_sweep(wait_for_many);
}
