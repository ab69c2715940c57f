/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages on their way to a peer that reads them in its own time (an nginx
 * worker, the zygote). What the socket does not take is kept, in order, with
 * its descriptors, up to a bound.
 */
#ifndef SK_OUTBOX_H
#define SK_OUTBOX_H

#include <sys/queue.h>

#include "control/control.h"
#include "supervisor/loop.h"

#define SK_OUTBOX_MAX 8192

struct sk_letter;

struct sk_outbox {
	struct sk_loop *loop;
	struct sk_source *source; /* watched for EPOLLOUT while letters wait */
	STAILQ_HEAD(, sk_letter) letters;
	unsigned count;
};

void sk_outbox_init(struct sk_outbox *outbox, struct sk_loop *loop,
		    struct sk_source *source);
void sk_outbox_fini(struct sk_outbox *outbox);

/* Sends now or later. The descriptors stay the caller's. 0, -ENOBUFS (too many
 * wait), -ENOMEM, -EMFILE, or the socket's error: the peer is of no use then.
 */
int sk_outbox_send(struct sk_outbox *outbox, const struct sk_message *head,
		   const void *payload, size_t length, const int *fds,
		   int nfds);

/* Call at EPOLLOUT. 0 or the socket's error. */
int sk_outbox_flush(struct sk_outbox *outbox);

#endif
