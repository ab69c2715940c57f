/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/bundle.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/diagnosis.h"
#include "cli/file.h"
#include "cli/inputs.h"
#include "cli/term.h"

/* Part of every key: raise it when the form of a bundle changes. */
#define WRAPPER_VERSION "2"

#define WRAPPER_HEAD  "(async function (register) { \"use strict\";\n"
#define WRAPPER_TAIL  "\n})\n"
#define BUILD_TIMEOUT 60000 /* ms */
#define AT_ONCE	      2

static const char *const fixed_options[] = {
	"--bundle",
	"--format=esm",
	"--platform=neutral",
	"--target=es2022",
	"--main-fields=module,main",
	"--conditions=worker,browser",
	"--sourcemap=external",
	("--sourcefile=" SK_ENTRY_NAME),
	"--define:process.env.NODE_ENV=\"production\"",
	"--define:global=globalThis",
	"--loader:.html=text",
	"--loader:.sql=text",
	"--loader:.md=text",
	"--loader:.wasm=binary",
	"--log-level=error",
	"--color=false",
};

#define FIXED (sizeof(fixed_options) / sizeof(*fixed_options))

/* One esbuild that runs. */
struct build {
	struct sk_bundle *bundle;
	struct sk_child child;
	char *work;   /* its folder in the cache */
	char *folder; /* where it runs: that of the module */
	char *key;
	struct timespec began; /* on the clock of file times */
};

static char *quoted(const char *text)
{
	json_t *string = json_string(text);
	char *out = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;

	json_decref(string);
	return out ? out : sk_copy("\"\"");
}

static char *entry_key(const struct sk_places *places, const char *module)
{
	struct sk_text text = { 0 };
	char *stamp = sk_place_stamp(places->esbuild);
	char hash[SK_HASH_SIZE];

	sk_text_printf(&text, "%s\n%s\n%s\n", WRAPPER_VERSION, stamp, module);
	for (size_t i = 0; i < FIXED; i++)
		sk_text_printf(&text, "%s\n", fixed_options[i]);
	sk_hash(hash, text.data, text.length);
	sk_text_fini(&text);
	free(stamp);
	return sk_copy(hash);
}

static void name_files(struct sk_bundle *bundle, const struct sk_cache *cache,
		       const char *hash)
{
	bundle->hash = sk_copy(hash);
	bundle->file = sk_cache_path(cache, "bundles", hash, ".js");
	bundle->map = sk_cache_path(cache, "bundles", hash, ".js.map");
}

/* 1 when the cache has this bundle and it is as fresh as a new one. */
static int take_cached(struct sk_bundle *bundle, const struct sk_cache *cache,
		       const char *key)
{
	char *path = sk_cache_path(cache, "entries", key, ".json");
	json_t *record = sk_cache_read(path);
	const char *hash = json_string_value(json_object_get(record, "bundle"));
	int fresh = hash && sk_inputs_same(record, &bundle->inputs);

	if (fresh) {
		name_files(bundle, cache, hash);
		fresh = access(bundle->file, R_OK) == 0 &&
			access(bundle->map, R_OK) == 0;
	}
	if (fresh) {
		sk_cache_touch(bundle->file);
		sk_cache_touch(bundle->map);
	} else {
		char *module = bundle->module;

		bundle->module = NULL;
		sk_bundle_fini(bundle);
		bundle->module = module;
	}
	json_decref(record);
	free(path);
	return fresh;
}

static char *file_url(const char *path)
{
	struct sk_text url = { 0 };

	sk_text_puts(&url, "file://");
	for (; *path; path++) {
		if (strchr(" \"#%<>?\\^`{|}", *path) ||
		    (unsigned char)*path < 32)
			sk_text_printf(&url, "%%%02X", (unsigned char)*path);
		else
			sk_text_add(&url, path, 1);
	}
	return sk_text_take(&url);
}

static int start(struct build *build, const struct sk_places *places)
{
	const char *argv[FIXED + 6];
	char *name = quoted(build->bundle->module);
	char *entry = sk_format("import * as module from %s;\n"
				"register(module);\n",
				name);
	char *url = file_url(build->bundle->module);
	char *own[] = {
		sk_format("--define:import.meta.url=\"%s\"", url),
		sk_format("--define:import.meta={\"url\":\"%s\"}", url),
		sk_format("--outfile=%s/bundle.js", build->work),
		sk_format("--metafile=%s/meta.json", build->work),
	};
	struct sk_command command = { .argv = argv,
				      .folder = build->folder,
				      .input = entry,
				      .input_length = strlen(entry),
				      .extra = -1 };
	size_t n = 0;
	int result;

	argv[n++] = places->esbuild;
	for (size_t i = 0; i < FIXED; i++)
		argv[n++] = fixed_options[i];
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		argv[n++] = own[i];
	argv[n] = NULL;
	result = sk_child_start(&build->child, &command);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		free(own[i]);
	free(url);
	free(entry);
	free(name);
	return result;
}

static int build_start(struct build *build, struct sk_bundle *bundle,
		       const struct sk_cache *cache,
		       const struct sk_places *places, char *key)
{
	int result;

	build->bundle = bundle;
	build->key = key;
	build->folder = sk_path_folder(bundle->module);
	build->work = sk_cache_path(cache, "work", "XXXXXX", "");
	clock_gettime(CLOCK_REALTIME_COARSE, &build->began);
	if (!mkdtemp(build->work))
		result = -errno;
	else
		result = start(build, places);
	if (result)
		sk_complain("cannot run %s: %s", places->esbuild,
			    strerror(-result));
	return result;
}

/* A source as a map names it, heap: the path of a file, or what is none (the
 * entry, a definition of esbuild's) by its bare name, so that the same sources
 * make the same bundle wherever esbuild ran. */
static char *source_name(const char *name, const char *work)
{
	const char *slash = strrchr(name, '/');
	const char *last = slash ? slash + 1 : name;

	if (*last == '<' || !strcmp(last, SK_ENTRY_NAME))
		return sk_copy(last);
	return sk_path_resolve(work, name);
}

/* The wrapper's first line moves all others down by one, and a map's paths are
 * relative to where esbuild wrote it, which is nowhere that lasts. */
static char *shift_map(const char *text, const char *work)
{
	json_t *map = json_loads(text, 0, NULL);
	json_t *sources = json_object_get(map, "sources");
	const char *mappings =
		json_string_value(json_object_get(map, "mappings"));
	char *out = NULL;
	json_t *source;
	size_t i;

	json_array_foreach(sources, i, source)
	{
		const char *name = json_string_value(source);
		char *path;

		if (!name)
			continue;
		path = source_name(name, work);
		json_array_set_new(sources, i, json_string(path));
		free(path);
	}
	if (mappings) {
		char *shifted = sk_format(";%s", mappings);

		json_object_set_new(map, "mappings", json_string(shifted));
		out = json_dumps(map, JSON_COMPACT);
		free(shifted);
	}
	json_decref(map);
	return out ? out : sk_copy("");
}

static int read_part(const char *work, const char *name, struct sk_text *out)
{
	char *path = sk_format("%s/%s", work, name);
	int result = sk_file_read(path, out);

	free(path);
	return result;
}

static int store(struct build *build, const struct sk_cache *cache,
		 const struct sk_text *script, const char *map)
{
	struct sk_bundle *bundle = build->bundle;
	struct sk_text both = { 0 };
	char hash[SK_HASH_SIZE];
	char *path;
	json_t *record;
	int result;

	sk_text_add(&both, script->data, script->length);
	sk_text_puts(&both, map);
	sk_hash(hash, both.data, both.length);
	sk_text_fini(&both);
	name_files(bundle, cache, hash);
	result = sk_file_write(bundle->map, map, strlen(map), 0600);
	if (!result)
		result = sk_file_write(bundle->file, script->data,
				       script->length, 0600);
	if (result)
		return result;
	record = sk_inputs_record(&bundle->inputs, &build->began);
	if (!record)
		return 0; /* a file has changed meanwhile: nothing to remember */
	json_object_set_new(record, "bundle", json_string(hash));
	sk_inputs_same(record, &bundle->inputs);
	path = sk_cache_path(cache, "entries", build->key, ".json");
	result = sk_cache_write(path, record);
	free(path);
	json_decref(record);
	return result;
}

static int wrap(struct build *build, const struct sk_cache *cache)
{
	struct sk_text plain = { 0 };
	struct sk_text script = { 0 };
	struct sk_text text = { 0 };
	json_t *metafile;
	char *map = NULL;
	int result = read_part(build->work, "bundle.js", &plain);

	if (!result)
		result = read_part(build->work, "bundle.js.map", &text);
	if (result)
		goto out;
	map = shift_map(sk_text_string(&text), build->work);
	sk_text_fini(&text);
	result = read_part(build->work, "meta.json", &text);
	if (result)
		goto out;
	metafile = json_loads(sk_text_string(&text), 0, NULL);
	sk_inputs_collect(&build->bundle->inputs, metafile, build->folder,
			  build->bundle->module);
	json_decref(metafile);
	sk_text_puts(&script, WRAPPER_HEAD);
	sk_text_add(&script, plain.data, plain.length);
	sk_text_puts(&script, WRAPPER_TAIL);
	result = store(build, cache, &script, map);
out:
	if (result)
		sk_complain("the cache folder %s cannot be used: %s",
			    cache->folder, strerror(-result));
	free(map);
	sk_text_fini(&text);
	sk_text_fini(&script);
	sk_text_fini(&plain);
	return result;
}

static int build_finish(struct build *build, const struct sk_cache *cache)
{
	struct sk_text err = { 0 };
	int status = sk_child_finish(&build->child, BUILD_TIMEOUT, NULL, &err);
	int result = 0;

	if (status == 0) {
		result = wrap(build, cache);
	} else if (status == -EINTR) {
		result = status;
	} else {
		sk_list_add(&build->bundle->inputs, build->bundle->module);
		build->bundle->error = sk_diagnosis_esbuild(
			sk_text_string(&err), status, build->folder,
			build->bundle->module, &build->bundle->inputs);
	}
	sk_text_fini(&err);
	return result;
}

static void build_fini(struct build *build)
{
	if (build->work)
		sk_folder_remove(build->work);
	free(build->work);
	free(build->folder);
	free(build->key);
	memset(build, 0, sizeof(*build));
}

static int make_all(struct sk_bundle *bundles, size_t count,
		    const struct sk_cache *cache,
		    const struct sk_places *places)
{
	struct build running[AT_ONCE] = { { 0 } };
	size_t first = 0;
	size_t started = 0;
	int result = 0;

	for (size_t i = 0; i < count && !result; i++) {
		char *key = entry_key(places, bundles[i].module);
		struct build *slot = &running[started % AT_ONCE];

		if (take_cached(&bundles[i], cache, key)) {
			free(key);
			continue;
		}
		if (started - first == AT_ONCE) {
			result = build_finish(slot, cache);
			build_fini(slot);
			first++;
		}
		if (result)
			free(key);
		else
			result = build_start(slot, &bundles[i], cache, places,
					     key);
		if (!result)
			started++;
		else
			build_fini(slot);
	}
	for (; first < started; first++) {
		struct build *slot = &running[first % AT_ONCE];
		int later = build_finish(slot, cache);

		build_fini(slot);
		if (!result)
			result = later;
	}
	if (started)
		sk_cache_prune(cache);
	return result;
}

int sk_bundle_make(struct sk_bundle *bundles, size_t count,
		   const struct sk_cache *cache, const struct sk_places *places)
{
	sigset_t ends;
	sigset_t before;
	int result;

	if (!places->esbuild) {
		sk_complain("esbuild is not installed; apt-get install "
			    "esbuild, or npm ci in the source tree");
		return -ENOENT;
	}
	/* A signal that ends us has to wait until the work folders are gone. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &before);
	result = make_all(bundles, count, cache, places);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return result;
}

void sk_bundle_fini(struct sk_bundle *bundle)
{
	free(bundle->module);
	free(bundle->file);
	free(bundle->map);
	free(bundle->hash);
	free(bundle->error);
	sk_list_fini(&bundle->inputs);
	memset(bundle, 0, sizeof(*bundle));
}
