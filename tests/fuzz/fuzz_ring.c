/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The gateway's side of an area whose every byte the peer may have written:
 * the input is a list of (offset, word) writes to the area, with a look by the
 * gateway after each. A payload is read to its end, so that ASan or the
 * mapping's edge would notice a frame that leaves the ring.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring/frame.h"
#include "ring/ring.h"

static volatile unsigned char sink;

static void read_all(const struct sk_frame *f)
{
	struct sk_cursor c = { f->data, f->data + f->length };
	struct sk_response_head head;
	struct sk_bytes name, value;
	uint32_t i;

	for (i = 0; i < f->length; i++)
		sink = (unsigned char)(sink + f->data[i]);
	if (sk_cursor_copy(&c, &head, sizeof(head)))
		return;
	while (!sk_cursor_pair(&c, &name, &value))
		for (i = 0; i < value.length; i++)
			sink = (unsigned char)(sink + value.data[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The control words: head, starved, tail, asleep of both rings. */
	static const uint32_t spots[] = {
		64, 68, 128, 192, 256, 260, 320, 384
	};
	struct sk_area gateway, worker;
	struct sk_frame f;
	uint32_t where, word;
	int fd = sk_area_create();

	if (fd < 0 || sk_area_map(&gateway, fd, SK_AREA_GATEWAY) ||
	    sk_area_map(&worker, fd, SK_AREA_WORKER))
		abort();
	while (size >= 6) {
		where = data[0] | (uint32_t)data[1] << 8;
		memcpy(&word, data + 2, 4);
		data += 6;
		size -= 6;
		if (where < sizeof(spots) / sizeof(spots[0]))
			memcpy((unsigned char *)worker.base + spots[where],
			       &word, 4);
		else
			memcpy(worker.out.data + (where & ~7u), &word, 4);
		while (sk_ring_peek(&gateway.in, &f) == 1) {
			read_all(&f);
			sk_ring_pop(&gateway.in, &f);
		}
		sk_ring_release(&gateway.in);
		if (sk_ring_push(&gateway.out, SK_FRAME_CREDIT, 0, 0, 0, &word,
				 4) == 0)
			sk_ring_publish(&gateway.out);
		sk_ring_passed(&gateway.out, word);
	}
	sk_area_unmap(&gateway);
	sk_area_unmap(&worker);
	close(fd);
	return 0;
}
