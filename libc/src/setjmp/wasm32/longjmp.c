/* SPDX-License-Identifier: BSD-2-Clause */
/* Beside setjmp in setjmp.c: the compiler turns calls into __wasm_longjmp. */
typedef int sk_nothing_here;
