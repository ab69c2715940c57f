/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/shape.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/file.h"
#include "cli/grants.h"
#include "cli/term.h"
#include "match/match.h"

struct shape {
	const char *app;
	char *root;
	struct sk_list *wanted;
	json_t *warnings;
	int wrong;
};

struct limit {
	const char *name;
	json_int_t normal;
	json_int_t least;
	json_int_t most;
};

#define MEBI (1024ll * 1024)

/* Sizes in bytes, times in milliseconds. Below the least nothing works. */
static const struct limit limits[] = {
	{ "memory", 128 * MEBI, 8 * MEBI, 1024 * 1024 * MEBI },
	{ "cpu", 1000, 1, 3600000 },
	{ "wall", 30000, 1, 86400000 },
	{ "body", 1024 * MEBI, 0, 1024 * 1024 * MEBI },
	{ "concurrency", 1000, 1, 1000000 },
	{ "subrequests", 50, 0, 1000000 },
	{ "idle", 300000, 100, 86400000 },
};

#define LIMITS	     (sizeof(limits) / sizeof(*limits))
#define ROUTE_LIMITS (LIMITS - 1) /* "idle" is the app's alone */
#define PROCESSES    64

static const char *get_string(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

/* "app.js:7: …"; heap. */
static char *place_message(const struct shape *shape, const json_t *where,
			   const char *message)
{
	const char *file = get_string(where, "file");
	json_int_t line = json_integer_value(json_object_get(where, "line"));
	char *path = sk_path_resolve(shape->root, file ? file : shape->app);
	struct sk_text text = { 0 };

	sk_text_puts(&text, sk_path_show(path));
	if (line > 0)
		sk_text_printf(&text, ":%lld", (long long)line);
	sk_text_printf(&text, ": %s", message);
	free(path);
	return sk_text_take(&text);
}

__attribute__((format(printf, 3, 4))) static void
wrong(struct shape *shape, const json_t *where, const char *format, ...)
{
	char *message;
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&message, format, args) < 0)
		message = NULL;
	va_end(args);
	text = place_message(shape, where, message ? message : format);
	sk_problem(text);
	shape->wrong++;
	free(text);
	free(message);
}

/* The call that set a limit; `where` when nobody said which it was. */
static const json_t *limit_place(const json_t *where, const char *name)
{
	const json_t *places = json_object_get(where, "places");
	const json_t *call =
		json_object_get(json_object_get(places, "limits"), name);

	return call ? call : where;
}

static json_int_t pick_limit(struct shape *shape, const json_t *where,
			     const struct limit *limit)
{
	const json_t *said = json_object_get(where, "limits");
	json_t *value = json_object_get(said, limit->name);
	json_int_t number;

	if (!value || json_is_null(value))
		return limit->normal;
	number = json_is_real(value) ? (json_int_t)json_real_value(value)
				     : json_integer_value(value);
	if (!json_is_number(value) || number < limit->least ||
	    number > limit->most) {
		wrong(shape, limit_place(where, limit->name),
		      "limit %s must be from %lld to %lld", limit->name,
		      (long long)limit->least, (long long)limit->most);
		return limit->normal;
	}
	return number;
}

/* Those of `where`, a route or (without `app`) the app. The app's limits are
 * defaults for all and, where the app file set them, ceilings. */
static json_t *shape_limits(struct shape *shape, const json_t *where,
			    const json_t *app_said, const json_t *app)
{
	json_t *out = json_object();
	size_t count = app ? ROUTE_LIMITS : LIMITS;

	for (size_t i = 0; i < count; i++) {
		struct limit limit = limits[i];
		json_t *ceiling = json_object_get(app_said, limit.name);
		json_int_t number;

		if (app)
			limit.normal = json_integer_value(
				json_object_get(app, limit.name));
		number = pick_limit(shape, where, &limit);
		if (app && json_is_number(ceiling) && number > limit.normal) {
			wrong(shape, limit_place(where, limit.name),
			      "limit %s is above the app's own (%lld)",
			      limit.name, (long long)limit.normal);
			number = limit.normal;
		}
		json_object_set_new(out, limit.name, json_integer(number));
	}
	return out;
}

static void check_pattern(struct shape *shape, const json_t *route,
			  const char *pattern)
{
	struct sk_pattern *compiled;
	char error[256] = "";

	if (!pattern) {
		wrong(shape, route, "a route has no pattern");
		return;
	}
	if (sk_pattern_compile(&compiled, pattern, strlen(pattern), error,
			       sizeof(error)))
		wrong(shape, route, "pattern %s: %s", pattern,
		      *error ? error : "not valid");
	else
		sk_pattern_free(compiled);
}

/* What one policy says of URLs; `where` is the call that said it. */
static void check_grant(struct shape *shape, const json_t *where,
			const json_t *grant, int http)
{
	struct sk_list remarks = { 0 };
	char error[256] = "";

	if (sk_grant_check(grant, http, &remarks, error, sizeof(error)))
		wrong(shape, where, "%s", error);
	for (size_t i = 0; i < remarks.count; i++) {
		char *text = place_message(shape, where, remarks.items[i]);

		json_array_append_new(shape->warnings, json_string(text));
		free(text);
	}
	sk_list_fini(&remarks);
}

static void check_grants(struct shape *shape, const json_t *route)
{
	static const char *const kinds[] = { "outboundHttp",
					     "outboundWebSocket" };
	const json_t *policy = json_object_get(route, "policy");
	const json_t *places = json_object_get(route, "places");
	json_t *grant;
	size_t i;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		const json_t *calls = json_object_get(places, kinds[k]);

		json_array_foreach(json_object_get(policy, kinds[k]), i, grant)
		{
			const json_t *call = json_array_get(calls, i);

			check_grant(shape, call ? call : route, grant, k == 0);
		}
	}
}

static char *find_worker(struct shape *shape, const json_t *route)
{
	const char *given = get_string(route, "worker");
	char *path;
	char *real;

	if (!given || !*given) {
		wrong(shape, route, "a route has no worker file");
		return NULL;
	}
	path = sk_path_resolve(shape->root, given);
	sk_list_add(shape->wanted, path);
	real = realpath(path, NULL);
	if (!real || sk_path_is_folder(real)) {
		wrong(shape, route, "worker file not found: %s", given);
		free(real);
		real = NULL;
	} else if (!sk_path_is_file(real)) {
		wrong(shape, route, "worker file is not a regular file: %s",
		      given);
	} else if (!sk_text_is_utf8(real)) {
		wrong(shape, route, "the path of %s is not UTF-8", given);
	} else if (access(real, R_OK) < 0) {
		wrong(shape, route, "worker file cannot be read: %s", given);
	}
	free(path);
	return real;
}

static json_t *position(const struct shape *shape, const json_t *where)
{
	const char *file = get_string(where, "file");
	char *path = sk_path_resolve(shape->root, file ? file : shape->app);
	json_t *out =
		json_pack("{ss sI}", "file", path, "line",
			  json_integer_value(json_object_get(where, "line")));

	free(path);
	return out;
}

static json_t *shape_route(struct shape *shape, const json_t *route,
			   const json_t *app_said, const json_t *app)
{
	const char *pattern = get_string(route, "pattern");
	const char *method = get_string(route, "method");
	json_t *policy = json_object_get(route, "policy");
	json_t *processes = json_object_get(route, "processes");
	json_int_t count =
		json_is_integer(processes) ? json_integer_value(processes) : 1;
	json_t *out = position(shape, route);
	char *worker = find_worker(shape, route);

	check_pattern(shape, route, pattern);
	check_grants(shape, route);
	if (!method || !*method)
		wrong(shape, route, "a route has no method");
	if (count < 1 || count > PROCESSES) {
		wrong(shape, route, "processes must be from 1 to %d",
		      PROCESSES);
		count = 1;
	}
	json_object_set_new(out, "method", json_pack("s?", method));
	json_object_set_new(out, "pattern", json_pack("s?", pattern));
	json_object_set_new(out, "worker", json_pack("s?", worker));
	json_object_set_new(out, "policy",
			    json_is_object(policy) ? json_incref(policy)
						   : json_object());
	json_object_set_new(out, "limits",
			    shape_limits(shape, route, app_said, app));
	json_object_set_new(out, "processes", json_integer(count));
	free(worker);
	return out;
}

static json_t *shape_static(struct shape *shape, const json_t *said)
{
	const char *given = get_string(said, "folder");
	const char *prefix = get_string(said, "prefix");
	json_t *index = json_object_get(said, "index");
	json_t *out = position(shape, said);
	char *path = sk_path_resolve(shape->root, given ? given : ".");
	char *folder = realpath(path, NULL);

	if (!prefix || *prefix != '/')
		wrong(shape, said, "a static prefix must begin with /");
	if (!folder)
		sk_list_add(shape->wanted, path);
	if (!folder)
		wrong(shape, said, "static folder not found: %s",
		      given ? given : "");
	else if (!sk_path_is_folder(folder))
		wrong(shape, said, "static folder is not a folder: %s", given);
	else if (!sk_text_is_utf8(folder))
		wrong(shape, said, "the path of %s is not UTF-8", given);
	json_object_set_new(out, "prefix", json_pack("s?", prefix));
	json_object_set_new(out, "folder", json_pack("s?", folder));
	if (json_is_string(index))
		json_object_set(out, "index", index);
	else if (json_is_false(index) || json_is_null(index))
		json_object_set_new(out, "index", json_null());
	else
		json_object_set_new(out, "index", json_string("index.html"));
	json_object_set_new(
		out, "cleanUrls",
		json_boolean(json_is_true(json_object_get(said, "cleanUrls"))));
	free(folder);
	free(path);
	return out;
}

static json_t *shape_port(struct shape *shape, const json_t *said)
{
	json_t *port = json_object_get(said, "port");
	json_int_t number = json_integer_value(port);

	if (!port || json_is_null(port))
		return json_integer(8080);
	if (!json_is_integer(port) || number < 0 || number > 65535)
		wrong(shape, NULL, "app.port must be from 0 to 65535");
	return json_integer(number);
}

static json_t *shape_interface(struct shape *shape, const json_t *said)
{
	const char *address = get_string(said, "interface");
	unsigned char binary[16];

	if (!address)
		return json_string("127.0.0.1");
	if (inet_pton(AF_INET, address, binary) != 1 &&
	    inet_pton(AF_INET6, address, binary) != 1)
		wrong(shape, NULL, "app.interface is not an IP address: %s",
		      address);
	return json_string(address);
}

static json_t *shape_host(const json_t *said)
{
	json_t *host = json_object_get(said, "host");
	json_t *out;
	json_t *name;
	size_t i;

	if (json_is_string(host))
		return json_pack("[O]", host);
	if (!json_array_size(host))
		return json_null();
	out = json_array();
	json_array_foreach(host, i, name) if (json_is_string(name))
		json_array_append(out, name);
	return out;
}

static void shape_lists(struct shape *shape, const json_t *said, json_t *out)
{
	json_t *routes = json_array();
	json_t *statics = json_array();
	json_t *app_said = json_object_get(said, "limits");
	json_t *app = json_object_get(out, "limits");
	json_t *item;
	size_t i;

	json_array_foreach(json_object_get(said, "routes"), i, item)
		json_array_append_new(routes,
				      shape_route(shape, item, app_said, app));
	json_array_foreach(json_object_get(said, "statics"), i, item)
		json_array_append_new(statics, shape_static(shape, item));
	json_object_set_new(out, "routes", routes);
	json_object_set_new(out, "statics", statics);
}

json_t *sk_shape_app(const json_t *said, const char *app,
		     struct sk_list *wanted, json_t *warnings)
{
	struct shape shape = { .app = app,
			       .wanted = wanted,
			       .warnings = warnings };
	json_t *out = json_pack("{si ss}", "version", 1, "app", app);

	shape.root = sk_path_folder(app);
	json_object_set_new(out, "root", json_string(shape.root));
	json_object_set_new(out, "port", shape_port(&shape, said));
	json_object_set_new(out, "interface", shape_interface(&shape, said));
	json_object_set_new(out, "host", shape_host(said));
	json_object_set_new(out, "limits",
			    shape_limits(&shape, said, NULL, NULL));
	shape_lists(&shape, said, out);
	free(shape.root);
	if (shape.wrong) {
		json_decref(out);
		return NULL;
	}
	return out;
}
