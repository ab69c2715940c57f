/* SPDX-License-Identifier: BSD-2-Clause */
/* Who a process is: pids, users, groups. */
#include "process.h"

int64_t sk_sys_getpid(struct sk_task *t, const uint64_t *a)
{
	(void)a;
	return t->process->pid;
}

int64_t sk_sys_gettid(struct sk_task *t, const uint64_t *a)
{
	(void)a;
	return t->tid;
}
