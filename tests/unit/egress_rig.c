/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/egress_rig.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- upstream --- */

static void write_all(int fd, const char *at, size_t length)
{
	ssize_t n;

	for (; length; at += n, length -= (size_t)n) {
		n = write(fd, at, length);
		if (n <= 0)
			_exit(0);
	}
}

/* One connection: a reply for each end of a head that comes. */
static void serve(struct rig_upstream *upstream, int fd, const char *reply,
		  size_t length)
{
	char buffer[65536];
	size_t used = 0;
	char *end;
	ssize_t n;

	while ((n = read(fd, buffer + used, sizeof(buffer) - 1 - used)) > 0) {
		upstream->seen->bytes += (uint64_t)n;
		used += (size_t)n;
		buffer[used] = 0;
		end = strstr(buffer, "\r\n\r\n");
		if (!end && used < sizeof(buffer) - 1)
			continue;
		/* A body of its own ends like a head. */
		if (end && strstr(buffer, " HTTP/1.1\r\n")) {
			memcpy(upstream->seen->last, buffer, used + 1);
			upstream->seen->requests++;
			write_all(fd, reply, length);
		}
		used = 0;
	}
}

static void serve_all(struct rig_upstream *upstream, int sock,
		      const char *reply, size_t length)
{
	int fd;

	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	while ((fd = accept(sock, NULL, NULL)) >= 0) {
		upstream->seen->connections++;
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			serve(upstream, fd, reply, length);
			_exit(0);
		}
		close(fd);
	}
	_exit(0);
}

void rig_upstream_open(struct rig_upstream *upstream, const char *reply,
		       size_t length)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int sock = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(sock, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(sock, 128), 0);
	getsockname(sock, (struct sockaddr *)&at, &size);
	upstream->port = ntohs(at.sin_port);
	upstream->seen =
		mmap(NULL, sizeof(*upstream->seen), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(upstream->seen != MAP_FAILED);
	upstream->pid = fork();
	if (upstream->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve_all(upstream, sock, reply,
			  length ? length : strlen(reply));
	}
	close(sock);
}

void rig_upstream_close(struct rig_upstream *upstream)
{
	kill(upstream->pid, SIGKILL);
	waitpid(upstream->pid, NULL, 0);
	munmap(upstream->seen, sizeof(*upstream->seen));
}

/* --- the egress --- */

static const char *egress_path(void)
{
	const char *path = getenv("SELKIE_EGRESS");

	return path ? path : "build/libexec/selkie/selkie-egress";
}

void rig_open(struct rig *rig, const char *const *options)
{
	const char *argv[32] = { egress_path() };
	int pair[2], n = 1;

	memset(rig, 0, sizeof(*rig));
	if (geteuid() == 0) {
		argv[n++] = "--uid";
		argv[n++] = "65534";
		argv[n++] = "--gid";
		argv[n++] = "65534";
	}
	while (options && *options)
		argv[n++] = *options++;
	assert_int_equal(sk_control_pair(pair), 0);
	rig->egress = fork();
	if (rig->egress == 0) {
		if (pair[1] == 3)
			fcntl(3, F_SETFD, 0);
		else
			dup2(pair[1], 3);
		execv(argv[0], (char **)argv);
		_exit(127);
	}
	close(pair[1]);
	rig->control = pair[0];
	rig->worker_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rig->egress_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void rig_close(struct rig *rig)
{
	int status = -1;

	close(rig->control);
	assert_int_equal(waitpid(rig->egress, &status, 0), rig->egress);
	assert_int_equal(status, 0);
	sk_area_unmap(&rig->area);
	close(rig->worker_wake);
	close(rig->egress_wake);
}

void rig_grant(struct rig *rig, const char *policy)
{
	struct sk_message head = { .type = SK_MSG_EGRESS_AREA, .proc = 1 };
	char text[16384];
	int area = sk_area_create();
	int fds[] = { area, rig->worker_wake, rig->egress_wake };

	assert_true(area >= 0);
	snprintf(text, sizeof(text), "{\"route\":\"GET /t\",\"policy\":%s}",
		 policy);
	assert_int_equal(sk_message_send(rig->control, &head, text,
					 strlen(text), fds, 3),
			 0);
	assert_int_equal(sk_area_map(&rig->area, area, SK_AREA_WORKER), 0);
	close(area);
}

void rig_listen(struct rig *rig, int ms)
{
	static unsigned char buffer[SK_MESSAGE_MAX + 1];
	struct pollfd ready = { rig->control, POLLIN, 0 };
	struct sk_received got;
	size_t used;

	while (!rig->deaf && poll(&ready, 1, ms) == 1 &&
	       sk_message_receive(rig->control, &got, buffer, sizeof(buffer)) ==
		       1) {
		ms = 0;
		used = strlen(rig->log);
		if (got.head.type == SK_MSG_LOG)
			snprintf(rig->log + used, sizeof(rig->log) - used,
				 "%d %s\n", got.head.value,
				 (char *)got.payload);
		else if (got.head.type == SK_MSG_EGRESS_HOSTILE)
			snprintf(rig->hostile, sizeof(rig->hostile), "%s",
				 (char *)got.payload);
		sk_received_close(&got);
	}
}

static void publish(struct rig *rig)
{
	const uint64_t one = 1;

	if (sk_ring_publish(&rig->area.out) | sk_ring_release(&rig->area.in))
		assert_int_equal(write(rig->egress_wake, &one, sizeof(one)),
				 sizeof(one));
}

/* Until the egress wakes us, speaks, or has died. 0: nothing came. */
static int wait_wake(struct rig *rig, int ms)
{
	struct pollfd ready[] = { { rig->worker_wake, POLLIN, 0 },
				  { rig->control, POLLIN, 0 } };
	uint64_t count;
	int n = 1;

	publish(rig);
	if (sk_ring_sleep(&rig->area.in))
		n = poll(ready, rig->deaf ? 1 : 2, ms);
	sk_ring_awake(&rig->area.in);
	if (read(rig->worker_wake, &count, sizeof(count)) < 0)
		count = 0;
	rig_listen(rig, 0);
	return n;
}

void rig_push(struct rig *rig, uint16_t type, uint16_t flags, uint32_t slot,
	      uint32_t serial, const void *payload, uint32_t length)
{
	int err;

	while ((err = sk_ring_push(&rig->area.out, type, flags, slot, serial,
				   payload, length)) == -EAGAIN &&
	       !rig->hostile[0])
		assert_true(wait_wake(rig, RIG_PATIENCE));
	publish(rig);
}

uint32_t rig_fetch(struct rig *rig, uint32_t slot, const char *method,
		   const char *url, const char *const *headers,
		   uint64_t body_length, int end)
{
	static unsigned char payload[SK_FRAME_MAX];
	struct sk_fetch_head head = { .body_length = body_length,
				      .timeout_ms = rig->timeout_ms,
				      .method_len = (uint32_t)strlen(method),
				      .url_len = (uint32_t)strlen(url) };
	unsigned char *at = payload + sizeof(head);

	memcpy(at, method, head.method_len);
	at += head.method_len;
	memcpy(at, url, head.url_len);
	at += head.url_len;
	for (; headers && *headers; headers += 2, head.headers++)
		at = sk_pair_write(at, headers[0], strlen(headers[0]),
				   headers[1], strlen(headers[1]));
	memcpy(payload, &head, sizeof(head));
	rig->serial++;
	rig_push(rig, SK_FRAME_FETCH, end ? SK_FRAME_END : 0, slot, rig->serial,
		 payload, (uint32_t)(at - payload));
	return rig->serial;
}

/* --- replies --- */

static void take_head(struct rig_reply *reply, const struct sk_frame *frame)
{
	struct sk_cursor cursor = { frame->data, frame->data + frame->length };
	struct sk_bytes name, value;
	struct sk_reply_head head;
	size_t used = 0;

	assert_int_equal(sk_cursor_copy(&cursor, &head, sizeof(head)), 0);
	assert_int_equal(sk_cursor_take(&cursor, head.text_len, &value), 0);
	snprintf(reply->text, sizeof(reply->text), "%.*s", (int)value.length,
		 value.data);
	reply->status = head.status;
	while (head.headers--) {
		assert_int_equal(sk_cursor_pair(&cursor, &name, &value), 0);
		used += (size_t)snprintf(
			reply->headers + used, sizeof(reply->headers) - used,
			"%.*s: %.*s\n", (int)name.length, name.data,
			(int)value.length, value.data);
		assert_true(used < sizeof(reply->headers));
	}
}

static void take_fail(struct rig_reply *reply, const struct sk_frame *frame)
{
	struct sk_cursor cursor = { frame->data, frame->data + frame->length };
	struct sk_fail_head head;
	struct sk_bytes text;

	assert_int_equal(sk_cursor_copy(&cursor, &head, sizeof(head)), 0);
	assert_int_equal(sk_cursor_take(&cursor, head.text_len, &text), 0);
	reply->fail = head.kind;
	snprintf(reply->text, sizeof(reply->text), "%.*s", (int)text.length,
		 text.data);
}

/* 1: the call is over. */
static int take_frame(struct rig *rig, struct rig_reply *reply,
		      const struct sk_frame *frame, int credit)
{
	uint32_t bytes = frame->length;

	switch (frame->type) {
	case SK_FRAME_REPLY:
		assert_int_equal(reply->status, 0);
		take_head(reply, frame);
		break;
	case SK_FRAME_BODY:
		reply->body = realloc(reply->body, reply->length + bytes + 1);
		memcpy(reply->body + reply->length, frame->data, bytes);
		reply->length += bytes;
		reply->body[reply->length] = 0;
		if (credit && bytes && !(frame->flags & SK_FRAME_END))
			rig_push(rig, SK_FRAME_CREDIT, 0, frame->slot,
				 frame->serial, &bytes, sizeof(bytes));
		break;
	case SK_FRAME_ABORT:
		take_fail(reply, frame);
		return 1;
	default:
		assert_int_equal(frame->type, SK_FRAME_CREDIT);
	}
	reply->ended = (frame->flags & SK_FRAME_END) != 0;
	return reply->ended;
}

int rig_take(struct rig *rig, uint32_t slot, struct rig_reply *reply,
	     size_t stop_at, int credit)
{
	struct sk_frame frame;
	int got, over = 0;

	while (!over) {
		got = sk_ring_peek(&rig->area.in, &frame);
		assert_true(got >= 0);
		if (got) {
			if (frame.slot == slot)
				over = take_frame(rig, reply, &frame, credit);
			sk_ring_pop(&rig->area.in, &frame);
			if (!over && stop_at && reply->length >= stop_at)
				return 0;
			continue;
		}
		rig_listen(rig, 0);
		if (rig->hostile[0])
			return -1;
		assert_true(wait_wake(rig, RIG_PATIENCE));
	}
	publish(rig);
	rig_listen(rig, 0);
	return 1;
}

void rig_reply_free(struct rig_reply *reply)
{
	free(reply->body);
	memset(reply, 0, sizeof(*reply));
}

void rig_get(struct rig *rig, const char *url, struct rig_reply *reply)
{
	memset(reply, 0, sizeof(*reply));
	rig_fetch(rig, 0, "GET", url, NULL, 0, 1);
	assert_int_equal(rig_take(rig, 0, reply, 0, 1), 1);
}
