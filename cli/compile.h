/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From an app file to the data that the gateway and the supervisor work with
 * (APP in docs/control.md): bundle the app file, evaluate it in a confined
 * process, check what it says, bundle its workers.
 */
#ifndef SK_CLI_COMPILE_H
#define SK_CLI_COMPILE_H

#include <jansson.h>
#include <stdio.h>

#include "cli/list.h"
#include "cli/places.h"

struct sk_app {
	json_t *data;	       /* APP, or NULL after a failure */
	struct sk_list inputs; /* what it was made from, after a failure too */
	json_t *warnings;      /* texts with file and line */
	char *speech;	       /* what the app file logged, or NULL */
	size_t broken;	       /* routes whose worker does not build */
};

/* Compiles the app file at `path`. 0, or -EINVAL after messages on stderr that
 * begin with file and line. `app` has to be ended in both cases. */
int sk_app_compile(struct sk_app *app, const char *path,
		   const struct sk_places *places);
void sk_app_fini(struct sk_app *app);

/* Prints what the app file logged. */
void sk_app_speak(const struct sk_app *app, FILE *to);

/* Prints why routes of the app do not build. */
void sk_app_explain(const struct sk_app *app);

/* Prints what is allowed but worth a look. */
void sk_app_warn(const struct sk_app *app);

#endif
