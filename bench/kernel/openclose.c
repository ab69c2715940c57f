/* SPDX-License-Identifier: BSD-2-Clause */
/* open and close of a file in the folder that the argument names. */
#include <fcntl.h>
#include <unistd.h>

#include "bench.h"

int main(int argc, char **argv)
{
	const int times = 500000;
	double start;

	if (argc != 2 || chdir(argv[1]))
		bench_die("folder");
	close(open("sk-bench-file", O_CREAT | O_WRONLY, 0644));
	start = bench_now();
	for (int i = 0; i < times; i++) {
		int fd = open("sk-bench-file", O_RDONLY);

		if (fd < 0)
			bench_die("open");
		close(fd);
	}
	bench_say((bench_now() - start) / times, "ns");
	unlink("sk-bench-file");
	return 0;
}
