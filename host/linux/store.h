/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder where translated programs are kept, named by what they are. */
#ifndef SK_HOST_STORE_H
#define SK_HOST_STORE_H

#include <stddef.h>
#include <stdint.h>

#define SK_STORE_NAME 65 /* SHA-256 in hex, NUL */

/*
 * Finds or makes the folder: $SELKIE_CACHE, $XDG_CACHE_HOME/selkie, or
 * ~/.cache/selkie, with programs/ in it, that nobody else can write. 0, or
 * -errno after a message.
 */
int sk_store_open(void);

/* A file of the store read whole (free it). 0 or -errno. */
int sk_store_read(const char *name, void **data, size_t *size);

/* The same for any path. */
int sk_store_read_file(const char *path, void **data, size_t *size);

/* Moves a finished file into the store. 0 or -errno. */
int sk_store_take(const char *path, const char *name);

/* A new folder to work in; its path in `path`. 0 or -errno. */
int sk_store_work(char *path, size_t size);
/* Removes such a folder and its files. */
void sk_store_clean(const char *path);

/* SHA-256 in hex over `first` (a string) and the data. */
void sk_store_hash(char name[SK_STORE_NAME], const char *first,
		   const void *data, size_t size);

#endif
