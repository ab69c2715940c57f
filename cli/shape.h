/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shape of APP (docs/control.md). What comes from the confined evaluator is
 * data of an app and is checked here, field by field.
 */
#ifndef SK_CLI_SHAPE_H
#define SK_CLI_SHAPE_H

#include <jansson.h>

#include "cli/list.h"

/* What the app file `app` (absolute) said, as APP without bundles: paths
 * absolute, defaults filled in. NULL after a message for each thing that is
 * wrong, with file and line. Files that ought to be there are added to
 * `wanted`; what is allowed but worth a look, as text with file and line, to
 * the array `warnings`. */
json_t *sk_shape_app(const json_t *said, const char *app,
		     struct sk_list *wanted, json_t *warnings);

#endif
