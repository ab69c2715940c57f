/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of engine and sandbox, the same in every mode. */
#include "worker/start.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the engine maps and writes beyond the private memory that the limit
 * counts: stacks of its threads, memory that it reserved and gave back. */
#define DATA_SLACK (UINT64_C(192) << 20)

/* The engine's own idea of a small heap, 1 MiB, has it collect at every few
 * bodies of 64 KiB. What grows beyond need, a rest gives back. */
#define HEAP_MOST  (UINT64_C(8) << 20)
#define HEAP_SHARE 16 /* of the limit, whichever is less */

static int set_size(const char *name, uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	return setenv(name, text, 1) ? -errno : 0;
}

/* The collector sizes its heap by the memory that it believes there is; below
 * the second size it does not collect at all. */
static int tell_memory(uint64_t memory)
{
	uint64_t heap = memory / HEAP_SHARE;
	int err;

	if (!memory)
		return 0;
	err = set_size("JSC_forceRAMSize", memory);
	return err ? err
		   : set_size("JSC_smallHeapSize",
			      heap < HEAP_MOST ? heap : HEAP_MOST);
}

/* Bodies come and go in pieces of 64 KiB: the C heap's end must not move with
 * each of them. A rest gives it back (malloc_trim). */
static void settle_heap(void)
{
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
	mallopt(M_TOP_PAD, 256 << 10);
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

int sk_start_confined(struct sk_process *process, struct sk_sandbox *sandbox,
		      struct sk_engine_limits *limits, char *error,
		      size_t errsize)
{
	int keep[8];
	int err;

	limits->statm_fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (limits->statm_fd < 0) {
		err = -errno;
		snprintf(error, errsize, "/proc/self/statm: %s",
			 strerror(-err));
		return err;
	}
	settle_heap();
	err = tell_memory(limits->memory);
	if (!err)
		err = sk_engine_initialize(error, errsize);
	if (err)
		return err;
	memcpy(keep, sandbox->keep, (size_t)sandbox->nkeep * sizeof(*keep));
	keep[sandbox->nkeep] = limits->statm_fd;
	sandbox->keep = keep;
	sandbox->nkeep++;
	err = sk_sandbox_enter(sandbox);
	if (!err)
		err = sk_engine_open(&process->engine, process, limits, error,
				     errsize);
	else
		snprintf(error, errsize, "sandbox: %s", strerror(-err));
	if (err)
		return err;
	if (limits->memory)
		sandbox->data_budget = limits->memory * 2 + DATA_SLACK;
	err = sk_sandbox_close(sandbox);
	if (err)
		snprintf(error, errsize, "sandbox: %s", strerror(-err));
	return err;
}
