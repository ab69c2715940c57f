/* SPDX-License-Identifier: BSD-2-Clause */
#include "sk_test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <poll.h>

#include "ring/frame.h"
#include "ring/ring.h"

struct both {
	int fd;
	struct sk_area gateway;
	struct sk_area worker;
};

static void open_both(struct both *b)
{
	b->fd = sk_area_create();
	assert_true(b->fd >= 0);
	assert_int_equal(sk_area_map(&b->gateway, b->fd, SK_AREA_GATEWAY), 0);
	assert_int_equal(sk_area_map(&b->worker, b->fd, SK_AREA_WORKER), 0);
}

static void close_both(struct both *b)
{
	sk_area_unmap(&b->gateway);
	sk_area_unmap(&b->worker);
	close(b->fd);
}

SK_TEST(area_cannot_be_truncated_by_its_holder)
{
	int fd = sk_area_create();

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, 1 << 24), -1);
	close(fd);
}

SK_TEST(area_map_refuses_what_is_no_sealed_area)
{
	struct sk_area area;
	int fd = memfd_create("x", MFD_ALLOW_SEALING);

	assert_int_equal(ftruncate(fd, 4096 + 2 * SK_RING_SIZE), 0);
	assert_int_equal(sk_area_map(&area, fd, SK_AREA_WORKER), -EPROTO);
	assert_int_equal(fcntl(fd, F_ADD_SEALS,
			       F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL),
			 0);
	assert_int_equal(sk_area_map(&area, fd, SK_AREA_WORKER), -EPROTO);
	close(fd);
	fd = open("/dev/null", O_RDWR);
	assert_int_equal(sk_area_map(&area, fd, SK_AREA_WORKER), -EPROTO);
	close(fd);
	assert_int_not_equal(sk_area_map(&area, -1, SK_AREA_WORKER), 0);
}

SK_TEST(frame_grows_until_it_is_published)
{
	struct both b;
	struct sk_frame f;
	static unsigned char piece[SK_WINDOW - 7];

	open_both(&b);
	assert_int_equal(
		sk_ring_append(&b.gateway.out, SK_FRAME_BODY, 1, 2, "abc", 3),
		0);
	assert_int_equal(
		sk_ring_append(&b.gateway.out, SK_FRAME_BODY, 1, 2, "defg", 4),
		0);
	/* Another's, and then one that would be too long. */
	assert_int_equal(
		sk_ring_append(&b.gateway.out, SK_FRAME_BODY, 2, 2, "x", 1), 0);
	assert_int_equal(sk_ring_append(&b.gateway.out, SK_FRAME_BODY, 2, 2,
					piece, sizeof(piece)),
			 0);
	assert_int_equal(
		sk_ring_append(&b.gateway.out, SK_FRAME_BODY, 2, 2, piece, 7),
		0);
	sk_ring_publish(&b.gateway.out);
	assert_int_equal(
		sk_ring_append(&b.gateway.out, SK_FRAME_BODY, 2, 2, "y", 1), 0);
	assert_int_equal(sk_ring_push(&b.gateway.out, SK_FRAME_BODY,
				      SK_FRAME_END, 2, 2, "", 0),
			 0);
	assert_int_equal(
		sk_ring_append(&b.gateway.out, SK_FRAME_BODY, 2, 2, "z", 1), 0);
	sk_ring_publish(&b.gateway.out);
	static const struct {
		uint32_t length, slot;
		char first;
	} want[] = { { 7, 1, 'a' }, { SK_WINDOW - 6, 2, 'x' },
		     { 7, 2, 0 },   { 1, 2, 'y' },
		     { 0, 2, 0 },   { 1, 2, 'z' } };
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		assert_int_equal(sk_ring_peek(&b.worker.in, &f), 1);
		assert_int_equal(f.length, want[i].length);
		assert_int_equal(f.slot, want[i].slot);
		if (f.length)
			assert_int_equal(f.data[0], want[i].first);
		if (i == 0)
			assert_memory_equal(f.data, "abcdefg", 7);
		sk_ring_pop(&b.worker.in, &f);
	}
	assert_int_equal(sk_ring_peek(&b.worker.in, &f), 0);
	close_both(&b);
}

SK_TEST(frame_that_finds_no_room_to_grow_stays_as_it_was)
{
	struct both b;
	struct sk_frame f;
	static unsigned char piece[SK_WINDOW - 16];
	int i;

	open_both(&b);
	for (i = 0; i < 3; i++)
		assert_int_equal(sk_ring_push(&b.gateway.out, SK_FRAME_BODY, 0,
					      1, 1, piece, sizeof(piece)),
				 0);
	assert_int_equal(sk_ring_append(&b.gateway.out, SK_FRAME_BODY, 2, 1,
					piece, sizeof(piece) - 8),
			 0);
	assert_int_equal(sk_ring_append(&b.gateway.out, SK_FRAME_BODY, 2, 1,
					"123456789", 9),
			 -EAGAIN);
	assert_int_equal(sk_ring_append(&b.gateway.out, SK_FRAME_BODY, 2, 1,
					"12345678", 8),
			 0);
	sk_ring_publish(&b.gateway.out);
	for (i = 0; i < 4; i++) {
		assert_int_equal(sk_ring_peek(&b.worker.in, &f), 1);
		assert_int_equal(f.length, sizeof(piece));
		sk_ring_pop(&b.worker.in, &f);
	}
	close_both(&b);
}

SK_TEST(frame_arrives_as_it_was_sent)
{
	struct both b;
	struct sk_frame f;

	open_both(&b);
	assert_int_equal(sk_ring_push(&b.gateway.out, SK_FRAME_BODY,
				      SK_FRAME_END, 7, 9, "hello", 5),
			 0);
	assert_int_equal(sk_ring_peek(&b.worker.in, &f), 0);
	assert_int_equal(sk_ring_publish(&b.gateway.out), 0);
	assert_int_equal(sk_ring_peek(&b.worker.in, &f), 1);
	assert_int_equal(f.length, 5);
	assert_int_equal(f.type, SK_FRAME_BODY);
	assert_int_equal(f.flags, SK_FRAME_END);
	assert_int_equal(f.slot, 7);
	assert_int_equal(f.serial, 9);
	assert_memory_equal(f.data, "hello", 5);
	sk_ring_pop(&b.worker.in, &f);
	assert_int_equal(sk_ring_peek(&b.worker.in, &f), 0);
	close_both(&b);
}

SK_TEST(frame_across_the_end_of_the_ring_is_contiguous)
{
	struct both b;
	struct sk_frame f;
	unsigned char out[50001];
	int i, j;

	open_both(&b);
	for (i = 0; i < 40; i++) {
		memset(out, 'a' + i % 26, sizeof(out));
		assert_int_equal(sk_ring_push(&b.worker.out, SK_FRAME_BODY, 0,
					      0, (uint32_t)i, out, sizeof(out)),
				 0);
		sk_ring_publish(&b.worker.out);
		assert_int_equal(sk_ring_peek(&b.gateway.in, &f), 1);
		assert_int_equal(f.length, sizeof(out));
		for (j = 0; j < (int)sizeof(out); j += 997)
			assert_int_equal(f.data[j], 'a' + i % 26);
		sk_ring_pop(&b.gateway.in, &f);
		sk_ring_release(&b.gateway.in);
	}
	close_both(&b);
}

SK_TEST(full_ring_says_eagain_and_wakes_the_starved_producer)
{
	struct both b;
	struct sk_frame f;
	static unsigned char big[SK_FRAME_MAX];
	int n = 0, err;

	open_both(&b);
	while (!(err = sk_ring_push(&b.gateway.out, SK_FRAME_BODY, 0, 0, 0, big,
				    sizeof(big))))
		n++;
	assert_int_equal(err, -EAGAIN);
	assert_int_equal(n, 3);
	sk_ring_publish(&b.gateway.out);
	assert_int_equal(sk_ring_peek(&b.worker.in, &f), 1);
	sk_ring_pop(&b.worker.in, &f);
	assert_int_equal(sk_ring_release(&b.worker.in), 1);
	assert_int_equal(sk_ring_push(&b.gateway.out, SK_FRAME_BODY, 0, 0, 0,
				      big, sizeof(big)),
			 0);
	close_both(&b);
}

SK_TEST(publish_wakes_only_a_sleeping_consumer_and_only_once)
{
	struct both b;
	struct sk_frame f;

	open_both(&b);
	assert_int_equal(sk_ring_sleep(&b.worker.in), 1);
	assert_int_equal(sk_ring_publish(&b.gateway.out), 0);
	sk_ring_push(&b.gateway.out, SK_FRAME_CREDIT, 0, 0, 0, "abcd", 4);
	assert_int_equal(sk_ring_publish(&b.gateway.out), 1);
	sk_ring_push(&b.gateway.out, SK_FRAME_CREDIT, 0, 0, 0, "abcd", 4);
	assert_int_equal(sk_ring_publish(&b.gateway.out), 0);
	assert_int_equal(sk_ring_sleep(&b.worker.in), 0);
	while (sk_ring_peek(&b.worker.in, &f) == 1)
		sk_ring_pop(&b.worker.in, &f);
	assert_int_equal(sk_ring_sleep(&b.worker.in), 1);
	sk_ring_awake(&b.worker.in);
	sk_ring_push(&b.gateway.out, SK_FRAME_CREDIT, 0, 0, 0, "abcd", 4);
	assert_int_equal(sk_ring_publish(&b.gateway.out), 0);
	close_both(&b);
}

SK_TEST(passed_tells_whether_a_frame_was_consumed)
{
	struct both b;
	struct sk_frame f;
	uint64_t first, second;

	open_both(&b);
	sk_ring_push(&b.gateway.out, SK_FRAME_REQUEST, 0, 0, 0, "x", 1);
	first = sk_ring_position(&b.gateway.out);
	sk_ring_push(&b.gateway.out, SK_FRAME_REQUEST, 0, 1, 0, "y", 1);
	second = sk_ring_position(&b.gateway.out);
	sk_ring_publish(&b.gateway.out);
	assert_int_equal(sk_ring_passed(&b.gateway.out, first), 0);
	assert_int_equal(sk_ring_peek(&b.worker.in, &f), 1);
	sk_ring_pop(&b.worker.in, &f);
	sk_ring_release(&b.worker.in);
	assert_int_equal(sk_ring_passed(&b.gateway.out, first), 1);
	assert_int_equal(sk_ring_passed(&b.gateway.out, second), 0);
	close_both(&b);
}

SK_TEST(marked_frame_has_passed_and_release_still_wakes_the_producer)
{
	struct both b;
	struct sk_frame f;
	uint64_t first;

	open_both(&b);
	sk_ring_push(&b.gateway.out, SK_FRAME_REQUEST, 0, 0, 0, "x", 1);
	first = sk_ring_position(&b.gateway.out);
	while (sk_ring_reserve(&b.gateway.out, SK_FRAME_MAX))
		sk_ring_commit(&b.gateway.out, SK_FRAME_BODY, 0, 0, 0,
			       SK_FRAME_MAX);
	sk_ring_publish(&b.gateway.out);
	assert_int_equal(sk_ring_peek(&b.worker.in, &f), 1);
	sk_ring_mark(&b.worker.in, &f);
	assert_int_equal(sk_ring_passed(&b.gateway.out, first), 1);
	sk_ring_pop(&b.worker.in, &f);
	assert_int_equal(sk_ring_release(&b.worker.in), 1);
	assert_int_equal(sk_ring_release(&b.worker.in), 0);
	close_both(&b);
}

SK_TEST(head_out_of_range_is_a_protocol_error)
{
	static const uint32_t heads[] = { 1,	       7,
					  8,	       SK_RING_SIZE + 8,
					  0x80000000u, 0xfffffff8u };
	struct both b;
	struct sk_frame f;
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		open_both(&b);
		atomic_store(&b.worker.page->up.head, heads[i]);
		assert_int_equal(sk_ring_peek(&b.gateway.in, &f), -EPROTO);
		close_both(&b);
	}
}

SK_TEST(length_beyond_what_was_pushed_is_a_protocol_error)
{
	static const uint32_t lengths[] = { 9, SK_FRAME_MAX, SK_FRAME_MAX + 1,
					    0xffffffffu, 0xfffffff0u };
	struct both b;
	struct sk_frame f;
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		open_both(&b);
		sk_ring_push(&b.worker.out, SK_FRAME_BODY, 0, 0, 0, "12345678",
			     8);
		memcpy(b.worker.out.data, &lengths[i], 4);
		sk_ring_publish(&b.worker.out);
		assert_int_equal(sk_ring_peek(&b.gateway.in, &f), -EPROTO);
		close_both(&b);
	}
}

SK_TEST(tail_out_of_range_is_a_protocol_error_and_never_room)
{
	struct both b;
	static unsigned char big[SK_FRAME_MAX];
	int i;

	open_both(&b);
	for (i = 0; i < 3; i++)
		assert_int_equal(sk_ring_push(&b.gateway.out, SK_FRAME_BODY, 0,
					      0, 0, big, sizeof(big)),
				 0);
	atomic_store(&b.worker.page->down.tail, 0x40000000u);
	assert_int_equal(sk_ring_push(&b.gateway.out, SK_FRAME_BODY, 0, 0, 0,
				      big, sizeof(big)),
			 -EPROTO);
	close_both(&b);
}

SK_TEST(cursor_refuses_what_does_not_fit)
{
	unsigned char bytes[32];
	struct sk_pair pair = { 4, 0xffffffffu };
	struct sk_cursor c = { bytes, bytes + sizeof(bytes) };
	struct sk_bytes n, v;

	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, &pair, sizeof(pair));
	assert_int_equal(sk_cursor_pair(&c, &n, &v), -EPROTO);
	pair.value_len = 20;
	memcpy(bytes, &pair, sizeof(pair));
	c.at = bytes;
	assert_int_equal(sk_cursor_pair(&c, &n, &v), 0);
	assert_int_equal(n.length, 4);
	assert_int_equal(v.length, 20);
	assert_ptr_equal(c.at, c.end);
}

/* --- two processes --- */

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void wake(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		abort();
}

/* Waits for `fd`. 0 when woken, -1 after 10 s. */
static int wait_wake(int fd)
{
	struct pollfd p = { fd, POLLIN, 0 };
	uint64_t count;

	if (poll(&p, 1, 10000) != 1)
		return -1;
	return read(fd, &count, sizeof(count)) == sizeof(count) ? 0 : -1;
}

/* Pushes `frames` frames of random sizes, each filled from the seed. */
static int produce(struct sk_ring *out, int wake_peer, int own_wake,
		   uint32_t frames)
{
	static unsigned char body[SK_FRAME_MAX];
	uint32_t seed = 42, i, j, length;
	int err;

	for (i = 0; i < frames; i++) {
		length = next_random(&seed) % (i % 10 ? 300 : SK_FRAME_MAX + 1);
		for (j = 0; j < length; j += 61)
			body[j] = (unsigned char)(i + j);
		while ((err = sk_ring_push(out, SK_FRAME_BODY, 0, i, ~i, body,
					   length)) == -EAGAIN) {
			if (sk_ring_publish(out))
				wake(wake_peer);
			if (wait_wake(own_wake))
				return -ETIMEDOUT;
		}
		if (err)
			return err;
		if (i % 7 == 0 && sk_ring_publish(out))
			wake(wake_peer);
	}
	if (sk_ring_publish(out))
		wake(wake_peer);
	return 0;
}

static int check_frame(const struct sk_frame *f, uint32_t i, uint32_t *seed)
{
	uint32_t j, length;

	length = next_random(seed) % (i % 10 ? 300 : SK_FRAME_MAX + 1);
	if (f->length != length || f->slot != i || f->serial != ~i)
		return -1;
	for (j = 0; j < length; j += 61)
		if (f->data[j] != (unsigned char)(i + j))
			return -1;
	return 0;
}

static int consume(struct sk_ring *in, int wake_peer, int own_wake,
		   uint32_t frames)
{
	struct sk_frame f;
	uint32_t seed = 42, i = 0;
	int got;

	while (i < frames) {
		while ((got = sk_ring_peek(in, &f)) == 1) {
			if (check_frame(&f, i++, &seed))
				return -EBADMSG;
			sk_ring_pop(in, &f);
			if (i % 5 == 0 && sk_ring_release(in))
				wake(wake_peer);
		}
		if (got < 0)
			return got;
		if (sk_ring_release(in))
			wake(wake_peer);
		if (i < frames && sk_ring_sleep(in)) {
			if (wait_wake(own_wake))
				return -ETIMEDOUT;
			sk_ring_awake(in);
		}
	}
	return 0;
}

SK_TEST(stress_two_processes_random_sizes_nothing_lost_or_torn)
{
	enum { FRAMES = 200000 };
	struct sk_area area;
	int fd = sk_area_create();
	int a = eventfd(0, 0), b = eventfd(0, 0), status;
	pid_t pid = fork();

	if (pid == 0) {
		if (sk_area_map(&area, fd, SK_AREA_WORKER))
			_exit(2);
		_exit(produce(&area.out, a, b, FRAMES) ? 1 : 0);
	}
	assert_int_equal(sk_area_map(&area, fd, SK_AREA_GATEWAY), 0);
	assert_int_equal(consume(&area.in, b, a, FRAMES), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	sk_area_unmap(&area);
}

SK_TEST(stress_killed_producer_leaves_only_whole_frames)
{
	struct sk_area area;
	struct sk_frame f;
	int round, fd, a, b, status;
	uint32_t seed, i;
	pid_t pid;

	for (round = 0; round < 20; round++) {
		fd = sk_area_create();
		a = eventfd(0, EFD_NONBLOCK);
		b = eventfd(0, 0);
		pid = fork();
		if (pid == 0) {
			if (sk_area_map(&area, fd, SK_AREA_WORKER))
				_exit(2);
			_exit(produce(&area.out, a, b, 1u << 30) ? 1 : 0);
		}
		assert_int_equal(sk_area_map(&area, fd, SK_AREA_GATEWAY), 0);
		for (seed = 42, i = 0; i < 500u * (unsigned)round;) {
			if (sk_ring_peek(&area.in, &f) == 1) {
				assert_int_equal(check_frame(&f, i++, &seed),
						 0);
				sk_ring_pop(&area.in, &f);
			}
			if (sk_ring_release(&area.in))
				wake(b);
		}
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		while ((status = sk_ring_peek(&area.in, &f)) == 1) {
			assert_int_equal(check_frame(&f, i++, &seed), 0);
			sk_ring_pop(&area.in, &f);
		}
		assert_int_equal(status, 0);
		sk_area_unmap(&area);
		close(fd);
		close(a);
		close(b);
	}
}

SK_TEST(stress_scribbling_peer_never_moves_the_gateway_out_of_bounds)
{
	struct sk_area area, peer;
	struct sk_frame f;
	int fd = sk_area_create(), i, got;
	unsigned long sum = 0, j, frames = 0;
	pid_t pid;

	/* Before the peer can scribble over what mapping an area checks. */
	assert_int_equal(sk_area_map(&area, fd, SK_AREA_GATEWAY), 0);
	pid = fork();
	if (pid == 0) {
		uint32_t seed = 7, at, *words;

		if (sk_area_map(&peer, fd, SK_AREA_WORKER))
			_exit(2);
		words = (uint32_t *)peer.base;
		for (;;) {
			at = next_random(&seed) % (peer.length / 4);
			words[at] = next_random(&seed) % 300000u & ~7u;
			atomic_store(&peer.page->up.head,
				     next_random(&seed) % 300000u & ~7u);
		}
	}
	for (i = 0; i < 300000; i++) {
		got = sk_ring_peek(&area.in, &f);
		if (got == 1) {
			for (j = 0; j < f.length; j++)
				sum += f.data[j];
			sk_ring_pop(&area.in, &f);
			frames++;
		} else if (got == -EPROTO) {
			area.in.own = area.in.peer =
				atomic_load(&area.page->up.tail);
		}
		sk_ring_release(&area.in);
		sk_ring_push(&area.out, SK_FRAME_BODY, 0, 0, 0, "x", 1);
		sk_ring_publish(&area.out);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(frames + sum + 1 > 0);
	sk_area_unmap(&area);
}
