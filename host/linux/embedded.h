/* SPDX-License-Identifier: BSD-2-Clause */
/* guest/wasm-rt.h as a string: it is compiled with each program. */
#ifndef SK_HOST_EMBEDDED_H
#define SK_HOST_EMBEDDED_H

extern const char sk_embedded_wasm_rt[];

#endif
