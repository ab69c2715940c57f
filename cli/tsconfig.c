/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/tsconfig.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file.h"

/* The length of the comment that begins at `at`, or 0. */
static size_t comment(const char *at)
{
	const char *end;

	if (at[0] != '/' || (at[1] != '/' && at[1] != '*'))
		return 0;
	if (at[1] == '/')
		return strcspn(at, "\n");
	end = strstr(at + 2, "*/");
	return end ? (size_t)(end + 2 - at) : strlen(at);
}

/* The length of the string that begins at `at`, quotes and all. */
static size_t string(const char *at)
{
	size_t i = 1;

	while (at[i] && at[i] != '"')
		i += at[i] == '\\' && at[i + 1] ? 2 : 1;
	return at[i] ? i + 1 : i;
}

static size_t blank(const char *at)
{
	size_t i = 0;
	size_t more;

	do {
		i += strspn(at + i, " \t\r\n");
		more = comment(at + i);
		i += more;
	} while (more);
	return i;
}

/* JSON as these files are written: with comments, and commas at ends. */
static json_t *parse(const char *at)
{
	struct sk_text plain = { 0 };
	json_t *out;

	if (sk_starts_with(at, "\xef\xbb\xbf"))
		at += 3;
	for (at += blank(at); *at; at += blank(at)) {
		size_t length = *at == '"' ? string(at) : 1;
		char next = at[length + blank(at + length)];

		if (*at != ',' || (next != '}' && next != ']'))
			sk_text_add(&plain, at, length);
		at += length;
	}
	out = json_loads(sk_text_string(&plain), 0, NULL);
	sk_text_fini(&plain);
	return out;
}

static void candidate(struct sk_list *files, struct sk_list *absent, char *path)
{
	if (!sk_path_exists(path))
		sk_list_add(absent, path);
	else if (!sk_path_is_folder(path) && sk_list_add(files, path))
		sk_tsconfig_extends(files, absent, path);
	free(path);
}

/* A package, or a file in one: looked for in every folder above. */
static void extend_package(struct sk_list *files, struct sk_list *absent,
			   const char *folder, const char *name)
{
	static const char *const ends[] = { "", ".json", "/package.json",
					    "/tsconfig.json" };
	char *at = sk_copy(folder);

	for (;;) {
		char *above = sk_path_folder(at);
		int last = !strcmp(at, "/");

		for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
			char *path = sk_format("%s/node_modules/%s%s",
					       last ? "" : at, name, ends[i]);

			candidate(files, absent, path);
		}
		free(at);
		at = above;
		if (last)
			break;
	}
	free(at);
}

static void extend(struct sk_list *files, struct sk_list *absent,
		   const char *folder, const char *name)
{
	char *path;

	if (!name || !*name)
		return;
	if (*name != '.' && *name != '/') {
		extend_package(files, absent, folder, name);
		return;
	}
	path = sk_path_resolve(folder, name);
	candidate(files, absent, sk_format("%s.json", path));
	candidate(files, absent, path);
}

void sk_tsconfig_extends(struct sk_list *files, struct sk_list *absent,
			 const char *path)
{
	struct sk_text text = { 0 };
	char *folder = sk_path_folder(path);
	json_t *config = NULL;
	json_t *extends;
	json_t *item;
	size_t i;

	if (sk_file_read(path, &text) == 0)
		config = parse(sk_text_string(&text));
	extends = json_object_get(config, "extends");
	extend(files, absent, folder, json_string_value(extends));
	json_array_foreach(extends, i, item)
		extend(files, absent, folder, json_string_value(item));
	json_decref(config);
	sk_text_fini(&text);
	free(folder);
}
