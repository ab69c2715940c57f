/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A site: one compiled app, where it listens, and the files in the run folder
 * that nginx serves it from.
 */
#ifndef SK_CLI_SITE_H
#define SK_CLI_SITE_H

#include "cli/address.h"
#include "cli/compile.h"
#include "cli/options.h"

struct sk_site {
	struct sk_app app;
	struct sk_address address;
	char *data; /* APP as text */
};

/* Compiles the app and checks what can be checked without serving it. 0, or
 * -EINVAL after messages. To be ended in both cases. */
int sk_site_make(struct sk_site *site, const struct sk_options *options,
		 const struct sk_places *places);
void sk_site_fini(struct sk_site *site);

/* The nginx configuration with `run` as its run folder; `data`: the file that
 * holds APP, or NULL. Heap. */
char *sk_site_conf(const struct sk_site *site, const struct sk_options *options,
		   const struct sk_places *places, const char *run,
		   const char *data);

/* Writes nginx.conf and app.json. 0, or -errno after a message. */
int sk_site_write(const struct sk_site *site, const struct sk_options *options,
		  const struct sk_places *places, const char *run);

#endif
