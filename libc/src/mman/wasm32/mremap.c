/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include "kernel.h"
#include "syscall.h"

#define ROUND(n) (((n) + PAGESIZE - 1) & -PAGESIZE)

void *__mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	void *p;

	if (!len || len > PTRDIFF_MAX - PAGESIZE || (flags & MREMAP_FIXED) ||
	    !__sk_pages_valid(old, old_len)) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	old_len = ROUND(old_len);
	len = ROUND(len);
	if (len <= old_len) {
		if (len < old_len)
			__munmap((char *)old + len, old_len - len);
		return old;
	}
	p = flags & MREMAP_MAYMOVE ? __sk_pages_get(len) : 0;
	if (!p) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	memcpy(p, old, old_len);
	__munmap(old, old_len);
	return p;
}

weak_alias(__mremap, mremap);
