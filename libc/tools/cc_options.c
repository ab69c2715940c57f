/* SPDX-License-Identifier: BSD-2-Clause */
/* What selkie-cc makes of its arguments. */
#include "cc.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *file_read(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t size = 0, room = 4096;
	char *text = malloc(room);

	if (!f)
		sk_die("%s: %s", path, strerror(errno));
	while (text) {
		size += fread(text + size, 1, room - 1 - size, f);
		if (size < room - 1)
			break;
		text = realloc(text, room *= 2);
	}
	if (!text)
		sk_die("out of memory");
	text[size] = 0;
	fclose(f);
	return text;
}

/* One word of a response file, in place; quotes and backslashes as in sh. */
static char *word_next(char **text)
{
	char *in = *text, *out, *word, quote = 0;

	while (isspace((unsigned char)*in))
		in++;
	if (!*in)
		return NULL;
	for (word = out = in; *in; in++) {
		if (!quote && isspace((unsigned char)*in)) {
			in++;
			break;
		}
		if (*in == '\\' && quote != '\'' && in[1])
			*out++ = *++in;
		else if (*in == quote)
			quote = 0;
		else if (!quote && (*in == '"' || *in == '\''))
			quote = *in;
		else
			*out++ = *in;
	}
	*text = in;
	*out = 0;
	return word;
}

static void expand(struct sk_args *out, int n, char **args, int depth)
{
	for (int i = 0; i < n; i++) {
		char *text, *word;

		if (args[i][0] != '@' || !args[i][1]) {
			sk_args_add(out, args[i]);
			continue;
		}
		if (depth == 8)
			sk_die("%s: response files go too deep", args[i]);
		text = file_read(args[i] + 1);
		while ((word = word_next(&text)))
			expand(out, 1, &word, depth + 1);
	}
}

void sk_options_expand(struct sk_args *out, int n, char **args)
{
	expand(out, n, args, 0);
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Whether one of a list is equal, or, ending in '*', how it begins. */
static bool is_one_of(const char *arg, const char *const *list)
{
	for (; *list; list++) {
		size_t n = strlen(*list);

		if ((*list)[n - 1] == '*' ? !strncmp(arg, *list, n - 1)
					  : !strcmp(arg, *list))
			return true;
	}
	return false;
}

/* For other machines or for shared objects: without meaning here. */
static const char *const dropped[] = { "-fPIC",
				       "-fpic",
				       "-fPIE",
				       "-fpie",
				       "-pie",
				       "-no-pie",
				       "-fno-pie",
				       "-fno-PIE",
				       "-static",
				       "-static-pie",
				       "-static-libgcc",
				       "-static-libstdc++",
				       "-rdynamic",
				       "-pthread",
				       "-pthreads",
				       "-march=*",
				       "-mtune=*",
				       "-mcpu=*",
				       "-m32",
				       "-m64",
				       "-flto*",
				       "-fno-lto",
				       "-fuse-ld=*",
				       "-fstack-protector*",
				       "-fstack-clash-protection",
				       "-fcf-protection*",
				       "-pipe",
				       "--no-wasm-opt",
				       NULL };

/* ELF's, of the linker. */
static const char *const dropped_by_linker[] = { "--as-needed",
						 "--no-as-needed",
						 "--hash-style*",
						 "--build-id*",
						 "--enable-new-dtags",
						 "--disable-new-dtags",
						 "--start-group",
						 "--end-group",
						 "-(",
						 "-)",
						 "--sort-common",
						 "--sort-section*",
						 "--warn-common",
						 "--eh-frame-hdr",
						 "-export-dynamic",
						 "--export-dynamic",
						 "-E",
						 "-Bstatic",
						 "-Bdynamic",
						 "-Bsymbolic*",
						 "-rpath=*",
						 "--rpath=*",
						 "-rpath-link=*",
						 "-O*",
						 "--no-undefined",
						 "--no-copy-dt-needed-entries",
						 "-d",
						 "-dn",
						 "-dy",
						 "-N",
						 "-n",
						 "-X",
						 "-x",
						 "--discard-all",
						 "--discard-locals",
						 "--warn-*",
						 "--no-warn-*",
						 "-Map=*",
						 "--cref",
						 "-static",
						 "-pie",
						 NULL };
static const char *const dropped_with_next[] = { "-rpath",
						 "--rpath",
						 "-rpath-link",
						 "--rpath-link",
						 "-soname",
						 "-h",
						 "-Map",
						 "-dynamic-linker",
						 "--dynamic-linker",
						 "--version-script",
						 NULL };

/* Options of clang whose next argument is theirs. */
static const char *const with_next[] = {
	"-I",	       "-L",	  "-D",		"-U",
	"-l",	       "-x",	  "-include",	"-imacros",
	"-isystem",    "-iquote", "-idirafter", "-MF",
	"-MT",	       "-MQ",	  "-Xclang",	"-Xpreprocessor",
	"-Xassembler", "-mllvm",  "-u",		"-T",
	"-e",	       "-z",	  "-isysroot",	"-iprefix",
	"-arch",       NULL
};

/* These end the work before a program is linked. */
static const char *const stops[] = { "-c",	  "-S",
				     "-E",	  "-M",
				     "-MM",	  "-fsyntax-only",
				     "--analyze", "-print-*",
				     "--print-*", "-dumpversion",
				     "-###",	  NULL };

/* Hands on what wasm-ld knows of a list after -Wl or -Xlinker. */
static void linker_read(struct sk_options *o, char *list)
{
	static bool skip, z;
	char *arg, *state;

	for (arg = strtok_r(list, ",", &state); arg;
	     arg = strtok_r(NULL, ",", &state)) {
		if (skip) {
			skip = false;
		} else if (z) {
			z = false;
			if (starts(arg, "stack-size="))
				sk_args_add(&o->kept,
					    sk_format("-Wl,-z,%s", arg));
		} else if (!strcmp(arg, "-z")) {
			z = true;
		} else if (!strcmp(arg, "-shared")) {
			sk_die("there are no shared objects: programs are "
			       "linked whole");
		} else if (!strcmp(arg, "-s") || !strcmp(arg, "--strip-all")) {
			o->strip = true;
		} else if (is_one_of(arg, dropped_with_next)) {
			skip = true;
		} else if (!is_one_of(arg, dropped_by_linker) &&
			   strncmp(arg, "-z", 2)) {
			sk_args_add(&o->kept, sk_format("-Wl,%s", arg));
		}
	}
}

/* Options that say what selkie-cc itself does; whether `arg` was one. */
static bool own_read(struct sk_options *o, const char *arg)
{
	if (!strcmp(arg, "--help"))
		o->help = true;
	else if (!strcmp(arg, "--version"))
		o->version = true;
	else if (!strcmp(arg, "-dumpmachine"))
		o->machine = true;
	else if (!strcmp(arg, "-shared") || !strcmp(arg, "-dynamiclib"))
		sk_die("there are no shared objects: programs are linked "
		       "whole, so build static libraries (-c, selkie-ar)");
	else if (!strcmp(arg, "-nostdlib"))
		o->no_start = o->no_libraries = true;
	else if (!strcmp(arg, "-nostartfiles"))
		o->no_start = true;
	else if (!strcmp(arg, "-nodefaultlibs") || !strcmp(arg, "-nolibc"))
		o->no_libraries = true;
	else if (!strcmp(arg, "-s"))
		o->strip = true;
	else
		return false;
	return true;
}

static void note(struct sk_options *o, const char *arg)
{
	if (arg[0] == '-' && arg[1] == 'g' && strcmp(arg, "-g0"))
		o->debug = true;
	if (!strcmp(arg, "-g0"))
		o->debug = false;
	if (!strcmp(arg, "-r"))
		o->relocatable = true;
	if (is_one_of(arg, stops))
		o->links = false;
}

void sk_options_read(struct sk_options *o, const struct sk_args *given)
{
	bool inputs = false;

	o->links = true;
	for (size_t i = 0; i < given->n; i++) {
		const char *arg = given->v[i];
		const char *next = given->v[i + 1];

		if (!strcmp(arg, "-o") && next) {
			o->output = next;
			sk_args_add(&o->kept, arg);
			sk_args_add(&o->kept, next);
			i++;
		} else if (starts(arg, "-o") && arg[2] &&
			   !starts(arg, "-objc")) {
			o->output = arg + 2;
			sk_args_add(&o->kept, arg);
		} else if (starts(arg, "-Wl,")) {
			linker_read(o, sk_format("%s", arg + 4));
		} else if (!strcmp(arg, "-Xlinker") && next) {
			linker_read(o, sk_format("%s", next));
			i++;
		} else if (!strcmp(arg, "-z") && next) {
			linker_read(o, sk_format("-z,%s", next));
			i++;
		} else if (is_one_of(arg, with_next) && next) {
			sk_args_add(&o->kept, arg);
			sk_args_add(&o->kept, next);
			i++;
		} else if (is_one_of(arg, dropped)) {
			if (starts(arg, "-pthread"))
				sk_args_add(&o->kept, "-D_REENTRANT");
		} else if (!own_read(o, arg)) {
			note(o, arg);
			inputs |= arg[0] != '-' || !arg[1];
			sk_args_add(&o->kept, arg);
		}
	}
	if (!inputs)
		o->links = false;
}
