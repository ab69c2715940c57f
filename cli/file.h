/* SPDX-License-Identifier: BSD-2-Clause */
/* Files, folders and paths. Calls return 0 or -errno unless they say more. */
#ifndef SK_CLI_FILE_H
#define SK_CLI_FILE_H

#include <sys/types.h>

#include "cli/text.h"

#define SK_HASH_SIZE 65 /* SHA-256 in hex and its NUL */

/* Appends a whole file to `out`. */
int sk_file_read(const char *path, struct sk_text *out);

/* Writes a file beside `path` and renames it, so that a reader sees the old
 * contents or the new, never a part. */
int sk_file_write(const char *path, const void *data, size_t length,
		  mode_t mode);

/* A memfd that holds `data`, read from its start; the caller closes it. */
int sk_file_memory(const void *data, size_t length);

/* Makes a folder and those above it. */
int sk_folder_make(const char *path, mode_t mode);

/* Removes a folder and all in it; follows no symbolic link. */
int sk_folder_remove(const char *path);

int sk_path_exists(const char *path);
int sk_path_is_folder(const char *path);

/* Not a folder, and no device, pipe or socket, which may never end. */
int sk_path_is_file(const char *path);

/* `path` as seen from the folder `base`, without "." and ".." segments. The
 * heap string is the caller's. */
char *sk_path_resolve(const char *base, const char *path);

/* The folder of an absolute path; the heap string is the caller's. */
char *sk_path_folder(const char *path);

/* `path` as people want to read it: relative when it lies under the current
 * folder. Points into `path`. */
const char *sk_path_show(const char *path);

/* SHA-256 in hex of `length` bytes, or of a file. */
void sk_hash(char out[SK_HASH_SIZE], const void *data, size_t length);
int sk_hash_file(char out[SK_HASH_SIZE], const char *path);

#endif
