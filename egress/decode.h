/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Content codings undone piece by piece: gzip, deflate, br, zstd. Not left to
 * curl, which unpacks all that it has read into memory, however much that is.
 */
#ifndef SK_EGRESS_DECODE_H
#define SK_EGRESS_DECODE_H

#include <stddef.h>
#include <stdint.h>

struct decoder;

/* What the windows of br and zstd may hold, all together, of those that share a
 * purse: a br window may be 16 MiB large, a zstd one 8 MiB. */
#define DECODER_PURSE (32u * 1024u * 1024u)

/* One for the value of a Content-Encoding field. `purse` counts the bytes that
 * it holds, until it is freed. 0; -ENOTSUP: another coding, or several;
 * -ENOMEM. */
int decoder_new(struct decoder **out, const char *coding, size_t *purse);
void decoder_free(struct decoder *decoder);

/* Decodes from `*in` (moved on, `*length` lessened) to `out`. Returns how many
 * bytes it made, 0: it needs more input. -EPROTO: the data are damaged, or ask
 * for a larger window than there may be; -E2BIG: they unpack to far more than was
 * sent; -ENOBUFS: the purse is spent. */
int64_t decoder_run(struct decoder *decoder, const unsigned char **in,
		    size_t *length, unsigned char *out, size_t room);

/* 1 when the data are complete (or none came at all). */
int decoder_is_complete(const struct decoder *decoder);

#endif
