/* SPDX-License-Identifier: BSD-2-Clause */
/* Log lines as text or JSON; see text.h. */
#include "supervisor/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INVALID UINT32_MAX

void sk_buffer_add(struct sk_buffer *buffer, const void *data, size_t length)
{
	size_t room = buffer->room ? buffer->room : 256;
	char *grown;

	if (buffer->failed)
		return;
	while (room - buffer->length < length)
		room *= 2;
	if (room != buffer->room) {
		grown = realloc(buffer->data, room);
		if (!grown) {
			sk_buffer_fini(buffer);
			buffer->failed = 1;
			return;
		}
		buffer->data = grown;
		buffer->room = room;
	}
	memcpy(buffer->data + buffer->length, data, length);
	buffer->length += length;
}

void sk_buffer_fini(struct sk_buffer *buffer)
{
	free(buffer->data);
	memset(buffer, 0, sizeof(*buffer));
}

static void add_string(struct sk_buffer *out, const char *string)
{
	sk_buffer_add(out, string, strlen(string));
}

/* Reads one character of UTF-8; a byte that begins none counts alone and is
 * INVALID. Returns the bytes read. */
static size_t read_character(const unsigned char *at, size_t left,
			     uint32_t *out)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t size, i;
	uint32_t c = at[0];

	*out = INVALID;
	if (c < 0x80) {
		*out = c;
		return 1;
	}
	size = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4 || size > left)
		return 1;
	c &= 0x7fu >> size;
	for (i = 1; i < size; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | (at[i] & 0x3f);
	}
	if (c < least[size] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 1;
	*out = c;
	return size;
}

/* Characters that act on a terminal or reorder what it shows. */
static int acts(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == INVALID ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void add_text(struct sk_buffer *out, const char *text, size_t length,
		     int lines)
{
	const unsigned char *at = (const unsigned char *)text;
	const unsigned char *end = at + length;
	char escape[16];
	uint32_t c;
	size_t n;

	for (; at < end; at += n) {
		n = read_character(at, (size_t)(end - at), &c);
		if (c == '\n' && lines) {
			add_string(out, "\n    ");
		} else if (!acts(c) || c == '\t') {
			sk_buffer_add(out, at, n);
		} else {
			snprintf(escape, sizeof(escape),
				 c < 0x100 || c == INVALID ? "\\x%02x"
							   : "\\u{%x}",
				 c == INVALID ? *at : c);
			add_string(out, escape);
		}
	}
}

static void add_json(struct sk_buffer *out, const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text;
	const unsigned char *end = at + length;
	char escape[16];
	uint32_t c;
	size_t n;

	sk_buffer_add(out, "\"", 1);
	for (; at < end; at += n) {
		n = read_character(at, (size_t)(end - at), &c);
		if (c == INVALID) {
			add_string(out, "\\ufffd");
		} else if (c == '"' || c == '\\') {
			escape[0] = '\\';
			escape[1] = (char)c;
			sk_buffer_add(out, escape, 2);
		} else if (c == '\n') {
			add_string(out, "\\n");
		} else if (acts(c)) {
			snprintf(escape, sizeof(escape), "\\u%04x", c);
			add_string(out, escape);
		} else {
			sk_buffer_add(out, at, n);
		}
	}
	sk_buffer_add(out, "\"", 1);
}

static void add_time(struct sk_buffer *out, const struct timespec *when)
{
	char day[32], text[48];
	struct tm tm;

	gmtime_r(&when->tv_sec, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%03ldZ", day,
		 when->tv_nsec / 1000000 % 1000);
	add_string(out, text);
}

static const char *level_name(enum sk_level level)
{
	static const char *const names[] = { "debug", "log", "info", "warn",
					     "error" };

	return level <= SK_LEVEL_ERROR ? names[level] : "error";
}

void sk_text_entry(struct sk_buffer *out, enum sk_log_format format,
		   const struct sk_entry *entry, const struct timespec *when)
{
	size_t length = entry->length;
	char text[64];

	while (length && entry->text[length - 1] == '\n')
		length--;
	if (format == SK_LOG_TEXT) {
		add_time(out, when);
		snprintf(text, sizeof(text), " %-5s  ",
			 level_name(entry->level));
		add_string(out, text);
		add_text(out, entry->route, strlen(entry->route), 0);
		add_string(out, "  ");
		add_text(out, entry->text, length, 1);
		add_string(out, "\n");
		return;
	}
	add_string(out, "{\"time\":\"");
	add_time(out, when);
	snprintf(text, sizeof(text),
		 "\",\"level\":\"%s\",\"route\":", level_name(entry->level));
	add_string(out, text);
	add_json(out, entry->route, strlen(entry->route));
	snprintf(text, sizeof(text),
		 ",\"pid\":%d,\"message\":", (int)entry->pid);
	add_string(out, text);
	add_json(out, entry->text, length);
	add_string(out, "}\n");
}
