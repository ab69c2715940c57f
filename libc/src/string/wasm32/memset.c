/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <string.h>

#define BULK 64

void *memset(void *to, int byte, size_t n)
{
	unsigned char *d = to;
	uint64_t word = (unsigned char)byte * 0x0101010101010101ULL;

	if (n >= BULK)
		return __builtin_memset(to, byte, n);
	for (; n >= 8; n -= 8, d += 8)
		__builtin_memcpy(d, &word, 8);
	for (; n; n--)
		*d++ = byte;
	return to;
}
