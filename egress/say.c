/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the egress says to the supervisor: its log, and who broke the protocol.
 *
 * A refused call must not be without its line because the supervisor is busy: what
 * the socket does not take is kept. When much is kept, frames of worker processes are
 * not read any more (loop.c), so a worker process cannot make it grow. Only without
 * memory is a line lost, and then that is said.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "egress/egress.h"

#define BEHIND (256u * 1024u)

struct saying {
	STAILQ_ENTRY(saying) link;
	struct sk_message head;
	size_t length;
	char payload[];
};

static void keep(struct egress *egress, const struct sk_message *head,
		 const char *payload, size_t length)
{
	struct saying *saying = malloc(sizeof(*saying) + length);

	if (!saying) {
		egress->unsaid++;
		return;
	}
	saying->head = *head;
	saying->length = length;
	memcpy(saying->payload, payload, length);
	if (STAILQ_EMPTY(&egress->sayings))
		egress_watch(egress, egress->control, EPOLLIN | EPOLLOUT,
			     &egress->control_source);
	STAILQ_INSERT_TAIL(&egress->sayings, saying, link);
	egress->sayings_size += sizeof(*saying) + length;
}

static void drop_first(struct egress *egress)
{
	struct saying *saying = STAILQ_FIRST(&egress->sayings);

	STAILQ_REMOVE_HEAD(&egress->sayings, link);
	egress->sayings_size -= sizeof(*saying) + saying->length;
	free(saying);
}

void egress_say(struct egress *egress, struct sk_message *head,
		const char *payload, size_t length)
{
	if (STAILQ_EMPTY(&egress->sayings) &&
	    sk_message_send(egress->control, head, payload, length, NULL, 0) !=
		    -EAGAIN)
		return;
	keep(egress, head, payload, length);
}

void egress_say_waiting(struct egress *egress)
{
	struct saying *saying;
	unsigned long unsaid;

	while ((saying = STAILQ_FIRST(&egress->sayings))) {
		if (sk_message_send(egress->control, &saying->head,
				    saying->payload, saying->length, NULL,
				    0) == -EAGAIN)
			return;
		drop_first(egress);
	}
	egress_watch(egress, egress->control, EPOLLIN, &egress->control_source);
	unsaid = egress->unsaid;
	egress->unsaid = 0;
	if (unsaid)
		egress_log(egress, NULL, SK_LEVEL_ERROR,
			   "%lu lines were lost here: no memory", unsaid);
}

void egress_say_fini(struct egress *egress)
{
	while (!STAILQ_EMPTY(&egress->sayings))
		drop_first(egress);
}

int egress_is_behind(const struct egress *egress)
{
	return egress->sayings_size > BEHIND;
}

void egress_log(struct egress *egress, const struct peer *peer,
		enum sk_level level, const char *format, ...)
{
	struct sk_message head = { .type = SK_MSG_LOG,
				   .value = (int32_t)level,
				   .proc = peer ? peer->proc : 0 };
	char text[4096];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	egress_say(egress, &head, text, (size_t)n);
}
