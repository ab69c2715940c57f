/* SPDX-License-Identifier: BSD-2-Clause */
/* The real selkie-egress against real servers. */
// link: tests/unit/egress_rig.c
#include "sk_test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include "tests/unit/egress_rig.h"

#define HELLO                                                                  \
	"HTTP/1.1 200 Fine\r\nContent-Length: 5\r\nX-A: 1\r\nSet-Cookie: "     \
	"a\r\n"                                                                \
	"Set-Cookie: b\r\n\r\nhello"
#define LOCAL                                                                  \
	"{\"outboundHttp\":["                                                  \
	"{\"method\":\"GET\",\"pattern\":\"http://127.0.0.1:*/**\"},"          \
	"{\"method\":\"POST\",\"pattern\":\"http://127.0.0.1:*/**\"},"         \
	"{\"method\":\"HEAD\",\"pattern\":\"http://127.0.0.1:*/**\"}]}"

static struct rig rig;
static struct rig_upstream upstream;
static struct rig_reply reply;
static char url[512];

static const char *at(const char *format)
{
	snprintf(url, sizeof(url), format, upstream.port);
	return url;
}

static void open_all(const char *answer, size_t length, const char *policy)
{
	rig_upstream_open(&upstream, answer, length);
	rig_open(&rig, NULL);
	rig_grant(&rig, policy);
}

static void close_all(void)
{
	rig_close(&rig);
	rig_reply_free(&reply);
	rig_upstream_close(&upstream);
}

SK_TEST(get_brings_status_headers_and_body)
{
	open_all(HELLO, 0, LOCAL);
	rig_get(&rig, at("http://127.0.0.1:%d/a?b=c"), &reply);
	assert_int_equal(reply.fail, 0);
	assert_int_equal(reply.status, 200);
	assert_string_equal(reply.text, "Fine");
	assert_string_equal((char *)reply.body, "hello");
	assert_non_null(strstr(reply.headers, "set-cookie: a\nset-cookie: b"));
	assert_memory_equal(upstream.seen->last, "GET /a?b=c HTTP/1.1\r\n", 21);
	close_all();
}

SK_TEST(second_call_uses_the_connection_again)
{
	int i;

	open_all(HELLO, 0, LOCAL);
	for (i = 0; i < 20; i++) {
		rig_get(&rig, at("http://127.0.0.1:%d/"), &reply);
		assert_int_equal(reply.status, 200);
		rig_reply_free(&reply);
	}
	assert_int_equal(upstream.seen->requests, 20);
	assert_int_equal(upstream.seen->connections, 1);
	close_all();
}

SK_TEST(many_calls_at_a_time_all_come_back)
{
	uint32_t i;

	open_all(HELLO, 0, LOCAL);
	for (i = 0; i < SK_CALLS; i++)
		rig_fetch(&rig, i, "GET", at("http://127.0.0.1:%d/"), NULL, 0,
			  1);
	/* Each slot is taken apart from the others' frames, so one by one. */
	for (i = 0; i < 100; i++) {
		rig_listen(&rig, 20);
		if (upstream.seen->requests == SK_CALLS)
			break;
	}
	assert_int_equal(upstream.seen->requests, SK_CALLS);
	close_all();
}

SK_TEST(url_without_a_pattern_is_refused_before_anything_is_sent)
{
	open_all(HELLO, 0, LOCAL);
	rig_get(&rig, "http://127.0.0.2:80/", &reply);
	assert_int_equal(reply.fail, SK_FAIL_POLICY);
	rig_listen(&rig, 1000);
	assert_non_null(strstr(rig.log, "3 refused: GET http://127.0.0.2:80/"));
	assert_int_equal(upstream.seen->connections, 0);
	close_all();
}

SK_TEST(method_without_a_pattern_is_refused)
{
	open_all(HELLO, 0, LOCAL);
	rig_fetch(&rig, 0, "DELETE", at("http://127.0.0.1:%d/"), NULL, 0, 1);
	assert_int_equal(rig_take(&rig, 0, &reply, 0, 1), 1);
	assert_int_equal(reply.fail, SK_FAIL_POLICY);
	assert_int_equal(upstream.seen->connections, 0);
	close_all();
}

SK_TEST(post_sends_a_body_of_known_length)
{
	uint32_t serial;

	open_all(HELLO, 0, LOCAL);
	serial = rig_fetch(&rig, 3, "POST", at("http://127.0.0.1:%d/"), NULL, 6,
			   0);
	rig_push(&rig, SK_FRAME_BODY, 0, 3, serial, "abc", 3);
	rig_push(&rig, SK_FRAME_BODY, SK_FRAME_END, 3, serial, "def", 3);
	assert_int_equal(rig_take(&rig, 3, &reply, 0, 1), 1);
	assert_int_equal(reply.fail, 0);
	assert_int_equal(reply.status, 200);
	assert_non_null(strstr(upstream.seen->last, "Content-Length: 6\r\n"));
	assert_null(strstr(upstream.seen->last, "Expect"));
	close_all();
}

SK_TEST(post_of_unknown_length_is_chunked)
{
	uint32_t serial;

	open_all(HELLO, 0, LOCAL);
	serial = rig_fetch(&rig, 3, "POST", at("http://127.0.0.1:%d/"), NULL,
			   SK_LENGTH_UNKNOWN, 0);
	rig_push(&rig, SK_FRAME_BODY, SK_FRAME_END, 3, serial, "abc", 3);
	assert_int_equal(rig_take(&rig, 3, &reply, 0, 1), 1);
	assert_int_equal(reply.status, 200);
	assert_non_null(strstr(upstream.seen->last, "chunked"));
	close_all();
}

SK_TEST(head_has_no_body)
{
	open_all("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", 0, LOCAL);
	rig_fetch(&rig, 0, "HEAD", at("http://127.0.0.1:%d/"), NULL, 0, 1);
	assert_int_equal(rig_take(&rig, 0, &reply, 0, 1), 1);
	assert_int_equal(reply.status, 200);
	assert_int_equal(reply.length, 0);
	assert_non_null(strstr(reply.headers, "content-length: 99"));
	close_all();
}

SK_TEST(early_hints_are_no_reply)
{
	open_all("HTTP/1.1 103 Early\r\nLink: x\r\n\r\n"
		 "HTTP/1.1 204 No\r\n\r\n",
		 0, LOCAL);
	rig_get(&rig, at("http://127.0.0.1:%d/"), &reply);
	assert_int_equal(reply.status, 204);
	assert_null(strstr(reply.headers, "link"));
	close_all();
}

SK_TEST(nobody_listens_is_a_failure_to_connect)
{
	open_all(HELLO, 0, LOCAL);
	rig_get(&rig, "http://127.0.0.1:1/", &reply);
	assert_int_equal(reply.fail, SK_FAIL_CONNECT);
	close_all();
}

/* A listener whose backlog is full: a SYN to it is not answered. Its port; the
 * descriptors stay open. */
static int open_full_backlog(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(to);
	int sock = socket(AF_INET, SOCK_STREAM, 0), n, fd;
	struct pollfd ready = { .events = POLLOUT };

	assert_int_equal(bind(sock, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(listen(sock, 0), 0);
	getsockname(sock, (struct sockaddr *)&to, &size);
	for (n = 0; n < 16; n++) {
		fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
			continue;
		ready.fd = fd;
		if (poll(&ready, 1, 300) == 0)
			return ntohs(to.sin_port);
	}
	fail_msg("the backlog never fills");
	return 0;
}

SK_TEST(nobody_takes_the_connection_is_a_time_out)
{
	char to[64];

	open_all("", 0, LOCAL);
	snprintf(to, sizeof(to), "http://127.0.0.1:%d/", open_full_backlog());
	rig_get(&rig, to, &reply);
	assert_int_equal(reply.fail, SK_FAIL_TIME);
	close_all();
}

SK_TEST(no_head_in_time_is_a_time_out)
{
	open_all("", 0, LOCAL);
	rig.timeout_ms = 300;
	rig_get(&rig, at("http://127.0.0.1:%d/"), &reply);
	assert_int_equal(reply.fail, SK_FAIL_TIME);
	assert_string_equal(reply.text, "no reply in time");
	close_all();
}

/* The supervisor does not listen for a while: its socket takes some hundred
 * lines. */
SK_TEST(no_line_of_the_log_is_lost)
{
	unsigned round, lines = 0;
	uint32_t slot;
	const char *line;

	open_all(HELLO, 0, LOCAL);
	rig.deaf = 1;
	for (round = 0; round < 3; round++) {
		for (slot = 0; slot < SK_CALLS; slot++)
			rig_fetch(&rig, slot, "PUT", at("http://no/%d"), NULL,
				  0, 1);
		/* They are answered in order. */
		memset(&reply, 0, sizeof(reply));
		assert_int_equal(rig_take(&rig, SK_CALLS - 1, &reply, 0, 0), 1);
		assert_int_equal(reply.fail, SK_FAIL_POLICY);
	}
	rig.deaf = 0;
	rig_get(&rig, at("http://127.0.0.1:%d/"), &reply);
	rig_listen(&rig, 200);
	for (line = rig.log; (line = strstr(line, "refused: PUT")); line++)
		lines++;
	assert_int_equal(lines, 3 * SK_CALLS);
	close_all();
}

SK_TEST(nonsense_from_upstream_fails_the_call)
{
	open_all("SMTP ready\r\n\r\n", 0, LOCAL);
	rig_get(&rig, at("http://127.0.0.1:%d/"), &reply);
	assert_int_equal(reply.fail, SK_FAIL_PROTOCOL);
	close_all();
}

SK_TEST(huge_head_from_upstream_fails_the_call)
{
	static char answer[80000];
	int used = sprintf(answer, "HTTP/1.1 200 OK\r\n"), i;

	for (i = 0; i < 700; i++)
		used += sprintf(answer + used, "x-%d: %0100d\r\n", i, i);
	sprintf(answer + used, "Content-Length: 0\r\n\r\n");
	open_all(answer, 0, LOCAL);
	rig_get(&rig, at("http://127.0.0.1:%d/"), &reply);
	assert_int_equal(reply.fail, SK_FAIL_LIMIT);
	close_all();
}

/* --- flow control --- */

static char *large(size_t length, size_t *size)
{
	char *answer = malloc(length + 100);
	int used = sprintf(answer,
			   "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n",
			   length);

	memset(answer + used, 'x', length);
	*size = (size_t)used + length;
	return answer;
}

SK_TEST(large_body_comes_whole)
{
	size_t size;
	char *answer = large(16u << 20, &size);

	open_all(answer, size, LOCAL);
	rig_get(&rig, at("http://127.0.0.1:%d/"), &reply);
	assert_int_equal(reply.fail, 0);
	assert_int_equal(reply.length, 16u << 20);
	close_all();
	free(answer);
}

SK_TEST(without_credit_no_more_than_the_window_comes)
{
	size_t size;
	char *answer = large(1u << 20, &size);
	uint32_t serial, bytes;

	open_all(answer, size, LOCAL);
	serial = rig_fetch(&rig, 0, "GET", at("http://127.0.0.1:%d/"), NULL, 0,
			   1);
	/* curl gives pieces of up to 16 KiB, each whole or not at all */
	assert_int_equal(
		rig_take(&rig, 0, &reply, SK_CALL_WINDOW - 16 * 1024 + 1, 0),
		0);
	rig_listen(&rig, 200);
	assert_true(reply.length <= SK_CALL_WINDOW);
	bytes = (uint32_t)reply.length;
	rig_push(&rig, SK_FRAME_CREDIT, 0, 0, serial, &bytes, sizeof(bytes));
	assert_int_equal(rig_take(&rig, 0, &reply, 0, 1), 1);
	assert_int_equal(reply.length, 1u << 20);
	close_all();
	free(answer);
}

SK_TEST(abort_frees_the_slot_for_another_call)
{
	size_t size;
	char *answer = large(1u << 20, &size);
	uint32_t serial;
	int i;

	open_all(answer, size, LOCAL);
	for (i = 0; i < 5; i++) {
		serial = rig_fetch(&rig, 0, "GET", at("http://127.0.0.1:%d/"),
				   NULL, 0, 1);
		assert_int_equal(rig_take(&rig, 0, &reply, 1, 0), 0);
		rig_push(&rig, SK_FRAME_ABORT, 0, 0, serial, NULL, 0);
		rig_reply_free(&reply);
	}
	assert_string_equal(rig.hostile, "");
	close_all();
	free(answer);
}

/* --- who breaks the protocol --- */

SK_TEST(upload_beyond_the_window_is_hostile)
{
	static char piece[SK_FRAME_MAX];
	uint32_t serial;
	int i;

	open_all("", 0, LOCAL);
	/* Nobody accepts there, so nothing is taken. */
	serial = rig_fetch(&rig, 0, "POST", "http://127.0.0.1:9/", NULL,
			   SK_LENGTH_UNKNOWN, 0);
	rig_listen(&rig, 100);
	rig.hostile[0] = 0;
	serial = rig_fetch(&rig, 1, "POST", at("http://127.0.0.1:%d/"), NULL,
			   SK_LENGTH_UNKNOWN, 0);
	for (i = 0; i < 200 && !rig.hostile[0]; i++) {
		rig_push(&rig, SK_FRAME_BODY, 0, 1, serial, piece,
			 sizeof(piece));
		rig_listen(&rig, 0);
	}
	rig_listen(&rig, 1000);
	assert_string_equal(rig.hostile, "egress: protocol error");
	close_all();
}

SK_TEST(credit_for_what_never_came_is_hostile)
{
	uint32_t bytes = 1, serial;

	open_all("", 0, LOCAL);
	serial = rig_fetch(&rig, 0, "GET", at("http://127.0.0.1:%d/"), NULL, 0,
			   1);
	rig_push(&rig, SK_FRAME_CREDIT, 0, 0, serial, &bytes, sizeof(bytes));
	rig_listen(&rig, RIG_PATIENCE);
	assert_string_equal(rig.hostile, "egress: protocol error");
	close_all();
}

SK_TEST(header_with_a_line_break_is_hostile)
{
	const char *const headers[] = { "x", "a\r\nHost: evil", NULL };

	open_all(HELLO, 0, LOCAL);
	rig_fetch(&rig, 0, "GET", at("http://127.0.0.1:%d/"), headers, 0, 1);
	rig_listen(&rig, RIG_PATIENCE);
	assert_string_equal(rig.hostile, "egress: protocol error");
	assert_int_equal(upstream.seen->connections, 0);
	close_all();
}

SK_TEST(slot_that_is_in_use_is_hostile)
{
	open_all("", 0, LOCAL);
	rig_fetch(&rig, 0, "GET", at("http://127.0.0.1:%d/"), NULL, 0, 1);
	rig_fetch(&rig, 0, "GET", at("http://127.0.0.1:%d/"), NULL, 0, 1);
	rig_listen(&rig, RIG_PATIENCE);
	assert_string_equal(rig.hostile, "egress: protocol error");
	close_all();
}

SK_TEST(hostile_worker_process_leaves_others_alone)
{
	struct sk_area first;

	open_all(HELLO, 0, LOCAL);
	rig_push(&rig, 99, 0, 0, 0, "?", 1);
	rig_listen(&rig, RIG_PATIENCE);
	assert_string_equal(rig.hostile, "egress: protocol error");
	rig.hostile[0] = 0;
	first = rig.area;
	rig_grant(&rig, LOCAL);
	rig_get(&rig, at("http://127.0.0.1:%d/"), &reply);
	assert_int_equal(reply.status, 200);
	sk_area_unmap(&first);
	close_all();
}

SK_TEST(replaced_file_of_the_resolver_ends_an_egress_that_is_idle)
{
	const char *target = "/etc/host.conf";
	char temporary[] = "/etc/host.conf.selkie-XXXXXX";
	int fd, status;

	/* In a mount namespace of its own, on a copy of /etc. */
	if (geteuid() != 0 || access(target, R_OK))
		return;
	assert_int_equal(unshare(CLONE_NEWNS), 0);
	assert_int_equal(
		system("mount --make-rprivate / && "
		       "mount -t tmpfs none /mnt && "
		       "cp -a /etc/host.conf /etc/hosts /etc/nsswitch.conf "
		       "/mnt && mount --bind /mnt /etc"),
		0);
	open_all(HELLO, 0, LOCAL);
	rig_get(&rig, at("http://127.0.0.1:%d/"), &reply);
	assert_int_equal(reply.status, 200);
	fd = mkstemp(temporary);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(rename(temporary, target), 0);
	assert_int_equal(waitpid(rig.egress, &status, 0), rig.egress);
	assert_int_equal(status, 0);
	rig_listen(&rig, 0);
	assert_non_null(strstr(rig.log, "begins anew"));
	rig_reply_free(&reply);
	rig_upstream_close(&upstream);
}
