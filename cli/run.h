/* SPDX-License-Identifier: BSD-2-Clause */
/* `selkie run`: another program's work, selkie-run. */
#ifndef SK_CLI_RUN_H
#define SK_CLI_RUN_H

#include "cli/places.h"

/* Becomes selkie-run; argv[0] is "run". The exit status when it cannot. */
int sk_run(const struct sk_places *places, char **argv);

#endif
