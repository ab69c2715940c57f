/* SPDX-License-Identifier: BSD-2-Clause */
#include "sk_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "control/control.h"

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

SK_TEST(message_carries_payload_and_descriptors)
{
	struct sk_message head = { .type = SK_MSG_ATTACHED, .proc = 77 };
	struct sk_received got;
	char buffer[SK_MESSAGE_MAX + 1];
	int pair[2], fds[2] = { 0, 1 };

	assert_int_equal(sk_control_pair(pair), 0);
	assert_int_equal(sk_message_send(pair[0], &head, "abc", 3, fds, 2), 0);
	assert_int_equal(
		sk_message_receive(pair[1], &got, buffer, sizeof(buffer)), 1);
	assert_int_equal(got.head.type, SK_MSG_ATTACHED);
	assert_int_equal(got.head.proc, 77);
	assert_int_equal(got.length, 3);
	assert_string_equal((char *)got.payload, "abc");
	assert_int_equal(got.nfds, 2);
	assert_true(fcntl(got.fds[1], F_GETFD) & FD_CLOEXEC);
	assert_int_equal(got.fds[2], -1);
	sk_received_close(&got);
	assert_int_equal(
		sk_message_receive(pair[1], &got, buffer, sizeof(buffer)),
		-EAGAIN);
	close(pair[0]);
	assert_int_equal(
		sk_message_receive(pair[1], &got, buffer, sizeof(buffer)), 0);
	close(pair[1]);
}

SK_TEST(message_too_long_is_refused_by_the_sender)
{
	struct sk_message head = { .type = SK_MSG_LOG };
	static char big[SK_MESSAGE_MAX + 1];
	int pair[2];

	assert_int_equal(sk_control_pair(pair), 0);
	assert_int_equal(
		sk_message_send(pair[0], &head, big, sizeof(big), NULL, 0),
		-EMSGSIZE);
	assert_int_equal(
		sk_message_send(pair[0], &head, big, SK_MESSAGE_MAX, NULL, 0),
		0);
}

SK_TEST(message_cut_off_or_lying_about_its_length_is_eproto)
{
	struct sk_message head = { .type = SK_MSG_LOG, .length = 100 };
	struct sk_received got;
	char buffer[64] = "";
	int pair[2];

	assert_int_equal(sk_control_pair(pair), 0);
	assert_int_equal(send(pair[0], &head, 5, 0), 5);
	assert_int_equal(
		sk_message_receive(pair[1], &got, buffer, sizeof(buffer)),
		-EPROTO);
	assert_int_equal(send(pair[0], &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(
		sk_message_receive(pair[1], &got, buffer, sizeof(buffer)),
		-EPROTO);
	assert_int_equal(sk_message_send(pair[0], &head, buffer, 64, NULL, 0),
			 0);
	assert_int_equal(
		sk_message_receive(pair[1], &got, buffer, sizeof(buffer)),
		-EPROTO);
}

SK_TEST(descriptors_beyond_the_contract_are_closed_not_leaked)
{
	struct sk_message head = { .type = SK_MSG_LOG };
	struct sk_received got;
	char buffer[64];
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(20 * sizeof(int))];
	} control;
	struct iovec iov = { &head, sizeof(head) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int pair[2], n, i, before;

	assert_int_equal(sk_control_pair(pair), 0);
	before = count_fds();
	for (n = 5; n <= 20; n++) {
		struct cmsghdr *c;

		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
		for (i = 0; i < n; i++)
			((int *)(void *)CMSG_DATA(c))[i] = pair[0];
		assert_int_equal(sendmsg(pair[0], &msg, 0), sizeof(head));
		assert_int_equal(sk_message_receive(pair[1], &got, buffer,
						    sizeof(buffer)),
				 -EPROTO);
		assert_int_equal(count_fds(), before);
	}
}

SK_TEST(credentials_come_when_they_are_asked_for)
{
	struct sk_message head = { .type = SK_MSG_CONFIG };
	struct sk_received got;
	char buffer[64];
	int pair[2], on = 1, fd = 0;

	assert_int_equal(sk_control_pair(pair), 0);
	assert_int_equal(
		setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)),
		0);
	assert_int_equal(sk_message_send(pair[0], &head, NULL, 0, &fd, 1), 0);
	assert_int_equal(
		sk_message_receive(pair[1], &got, buffer, sizeof(buffer)), 1);
	assert_int_equal(got.has_cred, 1);
	assert_int_equal(got.uid, getuid());
	assert_int_equal(got.pid, getpid());
	assert_int_equal(got.nfds, 1);
	sk_received_close(&got);
}
