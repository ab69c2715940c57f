// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any input, base and setters: offsets stay in order and in bounds, the
 * serialisation is printable ASCII, and parsing it again gives the same URL.
 *
 * Input: records of a kind byte, a length byte and text. Kind 0 begins with a
 * new URL (against the one before, if there is one), others are setters.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "url/url.h"

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,     \
				#condition);                                   \
			abort();                                               \
		}                                                              \
	} while (0)

static void check_offsets(const struct sk_url *url)
{
	uint32_t end = url->length, i;

	CHECK(url->href[url->length] == 0);
	for (i = 0; i < url->length; i++)
		CHECK(url->href[i] >= ' ' && url->href[i] < 0x7f);
	if (url->hash_start != SK_URL_NONE) {
		CHECK(url->hash_start < end &&
		      url->href[url->hash_start] == '#');
		end = url->hash_start;
	}
	if (url->search_start != SK_URL_NONE) {
		CHECK(url->search_start < end &&
		      url->href[url->search_start] == '?');
		end = url->search_start;
	}
	CHECK(url->path_start <= end && url->host_end <= url->path_start);
	CHECK(url->host_start <= url->host_end);
	CHECK(url->username_end <= url->host_start);
	CHECK(url->scheme_end <= url->username_end);
	CHECK(url->scheme_end >= 2 && url->href[url->scheme_end - 1] == ':');
	CHECK(url->port >= -1 && url->port <= 65535);
	CHECK(url->has_host || url->host_end == url->scheme_end);
	CHECK(!url->special || url->has_host);
}

static void check_again(const struct sk_url *url)
{
	struct sk_url again = { 0 };

	CHECK(sk_url_parse(&again, url->href, url->length, NULL) == 0);
	CHECK(again.length == url->length);
	CHECK(!memcmp(again.href, url->href, url->length));
	CHECK(again.scheme_end == url->scheme_end);
	CHECK(again.username_end == url->username_end);
	CHECK(again.host_start == url->host_start);
	CHECK(again.host_end == url->host_end);
	CHECK(again.path_start == url->path_start);
	CHECK(again.search_start == url->search_start);
	CHECK(again.hash_start == url->hash_start);
	CHECK(again.port == url->port && again.has_host == url->has_host);
	CHECK(again.special == url->special);
	CHECK(again.opaque_path == url->opaque_path);
	sk_url_fini(&again);
}

/* The standard lets a setter turn "http://localhost" to "file://localhost",
 * which a parser would shorten. */
static int may_differ(const struct sk_url *url, int was_set)
{
	return was_set && !strncmp(url->href, "file:", 5);
}

static void check(const struct sk_url *url, int was_set)
{
	const char *at;
	size_t length;
	char *origin;

	check_offsets(url);
	if (!may_differ(url, was_set))
		check_again(url);
	sk_url_hostname(url, &at, &length);
	CHECK(at >= url->href && at + length <= url->href + url->length);
	sk_url_pathname(url, &at, &length);
	CHECK(at >= url->href && at + length <= url->href + url->length);
	sk_url_search(url, &at, &length);
	CHECK(at >= url->href && at + length <= url->href + url->length);
	origin = sk_url_origin(url);
	CHECK(origin);
	free(origin);
}

/* Forms: what was serialised parses to the same list. */
static void check_form(const char *text, size_t length)
{
	struct sk_form form, again;
	size_t size, i;
	char *out;

	CHECK(sk_form_parse(&form, text, length) == 0);
	out = sk_form_serialize(&form, &size);
	CHECK(out && sk_form_parse(&again, out, size) == 0);
	CHECK(again.count == form.count);
	for (i = 0; i < form.count; i++) {
		CHECK(again.pairs[i].name_length == form.pairs[i].name_length);
		CHECK(!memcmp(again.pairs[i].name, form.pairs[i].name,
			      form.pairs[i].name_length));
		CHECK(again.pairs[i].value_length ==
		      form.pairs[i].value_length);
		CHECK(!memcmp(again.pairs[i].value, form.pairs[i].value,
			      form.pairs[i].value_length));
	}
	sk_form_fini(&again);
	sk_form_fini(&form);
	free(out);
}

static void run_record(struct sk_url *url, int *was_set, unsigned kind,
		       const char *text, size_t length)
{
	struct sk_url fresh = { 0 };

	if (kind == 11) {
		check_form(text, length);
	} else if (kind) {
		*was_set = 1;
		if (url->href)
			sk_url_set(url, (enum sk_url_part)(kind - 1), text,
				   length);
	} else if (!sk_url_parse(&fresh, text, length,
				 url->href ? url : NULL)) {
		sk_url_fini(url);
		*url = fresh;
	}
	if (url->href)
		check(url, *was_set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sk_url url = { 0 };
	int was_set = 0;

	while (size >= 2) {
		size_t length = data[1] < size - 2 ? data[1] : size - 2;
		char *text = malloc(length ? length : 1);

		CHECK(text);
		memcpy(text, data + 2, length);
		run_record(&url, &was_set, data[0] % 12, text, length);
		free(text);
		data += 2 + length;
		size -= 2 + length;
	}
	sk_url_fini(&url);
	return 0;
}
