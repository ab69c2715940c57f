/* SPDX-License-Identifier: BSD-2-Clause */
/* See mlock.c. */
#include <errno.h>
#include <sys/mman.h>
#include "syscall.h"

int mlockall(int flags)
{
	if (!flags || (flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)))
		return __syscall_ret(-EINVAL);
	return 0;
}
