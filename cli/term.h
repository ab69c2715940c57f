/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the command says: plain lines, lines in colour on a terminal, or one
 * JSON object a line. Control characters of others' text never reach a
 * terminal.
 */
#ifndef SK_CLI_TERM_H
#define SK_CLI_TERM_H

#include <stdio.h>

enum sk_log_format { SK_LOG_TEXT, SK_LOG_JSON };

enum sk_tint {
	SK_TINT_PLAIN,
	SK_TINT_BOLD,
	SK_TINT_DIM,
	SK_TINT_RED,
	SK_TINT_GREEN,
	SK_TINT_YELLOW,
	SK_TINT_CYAN
};

/* Chooses the form of all later lines. */
void sk_term_format(enum sk_log_format format);

/* 1 when `stream` is a terminal for people (and the format is text). */
int sk_term_is_terminal(FILE *stream);

/* The escape that begins (or, for SK_TINT_PLAIN, ends) a tint on this stream;
 * "" where colours are not wanted (no terminal, NO_COLOR, TERM=dumb). */
const char *sk_term_tint(FILE *stream, enum sk_tint tint);

/* Writes text with its control characters (but newline and tab) made
 * visible. */
void sk_term_write(FILE *stream, const char *text);

/* One message of the command's own: "selkie: …" to stdout, or as a warning or
 * an error to stderr. */
void sk_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void sk_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void sk_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A message about the app, to stderr; it begins with a file and a line. A
 * remark is one that need not be heeded. */
void sk_problem(const char *text);
void sk_remark(const char *text);

#endif
