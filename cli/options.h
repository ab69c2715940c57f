/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line. */
#ifndef SK_CLI_OPTIONS_H
#define SK_CLI_OPTIONS_H

#include <stdio.h>

#include "cli/list.h"
#include "cli/term.h"

struct sk_options {
	const char *app;
	const char *interface; /* NULL: as the app file says */
	int port;	       /* -1: as the environment or the app file says */
	int workers;	       /* 0: by the number of processors */
	int check;
	int print_config;
	int watch;
	int require_sandbox;
	int access_log;
	struct sk_list resolve; /* HOST:PORT:ADDRESS */
	char *ca_file;		/* absolute, or NULL */
	int audit;
	enum sk_log_format format;
};

/* Reads the command line of `selkie APP.js …`; sk_options_fini ends what it
 * filled in, whatever it returns. SK_OPTIONS_OK, or the exit status
 * --help and --version, 2 after a message). */
#define SK_OPTIONS_OK (-1)
int sk_options_parse(struct sk_options *options, int argc, char **argv);
void sk_options_fini(struct sk_options *options);

void sk_options_help(FILE *stream);

/* A port number 0 to 65535 in `text`, or -1. */
int sk_port_parse(const char *text);

#endif
