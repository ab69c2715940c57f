/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets: their life, their open files, and the calls that are not about
 * carrying anything.
 *
 *     NEW --listen--> LISTENING
 *     NEW --connect--> CONNECTING --> CONNECTED --peer goes--> CONNECTED,
 *            |                                     peer NULL, in_closed
 *            +--refused--> ENDED
 *
 * A socket is owned by its open file. One that a connect made and nobody has
 * accepted yet has no file: the listener's queue owns it. All pointers between
 * sockets are borrowed, and who goes takes its own out of the others.
 *
 * Known: open files that wait inside a socket which is itself only reachable
 * through them (a circle of SCM_RIGHTS) live until the kernel ends.
 */
#include "socket.h"

#include "pipe.h"
#include "process.h"

int sk_socket_new(struct sk_kernel *k, uint32_t domain, uint32_t type,
		  struct sk_socket **out)
{
	struct sk_socket *s = sk_alloc(k, sizeof(*s));

	if (!s)
		return -SK_ENOMEM;
	s->kernel = k;
	s->domain = domain;
	s->type = type;
	sk_list_init(&s->bound);
	sk_list_init(&s->followers);
	sk_list_init(&s->follows);
	sk_list_init(&s->rights);
	sk_list_init(&s->packets);
	sk_list_init(&s->accepts);
	sk_list_init(&s->waiting);
	sk_list_init(&s->link);
	sk_buffer_init(&s->in, k, SK_SOCKET_BUFFER);
	sk_waitq_init(&s->in_changed);
	sk_waitq_init(&s->out_changed);
	s->send_size = s->receive_size = SK_SOCKET_BUFFER;
	*out = s;
	return 0;
}

static void unbind(struct sk_socket *s)
{
	if (s->domain == SK_AF_UNIX)
		sk_unix_unbind(s);
	sk_list_remove(&s->bound);
}

static void drop_rights(struct sk_socket *s)
{
	while (!sk_list_empty(&s->rights)) {
		struct sk_rights *r =
			SK_CONTAINER(s->rights.next, struct sk_rights, link);

		sk_list_remove(&r->link);
		sk_rights_free(s->kernel, r);
	}
}

void sk_socket_free(struct sk_socket *s)
{
	struct sk_kernel *k = s->kernel;

	sk_socket_unlisten(s);
	sk_socket_part(s);
	sk_list_remove(&s->link);
	unbind(s);
	if (s->remote)
		sk_remote_close(s);
	drop_rights(s);
	sk_packets_drop(s);
	sk_waitq_fini(&s->in_changed);
	sk_waitq_fini(&s->out_changed);
	sk_buffer_fini(&s->in);
	sk_free(k, s, sizeof(*s));
	sk_net_check(k);
}

struct sk_net *sk_net_get(struct sk_kernel *k)
{
	if (!k->net) {
		k->net = sk_alloc(k, sizeof(*k->net));
		if (k->net)
			sk_list_init(&k->net->bound);
	}
	return k->net;
}

void sk_net_check(struct sk_kernel *k)
{
	if (!k->net || !sk_list_empty(&k->net->bound))
		return;
	sk_free(k, k->net, sizeof(*k->net));
	k->net = NULL;
}

int sk_socket_error(struct sk_socket *s)
{
	int error = s->error;

	s->error = 0;
	return -error;
}

void sk_socket_wake(struct sk_socket *s)
{
	sk_waitq_wake(&s->in_changed);
	sk_waitq_wake(&s->out_changed);
}

int64_t sk_socket_wait(struct sk_socket *s, struct sk_task *t,
		       struct sk_waitq *q, const struct sk_message *m,
		       int64_t time)
{
	int64_t result;

	if ((m->io.flags & SK_O_NONBLOCK) || (m->flags & SK_MSG_DONTWAIT))
		return -SK_EAGAIN;
	if (!time)
		return sk_wait_on(t, q);
	result = sk_wait_until(t, q,
			       sk_now(s->kernel, SK_CLOCK_MONOTONIC) + time);
	/* With a time limit a signal always ends the call. */
	if (result == -SK_ERESTART)
		return -SK_EINTR;
	return result == -SK_ETIMEDOUT ? -SK_EAGAIN : result;
}

/* Open files. */

static int64_t file_read(struct sk_file *f, struct sk_task *t, struct sk_io *io)
{
	struct sk_message m = { .io = *io };
	int64_t count = sk_socket_receive(f->data, t, &m);

	*io = m.io;
	return count;
}

static int64_t file_write(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io)
{
	struct sk_message m = { .io = *io };
	int64_t count = sk_socket_send(f->data, t, &m);

	*io = m.io;
	return count;
}

static int64_t file_ioctl(struct sk_file *f, struct sk_task *t,
			  uint32_t request, uint64_t arg)
{
	struct sk_socket *s = f->data;
	int32_t count = (int32_t)s->in.used;

	if (request != SK_FIONREAD)
		return -SK_ENOTTY;
	if (s->state == SK_SOCKET_LISTENING)
		return -SK_EINVAL;
	if (!sk_list_empty(&s->packets))
		count = (int32_t)SK_CONTAINER(s->packets.next, struct sk_packet,
					      link)
				->size;
	return sk_copy_out(t, (sk_user)arg, &count, sizeof(count));
}

static bool can_send(const struct sk_socket *s)
{
	if (!sk_socket_is_pair(s))
		return !s->peer || sk_packet_room(s->peer);
	if (s->state == SK_SOCKET_CONNECTING || s->state == SK_SOCKET_LISTENING)
		return false;
	if (!s->peer)
		return true;
	return sk_socket_is_stream(s)
		       ? sk_buffer_room(&s->peer->in) >= SK_PIPE_BUF ||
				 !s->peer->in.used
		       : sk_packet_room(s->peer);
}

static uint32_t file_poll(struct sk_file *f, struct sk_waitq *queues[2],
			  uint32_t *count)
{
	struct sk_socket *s = f->data;
	uint32_t ready = 0;

	queues[0] = &s->in_changed;
	queues[1] = &s->out_changed;
	*count = 2;
	if (s->remote) {
		queues[1] = &s->watch.ready;
		return sk_remote_poll(s);
	}
	if (s->in.used || s->packet_count || s->accept_count || s->in_closed)
		ready |= SK_POLLIN;
	if (can_send(s))
		ready |= SK_POLLOUT;
	if (s->in_closed)
		ready |= SK_POLLRDHUP;
	if (s->error)
		ready |= SK_POLLERR | SK_POLLIN | SK_POLLOUT;
	if (!sk_socket_is_pair(s))
		return ready;
	if (s->state == SK_SOCKET_ENDED ||
	    (s->state == SK_SOCKET_NEW && sk_socket_is_stream(s)) ||
	    (s->in_closed && s->out_closed) ||
	    (s->state == SK_SOCKET_CONNECTED && !s->peer))
		ready |= SK_POLLHUP | SK_POLLOUT;
	return ready;
}

static void file_release(struct sk_file *f)
{
	sk_socket_free(f->data);
}

static const struct sk_file_ops socket_ops = {
	.mode = SK_S_IFSOCK | 0777,
	.read = file_read,
	.write = file_write,
	.ioctl = file_ioctl,
	.poll = file_poll,
	.release = file_release,
};

int64_t sk_socket_install(struct sk_task *t, struct sk_socket *s,
			  uint32_t flags)
{
	static const struct sk_file_ops none = { 0 };
	struct sk_file *f;
	int error = sk_file_new(s->kernel, &socket_ops,
				SK_O_RDWR | (flags & SK_SOCK_NONBLOCK), &f);
	int fd;

	if (error)
		return error;
	f->data = s;
	sk_file_get(f);
	fd = sk_fd_install(t, f, 0, flags & SK_SOCK_CLOEXEC);
	if (fd < 0)
		f->ops = &none;
	sk_file_put(f);
	return fd;
}

int sk_socket_file(struct sk_socket *s, uint32_t flags, struct sk_file **out)
{
	int error = sk_file_new(s->kernel, &socket_ops,
				SK_O_RDWR | (flags & SK_O_NONBLOCK), out);

	if (error)
		sk_socket_free(s);
	else
		(*out)->data = s;
	return error;
}

struct sk_socket *sk_socket_of(struct sk_task *t, int fd, int *error)
{
	struct sk_file *f = sk_fd_file(t, fd);

	*error = !f || (f->flags & SK_O_PATH) ? -SK_EBADF
		 : f->ops != &socket_ops      ? -SK_ENOTSOCK
					      : 0;
	return *error ? NULL : f->data;
}

/* Calls. */

#define IPPROTO_TCP 6
#define IPPROTO_UDP 17
#define TYPE_FLAGS  (uint32_t)(SK_SOCK_NONBLOCK | SK_SOCK_CLOEXEC)

static int check_kind(uint32_t domain, uint32_t type, uint32_t protocol)
{
	if (domain == SK_AF_UNIX) {
		if (protocol > 1)
			return -SK_EPROTONOSUPPORT;
		return type == SK_SOCK_STREAM || type == SK_SOCK_DGRAM ||
				       type == SK_SOCK_SEQPACKET
			       ? 0
			       : -SK_ESOCKTNOSUPPORT;
	}
	if (domain != SK_AF_INET && domain != SK_AF_INET6)
		return -SK_EAFNOSUPPORT;
	if (type == SK_SOCK_STREAM)
		return !protocol || protocol == IPPROTO_TCP
			       ? 0
			       : -SK_EPROTONOSUPPORT;
	if (type == SK_SOCK_DGRAM)
		return !protocol || protocol == IPPROTO_UDP
			       ? 0
			       : -SK_EPROTONOSUPPORT;
	return -SK_ESOCKTNOSUPPORT;
}

int64_t sk_sys_socket(struct sk_task *t, const uint64_t *a)
{
	uint32_t domain = (uint32_t)a[0], flags = (uint32_t)a[1] & TYPE_FLAGS;
	uint32_t type = (uint32_t)a[1] & ~TYPE_FLAGS;
	struct sk_socket *s;
	int64_t fd = check_kind(domain, type, (uint32_t)a[2]);

	if (!fd)
		fd = sk_socket_new(sk_kernel_of(t), domain, type, &s);
	if (fd)
		return fd;
	s->protocol = (uint32_t)a[2];
	fd = sk_socket_install(t, s, flags);
	if (fd < 0)
		sk_socket_free(s);
	return fd;
}

int64_t sk_sys_socketpair(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	uint32_t flags = (uint32_t)a[1] & TYPE_FLAGS;
	uint32_t type = (uint32_t)a[1] & ~TYPE_FLAGS;
	struct sk_socket *s[2];
	struct sk_file *f[2];
	int error = check_kind((uint32_t)a[0], type, (uint32_t)a[2]);

	if (error)
		return error;
	if ((uint32_t)a[0] != SK_AF_UNIX)
		return -SK_EOPNOTSUPP;
	error = sk_socket_new(k, SK_AF_UNIX, type, &s[0]);
	if (error)
		return error;
	error = sk_socket_file(s[0], flags, &f[0]);
	if (error)
		return error;
	error = sk_socket_new(k, SK_AF_UNIX, type, &s[1]);
	if (!error)
		error = sk_socket_file(s[1], flags, &f[1]);
	if (error) {
		sk_file_put(f[0]);
		return error;
	}
	sk_socket_pair(s[0], s[1]);
	for (int i = 0; i < 2; i++)
		s[i]->pid = t->process->pid;
	return sk_fd_install_pair(t, f, flags & SK_SOCK_CLOEXEC, (sk_user)a[3]);
}

int64_t sk_sys_bind(struct sk_task *t, const uint64_t *a)
{
	struct sk_name name;
	int error;
	struct sk_socket *s = sk_socket_of(t, (int)a[0], &error);

	if (!s)
		return error;
	error = sk_name_in(t, &name, (sk_user)a[1], (uint32_t)a[2]);
	if (error)
		return error;
	return s->domain == SK_AF_UNIX ? sk_unix_bind(s, t, &name)
				       : sk_inet_bind(s, &name);
}

int64_t sk_sys_getsockname(struct sk_task *t, const uint64_t *a)
{
	int error;
	const struct sk_socket *s = sk_socket_of(t, (int)a[0], &error);
	struct sk_name name;

	if (!s)
		return error;
	name = s->name;
	if (!name.size && s->domain == SK_AF_UNIX) {
		name.size = sizeof(name.family);
		name.family = SK_AF_UNIX;
	} else if (!name.size) {
		sk_inet_any(s, &name);
	}
	return sk_name_out(t, &name, (sk_user)a[1], (sk_user)a[2]);
}

int64_t sk_sys_getpeername(struct sk_task *t, const uint64_t *a)
{
	int error;
	const struct sk_socket *s = sk_socket_of(t, (int)a[0], &error);
	struct sk_name name;

	if (!s)
		return error;
	if (s->state != SK_SOCKET_CONNECTED)
		return -SK_ENOTCONN;
	name = s->peer_name;
	if (!name.size) {
		name.size = sizeof(name.family);
		name.family = (uint16_t)s->domain;
	}
	return sk_name_out(t, &name, (sk_user)a[1], (sk_user)a[2]);
}

int64_t sk_sys_shutdown(struct sk_task *t, const uint64_t *a)
{
	uint32_t how = (uint32_t)a[1];
	int error;
	struct sk_socket *s = sk_socket_of(t, (int)a[0], &error);
	struct sk_socket *peer;

	if (!s)
		return error;
	if (how > SK_SHUT_RDWR)
		return -SK_EINVAL;
	if (s->state != SK_SOCKET_CONNECTED)
		return -SK_ENOTCONN;
	if (s->remote)
		return sk_remote_shutdown(s, (int)how);
	peer = sk_socket_is_pair(s) ? s->peer : NULL;
	if (how != SK_SHUT_WR) {
		s->in_closed = true;
		if (peer && s->domain == SK_AF_UNIX)
			peer->out_closed = true;
	}
	if (how != SK_SHUT_RD) {
		s->out_closed = true;
		if (peer)
			peer->in_closed = true;
	}
	sk_socket_wake(s);
	if (peer)
		sk_socket_wake(peer);
	return 0;
}
