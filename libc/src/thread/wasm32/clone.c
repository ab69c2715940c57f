/* SPDX-License-Identifier: BSD-2-Clause */
/* A process cannot start a thread yet: pthread_create says EAGAIN. */
#include <errno.h>
#include "pthread_impl.h"

int __clone(int (*func)(void *), void *stack, int flags, void *arg, ...)
{
	return -ENOSYS;
}
