/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a memfs file: chunks of 64 KiB at the leaves of a radix tree
 * with 256 ways, as high as its last byte needs.
 *
 *     height 0   root is chunk 0, or NULL        up to 64 KiB
 *     height 1   root is a node of chunks        up to 16 MiB
 *     height 2   root is a node of such nodes    up to 4 GiB, and so on
 *
 * What was never written has no chunk and no node. At height 0 the chunk may
 * be shorter than 64 KiB (`head` bytes): a small file takes little, and grows
 * by doubling. Bytes behind the end of the file are zero in every chunk, so
 * that growing a file needs no work.
 */
#include "copy.h"
#include "fs/memfs.h"

#define CHUNK_BITS 16
#define CHUNK	   (1u << CHUNK_BITS)
#define WAY_BITS   8
#define WAYS	   (1u << WAY_BITS)
#define HEAD_MIN   64u
#define NODE_SIZE  (WAYS * sizeof(void *))

static const uint8_t zeros[4096];

static int64_t reach(uint32_t height)
{
	return INT64_C(1) << (CHUNK_BITS + WAY_BITS * height);
}

/* The chunk with an offset, or NULL; *have says how many bytes it has. */
static uint8_t *find(struct sk_memdata *d, int64_t offset, uint32_t *have)
{
	uint64_t index = (uint64_t)offset >> CHUNK_BITS;
	void *at = d->root;

	*have = CHUNK;
	if (d->height == 0) {
		*have = d->head;
		return index ? NULL : at;
	}
	if (offset >= reach(d->height))
		return NULL;
	for (uint32_t h = d->height; at && h; h--)
		at = ((void **)at)[index >> (WAY_BITS * (h - 1)) & (WAYS - 1)];
	return at;
}

/* The only chunk of height 0, of at least `size` bytes. */
static uint8_t *grow_head(struct sk_memdata *d, struct sk_kernel *k,
			  uint32_t size)
{
	uint32_t head = d->head ? d->head : HEAD_MIN;
	void *grown;

	while (head < size)
		head *= 2;
	if (head == d->head)
		return d->root;
	grown = d->root ? sk_realloc(k, d->root, d->head, head)
			: sk_alloc(k, head);
	if (!grown)
		return NULL;
	d->allocated += head - d->head;
	d->root = grown;
	d->head = head;
	return grown;
}

/* Makes the tree higher until it reaches `offset`. */
static bool grow_height(struct sk_memdata *d, struct sk_kernel *k,
			int64_t offset)
{
	while (offset >= reach(d->height)) {
		void **node;

		if (d->height == 0 && d->root && !grow_head(d, k, CHUNK))
			return false;
		if (d->root) {
			node = sk_alloc(k, NODE_SIZE);
			if (!node)
				return false;
			node[0] = d->root;
			d->root = node;
		}
		d->height++;
	}
	return true;
}

/* The chunk with an offset, made if needed, with bytes up to `end` at least. */
static uint8_t *make(struct sk_memdata *d, struct sk_kernel *k, int64_t offset,
		     uint32_t end)
{
	uint64_t index = (uint64_t)offset >> CHUNK_BITS;
	void **at = &d->root;

	if (!grow_height(d, k, offset))
		return NULL;
	if (d->height == 0)
		return grow_head(d, k, end);
	for (uint32_t h = d->height; h; h--) {
		if (!*at && !(*at = sk_alloc(k, NODE_SIZE)))
			return NULL;
		at = (void **)*at +
		     (index >> (WAY_BITS * (h - 1)) & (WAYS - 1));
	}
	if (!*at) {
		*at = sk_alloc(k, CHUNK);
		if (*at)
			d->allocated += CHUNK;
	}
	return *at;
}

int64_t sk_memdata_read(struct sk_memdata *d, struct sk_io *io, int64_t offset,
			int64_t size)
{
	int64_t moved = 0;

	while (io->left && offset < size) {
		uint32_t in = (uint32_t)offset & (CHUNK - 1), have;
		const uint8_t *chunk = find(d, offset, &have);
		size_t n = CHUNK - in;
		int64_t got;

		if ((int64_t)n > size - offset)
			n = (size_t)(size - offset);
		if (chunk && in < have) {
			if (n > have - in)
				n = have - in;
			got = sk_io_put(io, chunk + in, n);
		} else {
			if (n > sizeof(zeros))
				n = sizeof(zeros);
			got = sk_io_put(io, zeros, n);
		}
		if (got <= 0)
			return moved ? moved : got;
		moved += got;
		offset += got;
	}
	return moved;
}

int64_t sk_memdata_write(struct sk_memdata *d, struct sk_kernel *k,
			 struct sk_io *io, int64_t offset)
{
	int64_t moved = 0;

	while (io->left) {
		uint32_t in = (uint32_t)offset & (CHUNK - 1);
		size_t n = CHUNK - in;
		uint8_t *chunk;
		int64_t got;

		if (n > io->left)
			n = io->left;
		if (offset >= SK_MEMDATA_MAX)
			return moved ? moved : -SK_EFBIG;
		chunk = make(d, k, offset, in + (uint32_t)n);
		if (!chunk)
			return moved ? moved : -SK_ENOSPC;
		got = sk_io_get(io, chunk + in, n);
		if (got <= 0)
			return moved ? moved : got;
		moved += got;
		offset += got;
	}
	return moved;
}

/* Frees below `at` what starts at chunk `keep` or later; true when all went. */
static bool cut_node(struct sk_memdata *d, struct sk_kernel *k, void *at,
		     uint32_t height, uint64_t base, uint64_t keep)
{
	void **node = at;
	bool empty = true;

	if (height == 0) {
		if (base < keep)
			return false;
		sk_free(k, at, CHUNK);
		d->allocated -= CHUNK;
		return true;
	}
	for (uint32_t w = 0; w < WAYS; w++) {
		uint64_t first =
			base + ((uint64_t)w << (WAY_BITS * (height - 1)));

		if (!node[w])
			continue;
		if (cut_node(d, k, node[w], height - 1, first, keep))
			node[w] = NULL;
		else
			empty = false;
	}
	if (empty)
		sk_free(k, at, NODE_SIZE);
	return empty;
}

void sk_memdata_cut(struct sk_memdata *d, struct sk_kernel *k, int64_t size)
{
	uint64_t keep = ((uint64_t)size + CHUNK - 1) >> CHUNK_BITS;
	uint32_t in = (uint32_t)size & (CHUNK - 1), have;
	uint8_t *last;

	if (d->root && d->height == 0 && size == 0) {
		sk_free(k, d->root, d->head);
		d->allocated -= d->head;
		d->root = NULL;
	} else if (d->root && d->height &&
		   cut_node(d, k, d->root, d->height, 0, keep)) {
		d->root = NULL;
	}
	if (!d->root) {
		d->height = d->head = 0;
		return;
	}
	last = find(d, size, &have);
	if (in && last && in < have)
		memset(last + in, 0, have - in);
}
