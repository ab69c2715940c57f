/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages on their way to a peer; see outbox.h. */
#include "supervisor/outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct sk_letter {
	STAILQ_ENTRY(sk_letter) link;
	struct sk_message head;
	int nfds;
	int fds[SK_MESSAGE_FDS];
	size_t length;
	unsigned char payload[];
};

void sk_outbox_init(struct sk_outbox *outbox, struct sk_loop *loop,
		    struct sk_source *source)
{
	outbox->loop = loop;
	outbox->source = source;
	outbox->count = 0;
	STAILQ_INIT(&outbox->letters);
}

static void letter_free(struct sk_letter *letter)
{
	while (letter->nfds)
		close(letter->fds[--letter->nfds]);
	free(letter);
}

static void drop_first(struct sk_outbox *outbox)
{
	struct sk_letter *letter = STAILQ_FIRST(&outbox->letters);

	STAILQ_REMOVE_HEAD(&outbox->letters, link);
	outbox->count--;
	letter_free(letter);
}

void sk_outbox_fini(struct sk_outbox *outbox)
{
	while (!STAILQ_EMPTY(&outbox->letters))
		drop_first(outbox);
}

static struct sk_letter *letter_new(const struct sk_message *head,
				    const void *payload, size_t length,
				    const int *fds, int nfds, int *err)
{
	struct sk_letter *letter = malloc(sizeof(*letter) + length);

	*err = -ENOMEM;
	if (!letter)
		return NULL;
	letter->head = *head;
	letter->length = length;
	if (length)
		memcpy(letter->payload, payload, length);
	for (letter->nfds = 0; letter->nfds < nfds; letter->nfds++) {
		int fd = fcntl(fds[letter->nfds], F_DUPFD_CLOEXEC, 3);

		if (fd < 0) {
			*err = -errno;
			letter_free(letter);
			return NULL;
		}
		letter->fds[letter->nfds] = fd;
	}
	return letter;
}

int sk_outbox_send(struct sk_outbox *outbox, const struct sk_message *head,
		   const void *payload, size_t length, const int *fds, int nfds)
{
	struct sk_message copy = *head;
	struct sk_letter *letter;
	int err;

	if (!outbox->count) {
		err = sk_message_send(outbox->source->fd, &copy, payload,
				      length, fds, nfds);
		if (err != -EAGAIN)
			return err;
	}
	if (length > SK_MESSAGE_MAX || nfds > SK_MESSAGE_FDS)
		return -EMSGSIZE;
	if (outbox->count == SK_OUTBOX_MAX)
		return -ENOBUFS;
	letter = letter_new(head, payload, length, fds, nfds, &err);
	if (!letter)
		return err;
	STAILQ_INSERT_TAIL(&outbox->letters, letter, link);
	if (outbox->count++)
		return 0;
	return sk_loop_change(outbox->loop, outbox->source, EPOLLIN | EPOLLOUT);
}

int sk_outbox_flush(struct sk_outbox *outbox)
{
	struct sk_letter *letter;
	int err;

	while ((letter = STAILQ_FIRST(&outbox->letters))) {
		err = sk_message_send(outbox->source->fd, &letter->head,
				      letter->payload, letter->length,
				      letter->fds, letter->nfds);
		if (err == -EAGAIN)
			return 0;
		if (err)
			return err;
		drop_first(outbox);
	}
	return sk_loop_change(outbox->loop, outbox->source, EPOLLIN);
}

int sk_outbox_serve(struct sk_outbox *outbox, uint32_t events, void *buffer,
		    size_t size,
		    int (*take)(void *arg, struct sk_received *got), void *arg)
{
	struct sk_received got;
	int i, err = 0;

	if (events & EPOLLOUT)
		err = sk_outbox_flush(outbox);
	for (i = 0; i < SK_BATCH && !err; i++) {
		err = sk_message_receive(outbox->source->fd, &got, buffer,
					 size);
		if (err == -EAGAIN)
			return 0;
		if (err <= 0)
			return err ? err : -EPIPE;
		err = take(arg, &got);
		sk_received_close(&got);
	}
	return err;
}
