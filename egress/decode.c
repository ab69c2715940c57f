/* SPDX-License-Identifier: BSD-2-Clause */
#include "egress/decode.h"

#include <brotli/decode.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

/* Decoded bytes may exceed encoded ones so many times, beyond a free part. */
#define BOMB_RATIO 200u
#define BOMB_FREE  (1024u * 1024u)

/* What a sender must not ask for beyond (RFC 8878). */
#define ZSTD_WINDOW_LOG 23

#define ZLIB_GZIP 31 /* windowBits: gzip's own wrapper */
#define ZLIB_BARE (-15)

enum coding { CODING_GZIP, CODING_DEFLATE, CODING_BROTLI, CODING_ZSTD };

struct decoder {
	enum coding coding;
	size_t *purse;
	size_t held; /* out of it */
	int spent;
	int begun;    /* zlib has been set up */
	int complete; /* the end of the data was seen */
	uint64_t taken, made;
	z_stream zlib;
	BrotliDecoderState *brotli;
	ZSTD_DStream *zstd;
};

static int find_coding(const char *name)
{
	static const struct {
		const char *name;
		enum coding coding;
	} known[] = {
		{ "gzip", CODING_GZIP }, { "x-gzip", CODING_GZIP },
		{ "br", CODING_BROTLI }, { "deflate", CODING_DEFLATE },
		{ "zstd", CODING_ZSTD },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcasecmp(name, known[i].name) == 0)
			return (int)known[i].coding;
	return -ENOTSUP;
}

/* 0, or -ENOBUFS: so much is not to be had. */
static int take(struct decoder *decoder, size_t size)
{
	if (*decoder->purse + size > DECODER_PURSE) {
		decoder->spent = 1;
		return -ENOBUFS;
	}
	*decoder->purse += size;
	decoder->held += size;
	return 0;
}

static void give(struct decoder *decoder, size_t size)
{
	*decoder->purse -= size;
	decoder->held -= size;
}

/* brotli's memory, with its size before it. */
static void *brotli_alloc(void *data, size_t size)
{
	struct decoder *decoder = data;
	max_align_t *block;

	size += sizeof(*block);
	if (take(decoder, size))
		return NULL;
	block = malloc(size);
	if (!block) {
		give(decoder, size);
		return NULL;
	}
	memcpy(block, &size, sizeof(size));
	return block + 1;
}

static void brotli_free(void *data, void *address)
{
	max_align_t *block = address;
	size_t size;

	if (!block)
		return;
	block--;
	memcpy(&size, block, sizeof(size));
	give(data, size);
	free(block);
}

/* zstd says what it holds only once it has it. */
static int count_zstd(struct decoder *decoder)
{
	size_t now = ZSTD_sizeof_DStream(decoder->zstd);

	if (now <= decoder->held)
		return 0;
	return take(decoder, now - decoder->held);
}

static int begin_brotli(struct decoder *decoder)
{
	decoder->brotli =
		BrotliDecoderCreateInstance(brotli_alloc, brotli_free, decoder);
	/* Windows beyond those of RFC 7932 are for those who agreed on them. */
	if (!decoder->brotli ||
	    !BrotliDecoderSetParameter(decoder->brotli,
				       BROTLI_DECODER_PARAM_LARGE_WINDOW, 0))
		return -ENOMEM;
	return 0;
}

static int begin_zstd(struct decoder *decoder)
{
	decoder->zstd = ZSTD_createDStream();
	if (!decoder->zstd ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(
		    decoder->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG)))
		return -ENOMEM;
	return 0;
}

int decoder_new(struct decoder **out, const char *coding, size_t *purse)
{
	int which = find_coding(coding);
	struct decoder *decoder;

	if (which < 0)
		return which;
	decoder = calloc(1, sizeof(*decoder));
	if (!decoder)
		return -ENOMEM;
	decoder->coding = (enum coding)which;
	decoder->purse = purse;
	if ((which == CODING_BROTLI && begin_brotli(decoder)) ||
	    (which == CODING_ZSTD && begin_zstd(decoder))) {
		decoder_free(decoder);
		return -ENOMEM;
	}
	*out = decoder;
	return 0;
}

void decoder_free(struct decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->begun)
		inflateEnd(&decoder->zlib);
	if (decoder->brotli)
		BrotliDecoderDestroyInstance(decoder->brotli);
	if (decoder->zstd)
		give(decoder, decoder->held);
	ZSTD_freeDStream(decoder->zstd);
	free(decoder);
}

/* "deflate" means zlib's wrapper, but some send bare deflate. */
static int begin_zlib(struct decoder *decoder, unsigned char first)
{
	int bits = ZLIB_GZIP;

	if (decoder->coding == CODING_DEFLATE)
		bits = (first & 0x0f) == Z_DEFLATED ? MAX_WBITS : ZLIB_BARE;
	if (inflateInit2(&decoder->zlib, bits) != Z_OK)
		return -ENOMEM;
	decoder->begun = 1;
	return 0;
}

static int run_zlib(struct decoder *decoder, const unsigned char **in,
		    size_t *length, unsigned char *out, size_t room)
{
	z_stream *zlib = &decoder->zlib;
	int result, err;

	if (!decoder->begun) {
		if (!*length)
			return 0;
		err = begin_zlib(decoder, **in);
		if (err)
			return err;
	}
	/* A gzip file may be several, one behind the other. */
	if (decoder->complete && *length && **in == 0x1f &&
	    decoder->coding == CODING_GZIP) {
		inflateReset(zlib);
		decoder->complete = 0;
	}
	if (decoder->complete) { /* what follows is padding */
		*in += *length;
		*length = 0;
		return 0;
	}
	zlib->next_in = (unsigned char *)*in;
	zlib->avail_in = (unsigned)*length;
	zlib->next_out = out;
	zlib->avail_out = (unsigned)room;
	result = inflate(zlib, Z_NO_FLUSH);
	*in = zlib->next_in;
	*length = zlib->avail_in;
	if (result == Z_STREAM_END)
		decoder->complete = 1;
	else if (result != Z_OK && result != Z_BUF_ERROR)
		return -EPROTO;
	return (int)(room - zlib->avail_out);
}

static int run_brotli(struct decoder *decoder, const unsigned char **in,
		      size_t *length, unsigned char *out, size_t room)
{
	size_t left = room;
	BrotliDecoderResult result;

	if (decoder->complete) {
		*in += *length;
		*length = 0;
		return 0;
	}
	result = BrotliDecoderDecompressStream(decoder->brotli, length, in,
					       &left, &out, NULL);
	if (result == BROTLI_DECODER_RESULT_ERROR)
		return decoder->spent ? -ENOBUFS : -EPROTO;
	decoder->complete = result == BROTLI_DECODER_RESULT_SUCCESS;
	return (int)(room - left);
}

static int run_zstd(struct decoder *decoder, const unsigned char **in,
		    size_t *length, unsigned char *out, size_t room)
{
	ZSTD_inBuffer from = { *in, *length, 0 };
	ZSTD_outBuffer to = { out, room, 0 };
	size_t hint;

	if (!*length && decoder->complete)
		return 0;
	hint = ZSTD_decompressStream(decoder->zstd, &to, &from);
	if (ZSTD_isError(hint))
		return -EPROTO;
	if (count_zstd(decoder))
		return -ENOBUFS;
	decoder->complete = hint == 0;
	*in += from.pos;
	*length -= from.pos;
	return (int)to.pos;
}

int64_t decoder_run(struct decoder *decoder, const unsigned char **in,
		    size_t *length, unsigned char *out, size_t room)
{
	size_t before = *length;
	int64_t made;

	if (decoder->coding == CODING_BROTLI)
		made = run_brotli(decoder, in, length, out, room);
	else if (decoder->coding == CODING_ZSTD)
		made = run_zstd(decoder, in, length, out, room);
	else
		made = run_zlib(decoder, in, length, out, room);
	decoder->taken += before - *length;
	if (made < 0)
		return made;
	/* No progress with input left would be a loop without end. */
	if (made == 0 && *length == before && before)
		return -EPROTO;
	decoder->made += (uint64_t)made;
	if (decoder->made > BOMB_FREE &&
	    decoder->made - BOMB_FREE > decoder->taken * BOMB_RATIO)
		return -E2BIG;
	return made;
}

int decoder_is_complete(const struct decoder *decoder)
{
	return decoder->complete || decoder->taken == 0;
}
