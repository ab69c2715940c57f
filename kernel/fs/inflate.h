/* SPDX-License-Identifier: BSD-2-Clause */
/* Inflate (RFC 1951) into memory that is as large as the result. */
#ifndef SK_FS_INFLATE_H
#define SK_FS_INFLATE_H

#include <stddef.h>
#include <stdint.h>

struct sk_inflate_input {
	/* More compressed bytes, at *from: their count, 0 at the end, -errno. */
	int64_t (*more)(struct sk_inflate_input *in, const uint8_t **from);
};

/* Exactly `size` bytes at `to`: 0, -SK_EIO for what is malformed, -errno. */
int sk_inflate(struct sk_inflate_input *in, uint8_t *to, size_t size);

/* CRC-32 as zip has it, of one whole piece. */
uint32_t sk_crc32(const uint8_t *from, size_t size);

#endif
