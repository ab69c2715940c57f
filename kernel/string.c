/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory and string functions where no C library is linked: the wasm
 * kernel. Natively the host's take their place (this file is left out).
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	uint8_t *t = to;
	const uint8_t *f = from;

	while (size--)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	uint8_t *t = to;
	const uint8_t *f = from;

	if (t < f) {
		while (size--)
			*t++ = *f++;
	} else {
		while (size--)
			t[size] = f[size];
	}
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	uint8_t *t = to;

	while (size--)
		*t++ = (uint8_t)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const uint8_t *x = a, *y = b;

	for (; size; size--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

void *memchr(const void *s, int byte, size_t size)
{
	const uint8_t *at = s;

	for (; size; size--, at++)
		if (*at == (uint8_t)byte)
			return (void *)(uintptr_t)at;
	return NULL;
}

size_t strlen(const char *s)
{
	const char *at = s;

	while (*at)
		at++;
	return (size_t)(at - s);
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (uint8_t)*a - (uint8_t)*b;
}

int strncmp(const char *a, const char *b, size_t size)
{
	while (size && *a && *a == *b)
		a++, b++, size--;
	return size ? (uint8_t)*a - (uint8_t)*b : 0;
}
