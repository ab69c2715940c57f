/* SPDX-License-Identifier: BSD-2-Clause */
/* The new offset has 64 bits, so it comes back through memory. */
#include <unistd.h>
#include "syscall.h"

off_t __lseek(int fd, off_t offset, int whence)
{
	off_t result;

	if (syscall(SYS_lseek, fd, offset, &result, whence) < 0)
		return -1;
	return result;
}

weak_alias(__lseek, lseek);
weak_alias(__lseek, lseek64);
