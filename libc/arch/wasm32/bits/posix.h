/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_V6_ILP32_OFFBIG 1
#define _POSIX_V7_ILP32_OFFBIG 1
