/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations as tables of apps and routes; see generation.h. */
#include "supervisor/generation.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/supervisor.h"

#define DEFAULT_CPU  1000
#define DEFAULT_WALL 30000
#define DEFAULT_IDLE 300000
#define LIMIT_MAX    (INT64_C(1) << 40) /* ms; keeps sums far from overflow */
#define BUNDLE_MAX   (64 * 1024 * 1024)

/* What the readers below share: where an error goes, and how files open. */
struct reader {
	struct sk_supervisor *sup;
	struct sk_generation *generation;
	struct sk_opener *opener;
	char *error;
	size_t errsize;
};

__attribute__((format(printf, 2, 3))) static int wrong(struct reader *reader,
						       const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(reader->error, reader->errsize, format, list);
	va_end(list);
	return -EINVAL;
}

static int file_open(struct sk_opener *opener, const char *path)
{
	struct stat st;
	int fd, err;

	(void)opener;
	/* Non-blocking: a FIFO by that name must not hang the supervisor. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) < 0 ? -errno : 0;
	if (!err && !S_ISREG(st.st_mode))
		err = -EINVAL;
	if (!err && st.st_size > BUNDLE_MAX)
		err = -EFBIG;
	if (!err)
		return fd;
	close(fd);
	return err;
}

struct sk_opener sk_file_opener = { file_open };

/* Copies a string member. 0 (`*out` NULL when it is absent or null and may
 * be), -EINVAL or -ENOMEM. */
static int read_string(struct reader *reader, const json_t *from,
		       const char *key, int needed, char **out)
{
	const json_t *value = json_object_get(from, key);

	*out = NULL;
	if (!needed && (!value || json_is_null(value)))
		return 0;
	if (!json_is_string(value))
		return wrong(reader, "\"%s\" is not a string", key);
	*out = strdup(json_string_value(value));
	return *out ? 0 : -ENOMEM;
}

static int read_limit(struct reader *reader, const json_t *limits,
		      const char *key, int64_t otherwise, int64_t *out)
{
	const json_t *value = json_object_get(limits, key);

	*out = otherwise;
	if (!value)
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    json_integer_value(value) > LIMIT_MAX)
		return wrong(reader, "limit \"%s\" is not a number of ms", key);
	*out = json_integer_value(value);
	return 0;
}

static int read_limits(struct reader *reader, const json_t *app,
		       const json_t *from, struct sk_limits *out)
{
	const json_t *limits = json_object_get(from, "limits");
	int64_t idle;
	int err;

	err = read_limit(reader, json_object_get(app, "limits"), "idle",
			 DEFAULT_IDLE, &idle);
	if (!err)
		err = read_limit(reader, limits, "idle", idle, &out->idle);
	if (!err)
		err = read_limit(reader, limits, "cpu", DEFAULT_CPU, &out->cpu);
	if (!err)
		err = read_limit(reader, limits, "wall", DEFAULT_WALL,
				 &out->wall);
	return err;
}

/* What the zygote is given to start a process of the route. */
static int make_start(struct reader *reader, const json_t *from,
		      struct sk_route *route)
{
	const struct sk_options *options = reader->sup->options;
	json_t *limits = json_object_get(from, "limits");
	json_t *start;

	start = json_pack("{s:s, s:s, s:O}", "route", route->label, "worker",
			  json_string_value(json_object_get(from, "worker")),
			  "limits", limits);
	if (start && geteuid() == 0 &&
	    (json_object_set_new(start, "uid", json_integer(options->uid)) ||
	     json_object_set_new(start, "gid", json_integer(options->gid)))) {
		json_decref(start);
		return -ENOMEM;
	}
	route->start = start ? json_dumps(start, JSON_COMPACT) : NULL;
	json_decref(start);
	if (!route->start)
		return -ENOMEM;
	if (strlen(route->start) > SK_MESSAGE_MAX)
		return wrong(reader, "route %s: too long", route->label);
	return 0;
}

static int read_names(struct reader *reader, const json_t *from,
		      struct sk_route *route)
{
	const json_t *method = json_object_get(from, "method");
	const json_t *pattern = json_object_get(from, "pattern");
	int err;

	if (!json_is_string(method) || !json_is_string(pattern))
		return wrong(reader, "a route without method or pattern");
	if (asprintf(&route->label, "%s %s", json_string_value(method),
		     json_string_value(pattern)) < 0) {
		route->label = NULL;
		return -ENOMEM;
	}
	err = read_string(reader, from, "identity", 0, &route->identity);
	if (!err)
		err = read_string(reader, from, "error", 0, &route->error);
	if (!err)
		err = read_string(reader, from, "bundle", !route->error,
				  &route->bundle_path);
	if (!err)
		err = read_string(reader, from, "map", 0, &route->map_path);
	if (!err && !route->error && !route->identity)
		err = wrong(reader, "route %s has no identity", route->label);
	return err;
}

static int read_fields(struct reader *reader, const json_t *app,
		       const json_t *from, struct sk_route *route)
{
	const json_t *processes = json_object_get(from, "processes");
	int err;

	if (!json_is_object(from) ||
	    !json_is_string(json_object_get(from, "worker")) ||
	    !json_is_object(json_object_get(from, "limits")))
		return wrong(reader, "a route without worker or limits");
	err = read_names(reader, from, route);
	if (err)
		return err;
	route->processes = 1;
	if (processes) {
		if (!json_is_integer(processes) ||
		    json_integer_value(processes) < 1 ||
		    json_integer_value(processes) > SK_PROCESSES_MAX)
			return wrong(reader,
				     "route %s: processes is not 1 to %d",
				     route->label, SK_PROCESSES_MAX);
		route->processes = (uint32_t)json_integer_value(processes);
	}
	err = read_limits(reader, app, from, &route->limits);
	if (!err)
		err = make_start(reader, from, route);
	if (!err)
		err = sk_egress_payload(route->label, from, &route->egress);
	return err == -E2BIG ? wrong(reader, "route %s: its policy is too long",
				     route->label)
			     : err;
}

/* A live route that may serve as `route`, once in a generation at most. */
static struct sk_route *find_same(struct reader *reader,
				  const struct sk_route *route)
{
	struct sk_route *other;

	LIST_FOREACH(other, &reader->sup->routes, link)
	if (other->users && other->claim != reader->generation->number &&
	    sk_route_same(other, route))
		return other;
	return NULL;
}

static int read_route(struct reader *reader, const struct sk_app *app,
		      const json_t *app_json, const json_t *from,
		      struct sk_route **out)
{
	struct sk_route *route, *same;
	int err;

	route = calloc(1, sizeof(*route));
	if (!route)
		return -ENOMEM;
	route->sup = reader->sup;
	route->bundle = -1;
	route->map = -1;
	route->app = strdup(app->path);
	err = route->app ? read_fields(reader, app_json, from, route) : -ENOMEM;
	if (err)
		goto fail;
	same = find_same(reader, route);
	if (same) {
		sk_route_free(route);
		route = same;
	} else {
		err = sk_route_prepare(route, reader->opener);
		if (err)
			goto fail;
		LIST_INSERT_HEAD(&reader->sup->routes, route, link);
	}
	route->users++;
	route->claim = reader->generation->number;
	*out = route;
	return 0;
fail:
	sk_route_free(route);
	return err;
}

static int read_app(struct reader *reader, const json_t *from,
		    struct sk_app *app)
{
	const json_t *routes = json_object_get(from, "routes");
	size_t count = json_array_size(routes);
	int err;

	err = read_string(reader, from, "app", 1, &app->path);
	if (err)
		return err;
	if (!json_is_array(routes) || count > SK_ROUTES_MAX)
		return wrong(reader,
			     "%s: \"routes\" is not an array of up to %d",
			     app->path, SK_ROUTES_MAX);
	app->routes = calloc(count + 1, sizeof(struct sk_route *));
	if (!app->routes)
		return -ENOMEM;
	while (app->count < count) {
		err = read_route(reader, app, from,
				 json_array_get(routes, app->count),
				 &app->routes[app->count]);
		if (err)
			return err;
		app->count++;
	}
	return 0;
}

static int read_config(struct reader *reader, const json_t *root)
{
	struct sk_generation *generation = reader->generation;
	const json_t *apps = json_object_get(root, "apps");
	size_t count = json_array_size(apps);
	int err;

	if (json_integer_value(json_object_get(root, "version")) != 1)
		return wrong(reader, "its version is not 1");
	if (!json_is_array(apps) || count > SK_APPS_MAX)
		return wrong(reader, "\"apps\" is not an array of up to %d",
			     SK_APPS_MAX);
	err = sk_egress_args(json_object_get(root, "egress"),
			     &generation->egress_args, reader->error,
			     reader->errsize);
	if (err)
		return err;
	generation->apps = calloc(count + 1, sizeof(*generation->apps));
	if (!generation->apps)
		return -ENOMEM;
	while (generation->count < count) {
		/* Counted first: what a failure leaves is freed with it. */
		generation->count++;
		err = read_app(reader,
			       json_array_get(apps, generation->count - 1),
			       &generation->apps[generation->count - 1]);
		if (err)
			return err;
	}
	return 0;
}

int sk_generation_load(struct sk_supervisor *sup, struct sk_generation **out,
		       uint64_t number, char *text, size_t length,
		       struct sk_opener *opener, char *error, size_t errsize)
{
	struct reader reader = { sup, NULL, opener, error, errsize };
	json_error_t problem;
	json_t *root;
	int err;

	error[0] = 0;
	root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
	if (!root)
		return wrong(&reader, "line %d: %s", problem.line,
			     problem.text);
	reader.generation = calloc(1, sizeof(*reader.generation));
	if (!reader.generation) {
		json_decref(root);
		return -ENOMEM;
	}
	reader.generation->number = number;
	err = read_config(&reader, root);
	json_decref(root);
	if (err) {
		sk_generation_free(reader.generation);
		return err;
	}
	reader.generation->text = text;
	reader.generation->length = length;
	*out = reader.generation;
	return 0;
}

void sk_generation_free(struct sk_generation *generation)
{
	size_t i, j;

	for (i = 0; i < generation->count; i++) {
		for (j = 0; j < generation->apps[i].count; j++)
			sk_route_drop(generation->apps[i].routes[j]);
		free(generation->apps[i].routes);
		free(generation->apps[i].path);
	}
	free(generation->apps);
	sk_egress_args_free(generation->egress_args);
	free(generation->text);
	free(generation);
}

struct sk_generation *sk_generation_find(struct sk_supervisor *sup,
					 uint64_t number)
{
	struct sk_generation *generation;

	LIST_FOREACH(generation, &sup->generations, link)
	if (generation->number == number)
		return generation;
	return NULL;
}

struct sk_route *sk_generation_route(struct sk_generation *generation,
				     uint32_t app, uint32_t route)
{
	if (app >= generation->count || route >= generation->apps[app].count)
		return NULL;
	return generation->apps[app].routes[route];
}
