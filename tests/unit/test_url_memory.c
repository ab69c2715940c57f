// SPDX-License-Identifier: BSD-2-Clause
/*
 * When memory runs out: each allocation of a call fails in turn. The call says
 * so, leaves what it was given alone, and keeps nothing.
 *
 * The sources that allocate are part of this program, with an allocator that
 * fails on demand; it works under a sanitizer, which has a malloc of its own.
 */
#include "sk_test.h"

static long countdown = -1; /* allocations until they fail; -1: none does */
static long live;	    /* blocks allocated and not freed */

static int fails(void)
{
	if (countdown > 0)
		countdown--;
	return !countdown;
}

static void *failing_malloc(size_t size)
{
	void *block = fails() ? NULL : malloc(size);

	live += block != NULL;
	return block;
}

static void *failing_calloc(size_t count, size_t size)
{
	void *block = fails() ? NULL : calloc(count, size);

	live += block != NULL;
	return block;
}

static void *failing_realloc(void *block, size_t size)
{
	void *moved = fails() ? NULL : realloc(block, size);

	live += moved && !block;
	return moved;
}

static void failing_free(void *block)
{
	live -= block != NULL;
	free(block);
}

#undef malloc
#undef calloc
#undef realloc
#undef free
#define malloc	failing_malloc
#define calloc	failing_calloc
#define realloc failing_realloc
#define free	failing_free

#include "match/pattern.c"
#include "match/segments.c"
#include "url/buf.c"
#include "url/form.c"
#include "url/url.c"

static int call_parse(void)
{
	static const char base_text[] = "http://u:p@h/a/b?q";
	struct sk_url url = { 0 }, base = { 0 };
	int error;

	error = sk_url_parse(&base, base_text, strlen(base_text), NULL);
	if (!error)
		error = sk_url_parse(&url, "../x\t\xff?y#z", 11, &base);
	sk_url_fini(&url);
	sk_url_fini(&base);
	return error;
}

static int call_idna(void)
{
	static const char text[] = "http://b%C3%BCcher.\xe3\x81\x8b.1.2.x/";
	struct sk_url url = { 0 };
	int error = sk_url_parse(&url, text, strlen(text), NULL);

	sk_url_fini(&url);
	return error;
}

static int call_set(void)
{
	static const char text[] = "foo:/a/b?q";
	struct sk_url url = { 0 };
	int error = sk_url_parse(&url, text, strlen(text), NULL);

	if (!error)
		error = sk_url_set(&url, SK_URL_HOST, "h\n:8", 4);
	if (!error)
		error = sk_url_set(&url, SK_URL_PATHNAME, "/ /\xff", 4);
	else if (url.href && strcmp(url.href, text) != 0)
		error = -EIO;
	sk_url_fini(&url);
	return error;
}

static int call_form(void)
{
	struct sk_form form = { 0 };
	size_t length;
	char *text = NULL;
	int error = sk_form_parse(&form, "a=%ff&b=\xff", 9);

	if (!error)
		text = sk_form_serialize(&form, &length);
	if (!error && !text)
		error = -ENOMEM;
	free(text);
	sk_form_fini(&form);
	return error;
}

static int call_origin(void)
{
	struct sk_url url = { 0 };
	char *origin = NULL;
	int error = sk_url_parse(&url, "blob:http://h/", 14, NULL);

	if (!error)
		origin = sk_url_origin(&url);
	if (!error && !origin)
		error = -ENOMEM;
	free(origin);
	sk_url_fini(&url);
	return error;
}

static int call_match(void)
{
	struct sk_pattern *pattern = NULL;
	struct sk_path path = { 0 };
	char text[80];
	int error = sk_pattern_compile(&pattern, "/:a", 3, text, sizeof(text));

	if (!error)
		error = sk_path_init(&path, "/x", 2);
	sk_path_fini(&path);
	sk_pattern_free(pattern);
	return error;
}

/* Fails the first allocation of `call`, then the second, until it succeeds. */
static void exhaust(int (*call)(void))
{
	int error = -ENOMEM, number;
	long before;

	assert_int_equal(call(), 0);
	before = live;
	for (number = 1; error; number++) {
		countdown = number;
		error = call();
		countdown = -1;
		assert_true(error == 0 || error == -ENOMEM);
		assert_int_equal(live, before);
	}
	assert_true(number > 2);
}

SK_TEST(parse_survives_each_failed_allocation)
{
	exhaust(call_parse);
}

SK_TEST(idna_survives_each_failed_allocation)
{
	exhaust(call_idna);
}

SK_TEST(setters_survive_each_failed_allocation)
{
	exhaust(call_set);
}

SK_TEST(forms_survive_each_failed_allocation)
{
	exhaust(call_form);
}

SK_TEST(origin_survives_each_failed_allocation)
{
	exhaust(call_origin);
}

SK_TEST(match_survives_each_failed_allocation)
{
	exhaust(call_match);
}
