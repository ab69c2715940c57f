/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What datagram and packet sockets carry: a queue of packets at who receives.
 *
 * A local (AF_UNIX) sender waits for room: on its own out_changed when it is
 * connected to that queue, else on the receiver's in_changed; a receive wakes
 * both. What does not fit into a queue of AF_INET is lost, as it may be.
 */
#include "process.h"
#include "socket.h"

#define INET_MAX    65507u
#define UNIX_MAX    212960u
#define QUEUE_BYTES 262144u

static bool is_unix(const struct sk_socket *s)
{
	return s->domain == SK_AF_UNIX;
}

bool sk_packet_room(const struct sk_socket *to)
{
	return to->packet_count < SK_MESSAGES_MAX &&
	       to->packet_bytes < QUEUE_BYTES;
}

static void packet_free(struct sk_kernel *k, struct sk_packet *p)
{
	sk_rights_free(k, p->rights);
	sk_free(k, p, sizeof(*p) + p->size);
}

void sk_packets_drop(struct sk_socket *s)
{
	while (!sk_list_empty(&s->packets)) {
		struct sk_packet *p =
			SK_CONTAINER(s->packets.next, struct sk_packet, link);

		sk_list_remove(&p->link);
		packet_free(s->kernel, p);
	}
	s->packet_count = 0;
	s->packet_bytes = 0;
}

/* A local datagram socket whose other end is gone is told once. */
static int64_t peer_gone(struct sk_socket *s)
{
	s->state = SK_SOCKET_NEW;
	s->peer_name.size = 0;
	return -SK_ECONNREFUSED;
}

static int64_t find_connected(struct sk_socket *s, struct sk_task *t,
			      const struct sk_message *m,
			      struct sk_socket **out)
{
	if (sk_socket_is_pair(s)) {
		if (s->state == SK_SOCKET_NEW)
			return -SK_ENOTCONN;
		if (s->peer && !s->out_closed) {
			*out = s->peer;
			return 0;
		}
		if (!(m->flags & SK_MSG_NOSIGNAL))
			sk_signal_task(t, SK_SIGPIPE, NULL);
		return -SK_EPIPE;
	}
	if (s->state != SK_SOCKET_CONNECTED)
		return is_unix(s) ? -SK_ENOTCONN : -SK_EDESTADDRREQ;
	if (!is_unix(s))
		return sk_inet_find(s, &s->peer_name, out);
	*out = s->peer;
	return s->peer ? 0 : peer_gone(s);
}

/* Whether `to` hears only somebody else. */
static bool deaf(const struct sk_socket *to, const struct sk_socket *s)
{
	if (sk_socket_is_pair(s) || to->state != SK_SOCKET_CONNECTED)
		return false;
	if (is_unix(s))
		return to->peer && to->peer != s;
	return sk_inet_port(&to->peer_name) != sk_inet_port(&s->name);
}

static int64_t find_target(struct sk_socket *s, struct sk_task *t,
			   const struct sk_message *m, struct sk_socket **out)
{
	int error;

	if (!m->name.size || sk_socket_is_pair(s))
		return find_connected(s, t, m, out);
	if (is_unix(s)) {
		error = sk_unix_find(t, &m->name, s->type, out);
		if (!error && deaf(*out, s))
			error = -SK_EPERM;
		return error;
	}
	error = sk_inet_check(s, &m->name);
	return error ? error : sk_inet_find(s, &m->name, out);
}

static int64_t deliver(struct sk_socket *s, struct sk_socket *to,
		       struct sk_message *m)
{
	size_t size = m->io.left;
	struct sk_packet *p = sk_alloc(s->kernel, sizeof(*p) + size);
	int64_t moved;

	if (!p)
		return -SK_ENOMEM;
	p->size = size;
	moved = sk_io_get(&m->io, p->bytes, size);
	if (moved != (int64_t)size) {
		packet_free(s->kernel, p);
		return -SK_EFAULT;
	}
	if (is_unix(s))
		p->from = s->name;
	else
		sk_inet_from(s, to, &p->from);
	p->rights = m->rights;
	m->rights = NULL;
	sk_list_add(&to->packets, &p->link);
	to->packet_count++;
	to->packet_bytes += size;
	sk_waitq_wake(&to->in_changed);
	return (int64_t)size;
}

/* Nobody hears it: a connected socket learns that by its next call. */
static int64_t undeliverable(struct sk_socket *s, const struct sk_message *m,
			     int64_t error)
{
	if (is_unix(s) || error != -SK_ECONNREFUSED)
		return error;
	if (s->state == SK_SOCKET_CONNECTED && !m->name.size) {
		s->error = SK_ECONNREFUSED;
		sk_socket_wake(s);
	}
	return (int64_t)m->io.left;
}

int64_t sk_packet_send(struct sk_socket *s, struct sk_task *t,
		       struct sk_message *m)
{
	struct sk_socket *to;
	int64_t error = sk_socket_error(s);

	if (error)
		return error;
	if (s->out_closed) {
		if (!(m->flags & SK_MSG_NOSIGNAL))
			sk_signal_task(t, SK_SIGPIPE, NULL);
		return -SK_EPIPE;
	}
	if (m->io.left > (is_unix(s) ? UNIX_MAX : INET_MAX))
		return -SK_EMSGSIZE;
	if (!is_unix(s)) {
		error = sk_inet_autobind(s);
		if (error)
			return error;
	}
	error = find_target(s, t, m, &to);
	if (error)
		return undeliverable(s, m, error);
	if (!is_unix(s) && (deaf(to, s) || !sk_packet_room(to)))
		return (int64_t)m->io.left;
	if (to->in_closed)
		return -SK_EPIPE;
	if (sk_packet_room(to))
		return deliver(s, to, m);
	return sk_socket_wait(s, t,
			      s->peer == to ? &s->out_changed : &to->in_changed,
			      m, s->send_time);
}

/* Who waits for room in this queue. */
static void wake_senders(struct sk_socket *s)
{
	if (s->peer)
		sk_waitq_wake(&s->peer->out_changed);
	SK_LIST_EACH(node, &s->followers)
	sk_waitq_wake(
		&SK_CONTAINER(node, struct sk_socket, follows)->out_changed);
	sk_waitq_wake(&s->in_changed);
}

static int64_t take(struct sk_socket *s, struct sk_message *m)
{
	struct sk_packet *p =
		SK_CONTAINER(s->packets.next, struct sk_packet, link);
	size_t size = p->size < m->io.left ? p->size : m->io.left;
	int64_t moved = sk_io_put(&m->io, p->bytes, size);

	if (moved < (int64_t)size)
		return -SK_EFAULT;
	m->name = p->from;
	if (size < p->size) {
		m->out_flags |= SK_MSG_TRUNC;
		if (m->flags & SK_MSG_TRUNC)
			size = p->size;
	}
	if (m->flags & SK_MSG_PEEK)
		return (int64_t)size;
	sk_list_remove(&p->link);
	s->packet_count--;
	s->packet_bytes -= p->size;
	if (m->want_rights) {
		m->rights = p->rights;
		p->rights = NULL;
	}
	packet_free(s->kernel, p);
	wake_senders(s);
	return (int64_t)size;
}

int64_t sk_packet_receive(struct sk_socket *s, struct sk_task *t,
			  struct sk_message *m)
{
	int error;

	if (sk_socket_is_pair(s) &&
	    (s->state == SK_SOCKET_NEW || s->state == SK_SOCKET_LISTENING))
		return -SK_ENOTCONN;
	if (s->packet_count)
		return take(s, m);
	error = sk_socket_error(s);
	if (error || s->in_closed)
		return error;
	return sk_socket_wait(s, t, &s->in_changed, m, s->receive_time);
}
