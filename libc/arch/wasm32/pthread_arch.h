/* SPDX-License-Identifier: BSD-2-Clause */
/* Who runs: set before anything else at start, see __init_tls.c. */
extern hidden __thread uintptr_t __sk_self;

static inline uintptr_t __get_tp(void)
{
	return __sk_self;
}
