/* SPDX-License-Identifier: BSD-2-Clause */
/* What translated programs may call. */
#ifndef SK_HOST_SYMBOLS_H
#define SK_HOST_SYMBOLS_H

#include <stdint.h>

/* The address of a function by name, or 0. */
uintptr_t sk_symbol_find(const char *name);

#endif
