/* SPDX-License-Identifier: BSD-2-Clause */
/* The selkie command. */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/compile.h"
#include "cli/doctor.h"
#include "cli/new.h"
#include "cli/options.h"
#include "cli/places.h"
#include "cli/process.h"
#include "cli/run.h"
#include "cli/serve.h"
#include "cli/term.h"

static int compile(const char *path, const struct sk_places *places)
{
	struct sk_app app;
	int status = 1;

	if (sk_app_compile(&app, path, places) == 0) {
		char *text = json_dumps(app.data, JSON_INDENT(1));

		/* stdout is for the data. */
		sk_app_speak(&app, stderr);
		if (text && puts(text) >= 0 && fflush(stdout) == 0)
			status = 0;
		free(text);
	}
	sk_app_fini(&app);
	return status;
}

/* 1 when argv names a subcommand with `operands` operands. */
static int is_command(int argc, char **argv, const char *name, int operands,
		      int *status)
{
	if (argc < 2 || strcmp(argv[1], name))
		return 0;
	if (argc == 3 &&
	    (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"))) {
		sk_options_help(stdout);
		*status = 0;
		return 0;
	}
	if (argc == 2 + operands && (operands == 0 || argv[2][0] != '-'))
		return 1;
	sk_complain("usage: selkie %s%s; see selkie --help", name,
		    !operands		       ? ""
		    : !strcmp(name, "compile") ? " APP.js"
					       : " FOLDER");
	*status = 2;
	return 0;
}

static int serve(int argc, char **argv, const struct sk_places *places)
{
	struct sk_options options;
	int status = sk_options_parse(&options, argc, argv);

	if (status == SK_OPTIONS_OK) {
		sk_term_format(options.format);
		if (sk_process_take_files())
			status = 1;
		else if (options.print_config)
			status = sk_serve_print_config(&options, places);
		else if (options.check)
			status = sk_serve_check(&options, places);
		else
			status = sk_serve(&options, places);
	}
	sk_options_fini(&options);
	return status;
}

static int run(int argc, char **argv, const struct sk_places *places)
{
	int status = -1;

	if (argc > 1 && !strcmp(argv[1], "run"))
		return sk_run(places, argv + 1);
	if (is_command(argc, argv, "new", 1, &status))
		return sk_new(argv[2]);
	if (is_command(argc, argv, "doctor", 0, &status))
		return sk_doctor(places);
	if (is_command(argc, argv, "compile", 1, &status))
		return compile(argv[2], places);
	if (status >= 0)
		return status;
	return serve(argc, argv, places);
}

/* Descriptors that somebody closed would be given to the next file. */
static void fill_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < 3);
	if (fd >= 3)
		close(fd);
}

int main(int argc, char **argv)
{
	struct sk_places places;
	int status;

	fill_standard_streams();
	umask(022);
	sk_places_init(&places);
	status = run(argc, argv, &places);
	sk_places_fini(&places);
	return status;
}
