/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <string.h>

#define BULK 64

void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	/* Forwards is right unless the end of `from` is written first. */
	if (n >= BULK || (uintptr_t)d - (uintptr_t)s < n)
		return __builtin_memmove(to, from, n);
	for (; n >= 8; n -= 8, d += 8, s += 8) {
		uint64_t word;

		__builtin_memcpy(&word, s, 8);
		__builtin_memcpy(d, &word, 8);
	}
	for (; n; n--)
		*d++ = *s++;
	return to;
}
