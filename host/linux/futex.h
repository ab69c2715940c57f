/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SK_HOST_FUTEX_H
#define SK_HOST_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word == seen, until a deadline (ns of CLOCK_MONOTONIC;
 * INT64_MAX: without one) or a wake; may return early. */
void sk_futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t deadline);
/* Wakes all who wait. */
void sk_futex_wake(_Atomic uint32_t *word);

#endif
