/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/new.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/file.h"
#include "cli/places.h"
#include "cli/term.h"

static const char app_js[] =
	"// The app file: what is served, and what each part of it may do.\n"
	"// It runs once, at the start. Serve it with: selkie app.js --watch\n"
	"\n"
	"app.port = 8080;\n"
	"\n"
	"// A route: a method, a path pattern, and the worker file that "
	"answers.\n"
	"// Each route runs in a sandboxed process of its own.\n"
	"app.get('/hello/:name', './hello.js');\n"
	"\n"
	"// A worker may do nothing but compute, unless its policy says more:\n"
	"// app.get('/weather', './weather.js', (policy) => {\n"
	"//\tpolicy.outboundHttp.allowGet('https://api.example.com/v1/**');\n"
	"// });\n"
	"\n"
	"// A folder of files, sent by nginx itself. Routes come first.\n"
	"app.static('/', './public');\n";

static const char hello_js[] =
	"// A worker: one function from a request to a result. A string is "
	"sent\n"
	"// as text, an object as JSON; a Response gives you all of HTTP.\n"
	"\n"
	"export default async (request, context) => {\n"
	"\treturn `Hello, ${context.params.name}!\\n`;\n"
	"};\n";

static const char index_html[] =
	"<!doctype html>\n"
	"<html lang=\"en\">\n"
	"<meta charset=\"utf-8\">\n"
	"<title>A Selkie app</title>\n"
	"<h1>It works</h1>\n"
	"<p>This page is <code>public/index.html</code>.\n"
	"<p><a href=\"/hello/world\">/hello/world</a> is answered by "
	"<code>hello.js</code>.\n"
	"</html>\n";

static const char readme[] =
	"# A Selkie app\n"
	"\n"
	"    selkie app.js --watch    serve it, and reload when a file "
	"changes\n"
	"    selkie app.js --check    look for mistakes\n"
	"\n"
	"* `app.js`: routes, folders, and what each route may do\n"
	"* `hello.js`: the worker of one route\n"
	"* `public/`: files that are sent as they are\n";

static const struct {
	const char *name;
	const char *text;
} files[] = {
	{ "app.js", app_js },
	{ "hello.js", hello_js },
	{ "public/index.html", index_html },
	{ "README.md", readme },
};

static int is_empty(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int empty = 1;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			empty = 0;
	if (dir)
		closedir(dir);
	return empty;
}

static int write_file(const char *folder, const char *name, const char *text)
{
	char *path = sk_format("%s/%s", folder, name);
	int result = sk_file_write(path, text, strlen(text), 0644);

	if (result)
		sk_complain("cannot write %s: %s", path, strerror(-result));
	else
		printf("  %s\n", path);
	free(path);
	return result;
}

/* A word of a shell's command. */
static void print_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";

	if (word[strspn(word, plain)] == '\0') {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*word);
	putchar('\'');
}

static void print_next(const char *folder)
{
	char *command = sk_place_command();

	fputs("\nnext: cd ", stdout);
	print_word(folder);
	fputs(" && ", stdout);
	print_word(command);
	puts(" app.js --watch");
	free(command);
}

int sk_new(const char *folder)
{
	char *public = sk_format("%s/public", folder);
	int result = 0;

	if (sk_path_exists(folder) && !sk_path_is_folder(folder)) {
		sk_complain("%s is there and is not a folder", folder);
		result = -ENOTDIR;
	} else if (!is_empty(folder)) {
		sk_complain("%s is not empty: an app begins in a new folder",
			    folder);
		result = -ENOTEMPTY;
	} else {
		result = sk_folder_make(public, 0755);
		if (result)
			sk_complain("cannot make %s: %s", public,
				    strerror(-result));
	}
	for (size_t i = 0; !result && i < sizeof(files) / sizeof(*files); i++)
		result = write_file(folder, files[i].name, files[i].text);
	if (!result)
		print_next(folder);
	free(public);
	return result ? 1 : 0;
}
