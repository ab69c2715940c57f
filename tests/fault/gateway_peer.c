/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A supervisor and a worker process in one, which do not keep to the rules:
 * what a gateway must survive. nginx starts it as `selkie_supervisor_path`
 * (descriptor 3: the door). What a request's path says, happens:
 *
 *   /hello /headers /empty        plain responses
 *   /count /echo                  read the body, with credit
 *   /bytes/N /stream/N            N bytes, announced or not
 *   /silent /deaf                 no reply, no credit; no look at the ring
 *   /die /retire                  the process ends; is replaced
 *   /evil/KIND                    a protocol error, see evil.h
 *
 * It says on stderr what it was told: "peer: KIND …".
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "control/control.h"
#include "ring/frame.h"
#include "ring/ring.h"

#define PROCS	 256
#define REQUESTS 4096
#define DOOR	 3

struct request {
	int used;
	uint32_t slot, serial;
	int echo, count, send, flood;
	int started, body_ended;
	uint64_t taken, left;
	uint32_t window;  /* may be sent */
	uint32_t pending; /* echo: bytes held */
	unsigned char held[SK_WINDOW];
};

struct proc {
	int used, client, deaf;
	uint32_t top; /* no slot above was ever used */
	uint64_t id;
	struct sk_area area;
	int wake_gateway;
	struct request *requests;
};

static struct proc procs[PROCS];
static int wake, poller;
static uint64_t next_id = 1;

static void say(const char *what, uint64_t n, const char *text)
{
	char line[256];
	int len;

	len = snprintf(line, sizeof(line), "peer: %s %llu%s%s\n", what,
		       (unsigned long long)n, text ? " " : "",
		       text ? text : "");
	if (write(2, line, (size_t)len) < 0)
		exit(1);
}

static void tell(int client, uint32_t type, uint64_t proc, int32_t value)
{
	struct sk_message head;

	memset(&head, 0, sizeof(head));
	head.type = type;
	head.proc = proc;
	head.value = value;
	(void)sk_message_send(client, &head, NULL, 0, NULL, 0);
}

static void drop(struct proc *p)
{
	sk_area_unmap(&p->area);
	close(p->wake_gateway);
	free(p->requests);
	memset(p, 0, sizeof(*p));
}

static void attach(int client, const struct sk_message *wish)
{
	struct sk_message head = *wish;
	struct proc *p = procs;
	int fds[3], area;

	while (p->used)
		if (++p == procs + PROCS)
			exit(1);
	area = sk_area_create();
	p->wake_gateway = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	p->requests = calloc(REQUESTS, sizeof(*p->requests));
	if (area < 0 || p->wake_gateway < 0 || !p->requests ||
	    sk_area_map(&p->area, area, SK_AREA_WORKER))
		exit(1);
	p->used = 1;
	p->client = client;
	p->id = next_id++;
	head.type = SK_MSG_ATTACHED;
	head.proc = p->id;
	fds[0] = area;
	fds[1] = wake;
	fds[2] = p->wake_gateway;
	say("attach", head.route, NULL);
	if (sk_message_send(client, &head, NULL, 0, fds, 3))
		exit(1);
	close(area);
}

/* --- responses --- */

static unsigned char *put_head(unsigned char *at, uint32_t status,
			       uint64_t length, uint32_t headers)
{
	struct sk_response_head head = { length, status, headers };

	memcpy(at, &head, sizeof(head));
	return at + sizeof(head);
}

static unsigned char *put_pair(unsigned char *at, const char *name,
			       const char *value)
{
	return sk_pair_write(at, name, strlen(name), value, strlen(value));
}

static void push(struct proc *p, struct request *r, uint16_t type,
		 uint16_t flags, const void *data, size_t length)
{
	if (sk_ring_push(&p->area.out, type, flags, r->slot, r->serial, data,
			 (uint32_t)length))
		say("full", p->id, NULL);
}

static void plain(struct proc *p, struct request *r, uint32_t status,
		  const char *text)
{
	unsigned char frame[512], *at;

	at = put_head(frame, status, strlen(text), 1);
	at = put_pair(at, "content-type", "text/plain;charset=UTF-8");
	memcpy(at, text, strlen(text));
	at += strlen(text);
	push(p, r, SK_FRAME_RESPONSE, SK_FRAME_END, frame,
	     (size_t)(at - frame));
	r->used = 0;
}

static void headers(struct proc *p, struct request *r)
{
	unsigned char frame[1024], *at;

	at = put_head(frame, 201, 2, 9);
	at = put_pair(at, "Set-Cookie", "a=1");
	at = put_pair(at, "set-cookie", "b=2");
	at = put_pair(at, "connection", "close");
	at = put_pair(at, "transfer-encoding", "chunked");
	at = put_pair(at, "content-length", "77");
	at = put_pair(at, "content-type", "text/html");
	at = put_pair(at, "x-latin", "caf\xe9");
	at = put_pair(at, "location", "/elsewhere");
	at = put_pair(at, "etag", "\"e\"");
	*at++ = 'o';
	*at++ = 'k';
	push(p, r, SK_FRAME_RESPONSE, SK_FRAME_END, frame,
	     (size_t)(at - frame));
	r->used = 0;
}

static void begin_stream(struct proc *p, struct request *r, uint64_t length)
{
	unsigned char frame[64], *at;

	at = put_head(frame, 200, length, 0);
	push(p, r, SK_FRAME_RESPONSE, 0, frame, (size_t)(at - frame));
	r->started = 1;
	r->window = SK_WINDOW;
}

/* Sends what window and ring allow. Byte n of a body is n modulo 251. */
static void pump(struct proc *p, struct request *r)
{
	static unsigned char bytes[SK_FRAME_MAX + 251];
	static uint64_t done;
	uint32_t n;
	size_t i;

	while (r->flood)
		if (sk_ring_push(&p->area.out, SK_FRAME_BODY, 0, r->slot,
				 r->serial, bytes, SK_FRAME_MAX))
			return;
	if (!bytes[1])
		for (i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)(i % 251);
	while (r->send && r->left && r->window) {
		n = r->window;
		if (n > 16384)
			n = 16384;
		if (n > r->left)
			n = (uint32_t)r->left;
		done = r->taken % 251;
		if (sk_ring_push(&p->area.out, SK_FRAME_BODY,
				 n == r->left ? SK_FRAME_END : 0, r->slot,
				 r->serial, bytes + done, n))
			return;
		r->taken += n;
		r->left -= n;
		r->window -= n;
		if (!r->left)
			r->used = 0;
	}
	while (r->echo && r->pending && r->window) {
		n = r->pending < r->window ? r->pending : r->window;
		if (sk_ring_push(&p->area.out, SK_FRAME_BODY, 0, r->slot,
				 r->serial, r->held, n))
			return;
		if (sk_ring_push(&p->area.out, SK_FRAME_CREDIT, 0, r->slot,
				 r->serial, &n, sizeof(n)))
			return;
		memmove(r->held, r->held + n, r->pending - n);
		r->pending -= n;
		r->window -= n;
	}
	if (r->echo && r->body_ended && !r->pending) {
		if (sk_ring_push(&p->area.out, SK_FRAME_BODY, SK_FRAME_END,
				 r->slot, r->serial, NULL, 0))
			return;
		r->used = 0;
	}
}

#include "gateway_evil.h"

/* --- requests --- */

static void begin(struct proc *p, struct request *r, const char *path)
{
	if (!strcmp(path, "/hello")) {
		plain(p, r, 200, "hello\n");
	} else if (!strcmp(path, "/empty")) {
		plain(p, r, 204, "");
	} else if (!strcmp(path, "/headers")) {
		headers(p, r);
	} else if (!strncmp(path, "/count", 6)) {
		r->count = 1;
	} else if (!strcmp(path, "/echo")) {
		r->echo = 1;
		begin_stream(p, r, SK_LENGTH_UNKNOWN);
	} else if (!strncmp(path, "/bytes/", 7)) {
		r->send = 1;
		r->left = strtoull(path + 7, NULL, 10);
		begin_stream(p, r, r->left);
	} else if (!strncmp(path, "/stream/", 8)) {
		r->send = 1;
		r->left = strtoull(path + 8, NULL, 10);
		begin_stream(p, r, SK_LENGTH_UNKNOWN);
	} else if (!strcmp(path, "/deaf")) {
		p->deaf = 1;
	} else if (!strcmp(path, "/retire")) {
		plain(p, r, 200, "retire\n");
		tell(p->client, SK_MSG_RETIRE, p->id, 0);
	} else if (!strncmp(path, "/evil/", 6)) {
		evil(p, r, path + 6);
	}
	pump(p, r);
}

/* 1: the process has died. */
static int request(struct proc *p, const struct sk_frame *frame)
{
	struct sk_request_head head;
	struct sk_cursor cursor = { frame->data, frame->data + frame->length };
	struct sk_bytes method, target;
	struct request *r = &p->requests[frame->slot % REQUESTS];
	char path[256];
	size_t n;

	if (sk_cursor_copy(&cursor, &head, sizeof(head)) ||
	    sk_cursor_take(&cursor, head.method_len, &method) ||
	    sk_cursor_take(&cursor, head.target_len, &target))
		exit(1);
	n = target.length < sizeof(path) - 1 ? target.length : sizeof(path) - 1;
	memcpy(path, target.data, n);
	path[n] = 0;
	path[strcspn(path, "?")] = 0;
	memset(r, 0, offsetof(struct request, held));
	r->used = 1;
	if (frame->slot % REQUESTS >= p->top)
		p->top = frame->slot % REQUESTS + 1;
	r->slot = frame->slot;
	r->serial = frame->serial;
	r->body_ended = frame->flags & SK_FRAME_END;
	if (!strcmp(path, "/die")) {
		tell(p->client, SK_MSG_GONE, p->id, 9);
		drop(p);
		return 1;
	}
	begin(p, r, path);
	return 0;
}

static void finish_count(struct proc *p, struct request *r)
{
	char text[64];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)r->taken);
	plain(p, r, 200, text);
}

static void body(struct proc *p, struct request *r,
		 const struct sk_frame *frame)
{
	uint32_t n = frame->length;

	r->taken += n;
	if (frame->flags & SK_FRAME_END)
		r->body_ended = 1;
	if (r->count && n)
		push(p, r, SK_FRAME_CREDIT, 0, &n, sizeof(n));
	if (r->echo && n) {
		memcpy(r->held + r->pending, frame->data, n);
		r->pending += n;
	}
	if (r->count && r->body_ended)
		finish_count(p, r);
}

static int frame(struct proc *p, const struct sk_frame *frame)
{
	struct request *r = &p->requests[frame->slot % REQUESTS];
	uint32_t n = 0;

	if (frame->type == SK_FRAME_REQUEST)
		return request(p, frame);
	if (frame->type == SK_FRAME_ABORT) {
		memcpy(&n, frame->data, sizeof(n));
		say("abort", n, NULL);
		r->used = 0;
	}
	if (!r->used || r->serial != frame->serial)
		return 0;
	if (frame->type == SK_FRAME_CREDIT) {
		memcpy(&n, frame->data, sizeof(n));
		r->window += n;
	} else if (frame->type == SK_FRAME_BODY) {
		body(p, r, frame);
	}
	pump(p, r);
	return 0;
}

static void poke(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		exit(1);
}

static void turn(struct proc *p)
{
	struct sk_frame f;
	uint32_t i;
	int died = 0;

	sk_ring_awake(&p->area.in);
	do {
		for (i = 0; i < p->top; i++)
			if (p->requests[i].used)
				pump(p, &p->requests[i]);
		while (!p->deaf && sk_ring_peek(&p->area.in, &f) == 1) {
			died = frame(p, &f);
			if (died || p->deaf)
				return;
			sk_ring_pop(&p->area.in, &f);
		}
		if (sk_ring_release(&p->area.in))
			poke(p->wake_gateway);
		if (sk_ring_publish(&p->area.out))
			poke(p->wake_gateway);
	} while (!p->deaf && !sk_ring_sleep(&p->area.in));
}

/* --- control --- */

static struct proc *find(uint64_t id)
{
	struct proc *p;

	for (p = procs; p < procs + PROCS; p++)
		if (p->used && p->id == id)
			return p;
	return NULL;
}

static void client_gone(int fd)
{
	struct proc *p;

	for (p = procs; p < procs + PROCS; p++)
		if (p->used && p->client == fd)
			drop(p);
	close(fd);
}

static void client_says(int fd)
{
	static unsigned char buffer[SK_MESSAGE_MAX + 1];
	struct sk_received got;
	struct proc *p;
	int rc;

	while ((rc = sk_message_receive(fd, &got, buffer, sizeof(buffer))) ==
	       1) {
		p = find(got.head.proc);
		if (got.head.type == SK_MSG_ATTACH) {
			attach(fd, &got.head);
		} else if (got.head.type == SK_MSG_HOSTILE && p) {
			say("hostile", p->id, (char *)got.payload);
			drop(p);
		} else if (got.head.type == SK_MSG_RETIRED && p) {
			say("retired", p->id, NULL);
			drop(p);
		} else if (got.head.type == SK_MSG_STUCK && p) {
			say("stuck", p->id, NULL);
			tell(fd, SK_MSG_GONE, p->id, 9);
			drop(p);
		}
		sk_received_close(&got);
	}
	if (rc != -EAGAIN)
		client_gone(fd);
}

static void watch(int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event))
		exit(1);
}

/* 0: nobody holds the other end of the door any more. */
static int door_says(void)
{
	static unsigned char buffer[SK_MESSAGE_MAX + 1];
	struct sk_received got;
	int rc;

	while ((rc = sk_message_receive(DOOR, &got, buffer, sizeof(buffer))) ==
	       1) {
		say(got.head.type == SK_MSG_CONFIG ? "config" : "connect",
		    got.head.generation, NULL);
		if (got.head.type == SK_MSG_CONNECT && got.nfds == 1) {
			watch(got.fds[0]);
			got.fds[0] = -1;
		}
		sk_received_close(&got);
	}
	return rc == -EAGAIN;
}

int main(void)
{
	struct epoll_event events[16];
	uint64_t count;
	struct proc *p;
	int i, n;

	wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	poller = epoll_create1(EPOLL_CLOEXEC);
	if (wake < 0 || poller < 0)
		return 1;
	watch(DOOR);
	watch(wake);
	for (;;) {
		n = epoll_wait(poller, events, 16, -1);
		for (i = 0; i < n; i++) {
			if (events[i].data.fd == DOOR) {
				if (!door_says())
					return 0;
			} else if (events[i].data.fd != wake) {
				client_says(events[i].data.fd);
			} else if (read(wake, &count, sizeof(count)) < 0 &&
				   errno != EAGAIN) {
				return 1;
			}
		}
		for (p = procs; p < procs + PROCS; p++)
			if (p->used)
				turn(p);
	}
}
