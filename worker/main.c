/* SPDX-License-Identifier: BSD-2-Clause */
/* selkie-worker: which mode, and the environment that all of them want. */
#include "worker/start.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: selkie-worker --zygote\n"
	"       selkie-worker --app-file NAME [--map FD] < BUNDLE\n"
	"       selkie-worker --eval FILE\n"
	"Runs JavaScript for Selkie; started by selkie and its supervisor.\n";

/* Marks a zygote that was started again; its length is the room for titles. */
#define MARK "SELKIE_ZYGOTE_ROOM"

/* What of the caller's environment is kept: the sanitizers' settings. */
static const char *const kept[] = { "ASAN_OPTIONS", "UBSAN_OPTIONS",
				    "LSAN_OPTIONS", "TZ" };

/* An environment of our own: the engine's settings, the time zone, and nothing
 * of the caller's to be found. 0 or -errno. */
static int make_environment(void)
{
	char *values[sizeof(kept) / sizeof(*kept)];
	size_t i;
	int err;

	for (i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		const char *value = getenv(kept[i]);

		values[i] = value ? strdup(value) : NULL;
	}
	clearenv();
	for (i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		if (values[i] && setenv(kept[i], values[i], 1))
			return -errno;
		free(values[i]);
	}
	err = sk_engine_prepare();
	return err ? err : sk_zone_init();
}

/* The zygote starts this program again, so that symbols are bound once for all
 * worker processes, and that there is room for their titles. */
static int start_again(char **argv)
{
	char room[512];

	memset(room, '.', sizeof(room) - 1);
	room[sizeof(room) - 1] = '\0';
	if (setenv("LD_BIND_NOW", "1", 1) || setenv(MARK, room, 1))
		return 1;
	execv("/proc/self/exe", argv);
	perror("selkie-worker: /proc/self/exe");
	return 1;
}

static int run_zygote(char **argv)
{
	if (!getenv(MARK))
		return make_environment() ? 1 : start_again(argv);
	return sk_title_init(argv) ? 1 : sk_zygote_main();
}

static int run_app_file(int argc, char **argv)
{
	int map_fd = -1;

	if (argc == 5 && strcmp(argv[3], "--map") == 0)
		map_fd = atoi(argv[4]);
	else if (argc != 3)
		return fputs(usage, stderr), 2;
	return sk_app_file_main(argv[2], map_fd);
}

int main(int argc, char **argv)
{
	int status = 2;

	if (argc < 2) {
		fputs(usage, stderr);
		return 2;
	}
	if (strcmp(argv[1], "--help") == 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("selkie-worker " SK_VERSION);
		return 0;
	}
	if (strcmp(argv[1], "--zygote") == 0)
		return run_zygote(argv);
	if (make_environment())
		return 1;
	if (strcmp(argv[1], "--app-file") == 0)
		status = run_app_file(argc, argv);
	else if (strcmp(argv[1], "--eval") == 0 && argc == 3)
		status = sk_eval_main(argv[2]);
	else
		fputs(usage, stderr);
	/* The engine's threads do not like a process that tears down. */
	fflush(NULL);
	_exit(status);
}
