/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns esbuild's messages into ours: "FILE:LINE:COLUMN: message", then the
 * code frame. */
#ifndef SK_CLI_DIAGNOSIS_H
#define SK_CLI_DIAGNOSIS_H

#include "cli/list.h"

/* The name of the virtual module that imports a bundle's own. */
#define SK_ENTRY_NAME "selkie:entry"

/* `text` is what esbuild wrote when it ran in `folder` on `module` and ended
 * with `status` (as sk_child_finish returns it). The files that it names are
 * added to `files`. The heap string is the caller's. */
char *sk_diagnosis_esbuild(const char *text, int status, const char *folder,
			   const char *module, struct sk_list *files);

#endif
