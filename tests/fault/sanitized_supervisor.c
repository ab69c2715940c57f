/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selkie-supervisor as a test program: the same sources, with sanitizers.
 */
// link: supervisor/*.c
#include "supervisor/supervisor.h"
