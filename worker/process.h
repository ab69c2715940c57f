/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * This process as all its parts see it: what it was started with, its timer,
 * its log. There is one in each selkie-worker, whatever its mode.
 */
#ifndef SK_PROCESS_H
#define SK_PROCESS_H

#include "control/control.h"

#include <stddef.h>
#include <stdint.h>

struct sk_channel;
struct sk_engine;

struct sk_process {
	struct sk_engine *engine;
	struct sk_channel *channel;    /* NULL where there are no requests */
	int control_fd;		       /* -1: logs go to 1 and 2 */
	int map_fd;		       /* source map, or -1 */
	int log_fd;		       /* without control: where info goes */
	struct sk_status_page *status; /* NULL where nobody watches */
	int64_t timer; /* when hooks.timers wants a call, in nanoseconds of
			* CLOCK_MONOTONIC; -1: never */
	unsigned lost_lines; /* log lines dropped since the last one sent */
};

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t sk_now(void);

/* CPU time of the calling thread in nanoseconds. */
int64_t sk_thread_cpu(void);

/* Logs text. With a supervisor that does not read it waits a little, then
 * drops the line and counts it. */
void sk_process_log(struct sk_process *process, enum sk_level level,
		    const char *text, size_t length);

/* The same with a format. */
void sk_process_logf(struct sk_process *process, enum sk_level level,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads a whole descriptor, a file from its beginning whatever its position
 * (which may be shared with other processes). The heap buffer is the caller's and ends in a NUL
 * that `*length` does not count. 0, -EFBIG beyond `max`, -errno. */
int sk_read_all(int fd, char **out, size_t *length, size_t max);

#endif
