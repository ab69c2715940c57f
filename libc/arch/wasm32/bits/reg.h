/* SPDX-License-Identifier: BSD-2-Clause */
#undef __WORDSIZE
#define __WORDSIZE 32
