/* SPDX-License-Identifier: BSD-2-Clause */
/* See mlock.c. */
#include <sys/mman.h>

int munlockall(void)
{
	return 0;
}
