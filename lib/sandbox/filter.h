/* SPDX-License-Identifier: BSD-2-Clause */
/* A system call filter as tables; lib/sandbox only. */
#ifndef SK_SANDBOX_FILTER_H
#define SK_SANDBOX_FILTER_H

#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/sandbox.h"

struct sk__refusal {
	int call;
	int error;
};

/* A call that one argument decides about. */
struct sk__rule {
	uint32_t action;
	int call;
	struct scmp_arg_cmp arg;
};

struct sk__filter {
	const int *allowed;
	size_t nallowed;
	const struct sk__refusal *refused;
	size_t nrefused;
	const struct sk__rule *rules;
	size_t nrules;
};

/* Loads it, with what both filters have, on all threads; what is not named kills the process. 0 or
 * -errno. */
int sk__filter_load(const struct sk__filter *filter);

#endif
