/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rings of docs/ring.md.
 *
 * Each side keeps its own index in private memory (`own`) and only ever writes
 * it out; of the peer it reads one index, checks that it lies within the ring,
 * and keeps that value (`peer`) until it has used it up. So a peer that
 * scribbles over the area can hand out wrong bytes or stop the traffic, but
 * never move this side outside its mapping.
 */
#include "ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_SIZE  4096u
#define AREA_BYTES (PAGE_SIZE + 2u * SK_RING_SIZE)
#define RING_MASK  (SK_RING_SIZE - 1u)
#define SEALS	   (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

_Static_assert(sizeof(struct sk_area_page) <= PAGE_SIZE, "one page");

struct frame_header {
	uint32_t length;
	uint16_t type;
	uint16_t flags;
	uint32_t slot;
	uint32_t serial;
};

_Static_assert(sizeof(struct frame_header) == SK_FRAME_HEADER, "header size");

static uint32_t frame_size(uint32_t length)
{
	return (SK_FRAME_HEADER + length + 7u) & ~7u;
}

int sk_area_create(void)
{
	struct sk_area_page page;
	int fd, err;

	fd = memfd_create("selkie-area", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	memset(&page, 0, sizeof(page));
	page.magic = SK_AREA_MAGIC;
	page.version = SK_AREA_VERSION;
	page.ring_size = SK_RING_SIZE;
	if (ftruncate(fd, AREA_BYTES) < 0)
		goto fail;
	if (pwrite(fd, &page, sizeof(page), 0) != (ssize_t)sizeof(page))
		goto fail;
	if (fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		goto fail;
	return fd;
fail:
	err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

static int check_fd(int fd)
{
	struct stat st;
	int seals;

	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & SEALS) != SEALS)
		return -EPROTO;
	if (fstat(fd, &st) < 0)
		return -errno;
	return st.st_size == AREA_BYTES ? 0 : -EPROTO;
}

static int map_at(void *at, size_t length, int fd, off_t offset)
{
	void *got;

	got = mmap(at, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		   fd, offset);
	return got == MAP_FAILED ? -errno : 0;
}

int sk_area_map(struct sk_area *area, int fd, enum sk_area_side side)
{
	size_t length = PAGE_SIZE + 4u * (size_t)SK_RING_SIZE;
	unsigned char *base, *down, *up;
	struct sk_ring ring_down, ring_up;
	int err;

	memset(area, 0, sizeof(*area));
	err = check_fd(fd);
	if (err)
		return err;
	base = mmap(NULL, length, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return -errno;
	down = base + PAGE_SIZE;
	up = down + 2 * SK_RING_SIZE;
	if ((err = map_at(base, PAGE_SIZE, fd, 0)) ||
	    (err = map_at(down, SK_RING_SIZE, fd, PAGE_SIZE)) ||
	    (err = map_at(down + SK_RING_SIZE, SK_RING_SIZE, fd, PAGE_SIZE)) ||
	    (err = map_at(up, SK_RING_SIZE, fd, PAGE_SIZE + SK_RING_SIZE)) ||
	    (err = map_at(up + SK_RING_SIZE, SK_RING_SIZE, fd,
			  PAGE_SIZE + SK_RING_SIZE)))
		goto unmap;
	area->page = (struct sk_area_page *)(void *)base;
	err = -EPROTO;
	if (area->page->magic != SK_AREA_MAGIC ||
	    area->page->version != SK_AREA_VERSION ||
	    area->page->ring_size != SK_RING_SIZE)
		goto unmap;
	memset(&ring_down, 0, sizeof(ring_down));
	memset(&ring_up, 0, sizeof(ring_up));
	ring_down.ctl = &area->page->down;
	ring_down.data = down;
	ring_up.ctl = &area->page->up;
	ring_up.data = up;
	area->out = side == SK_AREA_GATEWAY ? ring_down : ring_up;
	area->in = side == SK_AREA_GATEWAY ? ring_up : ring_down;
	area->base = base;
	area->length = length;
	return 0;
unmap:
	munmap(base, length);
	memset(area, 0, sizeof(*area));
	return err;
}

void sk_area_unmap(struct sk_area *area)
{
	if (area->base)
		munmap(area->base, area->length);
	memset(area, 0, sizeof(*area));
}

/* Room for a producer, from the peer's tail as last read. */
static uint32_t room(const struct sk_ring *ring)
{
	return SK_RING_SIZE - (ring->own - ring->peer);
}

/* Reads the consumer's tail. 0, or -EPROTO when it is no possible one; `peer`
 * stays as it was then. */
static int refresh_tail(struct sk_ring *ring)
{
	uint32_t tail;

	tail = atomic_load_explicit(&ring->ctl->tail, memory_order_acquire);
	if (ring->own - tail > SK_RING_SIZE)
		return -EPROTO;
	ring->peer = tail;
	return 0;
}

static int make_room(struct sk_ring *ring, uint32_t need)
{
	if (room(ring) >= need)
		return 0;
	if (refresh_tail(ring))
		return -EPROTO;
	if (room(ring) >= need)
		return 0;
	/* Say so, then look again: the consumer may have moved in between and
	 * seen no wish. */
	atomic_store_explicit(&ring->ctl->starved, 1, memory_order_seq_cst);
	atomic_thread_fence(memory_order_seq_cst);
	if (refresh_tail(ring))
		return -EPROTO;
	if (room(ring) < need)
		return -EAGAIN;
	atomic_store_explicit(&ring->ctl->starved, 0, memory_order_relaxed);
	return 0;
}

void *sk_ring_reserve(struct sk_ring *ring, uint32_t length)
{
	int err;

	if (length > SK_FRAME_MAX) {
		errno = EMSGSIZE;
		return NULL;
	}
	err = make_room(ring, frame_size(length));
	if (err) {
		errno = -err;
		return NULL;
	}
	return ring->data + (ring->own & RING_MASK) + SK_FRAME_HEADER;
}

void sk_ring_commit(struct sk_ring *ring, uint16_t type, uint16_t flags,
		    uint32_t slot, uint32_t serial, uint32_t length)
{
	struct frame_header header = { length, type, flags, slot, serial };
	unsigned char *at = ring->data + (ring->own & RING_MASK);
	uint32_t size = frame_size(length);
	uint32_t used = SK_FRAME_HEADER + length;

	memcpy(at, &header, sizeof(header));
	if (size > used)
		memset(at + used, 0, size - used);
	ring->last = ring->own;
	ring->last_length = length;
	ring->last_slot = slot;
	ring->last_serial = serial;
	ring->last_type = type;
	ring->last_flags = flags;
	ring->own += size;
	ring->pushed += size;
}

int sk_ring_push(struct sk_ring *ring, uint16_t type, uint16_t flags,
		 uint32_t slot, uint32_t serial, const void *payload,
		 uint32_t length)
{
	void *at;

	at = sk_ring_reserve(ring, length);
	if (!at)
		return -errno;
	if (length)
		memcpy(at, payload, length);
	sk_ring_commit(ring, type, flags, slot, serial, length);
	return 0;
}

/* 1 when the frame committed last may still grow by `length` bytes. */
static int can_grow(const struct sk_ring *ring, uint16_t type, uint32_t slot,
		    uint32_t serial, uint32_t length)
{
	uint32_t hidden = ring->own - ring->published;

	return hidden && ring->own - ring->last <= hidden &&
	       ring->last_type == type && !ring->last_flags &&
	       ring->last_slot == slot && ring->last_serial == serial &&
	       length <= SK_WINDOW && ring->last_length <= SK_WINDOW - length;
}

int sk_ring_append(struct sk_ring *ring, uint16_t type, uint32_t slot,
		   uint32_t serial, const void *payload, uint32_t length)
{
	uint32_t had = ring->last_length, size = frame_size(had);
	int err;

	if (!can_grow(ring, type, slot, serial, length))
		return sk_ring_push(ring, type, 0, slot, serial, payload,
				    length);
	err = make_room(ring, frame_size(had + length) - size);
	if (err)
		return err;
	memcpy(ring->data + (ring->last & RING_MASK) + SK_FRAME_HEADER + had,
	       payload, length);
	ring->own -= size;
	ring->pushed -= size;
	sk_ring_commit(ring, type, 0, slot, serial, had + length);
	return 0;
}

int sk_ring_publish(struct sk_ring *ring)
{
	if (ring->published == ring->own)
		return 0;
	ring->published = ring->own;
	atomic_store_explicit(&ring->ctl->head, ring->own,
			      memory_order_release);
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&ring->ctl->asleep, memory_order_relaxed))
		return 0;
	return atomic_exchange_explicit(&ring->ctl->asleep, 0,
					memory_order_seq_cst) != 0;
}

uint64_t sk_ring_position(const struct sk_ring *ring)
{
	return ring->pushed;
}

int sk_ring_passed(struct sk_ring *ring, uint64_t position)
{
	if (refresh_tail(ring))
		return 1;
	/* What was pushed after it, against what is still unconsumed. */
	return ring->pushed - position >= ring->own - ring->peer;
}

int sk_ring_peek(struct sk_ring *ring, struct sk_frame *frame)
{
	struct frame_header header;
	uint32_t waiting, head;
	const unsigned char *at;

	waiting = ring->peer - ring->own;
	if (waiting == 0) {
		head = atomic_load_explicit(&ring->ctl->head,
					    memory_order_acquire);
		waiting = head - ring->own;
		if (waiting == 0)
			return 0;
		if (waiting > SK_RING_SIZE || waiting % 8u)
			return -EPROTO;
		ring->peer = head;
	}
	if (waiting < SK_FRAME_HEADER)
		return -EPROTO;
	at = ring->data + (ring->own & RING_MASK);
	memcpy(&header, at, sizeof(header));
	/* The copy must be what is checked: the peer can still write there. */
	atomic_signal_fence(memory_order_seq_cst);
	if (header.length > SK_FRAME_MAX || frame_size(header.length) > waiting)
		return -EPROTO;
	frame->length = header.length;
	frame->type = header.type;
	frame->flags = header.flags;
	frame->slot = header.slot;
	frame->serial = header.serial;
	frame->data = at + SK_FRAME_HEADER;
	return 1;
}

void sk_ring_pop(struct sk_ring *ring, const struct sk_frame *frame)
{
	ring->own += frame_size(frame->length);
}

void sk_ring_mark(struct sk_ring *ring, const struct sk_frame *frame)
{
	atomic_store_explicit(&ring->ctl->tail,
			      ring->own + frame_size(frame->length),
			      memory_order_release);
}

int sk_ring_release(struct sk_ring *ring)
{
	if (ring->published == ring->own)
		return 0;
	ring->published = ring->own;
	atomic_store_explicit(&ring->ctl->tail, ring->own,
			      memory_order_release);
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&ring->ctl->starved, memory_order_relaxed))
		return 0;
	return atomic_exchange_explicit(&ring->ctl->starved, 0,
					memory_order_seq_cst) != 0;
}

int sk_ring_sleep(struct sk_ring *ring)
{
	atomic_store_explicit(&ring->ctl->asleep, 1, memory_order_seq_cst);
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&ring->ctl->head, memory_order_acquire) ==
	    ring->own)
		return 1;
	atomic_store_explicit(&ring->ctl->asleep, 0, memory_order_relaxed);
	return 0;
}

void sk_ring_awake(struct sk_ring *ring)
{
	atomic_store_explicit(&ring->ctl->asleep, 0, memory_order_relaxed);
}

void sk_area_flush(struct sk_area *area, int wake_fd)
{
	const uint64_t one = 1;
	int asleep = sk_ring_publish(&area->out);
	int starved = sk_ring_release(&area->in);

	/* A full counter means: a wake-up is on its way already. */
	if ((asleep || starved) && write(wake_fd, &one, sizeof(one)) < 0)
		return;
}
