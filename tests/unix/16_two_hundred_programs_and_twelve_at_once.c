/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <spawn.h>

extern char **environ;

static pid_t start(void)
{
	char *args[] = { "self", "child", NULL };
	pid_t pid;

	CHECK(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ) ==
	      0);
	return pid;
}

int main(int argc, char **argv)
{
	pid_t pids[12];

	(void)argv;

	if (argc > 1) {
		char *block = malloc(1 << 20);

		CHECK(block != NULL);
		memset(block, 1, 1 << 20);
		return block[4711] - 1;
	}
	for (int i = 0; i < 200; i++)
		CHECK(waited(start()) == 0);
	for (int i = 0; i < 12; i++)
		pids[i] = start();
	for (int i = 0; i < 12; i++)
		CHECK(waited(pids[i]) == 0);
	return done();
}
