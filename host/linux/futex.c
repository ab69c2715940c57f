/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void sk_futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t deadline)
{
	struct timespec until = { deadline / 1000000000,
				  deadline % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, seen,
		deadline == INT64_MAX ? NULL : &until, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

void sk_futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
}
