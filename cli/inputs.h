/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a bundle was made from, so that a cached one is used only while
 * esbuild would make the same again. A record is a JSON object:
 *
 *   files    {path: SHA-256}  every module, package.json, tsconfig.json,
 *                             jsconfig.json and what these extend
 *   absent   [path]           what would have been taken instead, were it there
 */
#ifndef SK_CLI_INPUTS_H
#define SK_CLI_INPUTS_H

#include <jansson.h>
#include <time.h>

#include "cli/list.h"

/* The files named by an esbuild metafile that was made in `folder`, plus
 * `module` itself. */
void sk_inputs_collect(struct sk_list *out, const json_t *metafile,
		       const char *folder, const char *module);

/* Hashes the files as they are now. NULL when one cannot be read, or was
 * changed after `since` (CLOCK_REALTIME_COARSE): then it is not known that the
 * hash is of what esbuild read. */
json_t *sk_inputs_record(const struct sk_list *files,
			 const struct timespec *since);

/* 1 while nothing of the record has changed; `files` gets what it names. */
int sk_inputs_same(const json_t *record, struct sk_list *files);

/* 1 when a new file of this name could change what esbuild finds for a module
 * at `input`: x.ts beside x.js. */
int sk_inputs_shadows(const char *path, const char *input);

#endif
