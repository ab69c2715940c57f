/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice is taken where it shows: pages not needed read as zero. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include "kernel.h"
#include "syscall.h"

int __madvise(void *start, size_t len, int advice)
{
	if (!__sk_pages_valid(start, len))
		return __syscall_ret(-ENOMEM);
	if (advice == MADV_DONTNEED)
		memset(start, 0, len);
	return 0;
}

weak_alias(__madvise, madvise);
