/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stream sockets carry: each socket has the ring of what comes in, and
 * its peer writes there. Files on their way (rights) hang at the byte they
 * were sent with; a receive never goes over the next such byte, so that they
 * come out with their bytes.
 */
#include "process.h"
#include "socket.h"

void sk_rights_free(struct sk_kernel *k, struct sk_rights *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->count; i++)
		sk_file_put(r->files[i]);
	sk_free(k, r, sizeof(*r) + r->count * sizeof(r->files[0]));
}

static int64_t broken(struct sk_task *t, const struct sk_message *m,
		      int64_t done)
{
	if (done)
		return done;
	if (!(m->flags & SK_MSG_NOSIGNAL))
		sk_signal_task(t, SK_SIGPIPE, NULL);
	return -SK_EPIPE;
}

/* Why nothing can be sent: -errno, or 0. */
static int64_t refuse(struct sk_socket *s, struct sk_task *t,
		      const struct sk_message *m, int64_t done)
{
	int error = done ? 0 : sk_socket_error(s);

	if (error)
		return error;
	if (s->state == SK_SOCKET_CONNECTING)
		return -SK_EAGAIN;
	if (s->out_closed || s->state == SK_SOCKET_ENDED ||
	    (s->state == SK_SOCKET_CONNECTED && !s->peer))
		return broken(t, m, done);
	return s->state == SK_SOCKET_CONNECTED ? 0 : -SK_ENOTCONN;
}

static void attach(struct sk_socket *to, struct sk_message *m)
{
	if (!m->rights)
		return;
	m->rights->at = to->in_at + to->in.used;
	sk_list_add(&to->rights, &m->rights->link);
	m->rights = NULL;
}

/* The count, 0 without room, -errno. */
static int64_t send_some(struct sk_socket *s, struct sk_message *m)
{
	struct sk_socket *to = s->peer;
	struct sk_rights *rights = m->rights;
	int64_t moved;

	if (!sk_buffer_room(&to->in))
		return 0;
	attach(to, m);
	moved = sk_buffer_write(&to->in, &m->io);
	if (moved > 0) {
		sk_waitq_wake(&to->in_changed);
	} else if (rights) {
		sk_list_remove(&rights->link);
		m->rights = rights;
	}
	return moved;
}

int64_t sk_bytes_send(struct sk_socket *s, struct sk_task *t,
		      struct sk_message *m)
{
	int64_t done = 0, moved, result;

	if (m->io.task) {
		done = t->call.done;
		sk_io_skip(&m->io, (size_t)done);
		if (done)
			sk_rights_free(s->kernel, m->rights);
		if (done)
			m->rights = NULL;
	}
	result = refuse(s, t, m, done);
	if (result == -SK_EAGAIN)
		return sk_socket_wait(s, t, &s->out_changed, m, s->send_time);
	if (result)
		return result;
	if (!m->io.left)
		return 0;
	moved = send_some(s, m);
	if (moved > 0)
		done += moved;
	if (moved < 0 || !m->io.left)
		return done ? done : moved;
	if (done && !m->io.task)
		return done;
	t->call.done = done;
	result = sk_socket_wait(s, t, &s->out_changed, m, s->send_time);
	return result != -SK_PARK && done ? done : result;
}

/* Takes the rights of the next byte; says how far the receive may go. */
static uint32_t take_rights(struct sk_socket *s, struct sk_message *m)
{
	while (!sk_list_empty(&s->rights)) {
		struct sk_rights *r =
			SK_CONTAINER(s->rights.next, struct sk_rights, link);

		if (r->at > s->in_at)
			return (uint32_t)(r->at - s->in_at);
		if (m->flags & SK_MSG_PEEK) {
			if (r->link.next == &s->rights)
				return UINT32_MAX;
			r = SK_CONTAINER(r->link.next, struct sk_rights, link);
			return (uint32_t)(r->at - s->in_at);
		}
		sk_list_remove(&r->link);
		if (m->want_rights && !m->rights)
			m->rights = r;
		else
			sk_rights_free(s->kernel, r);
	}
	return UINT32_MAX;
}

static int64_t receive_some(struct sk_socket *s, struct sk_message *m)
{
	size_t left = m->io.left;
	uint32_t most = take_rights(s, m);
	int64_t moved;

	if (left > most)
		m->io.left = most;
	moved = sk_buffer_peek(&s->in, &m->io, 0);
	m->io.left = moved > 0 ? left - (size_t)moved : left;
	if (moved <= 0 || (m->flags & SK_MSG_PEEK))
		return moved;
	sk_buffer_drop(&s->in, (uint32_t)moved);
	s->in_at += (uint64_t)moved;
	if (s->peer && sk_buffer_room(&s->in) >= SK_PIPE_BUF)
		sk_waitq_wake(&s->peer->out_changed);
	return moved;
}

int64_t sk_bytes_receive(struct sk_socket *s, struct sk_task *t,
			 struct sk_message *m)
{
	bool all = (m->flags & SK_MSG_WAITALL) && !(m->flags & SK_MSG_PEEK) &&
		   m->io.task;
	int64_t done = 0, moved, result;

	if (s->state == SK_SOCKET_NEW || s->state == SK_SOCKET_LISTENING)
		return s->domain == SK_AF_UNIX ? -SK_EINVAL : -SK_ENOTCONN;
	if (all) {
		done = t->call.done;
		sk_io_skip(&m->io, (size_t)done);
	}
	if (!m->io.left)
		return done;
	if (s->in.used) {
		moved = receive_some(s, m);
		if (moved > 0)
			done += moved;
		if (moved < 0 || !all || !m->io.left || m->rights)
			return done ? done : moved;
	}
	result = done ? 0 : sk_socket_error(s);
	if (result || s->error || s->in_closed)
		return done ? done : result;
	t->call.done = done;
	result = sk_socket_wait(s, t, &s->in_changed, m, s->receive_time);
	return result != -SK_PARK && done ? done : result;
}
