/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/file.h"
#include "cli/tsconfig.h"

/* esbuild's order for an import without an extension. */
static const char *const extensions[] = { ".tsx", ".ts",   ".jsx",
					  ".js",  ".json", "" };

/* Looked for in a module's folder and in every folder above it. */
static const char *const above[] = { "package.json", "tsconfig.json",
				     "jsconfig.json", "node_modules" };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

void sk_inputs_collect(struct sk_list *out, const json_t *metafile,
		       const char *folder, const char *module)
{
	json_t *inputs = json_object_get(metafile, "inputs");
	const char *key;
	json_t *value;

	sk_list_add(out, module);
	json_object_foreach(inputs, key, value)
	{
		char *path;

		if (sk_starts_with(key, "(disabled):"))
			key += strlen("(disabled):");
		path = sk_path_resolve(folder, key);
		/* Leaves out what is no file: the entry, definitions. */
		if (sk_path_exists(path))
			sk_list_add(out, path);
		free(path);
	}
}

/* The length of a path without its extension. */
static size_t stem(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');

	return dot ? (size_t)(dot - path) : strlen(path);
}

static int in_packages(const char *path)
{
	return strstr(path, "/node_modules/") != NULL;
}

/* Packages are installed and removed as a whole, so only the app's own
 * modules are asked for siblings. */
static void probe_siblings(struct sk_list *absent, const char *path)
{
	for (size_t i = 0; !in_packages(path) && i < COUNT(extensions); i++) {
		char *other = sk_format("%.*s%s", (int)stem(path), path,
					extensions[i]);

		if (!sk_path_exists(other))
			sk_list_add(absent, other);
		free(other);
	}
}

static void probe_above(struct sk_list *files, struct sk_list *absent,
			struct sk_list *seen, const char *path)
{
	char *folder = sk_path_folder(path);

	while (sk_list_add(seen, folder) && strcmp(folder, "/")) {
		char *next = sk_path_folder(folder);

		for (size_t i = 0; i < COUNT(above); i++) {
			char *probe = sk_format("%s/%s", folder, above[i]);

			if (!sk_path_exists(probe))
				sk_list_add(absent, probe);
			else if (!sk_path_is_folder(probe) &&
				 sk_list_add(files, probe) &&
				 sk_ends_with(probe, "sconfig.json"))
				sk_tsconfig_extends(files, absent, probe);
			free(probe);
		}
		free(folder);
		folder = next;
	}
	free(folder);
}

/* The change time, which a program that writes a file cannot set back. */
static int changed_since(const char *path, const struct timespec *since)
{
	struct stat info;

	if (stat(path, &info))
		return 1;
	if (info.st_ctim.tv_sec != since->tv_sec)
		return info.st_ctim.tv_sec > since->tv_sec;
	return info.st_ctim.tv_nsec >= since->tv_nsec;
}

static json_t *hash_all(const struct sk_list *files,
			const struct timespec *since)
{
	json_t *hashes = json_object();

	for (size_t i = 0; i < files->count; i++) {
		char hash[SK_HASH_SIZE];

		if (sk_hash_file(hash, files->items[i]) ||
		    changed_since(files->items[i], since) ||
		    json_object_set_new(hashes, files->items[i],
					json_string(hash))) {
			json_decref(hashes);
			return NULL;
		}
	}
	return hashes;
}

json_t *sk_inputs_record(const struct sk_list *files,
			 const struct timespec *since)
{
	struct sk_list all = { 0 };
	struct sk_list absent = { 0 };
	struct sk_list seen = { 0 };
	json_t *record = NULL;
	json_t *names = json_array();
	json_t *hashes;

	sk_list_add_all(&all, files);
	for (size_t i = 0; i < files->count; i++) {
		probe_siblings(&absent, files->items[i]);
		probe_above(&all, &absent, &seen, files->items[i]);
	}
	for (size_t i = 0; i < absent.count; i++)
		json_array_append_new(names, json_string(absent.items[i]));
	hashes = hash_all(&all, since);
	if (hashes)
		record = json_pack("{so so}", "files", hashes, "absent", names);
	else
		json_decref(names);
	sk_list_fini(&all);
	sk_list_fini(&absent);
	sk_list_fini(&seen);
	return record;
}

int sk_inputs_same(const json_t *record, struct sk_list *files)
{
	json_t *hashes = json_object_get(record, "files");
	json_t *absent = json_object_get(record, "absent");
	const char *path;
	json_t *value;
	size_t i;

	if (!json_object_size(hashes))
		return 0;
	json_array_foreach(absent, i, value)
	{
		const char *name = json_string_value(value);

		if (!name || sk_path_exists(name))
			return 0;
	}
	json_object_foreach(hashes, path, value)
	{
		const char *known = json_string_value(value);
		char hash[SK_HASH_SIZE];

		if (!known || sk_hash_file(hash, path) || strcmp(hash, known))
			return 0;
		sk_list_add(files, path);
	}
	return 1;
}

int sk_inputs_shadows(const char *path, const char *input)
{
	size_t length = stem(input);

	if (in_packages(input) || strncmp(path, input, length))
		return 0;
	for (size_t i = 0; i < COUNT(extensions); i++)
		if (!strcmp(path + length, extensions[i]))
			return 1;
	return 0;
}
