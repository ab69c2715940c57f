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

/* One for the value of a Content-Encoding field. 0; -ENOTSUP: another coding,
 * or several; -ENOMEM. */
int decoder_new(struct decoder **out, const char *coding);
void decoder_free(struct decoder *decoder);

/* Decodes from `*in` (moved on, `*length` lessened) to `out`. Returns how many
 * bytes it made, 0: it needs more input. -EPROTO: the data are damaged; -E2BIG:
 * they unpack to far more than was sent. */
int64_t decoder_run(struct decoder *decoder, const unsigned char **in,
		    size_t *length, unsigned char *out, size_t room);

/* 1 when the data are complete (or none came at all). */
int decoder_is_complete(const struct decoder *decoder);

#endif
