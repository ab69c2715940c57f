/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns esbuild's messages and the evaluator's into ours: "FILE:LINE:COLUMN:
 * message", then the code frame. */
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

/* `text` is what the evaluator of `module` wrote before it failed: what the
 * app file printed, then the error with its stack and code frame. The heap
 * string is the caller's. */
char *sk_diagnosis_script(const char *text, const char *module);

#endif
