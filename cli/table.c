/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

#include "cli/grants.h"
#include "cli/term.h"
#include "cli/text.h"

/* Columns: method, pattern, worker; the policy takes what is left. */
#define COLUMNS 3
#define WIDEST	40

struct row {
	char *cells[COLUMNS];
	char *words;
	int broken;
};

static void add_words(struct sk_text *out, const json_t *value);

/* A URL's password is nobody's business: "redis://user:***@host". */
static void add_string(struct sk_text *out, const char *text)
{
	const char *start = strstr(text, "://");
	const char *at = start ? strchr(start, '@') : NULL;
	const char *colon = start ? strchr(start + 3, ':') : NULL;

	if (!at || !colon || colon > at ||
	    start + strcspn(start + 3, "/") + 3 < at) {
		sk_text_puts(out, text);
		return;
	}
	sk_text_add(out, text, (size_t)(colon + 1 - text));
	sk_text_printf(out, "***%s", at);
}

static void add_members(struct sk_text *out, const json_t *object)
{
	const char *between = "";
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		if (json_is_false(value) || json_is_null(value))
			continue;
		sk_text_puts(out, between);
		if (json_is_true(value))
			sk_text_puts(out, key);
		else
			add_words(out, value);
		between = " ";
	}
}

static void add_words(struct sk_text *out, const json_t *value)
{
	const json_t *item;
	size_t i;

	if (json_is_string(value))
		add_string(out, json_string_value(value));
	else if (json_is_integer(value))
		sk_text_printf(out, "%lld",
			       (long long)json_integer_value(value));
	else if (json_is_object(value))
		add_members(out, value);
	json_array_foreach((json_t *)value, i, item)
	{
		if (i)
			sk_text_puts(out, ", ");
		add_words(out, item);
	}
}

/* What is enforced, or no grant at all. */
static int is_honoured(const char *key)
{
	return !strcmp(key, "outboundHttp") ||
	       !strcmp(key, "outboundPrivate") || !strcmp(key, "limits");
}

/* Grants that this version writes down and refuses all the same. */
static void add_recorded(struct sk_text *out, const json_t *policy)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)policy, key, value)
	{
		struct sk_text words = { 0 };

		if (!is_honoured(key))
			add_words(&words, value);
		if (words.length)
			sk_text_printf(out, "%s%s %s", out->length ? ", " : "",
				       key, words.data);
		sk_text_fini(&words);
	}
}

char *sk_policy_words(const json_t *policy)
{
	struct sk_text out = { 0 };
	struct sk_text recorded = { 0 };

	sk_grants_tell(&out, json_object_get(policy, "outboundHttp"));
	if (out.length &&
	    json_is_true(json_object_get(policy, "outboundPrivate")))
		sk_text_puts(&out, ", at private addresses too");
	if (!out.length)
		sk_text_puts(&out, "nothing");
	add_recorded(&recorded, policy);
	if (recorded.length)
		sk_text_printf(&out, "; not enforced yet, so refused: %s",
			       recorded.data);
	sk_text_fini(&recorded);
	return sk_text_take(&out);
}

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

/* A path as it stands in the app file's folder. */
static char *inside(const json_t *app, const char *path)
{
	const char *root = text_of(app, "root");
	size_t length = strlen(root);

	if (length > 1 && sk_starts_with(path, root) && path[length] == '/')
		return sk_copy(path + length + 1);
	return sk_copy(path);
}

static void fill_route(struct row *row, const json_t *app, const json_t *route)
{
	row->cells[0] = sk_copy(text_of(route, "method"));
	row->cells[1] = sk_copy(text_of(route, "pattern"));
	row->cells[2] = inside(app, text_of(route, "worker"));
	row->words = sk_policy_words(json_object_get(route, "policy"));
	row->broken = json_is_string(json_object_get(route, "error"));
}

static void fill_static(struct row *row, const json_t *app,
			const json_t *folder)
{
	char *path = inside(app, text_of(folder, "folder"));

	row->cells[0] = sk_copy("files");
	row->cells[1] = sk_copy(text_of(folder, "prefix"));
	row->cells[2] = sk_format("%s/", path);
	row->words = sk_copy("");
	free(path);
}

static void print_row(FILE *stream, const struct row *row, const size_t *widths)
{
	static const enum sk_tint tints[COLUMNS] = { SK_TINT_CYAN, SK_TINT_BOLD,
						     SK_TINT_PLAIN };

	fputs("  ", stream);
	for (size_t i = 0; i < COLUMNS; i++) {
		size_t length = strlen(row->cells[i]);

		fputs(sk_term_tint(stream, tints[i]), stream);
		sk_term_write(stream, row->cells[i]);
		fputs(sk_term_tint(stream, SK_TINT_PLAIN), stream);
		if (i == COLUMNS - 1 && !*row->words)
			break;
		fprintf(stream, "%*s",
			length < widths[i] ? (int)(widths[i] - length) + 2 : 2,
			"");
	}
	if (row->broken)
		fprintf(stream, "%sdoes not build%s",
			sk_term_tint(stream, SK_TINT_RED),
			sk_term_tint(stream, SK_TINT_PLAIN));
	else if (*row->words) {
		fputs(sk_term_tint(stream, SK_TINT_DIM), stream);
		fputs("may use: ", stream);
		sk_term_write(stream, row->words);
		fputs(sk_term_tint(stream, SK_TINT_PLAIN), stream);
	}
	putc('\n', stream);
}

void sk_table_print(FILE *stream, const json_t *app)
{
	json_t *routes = json_object_get(app, "routes");
	json_t *statics = json_object_get(app, "statics");
	size_t count = json_array_size(routes) + json_array_size(statics);
	struct row *rows = sk_alloc(count, sizeof(*rows));
	size_t widths[COLUMNS] = { 0 };
	size_t n = 0;
	json_t *item;
	size_t i;

	json_array_foreach(routes, i, item) fill_route(&rows[n++], app, item);
	json_array_foreach(statics, i, item) fill_static(&rows[n++], app, item);
	for (i = 0; i < count * COLUMNS; i++) {
		size_t length = strlen(rows[i / COLUMNS].cells[i % COLUMNS]);

		if (length > widths[i % COLUMNS] && length <= WIDEST)
			widths[i % COLUMNS] = length;
	}
	if (!count)
		fputs("  no routes and no folders: every request gets 404\n",
		      stream);
	for (i = 0; i < count; i++) {
		print_row(stream, &rows[i], widths);
		for (size_t j = 0; j < COLUMNS; j++)
			free(rows[i].cells[j]);
		free(rows[i].words);
	}
	free(rows);
}
