/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/file.h"
#include "cli/term.h"

#define CACHE_MAX  (256ll * 1024 * 1024)
#define CACHE_KEEP 3600 /* seconds: younger files may be in use right now */

static const char *const kinds[] = { "entries", "bundles", "apps", "work" };

static char *wanted_folder(void)
{
	const char *named = getenv("SELKIE_CACHE");
	const char *base = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char buffer[PATH_MAX];
	const char *here = getcwd(buffer, sizeof(buffer));

	if (named && *named)
		return sk_path_resolve(here ? here : "/", named);
	if (geteuid() == 0)
		return sk_copy("/var/cache/selkie");
	if (base && *base == '/')
		return sk_format("%s/selkie", base);
	if (home && *home == '/')
		return sk_format("%s/.cache/selkie", home);
	return NULL;
}

/* What others can write is nothing to run code from. */
static int is_private(const char *folder)
{
	struct stat info;

	return lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) &&
	       info.st_uid == geteuid() && !(info.st_mode & 022);
}

static int prepare(const char *folder)
{
	int result = sk_folder_make(folder, 0700);

	if (result)
		return result;
	if (!is_private(folder))
		return -EPERM;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		char *inner = sk_format("%s/%s", folder, kinds[i]);

		if (mkdir(inner, 0700) < 0 && errno != EEXIST)
			result = -errno;
		else if (access(inner, R_OK | W_OK | X_OK) < 0)
			result = -errno;
		free(inner);
		if (result)
			return result;
	}
	return 0;
}

int sk_cache_open(struct sk_cache *cache)
{
	const char *named = getenv("SELKIE_CACHE");
	char *folder = wanted_folder();
	int result = folder ? prepare(folder) : -ENOENT;

	if (result && !(named && *named)) {
		free(folder);
		folder = sk_format("/tmp/selkie-cache-%u", (unsigned)geteuid());
		result = prepare(folder);
	}
	if (result == -EPERM)
		sk_complain("the cache folder %s must belong to you and be "
			    "writable by nobody else",
			    folder);
	else if (result)
		sk_complain("the cache folder %s cannot be used: %s", folder,
			    strerror(-result));
	cache->folder = result ? NULL : realpath(folder, NULL);
	free(folder);
	if (!result && !cache->folder)
		return -errno;
	return result;
}

void sk_cache_fini(struct sk_cache *cache)
{
	free(cache->folder);
	cache->folder = NULL;
}

char *sk_cache_path(const struct sk_cache *cache, const char *kind,
		    const char *name, const char *suffix)
{
	return sk_format("%s/%s/%s%s", cache->folder, kind, name, suffix);
}

void sk_cache_touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

json_t *sk_cache_read(const char *path)
{
	json_t *object = json_load_file(path, 0, NULL);

	if (object)
		sk_cache_touch(path);
	return object;
}

int sk_cache_write(const char *path, const json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);
	int result;

	if (!text)
		return -ENOMEM;
	result = sk_file_write(path, text, strlen(text), 0600);
	free(text);
	return result;
}

struct aged {
	char *path;
	time_t used;
	long long size;
};

struct census {
	struct aged *files;
	size_t count;
	long long size;
};

static void count_folder(struct census *census, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct stat info;
		char *path = sk_format("%s/%s", folder, entry->d_name);
		struct aged *file;

		if (lstat(path, &info) < 0 || !S_ISREG(info.st_mode)) {
			free(path);
			continue;
		}
		census->files = sk_resize(census->files, census->count + 1,
					  sizeof(*census->files));
		file = &census->files[census->count++];
		file->path = path;
		file->used = info.st_mtime;
		file->size = info.st_size;
		census->size += info.st_size;
	}
	if (dir)
		closedir(dir);
}

static int by_age(const void *a, const void *b)
{
	const struct aged *left = a;
	const struct aged *right = b;

	return (left->used > right->used) - (left->used < right->used);
}

/* A command that was killed leaves its work folder behind. */
static void prune_work(const struct sk_cache *cache)
{
	char *work = sk_format("%s/work", cache->folder);
	DIR *dir = opendir(work);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct stat info;
		char *path = sk_format("%s/%s", work, entry->d_name);

		if (entry->d_name[0] != '.' && lstat(path, &info) == 0 &&
		    info.st_mtime < time(NULL) - CACHE_KEEP)
			sk_folder_remove(path);
		free(path);
	}
	if (dir)
		closedir(dir);
	free(work);
}

void sk_cache_prune(const struct sk_cache *cache)
{
	struct census census = { 0 };
	time_t young = time(NULL) - CACHE_KEEP;
	int full;

	for (size_t i = 0; i < 3; i++) {
		char *folder = sk_format("%s/%s", cache->folder, kinds[i]);

		count_folder(&census, folder);
		free(folder);
	}
	full = census.size > CACHE_MAX;
	if (full)
		qsort(census.files, census.count, sizeof(*census.files),
		      by_age);
	for (size_t i = 0; i < census.count; i++) {
		struct aged *file = &census.files[i];

		if (full && census.size > CACHE_MAX / 2 && file->used < young &&
		    unlink(file->path) == 0)
			census.size -= file->size;
		free(file->path);
	}
	free(census.files);
	prune_work(cache);
}
