/* SPDX-License-Identifier: BSD-2-Clause */
/* `selkie APP.js`: the app behind nginx, in the foreground. */
#ifndef SK_CLI_SERVE_H
#define SK_CLI_SERVE_H

#include "cli/options.h"
#include "cli/places.h"

/* Serves until INT or TERM. The exit status. */
int sk_serve(const struct sk_options *options, const struct sk_places *places);

/* --check and --print-config. The exit status. */
int sk_serve_check(const struct sk_options *options,
		   const struct sk_places *places);
int sk_serve_print_config(const struct sk_options *options,
			  const struct sk_places *places);

#endif
