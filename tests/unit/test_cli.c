/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the command that need no other process. */
// link: cli/text.c cli/list.c cli/file.c cli/diagnosis.c cli/table.c cli/grants.c cli/term.c cli/conf.c cli/inputs.c cli/tsconfig.c cli/port.c
#include "sk_test.h"

#include <jansson.h>
#include <limits.h>

#include "cli/conf.h"
#include "cli/diagnosis.h"
#include "cli/file.h"
#include "cli/inputs.h"
#include "cli/list.h"
#include "cli/port.h"
#include "cli/table.h"

static void assert_path(const char *base, const char *path, const char *wanted)
{
	char *got = sk_path_resolve(base, path);

	assert_string_equal(got, wanted);
	free(got);
}

SK_TEST(a_path_loses_its_dots)
{
	assert_path("/a/b", "c.js", "/a/b/c.js");
	assert_path("/a/b", "./c.js", "/a/b/c.js");
	assert_path("/a/b", "../c.js", "/a/c.js");
	assert_path("/a/b", "../../../../c.js", "/c.js");
	assert_path("/a/b", "/x//y/./z/", "/x/y/z");
	assert_path("/a/b", ".", "/a/b");
	assert_path("/", "..", "/");
	assert_path("/", "a", "/a");
}

SK_TEST(a_list_is_sorted_and_has_each_item_once)
{
	struct sk_list list = { 0 };

	assert_int_equal(sk_list_add(&list, "b"), 1);
	assert_int_equal(sk_list_add(&list, "a"), 1);
	assert_int_equal(sk_list_add(&list, "c"), 1);
	assert_int_equal(sk_list_add(&list, "b"), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[0], "a");
	assert_string_equal(list.items[2], "c");
	assert_true(sk_list_has(&list, "b"));
	assert_false(sk_list_has(&list, "d"));
	sk_list_fini(&list);
}

SK_TEST(a_hash_is_sha256)
{
	char hash[SK_HASH_SIZE];

	sk_hash(hash, "abc", 3);
	assert_string_equal(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396"
				  "177a9cb410ff61f20015ad");
}

SK_TEST(a_message_of_esbuild_becomes_one_line_and_a_frame)
{
	struct sk_list files = { 0 };
	char *text =
		sk_diagnosis_esbuild("\xe2\x9c\x98 [ERROR] Unexpected \";\"\n\n"
				     "    lib/bad.js:1:8:\n"
				     "      1 \xe2\x94\x82 let y = ;\n",
				     1, "/app", "/app/w.js", &files);

	assert_string_equal(text, "/app/lib/bad.js:1:9: Unexpected \";\"\n"
				  "      1 \xe2\x94\x82 let y = ;");
	assert_true(sk_list_has(&files, "/app/lib/bad.js"));
	free(text);
	sk_list_fini(&files);
}

SK_TEST(a_message_about_the_entry_names_the_module)
{
	struct sk_list files = { 0 };
	char *text =
		sk_diagnosis_esbuild("\xe2\x9c\x98 [ERROR] Could not read\n\n"
				     "    " SK_ENTRY_NAME ":1:8:\n",
				     1, "/app", "/app/w.js", &files);

	assert_true(strstr(text, "/app/w.js: Could not read") == text);
	assert_int_equal(files.count, 0);
	free(text);
}

SK_TEST(a_silent_esbuild_is_named)
{
	struct sk_list files = { 0 };
	char *text = sk_diagnosis_esbuild("", 139, "/app", "/app/w.js", &files);

	assert_string_equal(text, "/app/w.js: esbuild ended with status 139");
	free(text);
}

static void assert_script(const char *said, const char *wanted)
{
	char *text = sk_diagnosis_script(said, "/app/app.js");

	assert_string_equal(text, wanted);
	free(text);
}

SK_TEST(an_error_of_the_app_file_begins_with_its_place)
{
	assert_script("TypeError: no\n    at f (/app/app.js:2:3)\n"
		      "    at /app/selkie:entry:1:2\n\n> 2 | x\n    | ^\n",
		      "/app/app.js:2:3: TypeError: no\n> 2 | x\n    | ^");
	assert_script("printed\nError: a\nb\n    at /app/x y.js:1:2\n",
		      "printed\n/app/x y.js:1:2: Error: a\nb");
	assert_script("thrown: 1\n", "/app/app.js: thrown: 1");
	assert_script("Error: /app/app.js:7: too much\n",
		      "/app/app.js:7: too much");
	assert_script("/app/app.js: over its limit: memory\n",
		      "/app/app.js: over its limit: memory");
}

#define RECORDED "nothing; not enforced yet, so refused: "

static void assert_words(const char *policy, const char *wanted)
{
	json_t *json = json_loads(policy, 0, NULL);
	char *words = sk_policy_words(json);

	assert_string_equal(words, wanted);
	free(words);
	json_decref(json);
}

SK_TEST(a_policy_is_told_in_words)
{
	assert_words("{}", "nothing");
	assert_words(
		"{\"outboundHttp\":[{\"method\":\"GET\",\"pattern\":"
		"\"https://a/**\"}],\"env\":[\"A\",\"B\"]}",
		"GET https://a/**; not enforced yet, so refused: env A, B");
	assert_words("{\"outboundHttp\":["
		     "{\"method\":\"GET\",\"pattern\":\"https://a/**\"},"
		     "{\"method\":\"GET\",\"pattern\":\"https://b/\"},"
		     "{\"method\":\"HEAD\",\"pattern\":\"https://a/**\"},"
		     "{\"method\":\"GET\",\"pattern\":\"https://a/**\"}],"
		     "\"outboundPrivate\":true}",
		     "GET/HEAD https://a/**, GET https://b/, at private "
		     "addresses too");
	assert_words("{\"outboundPrivate\":true}", "nothing");
	assert_words("{\"sqlite\":[{\"path\":\"x\",\"readonly\":false}]}",
		     RECORDED "sqlite x");
	assert_words("{\"limits\":{\"cpu\":1}}", "nothing");
}

SK_TEST(passwords_are_not_told)
{
	assert_words("{\"redis\":[\"redis://u:secret@h:1/0\"]}",
		     RECORDED "redis redis://u:***@h:1/0");
	assert_words("{\"redis\":[\"redis://:secret@h\"]}",
		     RECORDED "redis redis://:***@h");
	assert_words("{\"redis\":[\"redis://h:1/a@b\"]}",
		     RECORDED "redis redis://h:1/a@b");
}

SK_TEST(a_name_that_would_be_found_first_shadows)
{
	assert_true(sk_inputs_shadows("/a/x.ts", "/a/x.js"));
	assert_true(sk_inputs_shadows("/a/x", "/a/x.js"));
	assert_false(sk_inputs_shadows("/a/y.ts", "/a/x.js"));
	assert_false(sk_inputs_shadows("/a/x.md", "/a/x.js"));
	assert_false(sk_inputs_shadows("/a/node_modules/p/x.ts",
				       "/a/node_modules/p/x.js"));
}

SK_TEST(configuration_strings_are_quoted)
{
	struct sk_list nothing = { 0 };
	struct sk_conf conf = { .resolve = &nothing,
				.module = "/m \"q\".so",
				.app = "/a\\b;{}/app.js",
				.run = "/run/x",
				.address = "127.0.0.1:1",
				.workers = 2,
				.connections = 10 };
	char *text = sk_conf_text(&conf);

	assert_non_null(strstr(text, "load_module \"/m \\\"q\\\".so\";"));
	assert_non_null(strstr(text, "selkie_app \"/a\\\\b;{}/app.js\";"));
	assert_non_null(strstr(text, "listen 127.0.0.1:1 backlog=4096 "
				     "reuseport;"));
	assert_non_null(strstr(text, "access_log off;"));
	assert_null(strstr(text, "user "));
	free(text);
}

SK_TEST(addresses_have_names)
{
	char *v4 = sk_port_name("127.0.0.1", 80);
	char *v6 = sk_port_name("::1", 80);

	assert_string_equal(v4, "127.0.0.1:80");
	assert_string_equal(v6, "[::1]:80");
	assert_true(sk_port_is_loopback("127.9.9.9"));
	assert_true(sk_port_is_loopback("::1"));
	assert_false(sk_port_is_loopback("0.0.0.0"));
	free(v4);
	free(v6);
}

SK_TEST(a_folder_goes_with_all_that_is_in_it_but_not_through_links)
{
	char folder[] = "/tmp/sk-test-XXXXXX";
	char *inner;
	char *kept = sk_copy("/tmp/sk-kept-XXXXXX");
	char *link;

	assert_non_null(mkdtemp(folder));
	assert_non_null(mkdtemp(kept));
	inner = sk_format("%s/a/b/c", folder);
	link = sk_format("%s/a/link", folder);
	assert_int_equal(sk_folder_make(inner, 0700), 0);
	assert_int_equal(symlink(kept, link), 0);
	assert_int_equal(sk_folder_remove(folder), 0);
	assert_false(sk_path_exists(folder));
	assert_true(sk_path_exists(kept));
	rmdir(kept);
	free(kept);
	free(link);
	free(inner);
}
