/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <sys/mman.h>
#include "kernel.h"
#include "syscall.h"

int __munmap(void *start, size_t len)
{
	if (!len || len > PTRDIFF_MAX || !__sk_pages_valid(start, len))
		return __syscall_ret(-EINVAL);
	if (__sk_file_maps)
		__syscall(SYS_munmap, start, len);
	__sk_pages_put(start, len);
	return 0;
}

weak_alias(__munmap, munmap);
