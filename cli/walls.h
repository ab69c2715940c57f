/* SPDX-License-Identifier: BSD-2-Clause */
/* Which layers of the sandbox this system lacks. */
#ifndef SK_CLI_WALLS_H
#define SK_CLI_WALLS_H

/* The names of the missing layers, ", " between them, as a heap string; ""
 * when all are there. */
char *sk_walls_missing(void);

#endif
