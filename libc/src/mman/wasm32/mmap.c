/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Anonymous memory is libc's own. A file is mapped by the kernel, which copies
 * its bytes into pages that are chosen here.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include "kernel.h"
#include "syscall.h"

#define KINDS (MAP_SHARED | MAP_PRIVATE)

static long map(void *start, size_t len, int prot, int flags, int fd, off_t off)
{
	void *p = start;
	int fixed = flags & MAP_FIXED;
	long r;

	if (!len || off % PAGESIZE || !(flags & KINDS))
		return -EINVAL;
	if (len > PTRDIFF_MAX - PAGESIZE)
		return -ENOMEM;
	if (fixed && !__sk_pages_valid(start, len))
		return (uintptr_t)start % PAGESIZE ? -EINVAL : -ENOMEM;
	if (!fixed)
		p = __sk_pages_get(len);
	if (!p)
		return -ENOMEM;
	if (flags & MAP_ANONYMOUS) {
		if (fixed)
			memset(p, 0, len);
		return (long)p;
	}
	r = __syscall(SYS_mmap, p, len, prot, flags | MAP_FIXED, fd, off);
	if (r < 0 && r > -4096) {
		if (!fixed)
			__sk_pages_put(p, len);
		return r;
	}
	__sk_file_maps = 1;
	return (long)p;
}

void *__mmap(void *start, size_t len, int prot, int flags, int fd, off_t off)
{
	return (void *)__syscall_ret(map(start, len, prot, flags, fd, off));
}

weak_alias(__mmap, mmap);
weak_alias(mmap, mmap64);
