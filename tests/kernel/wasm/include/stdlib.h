/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SK_WASM_STDLIB_H
#define SK_WASM_STDLIB_H
#include <stddef.h>
void *calloc(size_t count, size_t size);
void free(void *memory);
_Noreturn void abort(void);
void qsort(void *base, size_t count, size_t size,
	   int (*compare)(const void *, const void *));
#endif
