/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program's WebAssembly becomes a shared object: wasm2c writes C, the C
 * compiler of this machine compiles it. Done once for each program; the
 * result goes into the store.
 */
#ifndef SK_HOST_TRANSLATE_H
#define SK_HOST_TRANSLATE_H

#include <stddef.h>

/* Looks for wasm2c and a C compiler. What is missing is told at first use. */
void sk_translate_init(const char *self);

/* Changes with everything that a translation depends on but the program. */
const char *sk_translate_version(void);

/*
 * Translates `wasm` to the file `name` of the store. 0; -ENOEXEC: it is no
 * program of ours; -ENOENT: no tools; -EIO. `why`: what the tools said.
 */
int sk_translate(const void *wasm, size_t size, const char *name, char *why,
		 size_t why_size);

#endif
