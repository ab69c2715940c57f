/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A log entry with any bytes in it: as text no byte of it drives a terminal or
 * begins an entry, as JSON it is one line that a parser reads back.
 */
// link: supervisor/text.c
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/text.h"

static void check_text(const struct sk_buffer *out)
{
	json_t *string;
	size_t i;

	for (i = 0; i < out->length; i++) {
		unsigned char c = (unsigned char)out->data[i];

		if (c == '\n' && i + 1 < out->length &&
		    strncmp(out->data + i, "\n    ", 5))
			abort();
		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			abort();
	}
	/* What is left is UTF-8. */
	string = json_stringn(out->data, out->length);
	if (!string)
		abort();
	json_decref(string);
}

static void check_json(const struct sk_buffer *out)
{
	json_t *entry;

	if (memchr(out->data, '\n', out->length - 1))
		abort();
	entry = json_loadb(out->data, out->length, JSON_ALLOW_NUL, NULL);
	if (!entry || !json_is_string(json_object_get(entry, "message")))
		abort();
	json_decref(entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sk_entry entry = { SK_LEVEL_ERROR, "GET /", 1,
				  (const char *)data, size };
	struct timespec when = { 0, 0 };
	struct sk_buffer text = { 0 }, json = { 0 };

	sk_text_entry(&text, SK_LOG_TEXT, &entry, &when);
	sk_text_entry(&json, SK_LOG_JSON, &entry, &when);
	check_text(&text);
	check_json(&json);
	sk_buffer_fini(&text);
	sk_buffer_fini(&json);
	return 0;
}
