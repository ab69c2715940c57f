/* SPDX-License-Identifier: BSD-2-Clause */
/* selkie-worker: which mode, and the environment that all of them want. */
#include "worker/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: selkie-worker --zygote\n"
	"       selkie-worker --app-file NAME [--map FD] < BUNDLE\n"
	"       selkie-worker --eval FILE\n"
	"Runs JavaScript for Selkie; started by selkie and its supervisor.\n";

/* Marks a process whose environment is the one made below; its length is the
 * room for titles. */
#define MARK "SELKIE_WORKER"

/* What of the caller's environment is kept: the sanitizers' settings. */
static const char *const kept[] = { "ASAN_OPTIONS", "UBSAN_OPTIONS",
				    "LSAN_OPTIONS", "TZ" };

/* Starts this program again with an environment of our own: the engine's
 * library reads its settings when it is loaded, symbols are bound once for all
 * worker processes, and nothing of the caller's is there to be found. */
static int start_again(char **argv)
{
	char *values[sizeof(kept) / sizeof(*kept)];
	char room[512];
	size_t i;

	for (i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		const char *value = getenv(kept[i]);

		values[i] = value ? strdup(value) : NULL;
	}
	clearenv();
	for (i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (values[i] && setenv(kept[i], values[i], 1))
			return 1;
	memset(room, '.', sizeof(room) - 1);
	room[sizeof(room) - 1] = '\0';
	if (sk_engine_prepare() || sk_zone_init() ||
	    setenv("LD_BIND_NOW", "1", 1) || setenv(MARK, room, 1))
		return 1;
	execv("/proc/self/exe", argv);
	perror("selkie-worker: /proc/self/exe");
	return 1;
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
	if (!getenv(MARK))
		return start_again(argv);
	if (sk_title_init(argv))
		return 1;
	if (strcmp(argv[1], "--zygote") == 0)
		return sk_zygote_main();
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
