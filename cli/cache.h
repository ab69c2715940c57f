/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cache of bundles and of evaluated app files. Everything in it can be
 * made again; several commands may use it at once, since a file appears
 * complete (rename) and is named by what it holds or by what it answers.
 *
 *   entries/KEY.json   what went into a bundle, and the bundle's hash
 *   bundles/HASH.js    a bundle; HASH.js.map, its source map
 *   apps/KEY.json      what an app file said
 *   work/              where esbuild writes
 */
#ifndef SK_CLI_CACHE_H
#define SK_CLI_CACHE_H

#include <jansson.h>

struct sk_cache {
	char *folder; /* absolute, without symbolic links */
};

/* Opens the cache of this user: $SELKIE_CACHE; /var/cache/selkie for root;
 * $XDG_CACHE_HOME/selkie; ~/.cache/selkie; and where none of these can be
 * written, a private folder under /tmp. 0, or -errno after a message. */
int sk_cache_open(struct sk_cache *cache);
void sk_cache_fini(struct sk_cache *cache);

/* FOLDER/KIND/NAME SUFFIX, as a heap string. */
char *sk_cache_path(const struct sk_cache *cache, const char *kind,
		    const char *name, const char *suffix);

/* An object read from the cache, or NULL. Marks it as used. */
json_t *sk_cache_read(const char *path);
int sk_cache_write(const char *path, const json_t *object);

/* Notes that a file is in use, so that it is removed later than others. */
void sk_cache_touch(const char *path);

/* Removes what was used longest ago until the cache is of a bearable size. */
void sk_cache_prune(const struct sk_cache *cache);

#endif
