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
#define SK_BATCH      64 /* messages of one peer before others get a turn */

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

/* Deals with the events of the outbox's socket: sends what waits, and hands over
 * what came, a batch at most, each message read into `buffer`. `take` returns 0,
 * or an error that ends it; descriptors that it leaves are closed. 0, or an error:
 * the socket is of no use any more (-EPIPE: the peer closed it). */
int sk_outbox_serve(struct sk_outbox *outbox, uint32_t events, void *buffer,
		    size_t size,
		    int (*take)(void *arg, struct sk_received *got), void *arg);

#endif
