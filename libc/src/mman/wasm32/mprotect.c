/* SPDX-License-Identifier: BSD-2-Clause */
/* WebAssembly's memory has no protection: all of it may be read and written. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <sys/mman.h>
#include "libc.h"
#include "syscall.h"

int __mprotect(void *start, size_t len, int prot)
{
	if (prot & ~(PROT_READ | PROT_WRITE | PROT_EXEC))
		return __syscall_ret(-EINVAL);
	return 0;
}

weak_alias(__mprotect, mprotect);
