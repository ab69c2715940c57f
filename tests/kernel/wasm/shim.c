/* SPDX-License-Identifier: BSD-2-Clause */
/* The little of a C library that the tests' own code needs. */
#include "tests/kernel/wasm/sk_test_wasm.h"

#define PAGE	65536u
#define CLASSES 32

__attribute__((import_module("rig"), import_name("log"))) void
host_log(const char *line, size_t size);

extern uint8_t __heap_base;
static uintptr_t next; /* of fresh memory */

/* Freed blocks of 2^n bytes. */
static struct block {
	struct block *next;
	uint32_t order;
	uint32_t pad[2]; /* what is given out is aligned to 16 */
} * orders[CLASSES];

static void *fresh(size_t size)
{
	uintptr_t at;

	if (!next)
		next = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
	at = next;
	if (size > SIZE_MAX - at)
		return NULL;
	while (at + size > __builtin_wasm_memory_size(0) * PAGE)
		if (__builtin_wasm_memory_grow(0, size / PAGE + 1) ==
		    (size_t)-1)
			return NULL;
	next += size;
	return (void *)at;
}

void *calloc(size_t count, size_t size)
{
	uint32_t order = 5;
	struct block *b;

	size = size * count + sizeof(*b);
	while (((size_t)1 << order) < size)
		order++;
	b = orders[order];
	if (b)
		orders[order] = b->next;
	else
		b = fresh((size_t)1 << order);
	if (!b)
		return NULL;
	b->order = order;
	return memset(b + 1, 0, size - sizeof(*b));
}

void free(void *memory)
{
	struct block *b = memory;

	if (!memory)
		return;
	b--;
	b->next = orders[b->order];
	orders[b->order] = b;
}

void abort(void)
{
	__builtin_trap();
}

void sk_wasm_log(const char *line)
{
	host_log(line, strlen(line));
}

void sk_wasm_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s", file, line, what);
	abort();
}

void sk_wasm_equal(int64_t a, int64_t b, const char *file, int line,
		   const char *what)
{
	if (a == b)
		return;
	fprintf(stderr, "%s is %lld, not %lld", what, (long long)a,
		(long long)b);
	sk_wasm_fail(file, line, what);
}

char *strcpy(char *to, const char *from)
{
	memcpy(to, from, strlen(from) + 1);
	return to;
}

char *strcat(char *to, const char *from)
{
	strcpy(to + strlen(to), from);
	return to;
}

char *strstr(const char *in, const char *what)
{
	size_t size = strlen(what);

	for (; *in; in++)
		if (!strncmp(in, what, size))
			return (char *)(uintptr_t)in;
	return size ? NULL : (char *)(uintptr_t)in;
}

/* By insertion: the tests sort a few names. */
void qsort(void *base, size_t count, size_t size,
	   int (*compare)(const void *, const void *))
{
	char *array = base;

	for (size_t i = 1; i < count; i++)
		for (char *at = array + i * size;
		     at > array && compare(at - size, at) > 0; at -= size)
			for (size_t k = 0; k < size; k++) {
				char c = at[k];

				at[k] = at[(ptrdiff_t)k - (ptrdiff_t)size];
				at[(ptrdiff_t)k - (ptrdiff_t)size] = c;
			}
}
