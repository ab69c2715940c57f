/* SPDX-License-Identifier: BSD-2-Clause */
// link: supervisor/attachment.c supervisor/child.c supervisor/client.c
// link: supervisor/egress.c supervisor/generation.c supervisor/grant.c
// link: supervisor/keep.c supervisor/log.c
// link: supervisor/loop.c supervisor/outbox.c supervisor/pair.c
// link: supervisor/proc.c supervisor/route.c supervisor/speech.c
// link: supervisor/store.c supervisor/text.c supervisor/watchdog.c
// link: supervisor/zygote.c
#include "sk_test.h"

#include <sys/mman.h>

#include "supervisor/generation.h"
#include "supervisor/supervisor.h"

/* Opens any path as an empty file, and counts. */
static int opened;

static int open_any(struct sk_opener *opener, const char *path)
{
	(void)opener;
	opened++;
	if (strstr(path, "missing"))
		return -ENOENT;
	return memfd_create("bundle", MFD_CLOEXEC);
}

static struct sk_opener opener = { open_any };
static struct sk_options options = { .worker = "/w", .uid = 7, .gid = 8 };
static char error[512];

static void init(struct sk_supervisor *sup)
{
	memset(sup, 0, sizeof(*sup));
	sup->options = &options;
}

#define ROUTE(pattern, identity, more)                                         \
	"{\"method\":\"GET\",\"pattern\":\"" pattern "\",\"worker\":"          \
	"\"/w.js\",\"bundle\":\"/b.js\",\"map\":\"/"                           \
	"b.map\",\"identity\":\"" identity                                     \
	"\",\"limits\":{\"cpu\":5,\"wall\":6}" more "}"
#define CONFIG(routes)                                                         \
	"{\"version\":1,\"apps\":[{\"app\":\"/a.js\",\"limits\":{\"idle\":9}," \
	"\"routes\":[" routes "]}]}"

static int load(struct sk_supervisor *sup, uint64_t number, const char *json,
		struct sk_generation **out)
{
	char *text = strdup(json);
	int err;

	err = sk_generation_load(sup, out, number, text, strlen(text), &opener,
				 error, sizeof(error));
	if (err)
		free(text);
	return err;
}

SK_TEST(generation_has_the_apps_and_routes_of_its_json)
{
	struct sk_generation *generation;
	static struct sk_supervisor sup;
	struct sk_route *route;

	init(&sup);
	assert_int_equal(load(&sup, 1,
			      CONFIG(ROUTE("/x", "i1", "") "," ROUTE(
				      "/y", "i2", ",\"processes\":3")),
			      &generation),
			 0);
	assert_null(sk_generation_route(generation, 1, 0));
	assert_null(sk_generation_route(generation, 0, 2));
	route = sk_generation_route(generation, 0, 0);
	assert_string_equal(route->label, "GET /x");
	assert_int_equal(route->limits.cpu, 5);
	assert_int_equal(route->limits.wall, 6);
	assert_int_equal(route->limits.idle, 9);
	assert_int_equal(route->processes, 1);
	assert_non_null(strstr(route->start, "\"route\":\"GET /x\""));
	assert_non_null(strstr(route->start, "\"worker\":\"/w.js\""));
	assert_int_equal(!!strstr(route->start, "\"uid\":7,\"gid\":8"),
			 geteuid() == 0);
	assert_int_equal(sk_generation_route(generation, 0, 1)->processes, 3);
	sk_generation_free(generation);
	assert_true(LIST_EMPTY(&sup.routes));
}

SK_TEST(route_that_did_not_change_is_shared)
{
	struct sk_generation *one, *two;
	static struct sk_supervisor sup;
	struct sk_route *route;

	init(&sup);
	opened = 0;
	assert_int_equal(load(&sup, 1, CONFIG(ROUTE("/x", "i", "")), &one), 0);
	assert_int_equal(
		load(&sup, 2,
		     CONFIG(ROUTE("/new", "n", "") "," ROUTE("/x", "i", "")),
		     &two),
		0);
	route = sk_generation_route(one, 0, 0);
	assert_ptr_equal(sk_generation_route(two, 0, 1), route);
	assert_int_equal(opened, 4);
	sk_generation_free(one);
	assert_int_equal(route->users, 1);
	sk_generation_free(two);
	assert_true(LIST_EMPTY(&sup.routes));
}

SK_TEST(route_that_changed_in_any_way_is_not_shared)
{
	static const char *const others[] = {
		CONFIG(ROUTE("/x", "other", "")),
		CONFIG(ROUTE("/y", "i", "")),
		CONFIG(ROUTE("/x", "i", ",\"processes\":2")),
	};
	struct sk_generation *one, *two;
	static struct sk_supervisor sup;
	size_t i;

	init(&sup);
	assert_int_equal(load(&sup, 1, CONFIG(ROUTE("/x", "i", "")), &one), 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(load(&sup, 2 + i, others[i], &two), 0);
		assert_ptr_not_equal(sk_generation_route(two, 0, 0),
				     sk_generation_route(one, 0, 0));
		sk_generation_free(two);
	}
	sk_generation_free(one);
}

SK_TEST(two_equal_routes_of_one_generation_are_two)
{
	struct sk_generation *one, *two;
	static struct sk_supervisor sup;

	init(&sup);
	assert_int_equal(
		load(&sup, 1,
		     CONFIG(ROUTE("/x", "i", "") "," ROUTE("/x", "i", "")),
		     &one),
		0);
	assert_ptr_not_equal(sk_generation_route(one, 0, 0),
			     sk_generation_route(one, 0, 1));
	assert_int_equal(
		load(&sup, 2,
		     CONFIG(ROUTE("/x", "i", "") "," ROUTE("/x", "i", "")),
		     &two),
		0);
	assert_ptr_not_equal(sk_generation_route(two, 0, 0),
			     sk_generation_route(two, 0, 1));
	sk_generation_free(one);
	sk_generation_free(two);
}

SK_TEST(bundle_that_cannot_be_opened_concerns_its_route_alone)
{
	struct sk_generation *generation;
	static struct sk_supervisor sup;

	init(&sup);
	assert_int_equal(
		load(&sup, 1,
		     CONFIG("{\"method\":\"GET\",\"pattern\":\"/x\",\"worker\":"
			    "\"/w\",\"bundle\":\"/missing.js\",\"identity\":"
			    "\"i\",\"limits\":{}}," ROUTE("/y", "j", "")),
		     &generation),
		0);
	assert_string_equal(sk_generation_route(generation, 0, 0)->error,
			    "cannot open /missing.js: "
			    "No such file or directory");
	assert_null(sk_generation_route(generation, 0, 1)->error);
	sk_generation_free(generation);
}

SK_TEST(wrong_configuration_is_refused_whole)
{
	struct sk_generation *generation;
	static struct sk_supervisor sup;

	init(&sup);
	assert_int_equal(load(&sup, 1,
			      CONFIG(ROUTE("/x", "i", "") "," ROUTE(
				      "/y", "j", ",\"processes\":65")),
			      &generation),
			 -EINVAL);
	assert_string_equal(error, "route GET /y: processes is not 1 to 64");
	assert_true(LIST_EMPTY(&sup.routes));
	assert_int_equal(load(&sup, 1, "{\"version\":1,", &generation),
			 -EINVAL);
	assert_non_null(strstr(error, "line 1"));
}

SK_TEST(backoff_doubles_up_to_its_bound)
{
	static const int64_t delays[] = { 100,	200,  400,   800,  1600,
					  3200, 6400, 10000, 10000 };
	struct sk_backoff backoff = { 0 };
	int64_t now = 5;
	size_t i;

	for (i = 0; i < 9; i++) {
		assert_int_equal(sk_backoff_fail(&backoff, now, -1), delays[i]);
		assert_int_equal(sk_backoff_left(&backoff, now + 1),
				 delays[i] - 1);
		now += delays[i];
		assert_int_equal(sk_backoff_left(&backoff, now), 0);
	}
	for (i = 0; i < 100; i++)
		assert_int_equal(sk_backoff_fail(&backoff, now, -1), 10000);
}

SK_TEST(process_that_was_ready_may_fall_once)
{
	struct sk_backoff backoff = { 0 };

	assert_int_equal(sk_backoff_fail(&backoff, 0, 0), 0);
	assert_int_equal(sk_backoff_fail(&backoff, 0, 50), 100);
	assert_int_equal(sk_backoff_fail(&backoff, 0, 9999), 200);
	assert_int_equal(sk_backoff_fail(&backoff, 0, SK_GOOD_LIFE), 0);
}

/* --- what a route and the configuration say of the egress --- */

SK_TEST(route_with_outbound_grants_has_a_message_for_the_egress)
{
	struct sk_generation *generation;
	struct sk_supervisor sup;
	struct sk_route **routes;

	init(&sup);
	assert_int_equal(load(&sup, 1,
			      CONFIG(ROUTE("/a", "1",
					   ",\"policy\":{\"outboundHttp\":[{"
					   "\"method\":"
					   "\"GET\",\"pattern\":\"http://x/"
					   "\"}]}") "," ROUTE("/b", "2",
							      ",\"policy\":{"
							      "\"env\":[\"A\"]"
							      "}")),
			      &generation),
			 0);
	routes = generation->apps[0].routes;
	assert_string_equal(
		routes[0]->egress,
		"{\"route\":\"GET /a\",\"policy\":{\"outboundHttp\":[{"
		"\"method\":\"GET\",\"pattern\":\"http://x/\"}]},"
		"\"limits\":{\"cpu\":5,\"wall\":6}}");
	assert_null(routes[1]->egress);
	sk_generation_free(generation);
}

static char **args_of(const char *json)
{
	json_t *from = json_loads(json, 0, NULL);
	char **args = NULL;
	int err = sk_egress_args(from, &args, error, sizeof(error));

	json_decref(from);
	return err ? NULL : args;
}

SK_TEST(options_of_the_egress_are_arguments)
{
	char **args = args_of("{\"resolve\":[\"a.test:80:127.0.0.1\"],"
			      "\"caFile\":\"/ca.pem\",\"audit\":true}");

	assert_non_null(args);
	assert_string_equal(args[0], "--resolve");
	assert_string_equal(args[1], "a.test:80:127.0.0.1");
	assert_string_equal(args[2], "--ca-file");
	assert_string_equal(args[3], "/ca.pem");
	assert_string_equal(args[4], "--audit");
	assert_null(args[5]);
	sk_egress_args_free(args);
	args = args_of("{\"resolve\":[],\"caFile\":null,\"audit\":false}");
	assert_non_null(args);
	assert_null(args[0]);
	sk_egress_args_free(args);
}

SK_TEST(wrong_options_of_the_egress_are_refused)
{
	assert_null(args_of("{\"resolve\":[\"a.test:80:nowhere\"]}"));
	assert_string_equal(error, "a.test:80:nowhere: the address is neither "
				   "IPv4 nor IPv6");
	assert_null(args_of("{\"resolve\":[1]}"));
	assert_null(args_of("{\"caFile\":1}"));
}
