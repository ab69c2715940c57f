/* SPDX-License-Identifier: BSD-2-Clause */
/* A call that does nothing. */
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

int main(void)
{
	const int times = 10000000;
	double start = bench_now();

	for (int i = 0; i < times; i++)
		syscall(SYS_getpid);
	bench_say((bench_now() - start) / times, "ns");
	return 0;
}
