/* SPDX-License-Identifier: BSD-2-Clause */
/* 64 KiB at a time through a pipe. */
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define SIZE 65536

static char data[SIZE];

int main(void)
{
	const long total = 1L << 30;
	long done = 0;
	int ends[2];
	double start;

	if (pipe(ends))
		bench_die("pipe");
	if (fork() == 0) {
		close(ends[0]);
		for (; done < total; done += SIZE)
			if (write(ends[1], data, SIZE) != SIZE)
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	start = bench_now();
	for (;;) {
		ssize_t n = read(ends[0], data, SIZE);

		if (n <= 0)
			break;
		done += n;
	}
	bench_say(done / ((bench_now() - start) / 1e9) / 1e6, "MB/s");
	wait(NULL);
	return done == total ? 0 : 1;
}
