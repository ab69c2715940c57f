/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * esbuild writes, for each message:
 *
 *   ✘ [ERROR] Unexpected ";"
 *
 *       bad.js:1:8:
 *         1 │ let y = ;
 *           ╵         ^
 *
 * with notes and further frames below, and columns counted from 0.
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
		else if (*line)
			sk_text_printf(&out, "%s\n", line);
		free(line);
	}
	if (!out.length && status == -ETIMEDOUT)
		sk_text_printf(&out, "%s: esbuild took too long",
			       sk_path_show(module));
	else if (!out.length)
		sk_text_printf(&out, "%s: esbuild ended with status %d",
			       sk_path_show(module), status);
	while (out.length && out.data[out.length - 1] == '\n')
		out.data[--out.length] = '\0';
	return sk_text_take(&out);
}
