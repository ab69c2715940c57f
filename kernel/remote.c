/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams to the world outside: sockets that connected to an address which is
 * not of this kernel. The host says whether it is allowed, and gives a stream
 * (a handle of sk_host_files); bytes pass through a small buffer, with the
 * lock given back while the host moves them.
 *
 * The caller's open file holds the socket, but another task may shut it down
 * meanwhile; so its state is looked at again when the lock is back.
 */
#include "process.h"
#include "socket.h"

#define PIECE 4096u

static const struct sk_host_files *files_of(const struct sk_socket *s)
{
	return s->kernel->host->files;
}

/* Any address in the form that the host takes. */
static void full_name(const struct sk_name *name,
		      struct sk_abi_sockaddr_in6 *out)
{
	*out = (struct sk_abi_sockaddr_in6){ .family = SK_AF_INET6 };
	memcpy(out->port, name->in.port, sizeof(out->port));
	if (name->family == SK_AF_INET) {
		out->addr[10] = out->addr[11] = 0xff;
		memcpy(out->addr + 12, name->in.addr, 4);
	} else {
		memcpy(out->addr, name->in6.addr, 16);
	}
}

int64_t sk_remote_connect(struct sk_socket *s, const struct sk_name *name)
{
	struct sk_kernel *k = s->kernel;
	const struct sk_host_net *net = k->host->net;
	struct sk_abi_sockaddr_in6 to;
	int handle, error;

	if (!net || !net->connect || !k->host->files)
		return -SK_ENETUNREACH;
	full_name(name, &to);
	error = net->connect(k->self, (int)s->type, &to, &handle);
	if (error)
		return error;
	sk_host_watch_init(&s->watch, k, handle);
	s->remote = true;
	s->peer_name = *name;
	s->state = SK_SOCKET_CONNECTING;
	s->announced = true;
	sk_remote_step(s);
	return 0;
}

void sk_remote_step(struct sk_socket *s)
{
	struct sk_kernel *k = s->kernel;
	int error;

	if (s->state != SK_SOCKET_CONNECTING)
		return;
	if (!(files_of(s)->poll(k->self, s->watch.handle) &
	      (SK_POLLOUT | SK_POLLERR | SK_POLLHUP))) {
		sk_host_watch_arm(&s->watch, SK_POLLOUT);
		return;
	}
	error = k->host->net->connected(k->self, s->watch.handle);
	s->state = error ? SK_SOCKET_ENDED : SK_SOCKET_CONNECTED;
	s->error = -error;
	sk_socket_wake(s);
}

static int64_t wait_for(struct sk_socket *s, struct sk_task *t,
			const struct sk_message *m, uint32_t events,
			int64_t time)
{
	sk_host_watch_arm(&s->watch, events);
	return sk_socket_wait(s, t, &s->watch.ready, m, time);
}

/* One piece out. The count, or -errno. */
static int64_t send_piece(struct sk_socket *s, struct sk_io *io)
{
	struct sk_kernel *k = s->kernel;
	struct sk_io before = *io;
	uint8_t bytes[PIECE];
	int64_t count = sk_io_get(io, bytes, sizeof(bytes)), sent;

	if (count <= 0)
		return count;
	sk_unlock(k);
	sent = files_of(s)->write(k->self, s->watch.handle, bytes,
				  (size_t)count, -1);
	sk_lock(k);
	if (sent < count) {
		*io = before;
		if (sent > 0)
			sk_io_skip(io, (size_t)sent);
	}
	return sent;
}

int64_t sk_remote_send(struct sk_socket *s, struct sk_task *t,
		       struct sk_message *m)
{
	int64_t done = m->io.task ? t->call.done : 0, sent = 0, result;

	sk_io_skip(&m->io, (size_t)done);
	sk_remote_step(s);
	if (s->state == SK_SOCKET_CONNECTING)
		return wait_for(s, t, m, SK_POLLOUT, s->send_time);
	result = done ? 0 : sk_socket_error(s);
	if (result)
		return result;
	while (m->io.left && !s->out_closed) {
		sent = send_piece(s, &m->io);
		if (sent <= 0)
			break;
		done += sent;
	}
	if (s->out_closed)
		sent = -SK_EPIPE;
	if (!m->io.left || (sent != -SK_EAGAIN && done))
		return done;
	if (sent == -SK_EPIPE && !(m->flags & SK_MSG_NOSIGNAL))
		sk_signal_task(t, SK_SIGPIPE, NULL);
	if (sent != -SK_EAGAIN || (done && !m->io.task))
		return done ? done : sent;
	t->call.done = done;
	result = wait_for(s, t, m, SK_POLLOUT, s->send_time);
	return result != -SK_PARK && done ? done : result;
}

int64_t sk_remote_receive(struct sk_socket *s, struct sk_task *t,
			  struct sk_message *m)
{
	struct sk_kernel *k = s->kernel;
	uint8_t bytes[PIECE];
	size_t size = m->io.left < PIECE ? m->io.left : PIECE;
	int64_t count;

	sk_remote_step(s);
	if (s->state == SK_SOCKET_CONNECTING)
		return wait_for(s, t, m, SK_POLLOUT, s->receive_time);
	count = sk_socket_error(s);
	if (count || !size || (s->in_closed && !s->in.used))
		return count;
	/* What was looked at by MSG_PEEK waits in the ring. */
	if (!s->in.used) {
		sk_unlock(k);
		count = files_of(s)->read(k->self, s->watch.handle, bytes, size,
					  -1);
		sk_lock(k);
		if (count == -SK_EAGAIN)
			return wait_for(s, t, m, SK_POLLIN, s->receive_time);
		if (count <= 0)
			return count;
		if (!(m->flags & SK_MSG_PEEK))
			return sk_io_put(&m->io, bytes, (size_t)count);
		for (int64_t i = 0; i < count; i++) {
			int error = sk_buffer_put(&s->in, bytes[i]);

			if (error)
				return error;
		}
	}
	return m->flags & SK_MSG_PEEK ? sk_buffer_peek(&s->in, &m->io, 0)
				      : sk_buffer_read(&s->in, &m->io);
}

uint32_t sk_remote_poll(struct sk_socket *s)
{
	uint32_t ready, wanted;

	sk_remote_step(s);
	if (s->state == SK_SOCKET_CONNECTING)
		return 0;
	ready = files_of(s)->poll(s->kernel->self, s->watch.handle);
	if (s->in.used || s->in_closed)
		ready |= SK_POLLIN;
	if (s->error)
		ready |= SK_POLLERR | SK_POLLIN | SK_POLLOUT;
	if (s->state == SK_SOCKET_ENDED)
		ready |= SK_POLLHUP | SK_POLLOUT;
	wanted = (SK_POLLIN | SK_POLLOUT) & ~ready;
	if (wanted && !(ready & (SK_POLLHUP | SK_POLLERR)))
		sk_host_watch_arm(&s->watch, wanted);
	return ready;
}

int sk_remote_shutdown(struct sk_socket *s, int how)
{
	struct sk_kernel *k = s->kernel;

	if (how != SK_SHUT_WR)
		s->in_closed = true;
	if (how != SK_SHUT_RD)
		s->out_closed = true;
	sk_socket_wake(s);
	sk_waitq_wake(&s->watch.ready);
	return k->host->net->shutdown(k->self, s->watch.handle, how);
}

void sk_remote_close(struct sk_socket *s)
{
	struct sk_kernel *k = s->kernel;
	int handle = s->watch.handle;

	sk_host_watch_fini(&s->watch);
	files_of(s)->close(k->self, handle);
}
