/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inflate. A stream is a row of blocks: stored bytes, or symbols in Huffman
 * codes that are fixed or stand at the block's head. A symbol is a byte, the
 * end of the block, or a length, which a distance follows: copy that many
 * bytes from that far back. The output is all in memory, so that it is its
 * own window.
 *
 * Codes are decoded by a table over the next FAST bits; what is longer is
 * found by counting: the codes of one length are consecutive numbers, which
 * begin where those of the length before, doubled, end.
 *
 * Everything of the input is checked: a bad stream is -SK_EIO, and no byte is
 * written or read outside of the output.
 */
#include "fs/inflate.h"
#include "selkie/abi.h"
#include "state.h"

#define LENGTH_MAX 15
#define FAST	   9
#define SYMBOLS	   288
#define DISTANCES  30

struct code {
	uint16_t count[LENGTH_MAX + 1]; /* codes of each length */
	uint16_t symbols[SYMBOLS];	/* by code */
	uint16_t fast[1 << FAST];	/* symbol << 4 | length, or 0 */
};

struct state {
	struct sk_inflate_input *in;
	const uint8_t *from;
	size_t left;
	uint64_t bits; /* the next ones, lowest first */
	uint32_t have;
	int error;
	uint8_t *to;
	size_t size, at;
	struct code literals, distances;
};

/* At least `want` bits, at most 32; zeros behind the input's end. */
static void need(struct state *s, uint32_t want)
{
	while (s->have < want) {
		int64_t n;

		if (!s->left) {
			n = s->error ? 0 : s->in->more(s->in, &s->from);
			if (n < 0)
				s->error = (int)n;
			if (n <= 0)
				return;
			s->left = (size_t)n;
		}
		s->bits |= (uint64_t)*s->from++ << s->have;
		s->have += 8;
		s->left--;
	}
}

static void drop(struct state *s, uint32_t count)
{
	if (count > s->have) {
		if (!s->error)
			s->error = -SK_EIO;
		count = s->have;
	}
	s->bits >>= count;
	s->have -= count;
}

static uint32_t take(struct state *s, uint32_t count)
{
	uint32_t value;

	need(s, count);
	value = (uint32_t)(s->bits & ((UINT64_C(1) << count) - 1));
	drop(s, count);
	return value;
}

static uint32_t reversed(uint32_t code, uint32_t length)
{
	uint32_t out = 0;

	while (length--) {
		out = out << 1 | (code & 1);
		code >>= 1;
	}
	return out;
}

/*
 * From the lengths of all symbols. More codes than there is room for are an
 * error; fewer are only right for a single one.
 */
static int make_code(struct code *c, const uint8_t *lengths, uint32_t count)
{
	uint32_t first[LENGTH_MAX + 2], place[LENGTH_MAX + 2], code = 0;
	int32_t room = 1;

	memset(c, 0, sizeof(*c));
	for (uint32_t i = 0; i < count; i++)
		c->count[lengths[i]]++;
	c->count[0] = 0;
	place[1] = 0;
	for (uint32_t l = 1; l <= LENGTH_MAX; l++) {
		room = room * 2 - c->count[l];
		if (room < 0)
			return -SK_EIO;
		code <<= 1;
		first[l] = code;
		code += c->count[l];
		place[l + 1] = place[l] + c->count[l];
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t l = lengths[i], bits;

		if (!l)
			continue;
		c->symbols[place[l]++] = (uint16_t)i;
		bits = reversed(first[l]++, l);
		for (; l <= FAST && bits < 1u << FAST; bits += 1u << l)
			c->fast[bits] = (uint16_t)(i << 4 | l);
	}
	return 0;
}

static uint32_t decode(struct state *s, const struct code *c)
{
	uint32_t code = 0, first = 0, place = 0, entry;

	need(s, LENGTH_MAX);
	entry = c->fast[s->bits & ((1u << FAST) - 1)];
	if (entry) {
		drop(s, entry & 15);
		return entry >> 4;
	}
	for (uint32_t l = 1; l <= LENGTH_MAX; l++) {
		code = code << 1 | (uint32_t)(s->bits >> (l - 1) & 1);
		if (code - first < c->count[l]) {
			drop(s, l);
			return c->symbols[place + code - first];
		}
		place += c->count[l];
		first = (first + c->count[l]) << 1;
	}
	s->error = -SK_EIO;
	return 0;
}

static void stored(struct state *s)
{
	uint32_t size, check;

	drop(s, s->have % 8);
	size = take(s, 16);
	check = take(s, 16);
	if (size != (check ^ 0xffff) || size > s->size - s->at)
		s->error = s->error ? s->error : -SK_EIO;
	while (!s->error && size--)
		s->to[s->at++] = (uint8_t)take(s, 8);
}

static void fixed_codes(struct state *s)
{
	uint8_t lengths[SYMBOLS];

	for (uint32_t i = 0; i < SYMBOLS; i++)
		lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	make_code(&s->literals, lengths, SYMBOLS);
	memset(lengths, 5, DISTANCES);
	make_code(&s->distances, lengths, DISTANCES);
}

/* The lengths of both codes are themselves coded, with repetitions. */
static void read_lengths(struct state *s, uint8_t *lengths, uint32_t count)
{
	uint32_t at = 0;

	while (at < count && !s->error) {
		uint32_t symbol = decode(s, &s->distances), again;
		uint8_t value = 0;

		if (symbol < 16) {
			lengths[at++] = (uint8_t)symbol;
			continue;
		}
		if (symbol == 16) {
			if (!at) {
				s->error = -SK_EIO;
				return;
			}
			value = lengths[at - 1];
			again = 3 + take(s, 2);
		} else {
			again = symbol == 17 ? 3 + take(s, 3) : 11 + take(s, 7);
		}
		if (again > count - at) {
			s->error = -SK_EIO;
			return;
		}
		memset(lengths + at, value, again);
		at += again;
	}
}

static void own_codes(struct state *s)
{
	static const uint8_t order[19] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
					   11, 4,  12, 3, 13, 2, 14, 1, 15 };
	uint8_t lengths[SYMBOLS + 32] = { 0 };
	uint32_t literals = 257 + take(s, 5), distances = 1 + take(s, 5);
	uint32_t count = 4 + take(s, 4);

	if (literals > 286 || distances > DISTANCES) {
		s->error = -SK_EIO;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		lengths[order[i]] = (uint8_t)take(s, 3);
	if (make_code(&s->distances, lengths, 19)) {
		s->error = -SK_EIO;
		return;
	}
	memset(lengths, 0, sizeof(lengths));
	read_lengths(s, lengths, literals + distances);
	if (s->error)
		return;
	if (!lengths[256] || make_code(&s->literals, lengths, literals) ||
	    make_code(&s->distances, lengths + literals, distances))
		s->error = -SK_EIO;
}

static void copy_back(struct state *s, uint32_t symbol)
{
	static const uint16_t base[29] = { 3,	4,   5,	  6,   7,  8,  9,  10,
					   11,	13,  15,  17,  19, 23, 27, 31,
					   35,	43,  51,  59,  67, 83, 99, 115,
					   131, 163, 195, 227, 258 };
	static const uint8_t extra[29] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
					   1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
					   4, 4, 4, 4, 5, 5, 5, 5, 0 };
	static const uint16_t far[DISTANCES] = {
		1,    2,    3,	  4,	5,    7,    9,	  13,	 17,	25,
		33,   49,   65,	  97,	129,  193,  257,  385,	 513,	769,
		1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577
	};
	uint32_t length, distance, d;

	symbol -= 257;
	if (symbol >= 29) {
		s->error = -SK_EIO;
		return;
	}
	length = base[symbol] + take(s, extra[symbol]);
	d = decode(s, &s->distances);
	if (s->error || d >= DISTANCES) {
		s->error = s->error ? s->error : -SK_EIO;
		return;
	}
	distance = far[d] + take(s, d < 4 ? 0 : d / 2 - 1);
	if (distance > s->at || length > s->size - s->at) {
		s->error = -SK_EIO;
		return;
	}
	for (; length; length--, s->at++)
		s->to[s->at] = s->to[s->at - distance];
}

static void symbols(struct state *s)
{
	while (!s->error) {
		uint32_t symbol = decode(s, &s->literals);

		if (symbol == 256)
			return;
		if (symbol > 256) {
			copy_back(s, symbol);
		} else if (s->at < s->size) {
			s->to[s->at++] = (uint8_t)symbol;
		} else {
			s->error = -SK_EIO;
		}
	}
}

static void run(struct state *s)
{
	uint32_t last = 0;

	while (!last && !s->error) {
		last = take(s, 1);
		switch (take(s, 2)) {
		case 0:
			stored(s);
			continue;
		case 1:
			fixed_codes(s);
			break;
		case 2:
			own_codes(s);
			break;
		default:
			s->error = s->error ? s->error : -SK_EIO;
			break;
		}
		symbols(s);
	}
}

int sk_inflate(struct sk_inflate_input *in, uint8_t *to, size_t size)
{
	struct state s = { .in = in, .to = to, .size = size };

	run(&s);
	if (!s.error && s.at != size)
		s.error = -SK_EIO;
	return s.error;
}

uint32_t sk_crc32(const uint8_t *from, size_t size)
{
	/* Of each half byte. */
	static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8,
					    0x26d930ac, 0x76dc4190, 0x6b6b51f4,
					    0x4db26158, 0x5005713c, 0xedb88320,
					    0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
					    0x9b64c2b0, 0x86d3d2d4, 0xa00ae278,
					    0xbdbdf21c };
	uint32_t crc = ~0u;

	while (size--) {
		crc ^= *from++;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}
