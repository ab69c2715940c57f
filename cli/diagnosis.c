/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * esbuild writes, for each message,
 *
 *   ✘ [ERROR] Unexpected ";"
 *
 *       bad.js:1:8:
 *         1 │ let y = ;
 *           ╵         ^
 *
 * with notes and further frames below, and columns counted from 0. The
 * evaluator writes
 *
 *   TypeError: app.prt does not exist
 *       at app.js (/abs/app.js:1:1)
 *       at /abs/selkie:entry:1:25
 *
 *   > 1 | app.prt = 1
 *       | ^
 */
#include "cli/diagnosis.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file.h"

static const char mark[] = "[ERROR] ";

/* The next line without its newline; NULL at the end. Moves `*at`. */
static char *next_line(const char **at)
{
	size_t length = strcspn(*at, "\n");
	char *line;

	if (!**at)
		return NULL;
	line = sk_copy_range(*at, length);
	*at += length + ((*at)[length] == '\n');
	return line;
}

/* Takes "    FILE:LINE:COLUMN:" apart. 1 when it is one. */
static int parse_place(const char *line, const char *folder, char **file,
		       int *row, int *column)
{
	const char *start = line + strspn(line, " ");
	size_t length = strlen(start);
	const char *colon = start + length;
	int numbers[2];

	if (start == line || !length || start[length - 1] != ':')
		return 0;
	for (int i = 0; i < 2; i++) {
		colon--;
		while (colon > start && colon[-1] != ':')
			colon--;
		if (colon == start || sscanf(colon, "%d:", &numbers[i]) != 1)
			return 0;
	}
	*column = numbers[0] + 1;
	*row = numbers[1];
	*file = sk_copy_range(start, (size_t)(colon - 1 - start));
	if (strcmp(*file, SK_ENTRY_NAME)) {
		char *path = sk_path_resolve(folder, *file);

		free(*file);
		*file = path;
	}
	return 1;
}

/* One message: its title has been read. */
static void convert(struct sk_text *out, const char *title, const char **at,
		    const char *folder, const char *module,
		    struct sk_list *files)
{
	const char *look = *at;
	char *file = NULL;
	int row = 0;
	int column = 0;
	char *line;

	while ((line = next_line(&look)) && !*line)
		free(line);
	if (line && parse_place(line, folder, &file, &row, &column) &&
	    strcmp(file, SK_ENTRY_NAME)) {
		sk_text_printf(out, "%s:%d:%d: %s\n", sk_path_show(file), row,
			       column, title);
		sk_list_add(files, file);
		*at = look;
	} else {
		sk_text_printf(out, "%s: %s\n", sk_path_show(module), title);
	}
	free(file);
	free(line);
}

static void trim(struct sk_text *text)
{
	while (text->length && text->data[text->length - 1] == '\n')
		text->data[--text->length] = '\0';
}

/* How to use esbuild's own command line is no help to our users. */
static int is_advice(const char *line)
{
	return strstr(line, "\"--") || strstr(line, "mark the path");
}

char *sk_diagnosis_esbuild(const char *text, int status, const char *folder,
			   const char *module, struct sk_list *files)
{
	struct sk_text out = { 0 };
	const char *at = text;
	char *line;

	while ((line = next_line(&at))) {
		char *title = strstr(line, mark);

		if (title)
			convert(&out, title + strlen(mark), &at, folder, module,
				files);
		else if (*line && !is_advice(line))
			sk_text_printf(&out, "%s\n", line);
		free(line);
	}
	if (!out.length && status == -ETIMEDOUT)
		sk_text_printf(&out, "%s: esbuild took too long",
			       sk_path_show(module));
	else if (!out.length)
		sk_text_printf(&out, "%s: esbuild ended with status %d",
			       sk_path_show(module), status);
	trim(&out);
	return sk_text_take(&out);
}

static const char at_mark[] = "\n    at ";

/* The line of `text` that begins the error whose stack begins at `end`: the
 * last that looks like "NameError: …", or the last of all. */
static const char *find_message(const char *text, const char *end)
{
	const char *found = NULL;
	const char *last = text;

	for (const char *line = text; line && line < end;) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		const char *colon = strstr(line, "Error: ");
		const char *stop = next ? next : end;

		last = line;
		if (colon && colon < stop)
			found = line;
		line = next ? next + 1 : NULL;
	}
	return found ? found : last;
}

/* The place in a line of a stack: "    at name (FILE:1:2)" or "    at
 * FILE:1:2". Heap. */
static char *find_place(const char *line)
{
	size_t length = strcspn(line, "\n");
	const char *slash = memchr(line, '/', length);

	if (!slash)
		return NULL;
	length -= (size_t)(slash - line);
	if (slash[length - 1] == ')')
		length--;
	return sk_copy_range(slash, length);
}

static char *with_stack(const char *text, const char *stack)
{
	const char *message = find_message(text, stack);
	char *place = find_place(stack + strlen(at_mark));
	const char *frame = stack;
	struct sk_text out = { 0 };

	while (sk_starts_with(frame, at_mark))
		frame += 1 + strcspn(frame + 1, "\n");
	sk_text_add(&out, text, (size_t)(message - text));
	if (place)
		sk_text_printf(&out, "%s: ", sk_path_show(place));
	sk_text_add(&out, message, (size_t)(stack - message));
	frame += strspn(frame, "\n");
	if (*frame)
		sk_text_printf(&out, "\n%s", frame);
	trim(&out);
	free(place);
	return sk_text_take(&out);
}

/* A last line without a stack: names the file first. */
static char *without_stack(const char *text, const char *module)
{
	struct sk_text out = { 0 };
	const char *line;
	const char *named;
	char *all;

	sk_text_puts(&out, text);
	trim(&out);
	text = sk_text_string(&out);
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	named = strstr(line, module);
	if (named)
		all = sk_format("%.*s%s", (int)(line - text), text,
				sk_path_show(named));
	else
		all = sk_format("%.*s%s: %s", (int)(line - text), text,
				sk_path_show(module), line);
	sk_text_fini(&out);
	return all;
}

char *sk_diagnosis_script(const char *text, const char *module)
{
	const char *stack = strstr(text, at_mark);

	return stack ? with_stack(text, stack) : without_stack(text, module);
}
