/* SPDX-License-Identifier: BSD-2-Clause */
/* __init_tp sets it without asking the kernel. */
#include "pthread_impl.h"

int __set_thread_area(void *p)
{
	return 0;
}
