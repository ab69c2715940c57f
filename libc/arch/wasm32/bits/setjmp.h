/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * setjmp.c of libc/src says what is kept: who called setjmp, where in it, and
 * the state of the signal handlers that run.
 */
typedef unsigned long __jmp_buf[8];
