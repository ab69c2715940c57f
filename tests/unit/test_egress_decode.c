/* SPDX-License-Identifier: BSD-2-Clause */
/* Content codings, as pieces of any size, whole and damaged. */
// link: egress/decode.c -lz -lbrotlidec -lbrotlienc -lzstd
#include "sk_test.h"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include "egress/decode.h"

#define PLAIN 200000

static size_t purse;
static unsigned char plain[PLAIN], packed[PLAIN * 2], out[PLAIN + 16384];

static void fill(void)
{
	size_t i;

	for (i = 0; i < PLAIN; i++)
		plain[i] = (unsigned char)(i * i >> 7);
}

static size_t pack_zlib(int bits, const void *from, size_t length)
{
	z_stream zlib = { 0 };

	deflateInit2(&zlib, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY);
	zlib.next_in = (unsigned char *)from;
	zlib.avail_in = (unsigned)length;
	zlib.next_out = packed;
	zlib.avail_out = sizeof(packed);
	assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
	deflateEnd(&zlib);
	return sizeof(packed) - zlib.avail_out;
}

/* Unpacks, given pieces of `step` bytes and room for `room`. The length, or
 * -errno. */
static int64_t unpack(const char *coding, size_t length, size_t step,
		      size_t room, int *complete)
{
	const unsigned char *at = packed;
	struct decoder *decoder;
	int64_t made = 0, all = 0;
	size_t left, n;

	assert_int_equal(decoder_new(&decoder, coding, &purse), 0);
	for (left = length; left && made >= 0; left -= n) {
		size_t given;

		n = left < step ? left : step;
		given = n;
		do {
			/* What is more than fits is a bomb's. */
			made = decoder_run(decoder, &at, &given,
					   out + (all > PLAIN ? 0 : all), room);
			if (made > 0)
				all += made;
		} while (made > 0 || (made == 0 && given));
	}
	if (complete)
		*complete = decoder_is_complete(decoder);
	decoder_free(decoder);
	assert_int_equal(purse, 0);
	return made < 0 ? made : all;
}

static void expect_plain(const char *coding, size_t length)
{
	static const size_t steps[][2] = {
		{ 1u << 20, 16384 }, { 1, 100 }, { 1000, 7 }, { 17, 16384 }
	};
	size_t i;
	int complete;

	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		assert_int_equal(unpack(coding, length, steps[i][0],
					steps[i][1], &complete),
				 PLAIN);
		assert_memory_equal(out, plain, PLAIN);
		assert_true(complete);
	}
	assert_true(unpack(coding, length - 3, 1000, 16384, &complete) <=
		    PLAIN);
	assert_false(complete);
}

SK_TEST(gzip_unpacks)
{
	fill();
	expect_plain("gzip", pack_zlib(31, plain, PLAIN));
}

SK_TEST(deflate_unpacks_with_a_wrapper_and_without)
{
	fill();
	expect_plain("deflate", pack_zlib(15, plain, PLAIN));
	expect_plain("Deflate", pack_zlib(-15, plain, PLAIN));
}

SK_TEST(brotli_unpacks)
{
	size_t length = sizeof(packed);

	fill();
	assert_true(BrotliEncoderCompress(5, BROTLI_DEFAULT_WINDOW,
					  BROTLI_MODE_GENERIC, PLAIN, plain,
					  &length, packed));
	expect_plain("br", length);
}

SK_TEST(zstd_unpacks)
{
	fill();
	expect_plain("zstd",
		     ZSTD_compress(packed, sizeof(packed), plain, PLAIN, 3));
}

SK_TEST(gzip_of_several_members_is_one_body)
{
	size_t first, second;
	unsigned char copy[1000];

	first = pack_zlib(31, "hello ", 6);
	memcpy(copy, packed, first);
	second = pack_zlib(31, "world", 5);
	memmove(packed + first, packed, second);
	memcpy(packed, copy, first);
	assert_int_equal(unpack("gzip", first + second, 1000, 1000, NULL), 11);
	assert_memory_equal(out, "hello world", 11);
}

SK_TEST(padding_behind_the_end_is_dropped)
{
	size_t length = pack_zlib(31, "hello", 5);

	memset(packed + length, 0, 512);
	assert_int_equal(unpack("gzip", length + 512, 4096, 1000, NULL), 5);
}

SK_TEST(nonsense_is_refused)
{
	static const char *const codings[] = { "gzip", "br", "zstd" };
	size_t i;

	memset(packed, 0xee, 4096);
	for (i = 0; i < 3; i++)
		assert_int_equal(unpack(codings[i], 4096, 4096, 1000, NULL),
				 -EPROTO);
}

SK_TEST(bomb_is_refused)
{
	static unsigned char zeros[64u << 20];
	size_t length = pack_zlib(31, zeros, sizeof(zeros));

	assert_int_equal(unpack("gzip", length, 16384, 16384, NULL), -E2BIG);
	length = ZSTD_compress(packed, sizeof(packed), zeros, sizeof(zeros), 3);
	assert_int_equal(unpack("zstd", length, 16384, 16384, NULL), -E2BIG);
}

SK_TEST(other_codings_are_not_known)
{
	struct decoder *decoder;

	assert_int_equal(decoder_new(&decoder, "compress", &purse), -ENOTSUP);
	assert_int_equal(decoder_new(&decoder, "gzip, br", &purse), -ENOTSUP);
	assert_int_equal(decoder_new(&decoder, "", &purse), -ENOTSUP);
}

/* So many decoders of one purse, each with a window of `log` bits that its data
 * ask for: how many can work at a time. */
static unsigned windows_at_a_time(const char *coding, size_t length)
{
	struct decoder *decoders[40];
	unsigned i, works = 0;

	for (i = 0; i < 40; i++) {
		const unsigned char *at = packed;
		size_t left = length / 2; /* in the middle, window and all */
		int64_t made;

		assert_int_equal(decoder_new(&decoders[i], coding, &purse), 0);
		do {
			made = decoder_run(decoders[i], &at, &left, out, 16384);
		} while (made > 0);
		if (made == 0)
			works++;
		else
			assert_int_equal(made, -ENOBUFS);
	}
	assert_true(purse > DECODER_PURSE / 2 && purse <= DECODER_PURSE);
	while (i--)
		decoder_free(decoders[i]);
	assert_int_equal(purse, 0);
	return works;
}

/* Noise, so that it does not unpack to far more than was sent. */
static size_t make_noise(unsigned char **noise, size_t length)
{
	uint32_t state = 1;
	size_t i;

	*noise = malloc(length);
	assert_non_null(*noise);
	for (i = 0; i < length; i++) {
		state = state * 1103515245u + 12345u;
		(*noise)[i] = (unsigned char)(state >> 24);
	}
	return length;
}

SK_TEST(zstd_windows_of_one_purse_are_bounded_together)
{
	unsigned char *noise, *to;
	size_t length = make_noise(&noise, 8u << 20), room, size;
	ZSTD_CCtx *context = ZSTD_createCCtx();

	room = ZSTD_compressBound(length);
	to = malloc(room);
	assert_non_null(to);
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 23);
	size = ZSTD_compress2(context, to, room, noise, length);
	assert_false(ZSTD_isError(size));
	/* The head of a frame is enough to have the window made. */
	memcpy(packed, to, sizeof(packed));
	assert_in_range(windows_at_a_time("zstd", 200000), 2, 4);
	ZSTD_freeCCtx(context);
	free(to);
	free(noise);
}
