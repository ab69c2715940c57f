// SPDX-License-Identifier: BSD-2-Clause
/*
 * When memory runs out: each allocation of a call fails in turn. The call says
 * so, leaves what it was given alone, and keeps nothing. Under a sanitizer,
 * which has its own malloc, no allocation fails and only leaks are looked for.
 */
#include "sk_test.h"

#include "match/match.h"
#include "url/url.h"

static long countdown = -1; /* allocations until one fails; -1: none does */
static long live;	    /* blocks allocated and not freed */

#if defined(__SANITIZE_ADDRESS__)
#define OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_MALLOC 0
#endif
#endif
#ifndef OWN_MALLOC
#define OWN_MALLOC 1
#endif

#if OWN_MALLOC
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void __libc_free(void *block);

static int fails(void)
{
	if (countdown > 0)
		countdown--;
	return !countdown;
}

void *malloc(size_t size)
{
	void *block = fails() ? NULL : __libc_malloc(size);

	live += block != NULL;
	return block;
}

void *calloc(size_t count, size_t size)
{
	void *block = fails() ? NULL : __libc_calloc(count, size);

	live += block != NULL;
	return block;
}

void *realloc(void *block, size_t size)
{
	void *moved = fails() ? NULL : __libc_realloc(block, size);

	live += moved && !block;
	return moved;
}

void free(void *block)
{
	live -= block != NULL;
	__libc_free(block);
}
#endif

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

	/* What ICU allocates once stays. */
	assert_int_equal(call(), 0);
	before = live;
	for (number = 1; error; number++) {
		countdown = number;
		error = call();
		countdown = -1;
		assert_true(error == 0 || error == -ENOMEM);
		assert_int_equal(live, before);
	}
	assert_true(number > 2 || !OWN_MALLOC);
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
