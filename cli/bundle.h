/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bundles: one module and all that it imports, as the one script of
 * docs/worker.md ("Bundles"), made by esbuild or taken from the cache.
 */
#ifndef SK_CLI_BUNDLE_H
#define SK_CLI_BUNDLE_H

#include "cli/cache.h"
#include "cli/list.h"
#include "cli/places.h"

struct sk_bundle {
	char *module; /* absolute; set by the caller, owned by the bundle */
	char *file;   /* the bundle in the cache, or NULL */
	char *map;
	char *hash;	       /* of bundle and map */
	char *error;	       /* "FILE:LINE:COLUMN: message", code frame; or
				* NULL */
	struct sk_list inputs; /* every file that went into it */
};

/* Makes `count` bundles, two at a time. A module that does not build has its
 * `error` set. 0, or -errno after a message when esbuild cannot be run or the
 * cache cannot be written. */
int sk_bundle_make(struct sk_bundle *bundles, size_t count,
		   const struct sk_cache *cache,
		   const struct sk_places *places);

void sk_bundle_fini(struct sk_bundle *bundle);

#endif
