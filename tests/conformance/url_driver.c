// SPDX-License-Identifier: BSD-2-Clause
/*
 * The C side of url-differential.mjs: answers on stdout what lib/url makes of
 * each request on stdin. A message is a u32 count, then so many strings, each
 * a u32 length and its bytes (little endian).
 *
 *   request  "url", input[, "base", base]{, part number, value}
 *   answer   the parts after the parse and after each setter, or "failure"
 *   request  "form", text
 *   answer   the serialisation, then all names and values
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "url/url.h"

#define FIELDS 64

struct text {
	char *at;
	uint32_t length;
};

static void die(const char *why)
{
	fprintf(stderr, "url_driver: %s\n", why);
	exit(1);
}

static uint32_t get_u32(void)
{
	unsigned char b[4];

	if (fread(b, 1, 4, stdin) != 4)
		die("request cut off");
	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_u32(uint32_t value)
{
	unsigned char b[4] = { value & 255, value >> 8 & 255, value >> 16 & 255,
			       value >> 24 };

	fwrite(b, 1, 4, stdout);
}

static void put(const char *at, size_t length)
{
	put_u32((uint32_t)length);
	fwrite(at, 1, length, stdout);
}

/* An exact copy, so that a sanitizer sees each byte read beyond it. */
static struct text get_text(void)
{
	struct text text = { NULL, get_u32() };

	text.at = malloc(text.length);
	if (!text.at && text.length)
		die("out of memory");
	if (fread(text.at, 1, text.length, stdin) != text.length)
		die("request cut off");
	return text;
}

static int is(struct text text, const char *name)
{
	return text.length == strlen(name) &&
	       !memcmp(text.at, name, text.length);
}

static void put_slice(const struct sk_url *url, uint32_t from, uint32_t to)
{
	put(url->href + from, to - from);
}

static void put_authority(const struct sk_url *url)
{
	uint32_t user = url->scheme_end + 2, at;

	if (!url->has_host) {
		for (at = 0; at < 3; at++)
			put("", 0);
		return;
	}
	put_slice(url, user, url->username_end);
	if (url->host_start > url->username_end)
		put_slice(url, url->username_end + 1, url->host_start);
	else
		put("", 0);
	at = url->host_start + (url->href[url->host_start] == '@');
	put_slice(url, at, url->path_start);
}

static void put_url(const struct sk_url *url)
{
	const char *at;
	char port[12] = "", *origin;
	size_t length;

	put(url->href, url->length);
	put_slice(url, 0, url->scheme_end);
	put_authority(url);
	sk_url_hostname(url, &at, &length);
	put(at, length);
	if (url->port >= 0)
		snprintf(port, sizeof(port), "%d", url->port);
	put(port, strlen(port));
	sk_url_pathname(url, &at, &length);
	put(at, length);
	sk_url_search(url, &at, &length);
	put(at, length);
	if (url->hash_start != SK_URL_NONE && url->length - url->hash_start > 1)
		put_slice(url, url->hash_start, url->length);
	else
		put("", 0);
	origin = sk_url_origin(url);
	if (!origin)
		die("out of memory");
	put(origin, strlen(origin));
	free(origin);
}

#define URL_FIELDS 11

static int parse(struct sk_url *url, const struct text *field, uint32_t count)
{
	struct sk_url base = { 0 };
	int error, with_base = count > 3 && is(field[2], "base");

	if (with_base) {
		error = sk_url_parse(&base, field[3].at, field[3].length, NULL);
		if (error)
			return error;
	}
	error = sk_url_parse(url, field[1].at, field[1].length,
			     with_base ? &base : NULL);
	sk_url_fini(&base);
	return error;
}

static void answer_url(const struct text *field, uint32_t count)
{
	uint32_t first = count > 3 && is(field[2], "base") ? 4 : 2, i;
	struct sk_url url = { 0 };
	int error = parse(&url, field, count);

	if (error) {
		put_u32(1);
		put("failure", 7);
		return;
	}
	put_u32(URL_FIELDS * (1 + (count - first) / 2));
	put_url(&url);
	for (i = first; i + 1 < count; i += 2) {
		enum sk_url_part part =
			(enum sk_url_part)(field[i].at[0] - '0');

		if (sk_url_set(&url, part, field[i + 1].at,
			       field[i + 1].length) == -ENOMEM)
			die("out of memory");
		put_url(&url);
	}
	sk_url_fini(&url);
}

static void answer_form(struct text input)
{
	struct sk_form form;
	size_t length, i;
	char *text;

	if (sk_form_parse(&form, input.at, input.length) < 0)
		die("out of memory");
	text = sk_form_serialize(&form, &length);
	if (!text)
		die("out of memory");
	put_u32((uint32_t)(1 + 2 * form.count));
	put(text, length);
	for (i = 0; i < form.count; i++) {
		put(form.pairs[i].name, form.pairs[i].name_length);
		put(form.pairs[i].value, form.pairs[i].value_length);
	}
	free(text);
	sk_form_fini(&form);
}

int main(void)
{
	struct text field[FIELDS];
	uint32_t count, i;
	int c;

	while ((c = getchar()) != EOF) {
		ungetc(c, stdin);
		count = get_u32();
		if (count < 2 || count > FIELDS)
			die("bad request");
		for (i = 0; i < count; i++)
			field[i] = get_text();
		if (is(field[0], "form"))
			answer_form(field[1]);
		else
			answer_url(field, count);
		for (i = 0; i < count; i++)
			free(field[i].at);
		if (fflush(stdout))
			die("the answer could not be written");
	}
	return 0;
}
