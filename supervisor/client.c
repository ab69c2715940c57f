/* SPDX-License-Identifier: BSD-2-Clause */
/* nginx workers; see client.h. */
#include "supervisor/client.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "supervisor/proc.h"
#include "supervisor/supervisor.h"

void sk_client_send(struct sk_client *client, const struct sk_message *head,
		    const void *payload, size_t length, const int *fds,
		    int nfds)
{
	int err;

	if (client->broken)
		return;
	err = sk_outbox_send(&client->outbox, head, payload, length, fds, nfds);
	if (!err)
		return;
	client->broken = 1;
	if (err != -EPIPE && err != -ECONNRESET)
		sk_log_say(&client->sup->log, SK_LEVEL_ERROR, "supervisor",
			   client->pid, "cannot send to an nginx worker: %s",
			   strerror(-err));
	/* Writable or hung up: either way its event comes. */
	sk_loop_change(&client->sup->loop, &client->source, EPOLLIN | EPOLLOUT);
}

void sk_client_refuse(struct sk_client *client, uint32_t app, uint32_t route,
		      uint32_t index, int64_t wait, const char *why)
{
	struct sk_message head = {
		.type = SK_MSG_UNAVAILABLE,
		.app = app,
		.route = route,
		.index = index,
		.value = wait > INT32_MAX ? INT32_MAX : (int32_t)wait,
	};
	size_t length = strlen(why);

	if (length > SK_MESSAGE_MAX)
		length = SK_MESSAGE_MAX;
	sk_client_send(client, &head, why, length, NULL, 0);
}

static void take_attach(struct sk_client *client, const struct sk_message *head)
{
	struct sk_supervisor *sup = client->sup;
	struct sk_route *route;
	const char *why = NULL;
	int err;

	route = sk_generation_route(client->generation, head->app, head->route);
	if (sup->draining)
		why = "shutting down";
	else if (!route || head->index >= route->processes)
		why = "no such route";
	if (why) {
		sk_client_refuse(client, head->app, head->route, head->index,
				 SK_BACKOFF_MAX, why);
		return;
	}
	err = sk_place_ask(&route->places[head->index], client, head->app,
			   head->route);
	if (!err)
		return;
	sk_log_say(&sup->log, SK_LEVEL_ERROR, route->label, getpid(),
		   "cannot start or attach a process: %s", strerror(-err));
	sk_client_refuse(client, head->app, head->route, head->index,
			 SK_BACKOFF_FIRST, strerror(-err));
}

static struct sk_attachment *find_attachment(struct sk_client *client,
					     uint64_t proc)
{
	struct sk_attachment *at;

	LIST_FOREACH(at, &client->attachments, of_client)
	if (at->proc->number == proc)
		return at;
	return NULL;
}

static void take_hostile(struct sk_attachment *attachment,
			 const struct sk_received *got)
{
	char why[256];

	snprintf(why, sizeof(why), "broke the ring protocol: %.200s",
		 (const char *)got->payload);
	sk_proc_kill(attachment->proc, why);
}

/* 0, -EPROTO, or -EPIPE: what had to be said to it could not be. */
static int take_message(void *arg, struct sk_received *got)
{
	struct sk_client *client = arg;
	struct sk_attachment *attachment;

	if (got->head.type == SK_MSG_ATTACH) {
		take_attach(client, &got->head);
		return client->broken ? -EPIPE : 0;
	}
	/* A process that has just gone is no error: GONE is on its way. */
	attachment = find_attachment(client, got->head.proc);
	switch (got->head.type) {
	case SK_MSG_RETIRED:
		if (attachment)
			sk_attachment_retired(attachment);
		return 0;
	case SK_MSG_STUCK:
		if (attachment)
			sk_proc_kill(attachment->proc,
				     "takes no requests any more");
		return 0;
	case SK_MSG_HOSTILE:
		if (attachment)
			take_hostile(attachment, got);
		return 0;
	default:
		return -EPROTO;
	}
}

static void client_ready(struct sk_source *source, uint32_t events)
{
	struct sk_client *client;
	struct sk_supervisor *sup;
	int err = -EPIPE;

	client = (struct sk_client *)((char *)source -
				      offsetof(struct sk_client, source));
	sup = client->sup;
	if (!client->broken)
		err = sk_outbox_serve(&client->outbox, events, sup->buffer,
				      sizeof(sup->buffer), take_message,
				      client);
	if (!err)
		return;
	if (err == -EPROTO)
		sk_log_say(&sup->log, SK_LEVEL_ERROR, "supervisor", client->pid,
			   "an nginx worker sent a malformed message");
	sk_client_free(client);
	sk_generations_collect(sup);
}

int sk_client_new(struct sk_supervisor *sup, struct sk_generation *generation,
		  int sock, pid_t pid)
{
	struct sk_client *client;
	int err;

	client = calloc(1, sizeof(*client));
	if (!client)
		return -ENOMEM;
	client->sup = sup;
	client->generation = generation;
	client->pid = pid;
	client->source.fd = sock;
	client->source.ready = client_ready;
	LIST_INIT(&client->attachments);
	LIST_INIT(&client->waiters);
	sk_outbox_init(&client->outbox, &sup->loop, &client->source);
	err = sk_loop_add(&sup->loop, &client->source, EPOLLIN);
	if (err) {
		free(client);
		return err;
	}
	generation->clients++;
	LIST_INSERT_HEAD(&sup->clients, client, link);
	return 0;
}

void sk_client_free(struct sk_client *client)
{
	struct sk_supervisor *sup = client->sup;

	while (!LIST_EMPTY(&client->waiters))
		sk_waiter_free(LIST_FIRST(&client->waiters));
	while (!LIST_EMPTY(&client->attachments))
		sk_attachment_end(LIST_FIRST(&client->attachments));
	sk_outbox_fini(&client->outbox);
	sk_loop_close(&sup->loop, &client->source);
	client->generation->clients--;
	LIST_REMOVE(client, link);
	free(client);
}
