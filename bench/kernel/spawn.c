/* SPDX-License-Identifier: BSD-2-Clause */
/* posix_spawn of a program that ends at once: the argument, or this one. */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

int main(int argc, char **argv)
{
	const int times = 500;
	double start;

	if (argc < 2)
		return 0;
	for (int i = -1; i < times; i++) {
		char *args[] = { argv[1], NULL };
		pid_t pid;

		if (i == 0)
			start = bench_now();
		if (posix_spawn(&pid, argv[1], NULL, NULL, args, environ) ||
		    waitpid(pid, NULL, 0) != pid)
			bench_die("spawn");
	}
	bench_say((bench_now() - start) / times / 1e6, "ms");
	return 0;
}
