/* SPDX-License-Identifier: BSD-2-Clause */
/* Between wasm2c's C and ours. */
#ifndef SK_HOST_GLUE_H
#define SK_HOST_GLUE_H

#include <stddef.h>

/*
 * In a folder with wasm2c's p.h and p-impl.h: writes glue.c, which defines
 * sk_object (guest/wasm-rt.h), and makes accesses to memory in p-impl.h what
 * wasm-rt.h promises. 0; -ENOEXEC with `why`: no program of ours; -EIO.
 */
int sk_glue_write(const char *folder, char *why, size_t size);

#endif
