/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The egress's side of an area whose frames a hostile worker process wrote,
 * and replies that a hostile upstream wrote: the input is a list of steps.
 * Nothing is dialled: curl is given calls and never driven.
 */
// link: egress/call.c egress/decode.c egress/dial.c egress/files.c egress/loop.c
// link: egress/peer.c egress/policy.c egress/reply.c egress/request.c
// link: egress/say.c egress/upload.c -lcurl -lz -lbrotlidec -lzstd
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "egress/egress.h"

static const char policy_text[] =
	"{\"policy\":{\"outboundHttp\":["
	"{\"method\":\"GET\",\"pattern\":\"http://a.test/**\"},"
	"{\"method\":\"POST\",\"pattern\":\"http://a.test/**\"}]}}";

struct input {
	const uint8_t *at;
	size_t left;
};

/* Takes up to 255 bytes, by a length that stands before them. */
static size_t take(struct input *input, const uint8_t **out)
{
	size_t n = 0;

	if (input->left) {
		n = *input->at++;
		input->left--;
	}
	if (n > input->left)
		n = input->left;
	*out = input->at;
	input->at += n;
	input->left -= n;
	return n;
}

static void push_fetch(struct sk_area *worker, uint8_t slot, uint32_t serial,
		       struct input *input)
{
	static const char method[] = "POST", url[] = "http://a.test/x?y";
	unsigned char payload[1024], *at;
	const uint8_t *name, *value;
	size_t name_len = take(input, &name), value_len = take(input, &value);
	struct sk_fetch_head head = { .body_length = SK_LENGTH_UNKNOWN,
				      .method_len = sizeof(method) - 1,
				      .url_len = sizeof(url) - 1,
				      .headers = 1 };

	memcpy(payload, &head, sizeof(head));
	at = payload + sizeof(head);
	memcpy(at, method, head.method_len);
	at += head.method_len;
	memcpy(at, url, head.url_len);
	at = sk_pair_write(at + head.url_len, name, name_len, value, value_len);
	sk_ring_push(&worker->out, SK_FRAME_FETCH, 0, slot, serial, payload,
		     (uint32_t)(at - payload));
}

/* What curl would call. */
static void upstream(struct peer *peer, uint8_t slot, uint8_t what,
		     struct input *input)
{
	struct call *call = peer->calls[slot];
	const uint8_t *bytes;
	size_t n = take(input, &bytes);
	char copy[256];

	memcpy(copy, bytes, n);
	if (!call || call->done || call->fail)
		return;
	if (what == 0) {
		if (call_on_header(copy, 1, n, call) != n)
			call_end(call, CURLE_WRITE_ERROR);
	} else if (what == 1) {
		size_t took;

		if (!call->head_done || call->down_stall)
			return;
		took = call_on_write(copy, 1, n, call);
		if (took != n && took != CURL_WRITEFUNC_PAUSE)
			call_end(call, CURLE_WRITE_ERROR);
	} else if (what == 2) {
		call_on_read(copy, 1, sizeof(copy), call);
	} else {
		call_end(call, n ? CURLE_RECV_ERROR : CURLE_OK);
	}
}

static void step(struct peer *peer, struct sk_area *worker, struct input *input)
{
	uint8_t what = input->at[0] % 8, slot = input->at[1];
	struct sk_frame frame;
	const uint8_t *bytes;
	uint32_t word;
	size_t n;

	input->at += 2;
	input->left -= 2;
	switch (what) {
	case 0: /* any frame */
		n = take(input, &bytes);
		if (n < 2)
			break;
		sk_ring_push(&worker->out, bytes[0], bytes[1] & 3, slot, 1,
			     bytes + 2, (uint32_t)n - 2);
		break;
	case 1:
		push_fetch(worker, slot, 1, input);
		break;
	case 2:
		word = slot * 1000u;
		sk_ring_push(&worker->out, SK_FRAME_CREDIT, 0, 0, 1, &word,
			     sizeof(word));
		break;
	case 3: /* the worker process takes what came */
		while (sk_ring_peek(&worker->in, &frame) == 1)
			sk_ring_pop(&worker->in, &frame);
		sk_ring_release(&worker->in);
		peer_resume(peer);
		break;
	default:
		upstream(peer, slot, what - 4, input);
	}
	sk_ring_publish(&worker->out);
	peer_receive(peer);
	sk_ring_publish(&peer->area.out);
	sk_ring_release(&peer->area.in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct egress egress = { .control = -1 };
	struct input input = { data, size };
	struct policy *policy;
	struct sk_area worker;
	struct peer *peer;
	char error[200];
	int fds[3];

	if (!egress.epoll) {
		curl_global_init(CURL_GLOBAL_DEFAULT);
		egress.epoll = epoll_create1(EPOLL_CLOEXEC);
	}
	if (policy_parse(&policy, policy_text, sizeof(policy_text) - 1, error,
			 sizeof(error)))
		abort();
	fds[0] = sk_area_create();
	fds[1] = eventfd(0, EFD_NONBLOCK);
	fds[2] = eventfd(0, EFD_NONBLOCK);
	if (sk_area_map(&worker, fds[0], SK_AREA_WORKER))
		abort();
	peer = peer_new(&egress, 1, policy, fds);
	if (!peer)
		abort();
	while (input.left >= 2 && !peer->dead)
		step(peer, &worker, &input);
	egress.peers = NULL;
	peer_free(peer);
	sk_area_unmap(&worker);
	return 0;
}
