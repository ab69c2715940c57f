/* SPDX-License-Identifier: BSD-2-Clause */
#define PAGESIZE 4096
