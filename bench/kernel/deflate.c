/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What gzip spends its time with: matches by hash chains, then bits by a
 * prefix code, over 16 MiB of text that is made here.
 */
#include <stdint.h>
#include <string.h>

#include "bench.h"

#define SIZE   (16 << 20)
#define WINDOW 32768
#define HASHES 32768
#define CHAIN  32

static uint8_t text[SIZE + 8];
static int32_t head[HASHES], before[WINDOW];
static uint8_t out[SIZE];
static uint32_t counts[512];
static uint64_t bits;
static int bit_count;
static size_t out_size;

static void make_text(void)
{
	static const char *const words[] = { "the ",	 "kernel ", "of ",
					     "a ",	 "selkie ", "sea ",
					     "and ",	 "land\n",  "skin ",
					     "changes ", "only ",   "its " };
	uint32_t seed = 1;
	size_t at = 0;

	while (at < SIZE - 16) {
		const char *word;

		seed = seed * 1664525 + 1013904223;
		word = words[(seed >> 16) % 12];
		memcpy(text + at, word, strlen(word));
		at += strlen(word);
		if (seed >> 28 == 0)
			text[at++] = (uint8_t)('a' + (seed >> 8) % 26);
	}
}

static void put(uint32_t value, int count)
{
	bits |= (uint64_t)value << bit_count;
	bit_count += count;
	while (bit_count >= 8) {
		out[out_size++ % SIZE] = (uint8_t)bits;
		bits >>= 8;
		bit_count -= 8;
	}
}

static uint32_t hash(const uint8_t *p)
{
	return ((uint32_t)p[0] << 10 ^ (uint32_t)p[1] << 5 ^ p[2]) % HASHES;
}

static int match(const uint8_t *a, const uint8_t *b, int most)
{
	int n = 0;

	while (n < most && a[n] == b[n])
		n++;
	return n;
}

static int longest(int32_t at, int32_t *where)
{
	int32_t candidate = head[hash(text + at)];
	int best = 0, tries = CHAIN;
	int most = SIZE - at < 258 ? SIZE - at : 258;

	while (candidate > 0 && at - candidate < WINDOW && tries--) {
		int n = match(text + candidate, text + at, most);

		if (n > best) {
			best = n;
			*where = candidate;
			if (n == most)
				break;
		}
		candidate = before[candidate % WINDOW];
	}
	return best;
}

static void enter(int32_t at)
{
	uint32_t h = hash(text + at);

	before[at % WINDOW] = head[h];
	head[h] = at;
}

static void compress(void)
{
	int32_t at = 1, where = 0;

	while (at < SIZE - 3) {
		int n = longest(at, &where);

		if (n < 3) {
			counts[text[at]]++;
			put(text[at], 9);
			enter(at++);
			continue;
		}
		counts[256 + n % 256]++;
		put((uint32_t)n | 256, 9);
		put((uint32_t)(at - where), 15);
		while (n--)
			enter(at++);
	}
}

int main(void)
{
	double start;

	make_text();
	start = bench_now();
	compress();
	fprintf(stderr, "%zu\n", out_size);
	bench_say((bench_now() - start) / 1e9, "s");
	return 0;
}
