/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address/resolve.h"
#include "cli/file.h"

#define WORKERS_MAX 64

static const char help[] =
	"usage: selkie APP.js [OPTION]…   serve an app\n"
	"       selkie run PROGRAM…       run a Unix program on Selkie's "
	"kernel\n"
	"       selkie new FOLDER         write an app to start from\n"
	"       selkie doctor             look at what this system offers\n"
	"       selkie compile APP.js     print an app's data as JSON\n"
	"\n"
	"  --port N               listen on port N (0: any free one). Else "
	"PORT in the\n"
	"                         environment, else app.port, else 8080\n"
	"  --interface ADDRESS    listen on this IP address (127.0.0.1 unless "
	"the app\n"
	"                         file says another; 0.0.0.0: on every one)\n"
	"  --workers N            so many nginx workers (half the processors)\n"
	"  --watch                reload when a file of the app changes\n"
	"  --check                build everything, print routes and problems, "
	"and exit\n"
	"  --print-config         print the nginx configuration, and exit\n"
	"  --log-format text|json form of the log lines (text)\n"
	"  --access-log on|off    a line for each request (on)\n"
	"  --require-sandbox      refuse to start when a layer of the sandbox "
	"is missing\n"
	"  --resolve HOST:PORT:ADDRESS   call this host and port at that "
	"address,\n"
	"                         private or not (may be repeated)\n"
	"  --ca-file FILE         trust the certificates in FILE for calls, "
	"not the\n"
	"                         system's\n"
	"  --audit                log allowed calls too, not refused ones "
	"alone\n"
	"  -h, --help             this text\n"
	"  -V, --version          the version\n"
	"\n"
	"signals: INT and TERM finish what runs and stop; HUP reloads the "
	"app.\n"
	"environment: PORT, SELKIE_CACHE, SELKIE_NGINX, SELKIE_ESBUILD, "
	"NO_COLOR.\n";

enum {
	OPT_PORT = 256,
	OPT_INTERFACE,
	OPT_WORKERS,
	OPT_CHECK,
	OPT_PRINT_CONFIG,
	OPT_LOG_FORMAT,
	OPT_ACCESS_LOG,
	OPT_WATCH,
	OPT_REQUIRE_SANDBOX,
	OPT_RESOLVE,
	OPT_CA_FILE,
	OPT_AUDIT
};

static const struct option known[] = {
	{ "port", required_argument, NULL, OPT_PORT },
	{ "interface", required_argument, NULL, OPT_INTERFACE },
	{ "workers", required_argument, NULL, OPT_WORKERS },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "print-config", no_argument, NULL, OPT_PRINT_CONFIG },
	{ "log-format", required_argument, NULL, OPT_LOG_FORMAT },
	{ "access-log", required_argument, NULL, OPT_ACCESS_LOG },
	{ "watch", no_argument, NULL, OPT_WATCH },
	{ "require-sandbox", no_argument, NULL, OPT_REQUIRE_SANDBOX },
	{ "resolve", required_argument, NULL, OPT_RESOLVE },
	{ "ca-file", required_argument, NULL, OPT_CA_FILE },
	{ "audit", no_argument, NULL, OPT_AUDIT },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

void sk_options_help(FILE *stream)
{
	fputs(help, stream);
}

static int parse_number(const char *text, int most)
{
	char *end;
	long number;

	if (*text < '0' || *text > '9')
		return -1;
	number = strtol(text, &end, 10);
	return *end || number > most ? -1 : (int)number;
}

int sk_port_parse(const char *text)
{
	return parse_number(text, 65535);
}

static int is_address(const char *text)
{
	unsigned char binary[16];

	return inet_pton(AF_INET, text, binary) == 1 ||
	       inet_pton(AF_INET6, text, binary) == 1;
}

/* 0 or 1 for the two words; -1 for another. */
static int choose(const char *text, const char *zero, const char *one)
{
	if (!strcmp(text, zero))
		return 0;
	return strcmp(text, one) ? -1 : 1;
}

static int bad_value(const char *option, const char *value, const char *wanted)
{
	sk_complain("--%s %s: %s", option, value, wanted);
	return 2;
}

static int take_resolve(struct sk_options *options, const char *value)
{
	char error[512];

	if (sk_resolve_check(value, error, sizeof(error))) {
		sk_complain("--resolve %s", error);
		return 2;
	}
	sk_list_add(&options->resolve, value);
	return SK_OPTIONS_OK;
}

static int take_ca_file(struct sk_options *options, const char *value)
{
	char *here = getcwd(NULL, 0);
	int fd = open(value, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		free(here);
		return bad_value("ca-file", value, strerror(errno));
	}
	close(fd);
	free(options->ca_file);
	options->ca_file = sk_path_resolve(here ? here : "/", value);
	free(here);
	return SK_OPTIONS_OK;
}

static int take_value(struct sk_options *options, int option, const char *value)
{
	int chosen;

	switch (option) {
	case OPT_PORT:
		options->port = sk_port_parse(value);
		if (options->port < 0)
			return bad_value("port", value,
					 "not a port number (0 to 65535)");
		break;
	case OPT_INTERFACE:
		options->interface = value;
		if (!is_address(value))
			return bad_value("interface", value,
					 "not an IP address");
		break;
	case OPT_WORKERS:
		options->workers = parse_number(value, WORKERS_MAX);
		if (options->workers < 1)
			return bad_value("workers", value,
					 "not a number from 1 to 64");
		break;
	case OPT_RESOLVE:
		return take_resolve(options, value);
	case OPT_CA_FILE:
		return take_ca_file(options, value);
	case OPT_LOG_FORMAT:
		chosen = choose(value, "text", "json");
		if (chosen < 0)
			return bad_value("log-format", value,
					 "it is text or json");
		options->format = chosen ? SK_LOG_JSON : SK_LOG_TEXT;
		break;
	default:
		options->access_log = choose(value, "off", "on");
		if (options->access_log < 0)
			return bad_value("access-log", value,
					 "it is on or off");
	}
	return SK_OPTIONS_OK;
}

static int take(struct sk_options *options, int option, char **argv)
{
	switch (option) {
	case OPT_CHECK:
		options->check = 1;
		break;
	case OPT_PRINT_CONFIG:
		options->print_config = 1;
		break;
	case OPT_WATCH:
		options->watch = 1;
		break;
	case OPT_REQUIRE_SANDBOX:
		options->require_sandbox = 1;
		break;
	case OPT_AUDIT:
		options->audit = 1;
		break;
	case 'h':
		sk_options_help(stdout);
		return 0;
	case 'V':
		puts("selkie " SK_VERSION);
		return 0;
	case ':':
		sk_complain("%s needs a value; see selkie --help",
			    argv[optind - 1]);
		return 2;
	case '?':
		if (optopt && optopt < 256)
			sk_complain("unknown option -%c; see selkie --help",
				    optopt);
		else
			sk_complain("unknown option %s; see selkie --help",
				    argv[optind - 1]);
		return 2;
	default:
		return take_value(options, option, optarg);
	}
	return SK_OPTIONS_OK;
}

int sk_options_parse(struct sk_options *options, int argc, char **argv)
{
	int option;
	int result;

	memset(options, 0, sizeof(*options));
	options->port = -1;
	options->access_log = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":hV", known, NULL)) != -1) {
		result = take(options, option, argv);
		if (result != SK_OPTIONS_OK)
			return result;
	}
	if (optind == argc) {
		if (argc == 1)
			sk_options_help(stderr);
		else
			sk_complain("which app file? See selkie --help");
		return 2;
	}
	if (optind + 1 < argc) {
		sk_complain("one app file at a time: %s is a second one",
			    argv[optind + 1]);
		return 2;
	}
	options->app = argv[optind];
	return SK_OPTIONS_OK;
}

void sk_options_fini(struct sk_options *options)
{
	sk_list_fini(&options->resolve);
	free(options->ca_file);
}
