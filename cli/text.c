/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/text.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
	if (!memory) {
		fputs("selkie: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

void *sk_alloc(size_t count, size_t size)
{
	return must(calloc(count ? count : 1, size));
}

void *sk_resize(void *memory, size_t count, size_t size)
{
	return must(reallocarray(memory, count ? count : 1, size));
}

char *sk_copy(const char *string)
{
	return must(strdup(string));
}

char *sk_copy_range(const char *start, size_t length)
{
	return must(strndup(start, length));
}

static void add_format(struct sk_text *text, const char *format, va_list args)
{
	char *formatted;
	int length = vasprintf(&formatted, format, args);

	if (length < 0)
		must(NULL);
	sk_text_add(text, formatted, (size_t)length);
	free(formatted);
}

char *sk_format(const char *format, ...)
{
	struct sk_text text = { 0 };
	va_list args;

	va_start(args, format);
	add_format(&text, format, args);
	va_end(args);
	return sk_text_take(&text);
}

void sk_text_add(struct sk_text *text, const void *data, size_t length)
{
	if (text->length + length + 1 > text->room) {
		text->room = (text->length + length + 1) * 2;
		text->data = sk_resize(text->data, text->room, 1);
	}
	if (length)
		memcpy(text->data + text->length, data, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void sk_text_puts(struct sk_text *text, const char *string)
{
	sk_text_add(text, string, strlen(string));
}

void sk_text_printf(struct sk_text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_format(text, format, args);
	va_end(args);
}

const char *sk_text_string(const struct sk_text *text)
{
	return text->data ? text->data : "";
}

char *sk_text_take(struct sk_text *text)
{
	char *data = text->data ? text->data : sk_copy("");

	memset(text, 0, sizeof(*text));
	return data;
}

void sk_text_fini(struct sk_text *text)
{
	free(text->data);
	memset(text, 0, sizeof(*text));
}

int sk_starts_with(const char *string, const char *start)
{
	return strncmp(string, start, strlen(start)) == 0;
}

int sk_ends_with(const char *string, const char *end)
{
	size_t length = strlen(string);
	size_t tail = strlen(end);

	return length >= tail && strcmp(string + length - tail, end) == 0;
}

int sk_text_is_utf8(const char *string)
{
	json_t *value = json_string(string);
	int valid = value != NULL;

	json_decref(value);
	return valid;
}
