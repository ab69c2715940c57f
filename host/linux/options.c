/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/linux/host.h"

static const char help[] =
	"usage: selkie run [OPTION]... PROGRAM [ARGUMENT]...\n"
	"\n"
	"Runs a Unix program that selkie-cc compiled, on Selkie's own kernel. "
	"The program\n"
	"sees no file and no address of this system but what is mounted. "
	"PROGRAM is a\n"
	"WebAssembly file of this system (a path with a slash), or a program "
	"inside: a\n"
	"path, or a name that is looked for along PATH.\n"
	"\n"
	"  --mount SPEC    mount one of these (may be repeated)\n"
	"                    hostfs:FOLDER:TARGET[:ro]   a folder of this "
	"system\n"
	"                    zip:FILE:TARGET             an archive of this "
	"system\n"
	"                    tar:FILE:TARGET\n"
	"                    memfs:TARGET                an empty file system\n"
	"                    overlay:LOWER:UPPER:TARGET  two folders inside, "
	"changes go to\n"
	"                                                UPPER (empty: to "
	"memory)\n"
	"                  TARGET / takes the place of the root.\n"
	"  --env NAME=VALUE  set a variable (may be repeated); NAME alone "
	"takes it over.\n"
	"                  Otherwise PATH, HOME, TERM and LANG are set.\n"
	"  --cwd FOLDER    start in this folder (/)\n"
	"  --tty, --no-tty  with a terminal of its own, or with plain streams; "
	"else as\n"
	"                  standard input and output are\n"
	"  -h, --help      this text\n"
	"  -V, --version   the version\n"
	"\n"
	"Inside: an empty root in memory, /tmp, /dev, /proc, and in /bin "
	"Selkie's programs.\n"
	"The exit status is the program's, 128 + N when signal N ended it, "
	"126 for a file\n"
	"that is no program, 127 when there is none.\n"
	"A program is translated at its first run and kept in $SELKIE_CACHE or "
	"~/.cache/selkie.\n"
	"environment: SELKIE_CACHE, SELKIE_CC, SELKIE_WASM2C.\n";

enum { OPT_MOUNT = 256, OPT_ENV, OPT_CWD, OPT_TTY, OPT_NO_TTY };

static const struct option known[] = {
	{ "mount", required_argument, NULL, OPT_MOUNT },
	{ "env", required_argument, NULL, OPT_ENV },
	{ "cwd", required_argument, NULL, OPT_CWD },
	{ "tty", no_argument, NULL, OPT_TTY },
	{ "no-tty", no_argument, NULL, OPT_NO_TTY },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static int bad(const char *option, const char *value, const char *why)
{
	sk_host_say("--%s %s: %s", option, value, why);
	return 2;
}

static int mount_kind(const char *name, enum sk_mount_kind *kind)
{
	static const char *const names[] = { "hostfs", "memfs", "zip", "tar",
					     "overlay" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i])) {
			*kind = (enum sk_mount_kind)i;
			return 0;
		}
	return -1;
}

/* The next part of a spec, up to a colon; NULL when there is none. */
static char *part(char **rest)
{
	return strsep(rest, ":");
}

static int open_source(struct sk_mount_spec *m)
{
	int flags = m->kind == SK_MOUNT_HOSTFS ? O_DIRECTORY : 0;

	m->fd = open(m->source, O_RDONLY | O_CLOEXEC | flags);
	return m->fd < 0 ? -errno : 0;
}

static int take_mount(struct sk_run_options *o, const char *spec)
{
	struct sk_mount_spec *m = &o->mounts[o->mount_count];
	char *rest = strdup(spec), *word, *lower, *upper;

	if (!rest || o->mount_count == SK_MOUNTS_MAX)
		return bad("mount", spec, "too many mounts");
	m->fd = -1;
	word = part(&rest);
	if (mount_kind(word, &m->kind))
		return bad("mount", spec,
			   "it begins with hostfs, memfs, zip, tar or overlay");
	if (m->kind == SK_MOUNT_OVERLAY) {
		lower = part(&rest);
		upper = part(&rest);
		if (upper && asprintf(&m->source, "%s:%s", lower, upper) < 0)
			return bad("mount", spec, strerror(ENOMEM));
	} else if (m->kind != SK_MOUNT_MEMFS) {
		m->source = part(&rest);
	}
	m->target = part(&rest);
	word = part(&rest);
	if (word && !strcmp(word, "ro"))
		m->read_only = 1;
	else if (word)
		return bad("mount", spec, "behind TARGET comes :ro or nothing");
	if (!m->target || *m->target != '/' ||
	    (m->kind != SK_MOUNT_MEMFS && !m->source))
		return bad("mount", spec, "see selkie run --help");
	if (m->kind != SK_MOUNT_MEMFS && m->kind != SK_MOUNT_OVERLAY &&
	    open_source(m))
		return bad("mount", spec, strerror(errno));
	o->mount_count++;
	return -1;
}

static int take_env(struct sk_run_options *o, const char *value)
{
	const char *have;
	char *text = NULL;

	if (o->env_count == SK_ENV_MAX - 8)
		return bad("env", value, "too many variables");
	if (strchr(value, '=')) {
		text = strdup(value);
	} else {
		have = getenv(value);
		if (!have)
			return -1;
		if (asprintf(&text, "%s=%s", value, have) < 0)
			text = NULL;
	}
	if (!text)
		return bad("env", value, strerror(ENOMEM));
	o->env[o->env_count++] = text;
	return -1;
}

static int take(struct sk_run_options *o, int option)
{
	switch (option) {
	case OPT_MOUNT:
		return take_mount(o, optarg);
	case OPT_ENV:
		return take_env(o, optarg);
	case OPT_CWD:
		o->folder = optarg;
		return -1;
	case OPT_TTY:
		o->terminal = 1;
		return -1;
	case OPT_NO_TTY:
		o->terminal = 0;
		return -1;
	case 'h':
		fputs(help, stdout);
		return 0;
	case 'V':
		puts("selkie " SK_VERSION);
		return 0;
	default:
		fputs("selkie run: see selkie run --help\n", stderr);
		return 2;
	}
}

/* What programs expect to be set. */
static int fill_env(struct sk_run_options *o)
{
	static const char *const usual[] = {
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/root",
		"LANG=C.UTF-8", "TERM"
	};
	size_t i, length;
	int status = -1, j;

	for (i = 0; i < 4 && status < 0; i++) {
		length = strcspn(usual[i], "=");
		for (j = 0; j < o->env_count; j++)
			if (!strncmp(o->env[j], usual[i], length) &&
			    o->env[j][length] == '=')
				break;
		if (j == o->env_count)
			status = take_env(o, usual[i]);
	}
	return status;
}

/* A WebAssembly file of the host; others are looked for inside. */
static void open_program(struct sk_run_options *o)
{
	char head[4];
	int fd;

	if (!strchr(o->argv[0], '/'))
		return;
	fd = open(o->argv[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	if (pread(fd, head, 4, 0) == 4 && !memcmp(head, "\0asm", 4))
		o->program_fd = fd;
	else
		close(fd);
}

int sk_run_options_parse(struct sk_run_options *o, int argc, char **argv)
{
	int option, status;

	memset(o, 0, sizeof(*o));
	o->terminal = o->program_fd = -1;
	while ((option = getopt_long(argc, argv, "+hV", known, NULL)) != -1) {
		status = take(o, option);
		if (status >= 0)
			return status;
	}
	if (optind == argc) {
		fputs("selkie run: which program? See selkie run --help\n",
		      stderr);
		return 2;
	}
	o->argv = argv + optind;
	open_program(o);
	if (o->terminal < 0)
		o->terminal = isatty(0) && isatty(1);
	return fill_env(o);
}
