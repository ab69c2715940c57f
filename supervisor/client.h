/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client: an nginx worker, over the socket that it sent with CONNECT. It is
 * our own C, yet what it sends is checked, and it can name only
 * processes that it is attached to.
 */
#ifndef SK_CLIENT_H
#define SK_CLIENT_H

#include <sys/queue.h>

#include "supervisor/generation.h"
#include "supervisor/loop.h"
#include "supervisor/outbox.h"

struct sk_attachment;
struct sk_supervisor;

struct sk_client {
	LIST_ENTRY(sk_client) link;
	struct sk_supervisor *sup;
	struct sk_generation *generation;
	struct sk_source source;
	struct sk_outbox outbox;
	pid_t pid;
	int broken; /* a send failed: it is dropped at the next chance */
	LIST_HEAD(, sk_attachment) attachments;
	LIST_HEAD(, sk_waiter) waiters;
};

/* A new client on `sock`, which belongs to it on success. 0 or -errno. */
int sk_client_new(struct sk_supervisor *sup, struct sk_generation *generation,
		  int sock, pid_t pid);

/* Detaches it from all processes and frees it. */
void sk_client_free(struct sk_client *client);

/* Sends, and marks the client broken when that fails: its own event then ends
 * it, so that no caller loses it under its hands. */
void sk_client_send(struct sk_client *client, const struct sk_message *head,
		    const void *payload, size_t length, const int *fds,
		    int nfds);

/* UNAVAILABLE. */
void sk_client_refuse(struct sk_client *client, uint32_t app, uint32_t route,
		      uint32_t index, int64_t wait, const char *why);

#endif
