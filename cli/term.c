/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/term.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/text.h"

static enum sk_log_format chosen;

void sk_term_format(enum sk_log_format format)
{
	chosen = format;
}

int sk_term_is_terminal(FILE *stream)
{
	return chosen == SK_LOG_TEXT && isatty(fileno(stream));
}

const char *sk_term_tint(FILE *stream, enum sk_tint tint)
{
	static const char *const escapes[] = {
		[SK_TINT_PLAIN] = "\033[0m",  [SK_TINT_BOLD] = "\033[1m",
		[SK_TINT_DIM] = "\033[2m",    [SK_TINT_RED] = "\033[31m",
		[SK_TINT_GREEN] = "\033[32m", [SK_TINT_YELLOW] = "\033[33m",
		[SK_TINT_CYAN] = "\033[36m",
	};
	const char *unwanted = getenv("NO_COLOR");
	const char *kind = getenv("TERM");

	if (!sk_term_is_terminal(stream) || (unwanted && *unwanted) ||
	    (kind && !strcmp(kind, "dumb")))
		return "";
	return escapes[tint];
}

void sk_term_write(FILE *stream, const char *text)
{
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if ((byte < 32 && byte != '\n' && byte != '\t') || byte == 127)
			fprintf(stream, "\\x%02x", byte);
		else
			putc(byte, stream);
	}
}

static void write_json(FILE *stream, const char *level, const char *message)
{
	struct timespec now;
	struct tm parts;
	char time[64];
	json_t *valid = json_string(message);
	int utf8 = valid != NULL;
	char *safe = sk_copy(message);
	json_t *line;
	char *text;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &parts);
	strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(time + strlen(time), sizeof(time) - strlen(time), ".%03ldZ",
		 now.tv_nsec / 1000000);
	for (char *at = safe; !utf8 && *at; at++)
		if ((unsigned char)*at > 126)
			*at = '?';
	line = json_pack("{ss ss ss}", "time", time, "level", level, "message",
			 safe);
	text = line ? json_dumps(line, JSON_COMPACT) : NULL;
	if (text)
		fprintf(stream, "%s\n", text);
	free(text);
	free(safe);
	json_decref(line);
	json_decref(valid);
}

static void say(FILE *stream, enum sk_tint tint, const char *level,
		const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		return;
	if (chosen == SK_LOG_JSON) {
		write_json(stream, level, text);
	} else {
		fprintf(stream, "%sselkie:%s ", sk_term_tint(stream, tint),
			sk_term_tint(stream, SK_TINT_PLAIN));
		sk_term_write(stream, text);
		putc('\n', stream);
	}
	fflush(stream);
	free(text);
}

void sk_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(stdout, SK_TINT_DIM, "info", format, args);
	va_end(args);
}

void sk_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(stderr, SK_TINT_YELLOW, "warn", format, args);
	va_end(args);
}

void sk_complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(stderr, SK_TINT_RED, "error", format, args);
	va_end(args);
}

static void tell(enum sk_tint tint, const char *level, const char *text)
{
	size_t length = strcspn(text, "\n");

	if (chosen == SK_LOG_JSON) {
		write_json(stderr, level, text);
	} else {
		char *first = sk_copy_range(text, length);

		fputs(sk_term_tint(stderr, tint), stderr);
		sk_term_write(stderr, first);
		fputs(sk_term_tint(stderr, SK_TINT_PLAIN), stderr);
		sk_term_write(stderr, text + length);
		putc('\n', stderr);
		free(first);
	}
	fflush(stderr);
}

void sk_problem(const char *text)
{
	tell(SK_TINT_RED, "error", text);
}

void sk_remark(const char *text)
{
	tell(SK_TINT_YELLOW, "warn", text);
}
