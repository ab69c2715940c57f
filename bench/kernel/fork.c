/* SPDX-License-Identifier: BSD-2-Clause */
/* fork, _exit, wait. */
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

int main(void)
{
	const int times = 2000;
	double start = bench_now();

	for (int i = 0; i < times; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			bench_die("fork");
	}
	bench_say((bench_now() - start) / times / 1e3, "us");
	return 0;
}
