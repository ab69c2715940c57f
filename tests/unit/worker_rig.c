/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/worker_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *worker_path(void)
{
	const char *path = getenv("SELKIE_WORKER");

	return path ? path : "build/libexec/selkie/selkie-worker";
}

static int text_fd(const char *name, const char *text)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

void rig_open(struct rig *rig)
{
	int pair[2];

	memset(rig, 0, sizeof(*rig));
	rig->exit_status = -1;
	rig->control = rig->pidfd = -1;
	assert_int_equal(sk_control_pair(pair), 0);
	rig->zygote = fork();
	if (rig->zygote == 0) {
		if (pair[1] == 3)
			fcntl(3, F_SETFD, 0);
		else
			dup2(pair[1], 3);
		execl(worker_path(), "selkie-worker", "--zygote", NULL);
		_exit(127);
	}
	assert_true(rig->zygote > 0);
	close(pair[1]);
	rig->zygote_fd = pair[0];
}

void rig_close(struct rig *rig)
{
	int status;

	close(rig->zygote_fd);
	if (rig->control >= 0)
		close(rig->control);
	assert_int_equal(waitpid(rig->zygote, &status, 0), rig->zygote);
	sk_area_unmap(&rig->area);
}

/* Receives from `fd`, waiting; 0 when the peer closed. */
static int receive(int fd, struct sk_received *message, unsigned char *buffer)
{
	struct pollfd ready = { fd, POLLIN, 0 };
	int got;

	do {
		assert_int_equal(poll(&ready, 1, RIG_PATIENCE), 1);
		got = sk_message_receive(fd, message, buffer,
					 SK_MESSAGE_MAX + 1);
	} while (got == -EAGAIN);
	return got;
}

static void on_control(struct rig *rig, const struct sk_received *message)
{
	size_t have = strlen(rig->log);

	switch (message->head.type) {
	case SK_MSG_READY:
	case SK_MSG_FAILED:
		rig->verdict = message->head.type;
		snprintf(rig->text, sizeof(rig->text), "%s",
			 (char *)message->payload);
		break;
	case SK_MSG_LOG:
		snprintf(rig->log + have, sizeof(rig->log) - have, "%d %s\n",
			 message->head.value, (char *)message->payload);
		break;
	case SK_MSG_RECYCLE:
		rig->recycle++;
		break;
	default:
		fail_msg("message of type %u", message->head.type);
	}
}

static void on_zygote(struct rig *rig, struct sk_received *message)
{
	if (message->head.type == SK_MSG_SPAWNED) {
		rig->pid = message->head.value;
		rig->pidfd = message->fds[0];
		message->fds[0] = -1;
	} else if (message->head.type == SK_MSG_EXITED) {
		rig->exit_status = message->head.value;
	} else {
		fail_msg("the zygote says %u", message->head.type);
	}
}

void rig_listen(struct rig *rig, int until_exit)
{
	static unsigned char buffer[SK_MESSAGE_MAX + 1];
	struct pollfd fds[2] = { { rig->control, POLLIN, 0 },
				 { rig->zygote_fd, POLLIN, 0 } };
	struct sk_received message;

	while (poll(fds, 2, until_exit ? RIG_PATIENCE : 0) > 0) {
		if (fds[0].revents) {
			if (receive(rig->control, &message, buffer) == 1)
				on_control(rig, &message);
			else
				fds[0].fd = -1;
			sk_received_close(&message);
		}
		if (fds[1].revents) {
			if (receive(rig->zygote_fd, &message, buffer) != 1)
				break;
			on_zygote(rig, &message);
			sk_received_close(&message);
		}
		if (until_exit && rig->exit_status >= 0 && fds[0].fd < 0)
			break;
	}
}

static void attach_area(struct rig *rig)
{
	struct sk_message head = { .type = SK_MSG_AREA, .value = 5 };
	int fds[2] = { sk_area_create(),
		       eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };

	assert_true(fds[0] >= 0 && fds[1] >= 0);
	assert_int_equal(sk_area_map(&rig->area, fds[0], SK_AREA_GATEWAY), 0);
	assert_int_equal(sk_message_send(rig->control, &head, NULL, 0, fds, 2),
			 0);
	close(fds[0]);
	rig->wake = fds[1];
}

void rig_spawn(struct rig *rig, const char *module, const char *limits)
{
	static unsigned char buffer[SK_MESSAGE_MAX + 1];
	struct sk_message head = { .type = SK_MSG_SPAWN, .proc = 77 };
	char json[1024], *bundle;
	struct sk_received message;
	int fds[4], pair[2], page;

	assert_true(asprintf(&bundle,
			     "(async function (register) {\n"
			     "register({ default: %s });\n})",
			     module) > 0);
	snprintf(json, sizeof(json),
		 "{\"route\": \"GET /test\", \"worker\": \"/app/test.js\", "
		 "\"limits\": %s}",
		 limits ? limits : "{\"memory\": 134217728, \"cpu\": 500}");
	assert_int_equal(sk_control_pair(pair), 0);
	fds[0] = pair[1];
	fds[1] = text_fd("bundle", bundle);
	fds[2] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	fds[3] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	free(bundle);
	rig->control = pair[0];
	rig->worker_wake = fds[3];
	page = memfd_create("page", MFD_CLOEXEC);
	assert_int_equal(ftruncate(page, 4096), 0);
	rig->page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, page, 0);
	assert_int_equal(sk_message_send(rig->zygote_fd, &head, json,
					 strlen(json), fds, 4),
			 0);
	head.type = SK_MSG_SPAWN_PAGE;
	assert_int_equal(
		sk_message_send(rig->zygote_fd, &head, NULL, 0, &page, 1), 0);
	close(fds[0]);
	close(fds[1]);
	close(fds[2]);
	close(page);
	while (!rig->verdict) {
		if (receive(rig->control, &message, buffer) != 1) {
			rig_listen(rig, 1);
			fail_msg("it died before it was ready: status %x",
				 rig->exit_status);
		}
		on_control(rig, &message);
		sk_received_close(&message);
	}
	rig_listen(rig, 0);
	if (rig->verdict == SK_MSG_READY)
		attach_area(rig);
}

/* --- the ring --- */

static void kick(int fd)
{
	uint64_t one = 1;

	assert_int_equal(write(fd, &one, sizeof(one)), sizeof(one));
}

/* Waits for the worker process to do something with the area. 0: it did not. */
static int wait_ring(struct rig *rig, int ms)
{
	struct pollfd ready = { rig->wake, POLLIN, 0 };
	uint64_t count;
	int got = 1;

	if (sk_ring_publish(&rig->area.out))
		kick(rig->worker_wake);
	if (sk_ring_release(&rig->area.in))
		kick(rig->worker_wake);
	if (sk_ring_sleep(&rig->area.in)) {
		got = poll(&ready, 1, ms);
		sk_ring_awake(&rig->area.in);
	}
	if (read(rig->wake, &count, sizeof(count)) < 0)
		assert_int_equal(errno, EAGAIN);
	return got;
}

void rig_push(struct rig *rig, uint16_t type, uint16_t flags, uint32_t slot,
	      uint32_t serial, const void *payload, uint32_t length)
{
	while (sk_ring_push(&rig->area.out, type, flags, slot, serial, payload,
			    length) == -EAGAIN)
		assert_int_equal(wait_ring(rig, RIG_PATIENCE), 1);
	if (sk_ring_publish(&rig->area.out))
		kick(rig->worker_wake);
}

void rig_request(struct rig *rig, uint32_t slot, uint32_t serial,
		 const char *method, const char *target, int has_body)
{
	static const char host[] = "Example.test:8080", remote[] = "10.0.0.9";
	struct sk_request_head head = {
		.body_length = has_body ? SK_LENGTH_UNKNOWN : 0,
		.method_len = (uint32_t)strlen(method),
		.target_len = (uint32_t)strlen(target),
		.host_len = sizeof(host) - 1,
		.remote_len = sizeof(remote) - 1,
		.params = 1,
		.headers = 3
	};
	unsigned char frame[32768], *at = frame;

	memcpy(at, &head, sizeof(head));
	at = (unsigned char *)stpcpy((char *)at + sizeof(head), method);
	at = (unsigned char *)stpcpy((char *)at, target);
	at = (unsigned char *)stpcpy((char *)at, host);
	at = (unsigned char *)stpcpy((char *)at, remote);
	at = sk_pair_write(at, "name", 4, "v\xc3\xa9", 3);
	at = sk_pair_write(at, "x-one", 5, "first", 5);
	at = sk_pair_write(at, "x-two", 5, "\xe9", 1);
	at = sk_pair_write(at, "x-one", 5, "second", 6);
	rig_push(rig, SK_FRAME_REQUEST, has_body ? 0 : SK_FRAME_END, slot,
		 serial, frame, (uint32_t)(at - frame));
}

static void take_head(struct rig_reply *reply, struct sk_cursor *cursor)
{
	struct sk_response_head head;
	struct sk_bytes name, value;
	uint32_t i;

	assert_int_equal(reply->status, 0);
	assert_int_equal(sk_cursor_copy(cursor, &head, sizeof(head)), 0);
	reply->status = head.status;
	reply->announced = head.body_length;
	for (i = 0; i < head.headers; i++) {
		size_t have = strlen(reply->headers);

		assert_int_equal(sk_cursor_pair(cursor, &name, &value), 0);
		snprintf(reply->headers + have, sizeof(reply->headers) - have,
			 "%.*s: %.*s\n", (int)name.length, name.data,
			 (int)value.length, value.data);
	}
}

static size_t add_body(struct rig_reply *reply, const struct sk_cursor *cursor)
{
	size_t n = (size_t)(cursor->end - cursor->at);

	reply->body = realloc(reply->body, reply->length + n + 1);
	assert_non_null(reply->body);
	memcpy(reply->body + reply->length, cursor->at, n);
	reply->length += n;
	reply->body[reply->length] = '\0';
	return n;
}

static void on_frame(struct rig *rig, const struct sk_frame *frame,
		     struct rig_reply *reply, int credit)
{
	struct sk_cursor cursor = { frame->data, frame->data + frame->length };
	uint32_t taken = 0, given;

	switch (frame->type) {
	case SK_FRAME_RESPONSE:
		take_head(reply, &cursor);
		taken = (uint32_t)add_body(reply, &cursor);
		break;
	case SK_FRAME_BODY:
		assert_int_not_equal(reply->status, 0);
		taken = (uint32_t)add_body(reply, &cursor);
		break;
	case SK_FRAME_CREDIT:
		assert_int_equal(sk_cursor_copy(&cursor, &given, 4), 0);
		reply->request_credit += given;
		return;
	case SK_FRAME_ABORT:
		reply->aborted = 1;
		return;
	default:
		fail_msg("frame of type %u", frame->type);
	}
	reply->ended = (frame->flags & SK_FRAME_END) != 0;
	if (credit && taken && !reply->ended)
		rig_push(rig, SK_FRAME_CREDIT, 0, frame->slot, frame->serial,
			 &taken, sizeof(taken));
}

/* No frame came: what there is to know. */
static void complain(struct rig *rig)
{
	const struct sk_area_page *page = rig->area.page;

	fail_msg("no frame came; exit status %x; down: head %u tail %u "
		 "asleep %u, up: head %u tail %u asleep %u; turns %lu, in turn "
		 "%u, inflight %u; log: %s",
		 rig->exit_status, page->down.head, page->down.tail,
		 page->down.asleep, page->up.head, page->up.tail,
		 page->up.asleep, rig->page->turn, rig->page->in_turn,
		 rig->page->inflight, rig->log);
}

int rig_take(struct rig *rig, uint32_t slot, uint32_t serial,
	     struct rig_reply *reply, size_t stop_at, int credit)
{
	struct sk_frame frame;
	int more;

	while (!reply->ended && !reply->aborted &&
	       (!stop_at || reply->length + reply->request_credit < stop_at)) {
		more = sk_ring_peek(&rig->area.in, &frame);
		assert_true(more >= 0);
		if (!more) {
			if (!wait_ring(rig, RIG_PATIENCE)) {
				rig_listen(rig, 0);
				complain(rig);
			}
			continue;
		}
		assert_int_equal(frame.slot, slot);
		assert_int_equal(frame.serial, serial);
		on_frame(rig, &frame, reply, credit);
		sk_ring_pop(&rig->area.in, &frame);
	}
	return reply->ended;
}

int rig_quiet(struct rig *rig, int ms)
{
	struct sk_frame frame;

	if (sk_ring_peek(&rig->area.in, &frame) == 1)
		return 0;
	wait_ring(rig, ms);
	return sk_ring_peek(&rig->area.in, &frame) == 0;
}

void rig_expect(struct rig *rig, uint32_t slot, uint32_t serial,
		const char *target, const char *text)
{
	struct rig_reply reply = { 0 };

	rig_request(rig, slot, serial, "GET", target, 0);
	assert_int_equal(rig_take(rig, slot, serial, &reply, 0, 1), 1);
	assert_int_equal(reply.status, 200);
	assert_string_equal((char *)reply.body, text);
	rig_reply_free(&reply);
}

void rig_reply_free(struct rig_reply *reply)
{
	free(reply->body);
	memset(reply, 0, sizeof(*reply));
}
