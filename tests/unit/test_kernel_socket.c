/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
// wasm
#include "sk_test.h"
#include "tests/kernel/rig.h"

#define MS INT64_C(1000000)

struct world {
	struct rig *r;
	struct sk_task *a, *b;
};

static struct world world_new(void)
{
	struct world w = { .r = rig_new() };
	struct sk_abi_sigaction ignore = { .handler = SK_SIG_IGN };

	w.a = rig_fork(w.r, w.r->init);
	RIG(w.a, rt_sigaction, SK_SIGPIPE,
	    rig_put(w.a, &ignore, sizeof(ignore)), 0, 8);
	w.b = rig_fork(w.r, w.a);
	return w;
}

static void pair_of(struct sk_task *t, int type, int64_t fds[2])
{
	sk_user at = rig_room(t, 8);

	assert_int_equal(RIG(t, socketpair, SK_AF_UNIX, type, 0, at), 0);
	fds[0] = ((int32_t *)rig_at(t, at))[0];
	fds[1] = ((int32_t *)rig_at(t, at))[1];
}

static int64_t send_str(struct sk_task *t, int64_t fd, const char *s)
{
	return RIG(t, sendto, fd, rig_str(t, s), strlen(s), 0, 0, 0);
}

static const char *receive(struct sk_task *t, int64_t fd, int flags)
{
	sk_user at = rig_room(t, 256);
	int64_t n = RIG(t, recvfrom, fd, at, 255, flags, 0, 0);

	if (n < 0)
		return n == RIG_PARKED ? "(waits)" : "(error)";
	((char *)rig_at(t, at))[n] = 0;
	return rig_at(t, at);
}

static sk_user inet(struct sk_task *t, uint8_t first, uint16_t port)
{
	struct sk_abi_sockaddr_in in = {
		.family = SK_AF_INET,
		.port = { (uint8_t)(port >> 8), (uint8_t)port },
		.addr = { first, 0, 0, first == 127 }
	};

	return rig_put(t, &in, sizeof(in));
}

static sk_user local(struct sk_task *t, const char *path)
{
	struct sk_abi_sockaddr_un un = { .family = SK_AF_UNIX };

	strcpy(un.path, path);
	return rig_put(t, &un, sizeof(un));
}

#define UN sizeof(struct sk_abi_sockaddr_un)
#define IN sizeof(struct sk_abi_sockaddr_in)

static int64_t listener(struct sk_task *t, uint16_t port, int backlog)
{
	int64_t fd = RIG(t, socket, SK_AF_INET, SK_SOCK_STREAM, 0);
	int32_t one = 1;

	assert_true(fd >= 0);
	RIG(t, setsockopt, fd, SK_SOL_SOCKET, 2, rig_put(t, &one, 4), 4);
	assert_int_equal(RIG(t, bind, fd, inet(t, 0, port), IN), 0);
	assert_int_equal(RIG(t, listen, fd, backlog), 0);
	return fd;
}

static int64_t dial(struct sk_task *t, uint16_t port, int flags, int64_t *fd)
{
	*fd = RIG(t, socket, SK_AF_INET, SK_SOCK_STREAM | flags, 0);
	return RIG(t, connect, *fd, inet(t, 127, port), IN);
}

static int32_t option(struct sk_task *t, int64_t fd, int name)
{
	int32_t four = 4;
	sk_user size = rig_put(t, &four, 4), at = rig_room(t, 8);

	assert_int_equal(RIG(t, getsockopt, fd, SK_SOL_SOCKET, name, at, size),
			 0);
	return *(int32_t *)rig_at(t, at);
}

static int polled(struct sk_task *t, int64_t fd, int events)
{
	struct sk_abi_pollfd one = { (int32_t)fd, (int16_t)events, 0 };
	struct sk_abi_timespec none = { 0, 0 };
	sk_user at = rig_put(t, &one, sizeof(one));

	RIG(t, ppoll, at, 1, rig_put(t, &none, sizeof(none)));
	return ((struct sk_abi_pollfd *)rig_at(t, at))->revents;
}

SK_TEST(a_stream_pair_carries_bytes_both_ways)
{
	struct world w = world_new();
	int64_t s[2];

	pair_of(w.a, SK_SOCK_STREAM, s);
	assert_int_equal(send_str(w.a, s[0], "hello"), 5);
	assert_int_equal(send_str(w.a, s[1], "back"), 4);
	assert_string_equal(receive(w.a, s[1], SK_MSG_PEEK), "hello");
	assert_string_equal(receive(w.a, s[1], 0), "hello");
	assert_string_equal(receive(w.a, s[0], 0), "back");
	assert_string_equal(receive(w.a, s[0], SK_MSG_DONTWAIT), "(error)");
	RIG(w.a, close, s[0]);
	assert_string_equal(receive(w.a, s[1], 0), "");
	assert_int_equal(send_str(w.a, s[1], "x"), -SK_EPIPE);
	rig_free(w.r);
}

SK_TEST(a_stream_that_is_full_makes_its_writer_wait)
{
	struct world w = world_new();
	int64_t s[2];
	sk_user at;
	int64_t got = 0;

	pair_of(w.a, SK_SOCK_STREAM, s);
	rig_of(w.b)->used = rig_of(w.a)->used;
	w.b = rig_fork(w.r, w.a);
	at = rig_room(w.a, 300000);
	assert_int_equal(RIG(w.a, write, s[0], at, 300000), RIG_PARKED);
	while (got < 300000) {
		int64_t n = RIG(w.b, read, s[1], rig_room(w.b, 16), 1);

		assert_int_equal(n, 1);
		n = RIG(w.b, read, s[1], at, 65535);
		assert_true(n > 0);
		got += n + 1;
		if (rig_of(w.a)->parked && rig_woken(w.a))
			rig_again(w.a);
	}
	assert_false(rig_of(w.a)->parked);
	rig_free(w.r);
}

SK_TEST(packets_keep_their_borders)
{
	struct world w = world_new();
	int types[] = { SK_SOCK_DGRAM, SK_SOCK_SEQPACKET };

	for (int i = 0; i < 2; i++) {
		int64_t s[2];
		sk_user at = rig_room(w.a, 16);

		pair_of(w.a, types[i], s);
		send_str(w.a, s[0], "one");
		send_str(w.a, s[0], "second");
		assert_string_equal(receive(w.a, s[1], 0), "one");
		assert_int_equal(RIG(w.a, recvfrom, s[1], at, 2, SK_MSG_TRUNC),
				 6);
		assert_string_equal(receive(w.a, s[1], SK_MSG_DONTWAIT),
				    "(error)");
	}
	rig_free(w.r);
}

SK_TEST(shutdown_ends_one_way)
{
	struct world w = world_new();
	int64_t s[2];

	pair_of(w.a, SK_SOCK_STREAM, s);
	send_str(w.a, s[0], "last");
	assert_int_equal(RIG(w.a, shutdown, s[0], SK_SHUT_WR), 0);
	assert_int_equal(send_str(w.a, s[0], "x"), -SK_EPIPE);
	assert_string_equal(receive(w.a, s[1], 0), "last");
	assert_string_equal(receive(w.a, s[1], 0), "");
	assert_int_equal(send_str(w.a, s[1], "still"), 5);
	assert_string_equal(receive(w.a, s[0], 0), "still");
	rig_free(w.r);
}

SK_TEST(a_connection_over_the_loopback)
{
	struct world w = world_new();
	int64_t l = listener(w.a, 8080, 5), c, s;
	int32_t size = 64;
	sk_user at = rig_room(w.a, 64), len = rig_put(w.a, &size, 4);
	struct sk_abi_sockaddr_in *name = rig_at(w.a, at);

	assert_int_equal(RIG(w.a, accept, l, at, len), RIG_PARKED);
	assert_int_equal(dial(w.b, 8080, 0, &c), 0);
	assert_int_equal(send_str(w.b, c, "early"), 5);
	s = rig_again(w.a);
	assert_true(s >= 0);
	assert_int_equal(*(int32_t *)rig_at(w.a, len), 16);
	assert_int_equal(name->addr[0], 127);
	assert_true(name->port[0] >= 0x80);
	assert_string_equal(receive(w.a, s, 0), "early");
	send_str(w.a, s, "answer");
	assert_string_equal(receive(w.b, c, 0), "answer");
	assert_int_equal(RIG(w.a, getsockname, s, at, len), 0);
	assert_int_equal(name->port[0] << 8 | name->port[1], 8080);
	RIG(w.a, close, s);
	assert_string_equal(receive(w.b, c, 0), "");
	assert_int_equal(polled(w.b, c, SK_POLLIN), SK_POLLIN | SK_POLLHUP);
	rig_free(w.r);
}

SK_TEST(a_connect_that_has_to_wait_is_in_progress_then_writable)
{
	struct world w = world_new();
	int64_t l = listener(w.a, 81, 0), c[3];

	assert_int_equal(dial(w.b, 81, 0, &c[0]), 0);
	assert_int_equal(dial(w.b, 81, SK_SOCK_NONBLOCK, &c[1]),
			 -SK_EINPROGRESS);
	assert_int_equal(polled(w.b, c[1], SK_POLLOUT), 0);
	assert_int_equal(RIG(w.b, connect, c[1], inet(w.b, 127, 81), IN),
			 -SK_EALREADY);
	assert_int_equal(dial(w.b, 81, 0, &c[2]), RIG_PARKED);
	assert_true(RIG(w.a, accept4, l, 0, 0, 0) >= 0);
	assert_int_equal(polled(w.b = w.r->init, 99, SK_POLLOUT), SK_POLLNVAL);
	assert_true(RIG(w.a, accept4, l, 0, 0, 0) >= 0);
	rig_free(w.r);
}

SK_TEST(a_connect_in_progress_tells_by_poll_and_option)
{
	struct world w = world_new();
	int64_t l = listener(w.a, 81, 0), c, d, at;

	dial(w.b, 81, 0, &c);
	assert_int_equal(dial(w.b, 81, SK_SOCK_NONBLOCK, &d), -SK_EINPROGRESS);
	at = RIG(w.a, accept4, l, 0, 0, 0);
	assert_true(at >= 0);
	assert_int_equal(polled(w.b, d, SK_POLLOUT), SK_POLLOUT);
	assert_int_equal(option(w.b, d, 4), 0);
	assert_int_equal(RIG(w.b, connect, d, inet(w.b, 127, 81), IN), 0);
	assert_int_equal(RIG(w.b, connect, d, inet(w.b, 127, 81), IN),
			 -SK_EISCONN);
	rig_free(w.r);
}

SK_TEST(nobody_listens_is_refused)
{
	struct world w = world_new();
	int64_t c;

	assert_int_equal(dial(w.a, 9, 0, &c), -SK_ECONNREFUSED);
	assert_int_equal(dial(w.a, 9, SK_SOCK_NONBLOCK, &c), -SK_EINPROGRESS);
	assert_int_equal(polled(w.a, c, SK_POLLOUT),
			 SK_POLLOUT | SK_POLLERR | SK_POLLHUP);
	assert_int_equal(option(w.a, c, 4), SK_ECONNREFUSED);
	assert_int_equal(RIG(w.a, connect, c, inet(w.a, 10, 80), IN),
			 -SK_ECONNABORTED);
	assert_int_equal(RIG(w.a, connect, c, inet(w.a, 10, 80), IN),
			 -SK_ENETUNREACH);
	rig_free(w.r);
}

SK_TEST(a_listener_that_goes_resets_who_was_not_accepted)
{
	struct world w = world_new();
	int64_t l = listener(w.a, 81, 0), c, d;

	dial(w.b, 81, 0, &c);
	assert_int_equal(dial(w.b, 81, 0, &d), RIG_PARKED);
	RIG(w.a, close, l);
	assert_int_equal(rig_again(w.b), -SK_ECONNREFUSED);
	assert_string_equal(receive(w.b, c, 0), "(error)");
	assert_string_equal(receive(w.b, c, 0), "");
	rig_free(w.r);
}

SK_TEST(a_port_is_one_sockets_only)
{
	struct world w = world_new();
	int64_t l = listener(w.a, 81, 0), fd, other;
	int32_t one = 1, size = 16;
	sk_user at = rig_room(w.a, 16);

	fd = RIG(w.a, socket, SK_AF_INET, SK_SOCK_STREAM, 0);
	RIG(w.a, setsockopt, fd, SK_SOL_SOCKET, 2, rig_put(w.a, &one, 4), 4);
	assert_int_equal(RIG(w.a, bind, fd, inet(w.a, 127, 81), IN),
			 -SK_EADDRINUSE);
	assert_int_equal(RIG(w.a, bind, fd, inet(w.a, 8, 81), IN),
			 -SK_EADDRNOTAVAIL);
	assert_int_equal(RIG(w.a, bind, fd, inet(w.a, 127, 0), IN), 0);
	assert_int_equal(RIG(w.a, bind, fd, inet(w.a, 127, 0), IN), -SK_EINVAL);
	assert_int_equal(RIG(w.a, getsockname, fd, at, rig_put(w.a, &size, 4)),
			 0);
	assert_true(((uint8_t *)rig_at(w.a, at))[2] >= 0x80);
	/* Datagrams have ports of their own. */
	other = RIG(w.a, socket, SK_AF_INET, SK_SOCK_DGRAM, 0);
	assert_int_equal(RIG(w.a, bind, other, inet(w.a, 0, 81), IN), 0);
	RIG(w.a, close, l);
	other = RIG(w.a, socket, SK_AF_INET, SK_SOCK_STREAM, 0);
	assert_int_equal(RIG(w.a, bind, other, inet(w.a, 0, 81), IN), 0);
	rig_free(w.r);
}

SK_TEST(new_and_old_addresses_meet)
{
	struct world w = world_new();
	struct sk_abi_sockaddr_in6 any = { .family = SK_AF_INET6,
					   .port = { 0, 90 } };
	int64_t l = RIG(w.a, socket, SK_AF_INET6, SK_SOCK_STREAM, 0), c;
	int32_t size = 64;
	sk_user at = rig_room(w.a, 64);
	struct sk_abi_sockaddr_in6 *name = rig_at(w.a, at);

	assert_int_equal(
		RIG(w.a, bind, l, rig_put(w.a, &any, sizeof(any)), sizeof(any)),
		0);
	RIG(w.a, listen, l, 1);
	assert_int_equal(dial(w.b, 90, 0, &c), 0);
	assert_true(RIG(w.a, accept, l, at, rig_put(w.a, &size, 4)) >= 0);
	assert_int_equal(name->family, SK_AF_INET6);
	assert_int_equal(name->addr[11], 0xff);
	assert_int_equal(name->addr[12], 127);
	any.addr[15] = 1;
	c = RIG(w.b, socket, SK_AF_INET6, SK_SOCK_STREAM, 0);
	assert_int_equal(RIG(w.b, connect, c, rig_put(w.b, &any, sizeof(any)),
			     sizeof(any)),
			 0);
	rig_free(w.r);
}

SK_TEST(datagrams_have_a_sender)
{
	struct world w = world_new();
	int64_t a = RIG(w.a, socket, SK_AF_INET, SK_SOCK_DGRAM, 0);
	int64_t b = RIG(w.b, socket, SK_AF_INET, SK_SOCK_DGRAM, 0);
	int32_t size = 64;
	sk_user from = rig_room(w.a, 64), len = rig_put(w.a, &size, 4);
	sk_user at = rig_room(w.a, 64);

	RIG(w.a, bind, a, inet(w.a, 0, 53), IN);
	assert_int_equal(RIG(w.b, sendto, b, rig_str(w.b, "ask"), 3, 0,
			     inet(w.b, 127, 53), IN),
			 3);
	assert_int_equal(RIG(w.a, recvfrom, a, at, 64, 0, from, len), 3);
	assert_int_equal(
		RIG(w.a, sendto, a, rig_str(w.a, "tell"), 4, 0, from, IN), 4);
	assert_string_equal(receive(w.b, b, 0), "tell");
	/* Nobody there: a connected one learns it. */
	assert_int_equal(RIG(w.b, sendto, b, at, 3, 0, inet(w.b, 127, 54), IN),
			 3);
	assert_int_equal(RIG(w.b, connect, b, inet(w.b, 127, 54), IN), 0);
	assert_int_equal(send_str(w.b, b, "x"), 1);
	assert_int_equal(send_str(w.b, b, "x"), -SK_ECONNREFUSED);
	assert_int_equal(RIG(w.b, sendto, b, at, 70000, 0, 0, 0), -SK_EMSGSIZE);
	rig_free(w.r);
}

SK_TEST(local_names_are_files)
{
	struct world w = world_new();
	int64_t l = RIG(w.a, socket, SK_AF_UNIX, SK_SOCK_STREAM, 0), c, s;
	int32_t size = 200;
	sk_user at = rig_room(w.a, 200), len = rig_put(w.a, &size, 4);

	assert_int_equal(RIG(w.a, listen, l, 1), -SK_EINVAL);
	assert_int_equal(RIG(w.a, bind, l, local(w.a, "/sock"), UN), 0);
	c = RIG(w.b, socket, SK_AF_UNIX, SK_SOCK_STREAM, 0);
	assert_int_equal(RIG(w.b, connect, c, local(w.b, "/none"), UN),
			 -SK_ENOENT);
	assert_int_equal(RIG(w.b, connect, c, local(w.b, "/sock"), UN),
			 -SK_ECONNREFUSED);
	assert_int_equal(RIG(w.a, listen, l, 1), 0);
	assert_int_equal(RIG(w.b, connect, c, local(w.b, "/sock"), UN), 0);
	s = RIG(w.a, accept, l, 0, 0);
	assert_true(s >= 0);
	send_str(w.b, c, "hi");
	assert_string_equal(receive(w.a, s, 0), "hi");
	assert_int_equal(RIG(w.b, getpeername, c, at, len), 0);
	assert_string_equal((char *)rig_at(w.a, at), "");
	s = RIG(w.a, socket, SK_AF_UNIX, SK_SOCK_STREAM, 0);
	assert_int_equal(RIG(w.a, bind, s, local(w.a, "/sock"), UN),
			 -SK_EADDRINUSE);
	RIG(w.a, close, l);
	c = RIG(w.b, socket, SK_AF_UNIX, SK_SOCK_STREAM, 0);
	assert_int_equal(RIG(w.b, connect, c, local(w.b, "/sock"), UN),
			 -SK_ECONNREFUSED);
	assert_int_equal(RIG(w.a, unlinkat, (uint64_t)SK_AT_FDCWD,
			     rig_str(w.a, "/sock"), 0),
			 0);
	assert_int_equal(RIG(w.a, bind, s, local(w.a, "/sock"), UN), 0);
	rig_free(w.r);
}

/* A message with files. */
static int64_t send_files(struct sk_task *t, int64_t fd, const char *text,
			  int32_t what, int count)
{
	struct {
		struct sk_abi_cmsghdr c;
		int32_t fds[3];
	} control = { { (uint32_t)(12 + 4 * count), SK_SOL_SOCKET,
			SK_SCM_RIGHTS },
		      { what, what, what } };
	struct sk_abi_iovec v = { rig_str(t, text), (uint32_t)strlen(text) };
	struct sk_abi_msghdr m = { .iov = rig_put(t, &v, sizeof(v)),
				   .iovlen = 1 };

	m.control = rig_put(t, &control, sizeof(control));
	m.controllen = control.c.len;
	return RIG(t, sendmsg, fd, rig_put(t, &m, sizeof(m)), 0);
}

/* The first file that came, or -1; *flags as of the message. */
static int64_t receive_files(struct sk_task *t, int64_t fd, uint32_t room,
			     int32_t *got, int32_t *flags)
{
	struct sk_abi_iovec v = { rig_room(t, 64), 64 };
	struct sk_abi_msghdr m = { .iov = rig_put(t, &v, sizeof(v)),
				   .iovlen = 1 },
			     *out;
	sk_user at, control = rig_room(t, 64);
	int64_t n;

	m.control = control;
	m.controllen = room;
	at = rig_put(t, &m, sizeof(m));
	n = RIG(t, recvmsg, fd, at, 0);
	out = rig_at(t, at);
	*got = out->controllen ? ((int32_t *)rig_at(t, control))[3] : -1;
	*flags = out->flags;
	return n;
}

SK_TEST(open_files_go_with_their_bytes)
{
	struct world w = world_new();
	int64_t s[2];
	int32_t got, flags, ends[2];
	sk_user at = rig_room(w.a, 8);

	pair_of(w.a, SK_SOCK_STREAM, s);
	RIG(w.a, pipe2, at, 0);
	memcpy(ends, rig_at(w.a, at), 8);
	assert_int_equal(send_str(w.a, s[0], "plain"), 5);
	assert_int_equal(send_files(w.a, s[0], "with", ends[1], 1), 4);
	RIG(w.a, close, ends[1]);
	/* The first receive stops before them. */
	assert_int_equal(receive_files(w.a, s[1], 64, &got, &flags), 5);
	assert_int_equal(got, -1);
	assert_int_equal(receive_files(w.a, s[1], 64, &got, &flags), 4);
	assert_true(got >= 0);
	assert_int_equal(RIG(w.a, write, got, at, 1), 1);
	assert_int_equal(RIG(w.a, read, ends[0], at, 8), 1);
	RIG(w.a, close, got);
	assert_int_equal(RIG(w.a, read, ends[0], at, 8), 0);
	assert_int_equal(send_files(w.a, s[0], "x", 77, 1), -SK_EBADF);
	/* Without room they are closed, and the message says so. */
	send_files(w.a, s[0], "three", ends[0], 3);
	assert_int_equal(receive_files(w.a, s[1], 16, &got, &flags), 5);
	assert_true(got >= 0);
	assert_int_equal(flags, SK_MSG_CTRUNC);
	/* And those that nobody takes go with the socket. */
	send_files(w.a, s[0], "left", ends[0], 1);
	rig_free(w.r);
}

SK_TEST(a_receive_with_a_time_limit_ends)
{
	struct world w = world_new();
	struct sk_abi_timeval tv = { 0, 20000 };
	int64_t s[2];

	pair_of(w.a, SK_SOCK_STREAM, s);
	assert_int_equal(RIG(w.a, setsockopt, s[0], SK_SOL_SOCKET, 66,
			     rig_put(w.a, &tv, sizeof(tv)), sizeof(tv)),
			 0);
	assert_string_equal(receive(w.a, s[0], 0), "(waits)");
	rig_sleep(w.r, 20 * MS);
	assert_int_equal(rig_again(w.a), -SK_EAGAIN);
	rig_free(w.r);
}

SK_TEST(waitall_waits_for_all)
{
	struct world w = world_new();
	int64_t s[2];
	sk_user at;

	pair_of(w.a, SK_SOCK_STREAM, s);
	w.b = rig_fork(w.r, w.a);
	at = rig_room(w.a, 8);
	send_str(w.b, s[1], "ab");
	assert_int_equal(RIG(w.a, recvfrom, s[0], at, 4, SK_MSG_WAITALL),
			 RIG_PARKED);
	send_str(w.b, s[1], "cde");
	assert_int_equal(rig_again(w.a), 4);
	assert_memory_equal(rig_at(w.a, at), "abcd", 4);
	rig_free(w.r);
}

SK_TEST(what_is_no_socket_says_so)
{
	struct world w = world_new();
	sk_user at = rig_room(w.a, 8);

	RIG(w.a, pipe2, at, 0);
	assert_int_equal(RIG(w.a, listen, *(int32_t *)rig_at(w.a, at), 1),
			 -SK_ENOTSOCK);
	assert_int_equal(RIG(w.a, listen, 99, 1), -SK_EBADF);
	assert_int_equal(RIG(w.a, socket, 16, SK_SOCK_STREAM, 0),
			 -SK_EAFNOSUPPORT);
	assert_int_equal(RIG(w.a, socket, SK_AF_INET, SK_SOCK_STREAM, 17),
			 -SK_EPROTONOSUPPORT);
	assert_int_equal(
		RIG(w.a, socketpair, SK_AF_INET, SK_SOCK_STREAM, 0, at),
		-SK_EOPNOTSUPP);
	rig_free(w.r);
}

static void connect_and_talk(uint32_t fail_at)
{
	struct rig *r = rig_new_with(NULL, fail_at);
	struct sk_task *t = r ? rig_fork(r, r->init) : NULL;
	int64_t l, c, s, pair[2];
	sk_user at;

	if (t) {
		l = RIG(t, socket, SK_AF_INET, SK_SOCK_STREAM, 0);
		RIG(t, bind, l, inet(t, 127, 80), IN);
		RIG(t, listen, l, 4);
		c = RIG(t, socket, SK_AF_INET,
			SK_SOCK_STREAM | SK_SOCK_NONBLOCK, 0);
		RIG(t, connect, c, inet(t, 127, 80), IN);
		RIG(t, sendto, c, rig_str(t, "x"), 1, SK_MSG_NOSIGNAL, 0, 0);
		s = RIG(t, fcntl, l, SK_F_SETFL, SK_O_NONBLOCK);
		s = RIG(t, accept, l, 0, 0);
		RIG(t, sendto, s, rig_str(t, "y"), 1, SK_MSG_NOSIGNAL, 0, 0);
		at = rig_room(t, 8);
		if (!RIG(t, socketpair, SK_AF_UNIX, SK_SOCK_DGRAM, 0, at)) {
			pair[0] = ((int32_t *)rig_at(t, at))[0];
			pair[1] = ((int32_t *)rig_at(t, at))[1];
			send_files(t, pair[0], "f", (int32_t)pair[1], 1);
			RIG(t, recvfrom, pair[1], at, 8, SK_MSG_DONTWAIT);
		}
		s = RIG(t, socket, SK_AF_UNIX, SK_SOCK_STREAM, 0);
		RIG(t, bind, s, local(t, "/s"), UN);
		RIG(t, bind, RIG(t, socket, SK_AF_UNIX, SK_SOCK_DGRAM, 0),
		    local(t, ""), 2);
	}
	if (r)
		rig_free(r);
}

SK_TEST(sockets_without_memory_leave_nothing_behind)
{
	rig_sweep(connect_and_talk);
}
