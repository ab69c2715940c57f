/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/compile.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bundle.h"
#include "cli/cache.h"
#include "cli/evaluate.h"
#include "cli/file.h"
#include "cli/shape.h"
#include "cli/term.h"

/* The app file's absolute path without symbolic links, or NULL. */
static char *find_app(const char *path)
{
	char *real = realpath(path, NULL);

	if (!real) {
		sk_complain("cannot read %s: %s", path, strerror(errno));
		return NULL;
	}
	if (sk_path_is_folder(real)) {
		sk_complain("%s is a folder; the app file is a file in it, "
			    "such as %s/app.js",
			    path, path);
		free(real);
		return NULL;
	}
	if (!sk_path_is_file(real)) {
		sk_complain("%s is not a regular file", path);
		free(real);
		return NULL;
	}
	if (!sk_text_is_utf8(real)) {
		sk_complain("the path of %s is not UTF-8", path);
		free(real);
		return NULL;
	}
	return real;
}

/* Bundles of the workers, one for each file, however many routes use it. */
struct workers {
	struct sk_bundle *bundles;
	size_t count;
};

static struct sk_bundle *find_worker(const struct workers *workers,
				     const char *path)
{
	for (size_t i = 0; i < workers->count; i++)
		if (!strcmp(workers->bundles[i].module, path))
			return &workers->bundles[i];
	return NULL;
}

static void list_workers(struct workers *workers, const json_t *data)
{
	json_t *route;
	size_t i;

	json_array_foreach(json_object_get(data, "routes"), i, route)
	{
		const char *path =
			json_string_value(json_object_get(route, "worker"));

		if (find_worker(workers, path))
			continue;
		workers->bundles =
			sk_resize(workers->bundles, workers->count + 1,
				  sizeof(*workers->bundles));
		memset(&workers->bundles[workers->count], 0,
		       sizeof(*workers->bundles));
		workers->bundles[workers->count++].module = sk_copy(path);
	}
}

/* A process is kept over a reload while this stays the same. */
static json_t *identity(const json_t *route, const struct sk_bundle *bundle)
{
	static const char *const parts[] = { "method", "pattern", "file",
					     "policy", "limits",  "processes" };
	char hash[SK_HASH_SIZE];
	json_t *all = json_pack("[ss]", bundle->module,
				bundle->hash ? bundle->hash : bundle->error);
	char *text;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		json_array_append(all, json_object_get(route, parts[i]));
	text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
	sk_hash(hash, text ? text : "", text ? strlen(text) : 0);
	free(text);
	json_decref(all);
	return json_string(hash);
}

static void join_workers(struct sk_app *app, const struct workers *workers)
{
	json_t *route;
	size_t i;

	json_array_foreach(json_object_get(app->data, "routes"), i, route)
	{
		const struct sk_bundle *bundle = find_worker(
			workers,
			json_string_value(json_object_get(route, "worker")));

		json_object_set_new(route, "bundle",
				    json_pack("s?", bundle->file));
		json_object_set_new(route, "map", json_pack("s?", bundle->map));
		json_object_set_new(route, "error",
				    json_pack("s?", bundle->error));
		json_object_set_new(route, "identity", identity(route, bundle));
		app->broken += bundle->error != NULL;
	}
	for (i = 0; i < workers->count; i++)
		sk_list_add_all(&app->inputs, &workers->bundles[i].inputs);
}

static json_t *list_json(const struct sk_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, json_string(list->items[i]));
	return array;
}

/* Takes what the app file said to APP. */
static int build_workers(struct sk_app *app, const struct sk_cache *cache,
			 const struct sk_places *places)
{
	struct workers workers = { 0 };
	int result;

	list_workers(&workers, app->data);
	result = sk_bundle_make(workers.bundles, workers.count, cache, places);
	if (!result) {
		join_workers(app, &workers);
		json_object_set_new(app->data, "inputs",
				    list_json(&app->inputs));
	}
	for (size_t i = 0; i < workers.count; i++)
		sk_bundle_fini(&workers.bundles[i]);
	free(workers.bundles);
	return result;
}

static int compile(struct sk_app *app, struct sk_bundle *bundle,
		   const struct sk_cache *cache, const struct sk_places *places)
{
	json_t *said;
	int result = sk_bundle_make(bundle, 1, cache, places);

	sk_list_add_all(&app->inputs, &bundle->inputs);
	if (result)
		return -EINVAL;
	if (bundle->error) {
		sk_problem(bundle->error);
		return -EINVAL;
	}
	said = sk_evaluate(bundle, cache, places, &app->speech);
	if (!said)
		return -EINVAL;
	app->data =
		sk_shape_app(said, bundle->module, &app->inputs, app->warnings);
	json_decref(said);
	if (!app->data)
		return -EINVAL;
	return build_workers(app, cache, places) ? -EINVAL : 0;
}

int sk_app_compile(struct sk_app *app, const char *path,
		   const struct sk_places *places)
{
	struct sk_bundle bundle = { 0 };
	struct sk_cache cache;
	int result = -EINVAL;

	memset(app, 0, sizeof(*app));
	app->warnings = json_array();
	bundle.module = find_app(path);
	if (!bundle.module)
		return -EINVAL;
	if (sk_cache_open(&cache) == 0)
		result = compile(app, &bundle, &cache, places);
	if (result) {
		json_decref(app->data);
		app->data = NULL;
	}
	sk_cache_fini(&cache);
	sk_bundle_fini(&bundle);
	return result;
}

void sk_app_speak(const struct sk_app *app, FILE *to)
{
	if (app->speech) {
		fputs(app->speech, to);
		fflush(to);
	}
}

void sk_app_explain(const struct sk_app *app)
{
	struct sk_list said = { 0 };
	json_t *route;
	size_t i;

	json_array_foreach(json_object_get(app->data, "routes"), i, route)
	{
		const char *error =
			json_string_value(json_object_get(route, "error"));

		if (error && sk_list_add(&said, error))
			sk_problem(error);
	}
	sk_list_fini(&said);
}

void sk_app_warn(const struct sk_app *app)
{
	json_t *text;
	size_t i;

	json_array_foreach(app->warnings, i, text)
		sk_remark(json_string_value(text));
}

void sk_app_fini(struct sk_app *app)
{
	json_decref(app->data);
	json_decref(app->warnings);
	free(app->speech);
	sk_list_fini(&app->inputs);
	memset(app, 0, sizeof(*app));
}
