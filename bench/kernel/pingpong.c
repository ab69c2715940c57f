/* SPDX-License-Identifier: BSD-2-Clause */
/* One byte to another process and back. */
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

static void answer(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1)
		if (write(to, &byte, 1) != 1)
			_exit(1);
	_exit(0);
}

int main(void)
{
	const int times = 50000;
	int there[2], back[2];
	double start;
	char byte = 0;

	if (pipe(there) || pipe(back))
		bench_die("pipe");
	if (fork() == 0) {
		close(there[1]);
		close(back[0]);
		answer(there[0], back[1]);
	}
	start = bench_now();
	for (int i = 0; i < times; i++)
		if (write(there[1], &byte, 1) != 1 ||
		    read(back[0], &byte, 1) != 1)
			bench_die("byte");
	bench_say((bench_now() - start) / times / 1e3, "us");
	close(there[1]);
	wait(NULL);
	return 0;
}
