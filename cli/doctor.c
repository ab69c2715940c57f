/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cache.h"
#include "cli/child.h"
#include "cli/file.h"
#include "cli/rundir.h"
#include "cli/term.h"
#include "sandbox/sandbox.h"

#define PATIENCE   10000 /* ms */
#define FILES_WANT 16384

enum verdict { GOOD, WEAK, BAD };

struct exam {
	const struct sk_places *places;
	int bad;
};

static void report(struct exam *exam, enum verdict verdict, const char *name,
		   const char *text)
{
	static const char *const words[] = { "ok", "weak", "MISSING" };
	static const enum sk_tint tints[] = { SK_TINT_GREEN, SK_TINT_YELLOW,
					      SK_TINT_RED };

	printf("  %s%-8s%s %-22s ", sk_term_tint(stdout, tints[verdict]),
	       words[verdict], sk_term_tint(stdout, SK_TINT_PLAIN), name);
	sk_term_write(stdout, text);
	putchar('\n');
	exam->bad |= verdict == BAD;
}

/* Runs a program; its status, and the first line of what it printed. */
static int ask(const char *const *argv, char **line)
{
	struct sk_command command = { .argv = argv, .input = "", .extra = -1 };
	struct sk_text text = { 0 };
	int status = sk_child_run(&command, PATIENCE, &text, &text);

	*line = sk_text_take(&text);
	(*line)[strcspn(*line, "\n")] = '\0';
	return status;
}

static void examine_version(struct exam *exam, const char *name,
			    const char *path, const char *flag,
			    const char *advice)
{
	const char *argv[] = { path, flag, NULL };
	char *line = NULL;
	char *text;
	int status;

	if (!path) {
		report(exam, BAD, name, advice);
		return;
	}
	status = ask(argv, &line);
	text = sk_format("%s (%s)", line, path);
	report(exam, status ? BAD : GOOD, name, text);
	free(text);
	free(line);
}

/* Has nginx test a configuration that does nothing but load the module. */
static void examine_module(struct exam *exam)
{
	const struct sk_places *places = exam->places;
	struct sk_rundir run = { 0 };
	char *path = NULL;
	char *text = NULL;
	char *line = NULL;
	int status;

	if (!places->module || !places->nginx) {
		report(exam, BAD, "gateway module",
		       places->module ? "cannot be tried without nginx"
				      : "ngx_http_selkie_module.so is not "
					"where it belongs");
		return;
	}
	if (sk_rundir_open(&run, 0)) {
		exam->bad = 1;
		return;
	}
	path = sk_format("%s/nginx.conf", run.path);
	text = sk_format("load_module \"%s\";\npid \"%s/pid\";\nevents { }\n",
			 places->module, run.path);
	status = sk_file_write(path, text, strlen(text), 0600);
	if (!status) {
		const char *argv[] = { places->nginx, "-t", "-q",     "-p",
				       run.path,      "-e", "stderr", "-c",
				       path,	      NULL };

		status = ask(argv, &line);
	}
	report(exam, status ? BAD : GOOD, "gateway module",
	       status ? (line ? line : "cannot be tried") : places->module);
	free(line);
	free(text);
	free(path);
	sk_rundir_close(&run);
}

/* One script asks for the engine, the runtime and ICU at once. */
static void examine_engine(struct exam *exam)
{
	static const char script[] =
		"if (new URL('http://b\\u00fccher.test').hostname !== "
		"'xn--bcher-kva.test') throw new Error('no ICU');\n";
	const char *worker = exam->places->worker;
	const char *argv[] = { worker, "--eval", NULL, NULL };
	struct sk_rundir run = { 0 };
	char *line = NULL;
	char *path;
	int status;

	if (!worker) {
		report(exam, BAD, "JavaScriptCore, ICU",
		       "selkie-worker is not where it belongs");
		return;
	}
	if (sk_rundir_open(&run, 0)) {
		exam->bad = 1;
		return;
	}
	path = sk_format("%s/script.js", run.path);
	status = sk_file_write(path, script, strlen(script), 0600);
	argv[2] = path;
	if (!status)
		status = ask(argv, &line);
	report(exam, status ? BAD : GOOD, "JavaScriptCore, ICU",
	       status ? (line ? line : "cannot be tried") : worker);
	free(line);
	free(path);
	sk_rundir_close(&run);
}

static void examine_sandbox(struct exam *exam)
{
	static const enum verdict verdicts[] = {
		[SK_SANDBOX_ON] = GOOD,
		[SK_SANDBOX_PARTIAL] = WEAK,
		[SK_SANDBOX_MISSING] = WEAK,
	};
	struct sk_sandbox_layer layers[SK_SANDBOX_LAYERS];
	int count = sk_sandbox_probe(layers, SK_SANDBOX_LAYERS);

	puts("\nsandbox");
	for (int i = 0; i < count && i < SK_SANDBOX_LAYERS; i++) {
		char *text = sk_format("%s%s",
				       layers[i].state == SK_SANDBOX_MISSING
					       ? "missing: "
					       : "",
				       layers[i].hint);

		report(exam, verdicts[layers[i].state], layers[i].name, text);
		free(text);
	}
	/* It has the same layers round it, with other rules. */
	report(exam, exam->places->egress ? GOOD : BAD, "egress",
	       exam->places->egress ? "calls out; reads certificates and the "
				      "resolver's files only"
				    : "selkie-egress is missing");
}

static void examine_limits(struct exam *exam)
{
	struct sk_cache cache = { 0 };
	struct rlimit files = { 0 };
	char *text;

	puts("\nsystem");
	if (sk_cache_open(&cache) == 0)
		report(exam, GOOD, "cache folder", cache.folder);
	else
		report(exam, BAD, "cache folder", "see above");
	sk_cache_fini(&cache);
	getrlimit(RLIMIT_NOFILE, &files);
	text = sk_format("%llu; %d or more serve 8192 connections in each "
			 "nginx worker",
			 (unsigned long long)files.rlim_max, FILES_WANT);
	report(exam, files.rlim_max >= FILES_WANT ? GOOD : WEAK, "open files",
	       text);
	free(text);
}

int sk_doctor(const struct sk_places *places)
{
	struct exam exam = { .places = places };

	puts("programs");
	examine_version(&exam, "nginx", places->nginx, "-v",
			"apt-get install nginx");
	examine_module(&exam);
	report(&exam, places->supervisor ? GOOD : BAD, "supervisor",
	       places->supervisor ? places->supervisor
				  : "selkie-supervisor is not where it "
				    "belongs");
	examine_engine(&exam);
	examine_version(&exam, "esbuild", places->esbuild, "--version",
			"apt-get install esbuild");
	examine_sandbox(&exam);
	examine_limits(&exam);
	puts(exam.bad ? "\nSelkie cannot serve here yet."
		      : "\nSelkie can serve here.");
	return exam.bad;
}
