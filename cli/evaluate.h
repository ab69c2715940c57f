/* SPDX-License-Identifier: BSD-2-Clause */
/* Running an app file in selkie-worker's confined evaluator. */
#ifndef SK_CLI_EVALUATE_H
#define SK_CLI_EVALUATE_H

#include <jansson.h>

#include "cli/bundle.h"

/* What the app file says, from a run or from the cache (it has no input but its
 * bundle). What it wrote to stderr is written there; what it logged otherwise
 * goes to `*speech`, a heap string for the caller, which stays as it is when
 * there was nothing. NULL after messages on stderr. */
json_t *sk_evaluate(const struct sk_bundle *bundle,
		    const struct sk_cache *cache,
		    const struct sk_places *places, char **speech);

#endif
