/* SPDX-License-Identifier: BSD-2-Clause */
/* What a tsconfig.json takes from others by "extends". */
#ifndef SK_CLI_TSCONFIG_H
#define SK_CLI_TSCONFIG_H

#include "cli/list.h"

/* Adds what esbuild may read for the "extends" of the file at `path`, and for
 * those of what it finds, to `files`; candidates that are not there go to
 * `absent`. A file that is no JSON (with comments) extends nothing. */
void sk_tsconfig_extends(struct sk_list *files, struct sk_list *absent,
			 const char *path);

#endif
