/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
#include "sk_test.h"
#include "tests/kernel/rig.h"

struct pair {
	struct rig *r;
	struct sk_task *t;
	int in, out; /* read end, write end */
};

static struct pair pair_new(uint32_t flags)
{
	struct pair p = { .r = rig_new() };
	sk_user at;

	p.t = rig_fork(p.r, p.r->init);
	at = rig_room(p.t, 8);
	assert_int_equal(RIG(p.t, pipe2, at, flags), 0);
	p.in = ((int32_t *)rig_at(p.t, at))[0];
	p.out = ((int32_t *)rig_at(p.t, at))[1];
	return p;
}

SK_TEST(bytes_come_out_as_they_went_in)
{
	struct pair p = pair_new(0);
	sk_user from = rig_str(p.t, "selkie"), to = rig_room(p.t, 16);

	assert_int_equal(RIG(p.t, write, p.out, from, 6), 6);
	assert_int_equal(RIG(p.t, read, p.in, to, 3), 3);
	assert_memory_equal(rig_at(p.t, to), "sel", 3);
	assert_int_equal(RIG(p.t, read, p.in, to, 16), 3);
	assert_memory_equal(rig_at(p.t, to), "kie", 3);
	rig_free(p.r);
}

SK_TEST(read_of_an_empty_pipe_waits_for_a_write)
{
	struct pair p = pair_new(0);
	struct sk_task *child = rig_fork(p.r, p.t);
	sk_user at = rig_room(p.t, 16);

	assert_int_equal(RIG(p.t, read, p.in, at, 16), RIG_PARKED);
	assert_false(rig_woken(p.t));
	assert_int_equal(RIG(child, write, p.out, rig_str(child, "x"), 1), 1);
	assert_true(rig_woken(p.t));
	assert_int_equal(rig_again(p.t), 1);
	assert_memory_equal(rig_at(p.t, at), "x", 1);
	rig_free(p.r);
}

SK_TEST(read_without_writer_is_the_end)
{
	struct pair p = pair_new(0);
	struct sk_task *child = rig_fork(p.r, p.t);
	sk_user at = rig_room(p.t, 16);

	assert_int_equal(RIG(p.t, close, p.out), 0);
	assert_int_equal(RIG(p.t, read, p.in, at, 16), RIG_PARKED);
	assert_int_equal(RIG(child, exit_group, 0), RIG_EXITED);
	assert_int_equal(rig_again(p.t), 0);
	rig_free(p.r);
}

SK_TEST(a_pipe_that_does_not_block_says_eagain)
{
	struct pair p = pair_new(SK_O_NONBLOCK);
	sk_user at = rig_room(p.t, 70000);

	assert_int_equal(RIG(p.t, read, p.in, at, 1), -SK_EAGAIN);
	assert_int_equal(RIG(p.t, write, p.out, at, 70000), 65536);
	assert_int_equal(RIG(p.t, write, p.out, at, 1), -SK_EAGAIN);
	assert_int_equal(RIG(p.t, read, p.in, at, 100), 100);
	/* Not more than PIPE_BUF: whole or not at all. */
	assert_int_equal(RIG(p.t, write, p.out, at, 101), -SK_EAGAIN);
	assert_int_equal(RIG(p.t, write, p.out, at, 4097), 100);
	rig_free(p.r);
}

SK_TEST(a_large_write_goes_on_as_room_comes)
{
	struct pair p = pair_new(0);
	struct sk_task *child = rig_fork(p.r, p.t);
	sk_user from = rig_room(p.t, 200000), to = rig_room(child, 65536);
	uint32_t got = 0;
	int64_t n;

	for (int i = 0; i < 200000; i++)
		((uint8_t *)rig_at(p.t, from))[i] = (uint8_t)(i * 7);
	assert_int_equal(RIG(p.t, write, p.out, from, 200000), RIG_PARKED);
	while (got < 200000) {
		n = RIG(child, read, p.in, to, 65536);
		assert_true(n > 0);
		for (int i = 0; i < n; i++)
			assert_int_equal(((uint8_t *)rig_at(child, to))[i],
					 (uint8_t)((got + i) * 7));
		got += n;
		n = rig_of(p.t)->parked ? rig_again(p.t) : 200000;
		assert_true(n == 200000 || n == RIG_PARKED);
	}
	assert_false(rig_of(p.t)->parked);
	rig_free(p.r);
}

SK_TEST(a_small_read_of_a_full_pipe_does_not_wake_the_writer)
{
	struct pair p = pair_new(0);
	struct sk_task *child = rig_fork(p.r, p.t);
	sk_user at = rig_room(p.t, 70000), to = rig_room(child, 4096);

	assert_int_equal(RIG(p.t, write, p.out, at, 70000), RIG_PARKED);
	assert_int_equal(RIG(child, read, p.in, to, 10), 10);
	assert_false(rig_woken(p.t));
	assert_int_equal(RIG(child, read, p.in, to, 4096), 4096);
	assert_true(rig_woken(p.t));
	assert_int_equal(rig_again(p.t), RIG_PARKED);
	rig_free(p.r);
}

SK_TEST(write_without_reader_is_epipe_and_sigpipe)
{
	struct pair p = pair_new(0);
	struct sk_abi_sigaction ignore = { .handler = SK_SIG_IGN };
	sk_user at = rig_str(p.t, "x");

	RIG(p.t, rt_sigaction, SK_SIGPIPE, rig_put(p.t, &ignore, sizeof(ignore)),
	    0, 8);
	assert_int_equal(RIG(p.t, close, p.in), 0);
	assert_int_equal(RIG(p.t, write, p.out, at, 0), 0);
	assert_int_equal(RIG(p.t, write, p.out, at, 1), -SK_EPIPE);
	ignore.handler = SK_SIG_DFL;
	RIG(p.t, rt_sigaction, SK_SIGPIPE, rig_put(p.t, &ignore, sizeof(ignore)),
	    0, 8);
	assert_int_equal(RIG(p.t, write, p.out, at, 1), RIG_EXITED);
	rig_free(p.r);
}

SK_TEST(a_writer_that_waits_gets_epipe_when_the_reader_goes)
{
	struct pair p = pair_new(0);
	struct sk_task *child = rig_fork(p.r, p.t);
	struct sk_abi_sigaction ignore = { .handler = SK_SIG_IGN };
	sk_user at = rig_room(p.t, 65536);

	RIG(p.t, rt_sigaction, SK_SIGPIPE, rig_put(p.t, &ignore, sizeof(ignore)),
	    0, 8);
	RIG(p.t, close, p.in);
	assert_int_equal(RIG(p.t, write, p.out, at, 65536), 65536);
	assert_int_equal(RIG(p.t, write, p.out, at, 1), RIG_PARKED);
	assert_int_equal(RIG(child, close, p.in), 0);
	assert_int_equal(rig_again(p.t), -SK_EPIPE);
	rig_free(p.r);
}

SK_TEST(a_handler_ends_a_wait_with_eintr)
{
	struct pair p = pair_new(0);
	struct sk_abi_sigaction handle = { .handler = 9 };
	struct sk_abi_sigframe frame;
	sk_user at = rig_room(p.t, 8);

	RIG(p.t, rt_sigaction, SK_SIGUSR1,
	    rig_put(p.t, &handle, sizeof(handle)), 0, 8);
	assert_int_equal(RIG(p.t, read, p.in, at, 1), RIG_PARKED);
	assert_int_equal(sk_kernel_kill(p.r->k, sk_task_pid(p.t), SK_SIGUSR1),
			 0);
	assert_int_equal(rig_again(p.t), -SK_EINTR);
	assert_int_equal(rig_next_signal(p.t, &frame), 1);
	assert_int_equal(frame.handler, 9);
	rig_free(p.r);
}

SK_TEST(a_pipe_has_a_size_that_can_be_set)
{
	struct pair p = pair_new(0);
	sk_user at = rig_room(p.t, 65536);

	assert_int_equal(RIG(p.t, fcntl, p.in, SK_F_GETPIPE_SZ), 65536);
	assert_int_equal(RIG(p.t, write, p.out, at, 10000), 10000);
	assert_int_equal(RIG(p.t, fcntl, p.in, SK_F_SETPIPE_SZ, 5000),
			 -SK_EBUSY);
	assert_int_equal(RIG(p.t, fcntl, p.in, SK_F_SETPIPE_SZ, 10000), 16384);
	assert_int_equal(RIG(p.t, read, p.in, at, 65536), 10000);
	assert_int_equal(RIG(p.t, fcntl, p.out, SK_F_SETPIPE_SZ, 1 << 21),
			 -SK_EPERM);
	rig_free(p.r);
}

static void pipe_and_write(uint32_t fail_at)
{
	struct rig *r = rig_new_with(NULL, fail_at);
	struct sk_task *t;
	sk_user at, data;
	int32_t *fds;

	if (!r)
		return;
	t = rig_fork(r, r->init);
	if (t) {
		at = rig_room(t, 8);
		data = rig_room(t, 20000);
		fds = rig_at(t, at);
		if (!RIG(t, pipe2, at, SK_O_NONBLOCK)) {
			RIG(t, write, fds[1], data, 100);
			RIG(t, write, fds[1], data, 20000);
			RIG(t, read, fds[0], data, 20000);
		}
	}
	rig_free(r);
}

SK_TEST(pipes_without_memory_leave_nothing_behind)
{
	rig_sweep(pipe_and_write);
}

/* Fifos. */

static int64_t fifo_open(struct sk_task *t, uint32_t flags)
{
	return RIG(t, openat, (uint64_t)SK_AT_FDCWD, rig_str(t, "/f"), flags);
}

static struct rig *fifo_new(struct sk_task **a, struct sk_task **b)
{
	struct rig *r = rig_new();

	*a = rig_fork(r, r->init);
	*b = rig_fork(r, r->init);
	assert_int_equal(RIG(*a, mknodat, (uint64_t)SK_AT_FDCWD,
			     rig_str(*a, "/f"), SK_S_IFIFO | 0600, 0),
			 0);
	return r;
}

SK_TEST(opens_of_a_fifo_wait_for_each_other)
{
	struct sk_task *a, *b;
	struct rig *r = fifo_new(&a, &b);
	int64_t in, out;

	assert_int_equal(fifo_open(a, SK_O_RDONLY), RIG_PARKED);
	out = fifo_open(b, SK_O_WRONLY);
	assert_true(out >= 0);
	in = rig_again(a);
	assert_true(in >= 0);
	assert_int_equal(RIG(b, write, out, rig_str(b, "x"), 1), 1);
	assert_int_equal(RIG(a, read, in, rig_room(a, 8), 8), 1);
	RIG(b, close, out);
	assert_int_equal(RIG(a, read, in, rig_room(a, 8), 8), 0);
	rig_free(r);
}

SK_TEST(a_fifo_keeps_what_a_writer_left_before_the_reader_woke)
{
	struct sk_task *a, *b;
	struct rig *r = fifo_new(&a, &b);
	int64_t in, out;

	assert_int_equal(fifo_open(a, SK_O_RDONLY), RIG_PARKED);
	out = fifo_open(b, SK_O_WRONLY);
	assert_int_equal(RIG(b, write, out, rig_str(b, "hi"), 2), 2);
	RIG(b, close, out);
	in = rig_again(a);
	assert_true(in >= 0);
	assert_int_equal(RIG(a, read, in, rig_room(a, 8), 8), 2);
	assert_int_equal(RIG(a, read, in, rig_room(a, 8), 8), 0);
	rig_free(r);
}

SK_TEST(a_fifo_without_reader_refuses_a_writer_that_does_not_block)
{
	struct sk_task *a, *b;
	struct rig *r = fifo_new(&a, &b);

	assert_int_equal(fifo_open(a, SK_O_WRONLY | SK_O_NONBLOCK), -SK_ENXIO);
	assert_true(fifo_open(a, SK_O_RDONLY | SK_O_NONBLOCK) >= 0);
	assert_true(fifo_open(b, SK_O_WRONLY | SK_O_NONBLOCK) >= 0);
	rig_free(r);
}

SK_TEST(an_opener_that_dies_does_not_count)
{
	struct sk_task *a, *b;
	struct rig *r = fifo_new(&a, &b);

	assert_int_equal(fifo_open(a, SK_O_RDONLY), RIG_PARKED);
	sk_kernel_kill(r->k, sk_task_pid(a), SK_SIGKILL);
	assert_int_equal(rig_again(a), RIG_EXITED);
	assert_int_equal(fifo_open(b, SK_O_WRONLY | SK_O_NONBLOCK), -SK_ENXIO);
	rig_free(r);
}
