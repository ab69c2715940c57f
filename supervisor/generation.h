/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A generation: one configuration that nginx's master has loaded, as tables
 * of apps and routes (docs/control.md has the JSON).
 */
#ifndef SK_GENERATION_H
#define SK_GENERATION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "supervisor/route.h"

#define SK_CONFIG_MAX (16u * 1024u * 1024u)
#define SK_APPS_MAX   256
#define SK_ROUTES_MAX 4096 /* of one app */

struct sk_app {
	char *path;
	struct sk_route **routes;
	size_t count;
};

struct sk_generation {
	LIST_ENTRY(sk_generation) link;
	uint64_t number;
	char *text; /* the JSON, for the store */
	size_t length;
	struct sk_app *apps;
	size_t count;
	char **egress_args; /* options of the egress */
	unsigned clients;
};

/* Reads a configuration. `text` (heap, NUL-terminated) belongs to the
 * generation on success. Routes that are the same as one of a live generation
 * are shared. 0, -ENOMEM, or -EINVAL with a message in `error`. */
int sk_generation_load(struct sk_supervisor *sup, struct sk_generation **out,
		       uint64_t number, char *text, size_t length,
		       struct sk_opener *opener, char *error, size_t errsize);

/* Drops its routes and frees it. It is in no list and has no clients. */
void sk_generation_free(struct sk_generation *generation);

struct sk_generation *sk_generation_find(struct sk_supervisor *sup,
					 uint64_t number);

/* The place that `app`, `route`, `index` name, or NULL with the reason. */
struct sk_route *sk_generation_route(struct sk_generation *generation,
				     uint32_t app, uint32_t route);

/* Ends the generations that nobody can ask for any more, and keeps the store in
 * step. */
void sk_generations_collect(struct sk_supervisor *sup);

/* Writes all live generations and their files into the store. */
void sk_generations_save(struct sk_supervisor *sup);

/* Takes them from the store, after the supervisor was started again. */
void sk_generations_restore(struct sk_supervisor *sup);

/* Opens regular files. */
extern struct sk_opener sk_file_opener;

#endif
