/* SPDX-License-Identifier: BSD-2-Clause */
/* Scheduling is the host's; these calls answer what a program may assume. */
#include "process.h"

int64_t sk_sys_sched_yield(struct sk_task *t, const uint64_t *a)
{
	(void)t;
	(void)a;
	return 0;
}
