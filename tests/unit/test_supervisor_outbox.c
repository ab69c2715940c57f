/* SPDX-License-Identifier: BSD-2-Clause */
// link: supervisor/outbox.c supervisor/loop.c
#include "sk_test.h"

#include <dirent.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "supervisor/outbox.h"

struct post {
	struct sk_loop loop;
	struct sk_source source;
	struct sk_outbox outbox;
	int peer;
};

static void ready(struct sk_source *source, uint32_t events)
{
	(void)source;
	(void)events;
}

static void open_post(struct post *post)
{
	int pair[2];

	assert_int_equal(sk_loop_init(&post->loop), 0);
	assert_int_equal(sk_control_pair(pair), 0);
	post->source.fd = pair[0];
	post->source.ready = ready;
	post->peer = pair[1];
	assert_int_equal(sk_loop_add(&post->loop, &post->source, EPOLLIN), 0);
	sk_outbox_init(&post->outbox, &post->loop, &post->source);
}

static void close_post(struct post *post)
{
	sk_outbox_fini(&post->outbox);
	sk_loop_close(&post->loop, &post->source);
	sk_loop_fini(&post->loop);
	close(post->peer);
}

static int send_number(struct post *post, uint64_t number)
{
	struct sk_message head = { .type = SK_MSG_GONE, .proc = number };
	int fds[2] = { 0, 1 };

	return sk_outbox_send(&post->outbox, &head, "text", 4, fds, 2);
}

static int receive_number(struct post *post, uint64_t *number)
{
	unsigned char buffer[64];
	struct sk_received got;
	int err;

	err = sk_message_receive(post->peer, &got, buffer, sizeof(buffer));
	if (err <= 0)
		return err;
	assert_int_equal(got.nfds, 2);
	assert_string_equal((char *)got.payload, "text");
	*number = got.head.proc;
	sk_received_close(&got);
	return 1;
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

SK_TEST(letters_that_do_not_fit_come_later_and_in_order)
{
	struct post post;
	uint64_t number, expected = 0;
	uint64_t i;

	open_post(&post);
	for (i = 0; i < 2000; i++)
		assert_int_equal(send_number(&post, i), 0);
	assert_true(post.outbox.count > 0);
	while (expected < 2000) {
		while (receive_number(&post, &number) > 0)
			assert_int_equal(number, expected++);
		assert_int_equal(sk_outbox_flush(&post.outbox), 0);
	}
	assert_int_equal(post.outbox.count, 0);
	close_post(&post);
}

SK_TEST(outbox_is_bounded)
{
	struct sk_message head = { .type = SK_MSG_GONE };
	struct post post;
	int i, err = 0;

	open_post(&post);
	for (i = 0; i < 2 * SK_OUTBOX_MAX && !err; i++)
		err = sk_outbox_send(&post.outbox, &head, NULL, 0, NULL, 0);
	assert_int_equal(err, -ENOBUFS);
	assert_int_equal(post.outbox.count, SK_OUTBOX_MAX);
	close_post(&post);
}

SK_TEST(outbox_closes_the_descriptors_that_never_left)
{
	struct post post;
	int before = descriptors();
	uint64_t i;

	open_post(&post);
	for (i = 0; i < 400; i++)
		assert_int_equal(send_number(&post, i), 0);
	close_post(&post);
	assert_int_equal(descriptors(), before);
}

SK_TEST(peer_that_has_gone_is_an_error)
{
	struct post post;

	open_post(&post);
	close(post.peer);
	assert_int_equal(send_number(&post, 1), -EPIPE);
	post.peer = dup(0);
	close_post(&post);
}
