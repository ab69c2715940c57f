/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The protocol errors of gateway_peer.c, by name. Each is something that a
 * worker process could write into its area, frames by the library's calls and
 * indices and headers by hand.
 */

static void raw_header(struct proc *p, uint32_t length, uint16_t type,
		       uint32_t slot, uint32_t advance)
{
	struct sk_ring *ring = &p->area.out;
	uint32_t words[4] = { length, type, slot, 0 };

	memcpy(ring->data + ring->own % SK_RING_SIZE, words, sizeof(words));
	ring->own += advance;
}

static void respond_with(struct proc *p, struct request *r, uint32_t status,
			 const char *name, const char *value)
{
	unsigned char frame[256], *at;

	at = put_head(frame, status, 0, 1);
	at = put_pair(at, name, value);
	push(p, r, SK_FRAME_RESPONSE, SK_FRAME_END, frame,
	     (size_t)(at - frame));
}

/* Sends on and on, whatever the gateway allows. */
static void flood(struct proc *p, struct request *r)
{
	begin_stream(p, r, SK_LENGTH_UNKNOWN);
	r->flood = 1;
}

/* The consumer's index of the ring down, written by hand, and no look at it
 * afterwards, which would put it right. */
static void wild_tail(struct proc *p)
{
	atomic_store(&p->area.in.ctl->tail, p->area.in.own + 1000000);
	p->deaf = 1;
}

static void short_head(struct proc *p, struct request *r)
{
	unsigned char frame[64], *at;

	at = put_head(frame, 200, 0, 1000000);
	push(p, r, SK_FRAME_RESPONSE, SK_FRAME_END, frame,
	     (size_t)(at - frame));
}

static void long_pair(struct proc *p, struct request *r)
{
	unsigned char frame[64], *at;
	struct sk_pair pair = { 4, UINT32_MAX - 2 };

	at = put_head(frame, 200, 0, 1);
	memcpy(at, &pair, sizeof(pair));
	push(p, r, SK_FRAME_RESPONSE, SK_FRAME_END, frame,
	     (size_t)(at - frame) + sizeof(pair) + 8);
}

/* Announces `length`, sends five bytes in all. */
static void announce(struct proc *p, struct request *r, uint64_t length)
{
	begin_stream(p, r, length);
	push(p, r, SK_FRAME_BODY, SK_FRAME_END, "12345", 5);
	r->used = 0;
}

static void evil_frames(struct proc *p, struct request *r, const char *kind)
{
	struct request other = *r;
	uint32_t credit = 1;

	if (!strcmp(kind, "type")) {
		push(p, r, 77, 0, NULL, 0);
	} else if (!strcmp(kind, "slot")) {
		other.slot = 4000000000u;
		push(p, &other, SK_FRAME_BODY, 0, NULL, 0);
	} else if (!strcmp(kind, "twice")) {
		begin_stream(p, r, SK_LENGTH_UNKNOWN);
		begin_stream(p, r, SK_LENGTH_UNKNOWN);
	} else if (!strcmp(kind, "early-body")) {
		push(p, r, SK_FRAME_BODY, SK_FRAME_END, "x", 1);
	} else if (!strcmp(kind, "flood")) {
		flood(p, r);
	} else if (!strcmp(kind, "credit")) {
		push(p, r, SK_FRAME_CREDIT, 0, &credit, sizeof(credit));
	} else if (!strcmp(kind, "credit-size")) {
		push(p, r, SK_FRAME_CREDIT, 0, "abc", 3);
	} else if (!strcmp(kind, "empty-response")) {
		push(p, r, SK_FRAME_RESPONSE, SK_FRAME_END, NULL, 0);
	} else if (!strcmp(kind, "late")) {
		/* not an error: a frame for an earlier use of the slot */
		other.serial = r->serial - 1;
		push(p, &other, SK_FRAME_BODY, SK_FRAME_END, "x", 1);
		plain(p, r, 200, "late\n");
	} else if (!strcmp(kind, "abort")) {
		push(p, r, SK_FRAME_ABORT, 0, &credit, sizeof(credit));
	} else if (!strcmp(kind, "abort-later")) {
		begin_stream(p, r, SK_LENGTH_UNKNOWN);
		push(p, r, SK_FRAME_ABORT, 0, &credit, sizeof(credit));
	}
}

static void evil(struct proc *p, struct request *r, const char *kind)
{
	if (!strcmp(kind, "frame-length"))
		raw_header(p, SK_FRAME_MAX + 1, SK_FRAME_BODY, r->slot, 65560);
	else if (!strcmp(kind, "frame-beyond"))
		raw_header(p, 60000, SK_FRAME_BODY, r->slot, 16);
	else if (!strcmp(kind, "half-header"))
		raw_header(p, 0, SK_FRAME_BODY, r->slot, 8);
	else if (!strcmp(kind, "odd-index"))
		raw_header(p, 0, SK_FRAME_BODY, r->slot, 13);
	else if (!strcmp(kind, "wild-head"))
		raw_header(p, 0, SK_FRAME_BODY, r->slot, SK_RING_SIZE * 3);
	else if (!strcmp(kind, "wild-tail"))
		wild_tail(p);
	else if (!strcmp(kind, "header-name"))
		respond_with(p, r, 200, "bad name", "x");
	else if (!strcmp(kind, "no-name"))
		respond_with(p, r, 200, "", "x");
	else if (!strcmp(kind, "header-value"))
		respond_with(p, r, 200, "x", "a\r\nSet-Cookie: stolen=1");
	else if (!strcmp(kind, "status-low"))
		respond_with(p, r, 101, "upgrade", "x");
	else if (!strcmp(kind, "status-high"))
		respond_with(p, r, 70000, "x", "x");
	else if (!strcmp(kind, "head-count"))
		short_head(p, r);
	else if (!strcmp(kind, "pair-length"))
		long_pair(p, r);
	else if (!strcmp(kind, "less"))
		announce(p, r, 10);
	else if (!strcmp(kind, "more"))
		announce(p, r, 3);
	else
		evil_frames(p, r, kind);
}
