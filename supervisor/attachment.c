/* SPDX-License-Identifier: BSD-2-Clause */
/* An area between a worker process and a client; see attachment.h. */
#include "supervisor/attachment.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ring/ring.h"
#include "supervisor/client.h"
#include "supervisor/proc.h"

void sk_attachment_free(struct sk_attachment *attachment)
{
	attachment->proc->areas &= ~(UINT64_C(1) << attachment->area);
	LIST_REMOVE(attachment, of_proc);
	LIST_REMOVE(attachment, of_client);
	free(attachment);
}

/* Links a new attachment with the lowest free area id. */
static struct sk_attachment *link_new(struct sk_proc *proc,
				      struct sk_client *client)
{
	struct sk_attachment *attachment = calloc(1, sizeof(*attachment));

	if (!attachment)
		return NULL;
	attachment->proc = proc;
	attachment->client = client;
	attachment->area = (unsigned)__builtin_ctzll(~proc->areas);
	proc->areas |= UINT64_C(1) << attachment->area;
	LIST_INSERT_HEAD(&proc->attachments, attachment, of_proc);
	LIST_INSERT_HEAD(&client->attachments, attachment, of_client);
	return attachment;
}

static struct sk_attachment *find(struct sk_proc *proc,
				  struct sk_client *client)
{
	struct sk_attachment *at;

	LIST_FOREACH(at, &proc->attachments, of_proc)
	if (at->client == client)
		return at;
	return NULL;
}

int sk_attachment_new(struct sk_proc *proc, struct sk_client *client,
		      uint32_t app, uint32_t route, uint32_t index)
{
	struct sk_message head = { .type = SK_MSG_ATTACHED,
				   .proc = proc->number,
				   .app = app,
				   .route = route,
				   .index = index };
	struct sk_attachment *attachment = find(proc, client);
	int area, wake, err;

	if (attachment)
		sk_attachment_end(attachment);
	if (proc->areas == UINT64_MAX)
		return -EUSERS;
	area = sk_area_create();
	if (area < 0)
		return area;
	wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = wake < 0 ? -errno : 0;
	if (err)
		goto no_wake;
	attachment = link_new(proc, client);
	err = attachment ? 0 : -ENOMEM;
	if (err)
		goto no_attachment;
	err = sk_proc_tell(proc, SK_MSG_AREA, (int32_t)attachment->area,
			   (int[]){ area, wake }, 2);
	if (err)
		sk_attachment_free(attachment);
	else
		sk_client_send(client, &head, NULL, 0,
			       (int[]){ area, proc->wake, wake }, 3);
no_attachment:
	close(wake);
no_wake:
	close(area);
	return err;
}

/* A process that retires may stop when its last client has no work there. */
static void stop_when_done(struct sk_proc *proc)
{
	struct sk_attachment *at;

	if (proc->state != SK_PROC_RETIRING)
		return;
	LIST_FOREACH(at, &proc->attachments, of_proc)
	if (!at->retired)
		return;
	sk_proc_stop(proc);
}

void sk_attachment_end(struct sk_attachment *attachment)
{
	struct sk_proc *proc = attachment->proc;

	if (proc->state == SK_PROC_READY || proc->state == SK_PROC_RETIRING)
		sk_proc_tell(proc, SK_MSG_AREA_GONE, (int32_t)attachment->area,
			     NULL, 0);
	sk_attachment_free(attachment);
	stop_when_done(proc);
}

void sk_attachment_retired(struct sk_attachment *attachment)
{
	attachment->retired = 1;
	stop_when_done(attachment->proc);
}

void sk_attachments_retire(struct sk_proc *proc)
{
	struct sk_message head = { .type = SK_MSG_RETIRE,
				   .proc = proc->number };
	struct sk_attachment *at;

	LIST_FOREACH(at, &proc->attachments, of_proc)
	sk_client_send(at->client, &head, NULL, 0, NULL, 0);
	stop_when_done(proc);
}

void sk_attachments_gone(struct sk_proc *proc, int status)
{
	struct sk_message head = { .type = SK_MSG_GONE,
				   .proc = proc->number,
				   .index = (uint32_t)proc->verdict,
				   .value = status };
	struct sk_attachment *at;

	LIST_FOREACH(at, &proc->attachments, of_proc)
	if (!at->retired)
		sk_client_send(at->client, &head, NULL, 0, NULL, 0);
}
