/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pair of single-producer, single-consumer byte rings in shared memory.
 *
 * docs/ring.md has the layout and the wake rules. A side that does not trust
 * its peer may use every call here: a peer can make them return -EPROTO or
 * hand over any bytes as a payload, and nothing worse. No call blocks. None is
 * thread-safe: one thread uses one side of an area.
 */
#ifndef SK_RING_H
#define SK_RING_H

#include <stddef.h>
#include <stdint.h>

#define SK_AREA_MAGIC	0x534c4b31u /* "SLK1" */
#define SK_AREA_VERSION 1u
#define SK_RING_SIZE	(256u * 1024u)
#define SK_FRAME_MAX	(80u * 1024u)
#define SK_FRAME_HEADER 16u
#define SK_WINDOW	(64u * 1024u)

/* One ring's shared control block; each line has one writer. */
struct sk_ring_ctl {
	_Alignas(64) _Atomic uint32_t head;
	_Atomic uint32_t starved;
	_Alignas(64) _Atomic uint32_t tail;
	_Alignas(64) _Atomic uint32_t asleep;
};

struct sk_area_page {
	uint32_t magic;
	uint32_t version;
	uint32_t ring_size;
	uint32_t reserved;
	struct sk_ring_ctl down;
	struct sk_ring_ctl up;
};

/* One side's private view of one ring. */
struct sk_ring {
	struct sk_ring_ctl *ctl;
	unsigned char *data; /* mapped twice in a row */
	uint32_t own;	     /* producer: head; consumer: tail */
	uint32_t published;  /* producer: the last head written out */
	uint32_t peer;	     /* the peer's index, as last read */
	uint64_t pushed;     /* producer: bytes pushed in all */

	/* Producer: the frame committed last; sk_ring_append. */
	uint32_t last; /* where it begins */
	uint32_t last_length;
	uint32_t last_slot, last_serial;
	uint16_t last_type, last_flags;
};

enum sk_area_side {
	SK_AREA_GATEWAY, /* produces down, consumes up */
	SK_AREA_WORKER	 /* produces up, consumes down */
};

struct sk_area {
	struct sk_area_page *page;
	struct sk_ring out; /* this side produces */
	struct sk_ring in;  /* this side consumes */
	void *base;	    /* the reserved address range */
	size_t length;
};

/* A frame as its consumer sees it. The header is a private copy, `data` still
 * lies in shared memory: copy it before you parse it. */
struct sk_frame {
	uint32_t length;
	uint16_t type;
	uint16_t flags;
	uint32_t slot;
	uint32_t serial;
	const unsigned char *data;
};

/* Makes a sealed memfd that holds an empty area (close-on-exec).
 * Returns the descriptor, which the caller owns, or -errno. */
int sk_area_create(void);

/* Maps the area in `fd` for one side. The descriptor stays the caller's and
 * may be closed afterwards. Returns 0, -EPROTO if `fd` is not a sealed area of
 * the right size, or -errno. */
int sk_area_map(struct sk_area *area, int fd, enum sk_area_side side);

/* Undoes sk_area_map. Safe on a zeroed struct. */
void sk_area_unmap(struct sk_area *area);

/* Just before waiting: publishes what this side pushed, gives back what it
 * consumed, and wakes the peer by its eventfd, once, if it waits for either. */
void sk_area_flush(struct sk_area *area, int wake_fd);

/* --- producer --- */

/* Room for a frame of `length` payload bytes, or NULL when the ring is full
 * (then `starved` has been set, and the consumer will wake this side) or when
 * the peer's index is out of range (errno is EPROTO then, else EAGAIN).
 * The pointer is good until sk_ring_commit. length <= SK_FRAME_MAX. */
void *sk_ring_reserve(struct sk_ring *ring, uint32_t length);

/* Completes the frame reserved last, with `length` <= the length reserved. */
void sk_ring_commit(struct sk_ring *ring, uint16_t type, uint16_t flags,
		    uint32_t slot, uint32_t serial, uint32_t length);

/* reserve + copy + commit. 0, -EAGAIN (no room; `starved` is set) or
 * -EPROTO. */
int sk_ring_push(struct sk_ring *ring, uint16_t type, uint16_t flags,
		 uint32_t slot, uint32_t serial, const void *payload,
		 uint32_t length);

/* As sk_ring_push without flags, but what the consumer cannot see yet grows: a
 * frame of this type, slot and serial that was committed last takes the bytes
 * too, as long as it has no flags and stays within SK_WINDOW. */
int sk_ring_append(struct sk_ring *ring, uint16_t type, uint32_t slot,
		   uint32_t serial, const void *payload, uint32_t length);

/* Makes all committed frames visible. Returns 1 when the consumer sleeps and
 * has to be woken (the caller writes its eventfd), else 0. Cheap when nothing
 * was committed since the last call: returns 0 without a fence. */
int sk_ring_publish(struct sk_ring *ring);

/* The position just after the frames committed so far; see sk_ring_passed. */
uint64_t sk_ring_position(const struct sk_ring *ring);

/* 1 when the consumer has moved past `position` (the frame that ended there was
 * consumed), else 0. An index out of range counts as consumed. */
int sk_ring_passed(struct sk_ring *ring, uint64_t position);

/* --- consumer --- */

/* Looks at the next frame. 1: `frame` is filled in. 0: the ring is empty.
 * -EPROTO: the producer wrote nonsense. */
int sk_ring_peek(struct sk_ring *ring, struct sk_frame *frame);

/* Consumes the frame seen last by sk_ring_peek (privately; sk_ring_release
 * tells the producer). */
void sk_ring_pop(struct sk_ring *ring, const struct sk_frame *frame);

/* Lets the producer see at once that the frame seen last by sk_ring_peek was
 * consumed (its data must have been copied); sk_ring_pop and sk_ring_release,
 * which wakes, still have to follow. */
void sk_ring_mark(struct sk_ring *ring, const struct sk_frame *frame);

/* Gives the consumed space back. Returns 1 when the producer is starved and has
 * to be woken (the caller writes its eventfd), else 0. */
int sk_ring_release(struct sk_ring *ring);

/* About to wait: 1 when that is safe (a producer will wake us), 0 when there is
 * something to consume already. */
int sk_ring_sleep(struct sk_ring *ring);

/* Waiting is over. */
void sk_ring_awake(struct sk_ring *ring);

#endif
