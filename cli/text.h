/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Growing text and heap helpers for the command. A command that has no memory
 * left can do nothing useful: these calls end it with one line.
 */
#ifndef SK_CLI_TEXT_H
#define SK_CLI_TEXT_H

#include <stddef.h>

struct sk_text {
	char *data; /* NUL-terminated, or NULL while empty */
	size_t length;
	size_t room;
};

void sk_text_add(struct sk_text *text, const void *data, size_t length);
void sk_text_puts(struct sk_text *text, const char *string);
void sk_text_printf(struct sk_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The contents, never NULL; they stay the text's. */
const char *sk_text_string(const struct sk_text *text);

/* The contents as a heap string that is the caller's; empties `text`. */
char *sk_text_take(struct sk_text *text);
void sk_text_fini(struct sk_text *text);

/* Zeroed memory, a copy, a formatted copy. Never NULL. */
void *sk_alloc(size_t count, size_t size);
void *sk_resize(void *memory, size_t count, size_t size);
char *sk_copy(const char *string);
char *sk_copy_range(const char *start, size_t length);
char *sk_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* 1 when JSON can hold the string as it is. */
int sk_text_is_utf8(const char *string);

int sk_starts_with(const char *string, const char *start);
int sk_ends_with(const char *string, const char *end);

#endif
