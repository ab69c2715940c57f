/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory from the host, counted. The counts make the kernel's limit, and they
 * are back at where they began when all that was made is gone again.
 */
#include "state.h"

void *sk_alloc(struct sk_kernel *k, size_t size)
{
	void *memory;

	if (size > k->max_bytes - k->bytes)
		return NULL;
	memory = k->host->alloc(k->self, size);
	if (!memory)
		return NULL;
	k->bytes += size;
	k->allocations++;
	return memory;
}

void sk_free(struct sk_kernel *k, void *memory, size_t size)
{
	if (!memory)
		return;
	k->bytes -= size;
	k->allocations--;
	k->host->free(k->self, memory, size);
}

void *sk_realloc(struct sk_kernel *k, void *memory, size_t old, size_t size)
{
	void *to = sk_alloc(k, size);

	if (!to)
		return NULL;
	if (memory) {
		memcpy(to, memory, old < size ? old : size);
		sk_free(k, memory, old);
	}
	return to;
}

char *sk_strdup(struct sk_kernel *k, const char *s)
{
	size_t size = strlen(s) + 1;
	char *to = sk_alloc(k, size);

	if (to)
		memcpy(to, s, size);
	return to;
}
