/* SPDX-License-Identifier: BSD-2-Clause */
/* Attachments: an area between a worker process and a client. */
#ifndef SK_ATTACHMENT_H
#define SK_ATTACHMENT_H

#include <stdint.h>
#include <sys/queue.h>

#define SK_AREAS_MAX 64 /* of one process: the bits of sk_proc.areas */

struct sk_client;
struct sk_proc;

struct sk_attachment {
	LIST_ENTRY(sk_attachment) of_proc;
	LIST_ENTRY(sk_attachment) of_client;
	struct sk_proc *proc;
	struct sk_client *client;
	unsigned area;
	int retired; /* RETIRED has come */
};

/* Makes an area, gives it to the process and, under the client's own numbers,
 * to the client. A client that is attached already gets a new area in place of
 * the old. 0 or -errno. */
int sk_attachment_new(struct sk_proc *proc, struct sk_client *client,
		      uint32_t app, uint32_t route, uint32_t index);

/* Forgets it, and tells nobody. */
void sk_attachment_free(struct sk_attachment *attachment);

/* The client has gone: tells the process, and frees it. */
void sk_attachment_end(struct sk_attachment *attachment);

/* RETIRED came from the client. */
void sk_attachment_retired(struct sk_attachment *attachment);

/* RETIRE to all clients; STOP to the process when none has work there. */
void sk_attachments_retire(struct sk_proc *proc);

/* GONE to all clients that may have work there. */
void sk_attachments_gone(struct sk_proc *proc, int status);

#endif
