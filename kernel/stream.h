/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of the host: standard input, pipes, terminals, and the sockets that
 * host->net gives. Whoever has a handle that may have to be waited for embeds
 * a watch; sk_kernel_host_event wakes its queue.
 */
#ifndef SK_STREAM_H
#define SK_STREAM_H

#include "file.h"

struct sk_host_watch {
	struct sk_list link; /* in sk_kernel.watches */
	struct sk_kernel *kernel;
	int handle;
	uint32_t armed; /* SK_POLL* that the host was asked for */
	struct sk_waitq ready;
};

void sk_host_watch_init(struct sk_host_watch *w, struct sk_kernel *k,
			int handle);
/* Asks the host to say when one of `events` may be ready; locked. */
void sk_host_watch_arm(struct sk_host_watch *w, uint32_t events);
/* Takes it back and wakes who waits. The handle stays open. */
void sk_host_watch_fini(struct sk_host_watch *w);

/* An open file of a stream of the host, which owns the handle from then on. */
int sk_stream_new(struct sk_kernel *k, int handle, uint32_t flags,
		  struct sk_file **out);

#endif
