/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel asks of its host (selkie/host.h), on Linux. */
#ifndef SK_HOST_HOST_H
#define SK_HOST_HOST_H

#include "selkie/kernel.h"

extern const struct sk_host sk_host_linux;
extern const struct sk_host_files sk_host_files_linux; /* files.c */

/* Starts the threads that call the kernel: timers and streams. 0 or -errno. */
int sk_host_start(struct sk_kernel *k);

/* host->log: a line on standard error. */
void sk_host_log(void *self, const char *line);
/* The same, formatted. */
void sk_host_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Streams (streams.c): what host->files does for them. */
uint32_t sk_stream_poll(void *self, int handle);
void sk_stream_watch(void *self, int handle, uint32_t events, void *cookie);
void sk_stream_unwatch(void *self, int handle, void *cookie);
int64_t sk_stream_read(int handle, void *to, size_t size);
int64_t sk_stream_write(int handle, const void *from, size_t size);
int sk_streams_start(struct sk_kernel *k);

/* One's own way to a standard stream, which never blocks; a descriptor. */
int sk_stream_own(int fd, int flags);

#endif
