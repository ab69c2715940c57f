/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Listening and connecting.
 *
 * A connect to a listener with room in its backlog is done at once: the other
 * end is made, put into the listener's `accepts`, and can be written to before
 * anybody accepts it. Without room the socket goes to the listener's `waiting`
 * and is CONNECTING until an accept makes room; so a connect that does not
 * block (or that a signal interrupted) goes on by itself.
 *
 * As in Linux, an AF_INET connect that does not block never says 0 at first:
 * it is -EINPROGRESS, then SO_ERROR and POLLOUT tell, and a second connect
 * says 0 once (`announced`).
 */
#include "process.h"
#include "socket.h"

static bool is_unix(const struct sk_socket *s)
{
	return s->domain == SK_AF_UNIX;
}

void sk_socket_pair(struct sk_socket *a, struct sk_socket *b)
{
	a->state = b->state = SK_SOCKET_CONNECTED;
	a->peer = b;
	b->peer = a;
	if (sk_socket_is_pair(a))
		return;
	sk_list_add(&b->followers, &a->follows);
	sk_list_add(&a->followers, &b->follows);
}

static void unfollow(struct sk_socket *s)
{
	sk_list_remove(&s->follows);
	s->peer = NULL;
}

void sk_socket_part(struct sk_socket *s)
{
	struct sk_socket *peer = s->peer;

	while (!sk_list_empty(&s->followers)) {
		struct sk_socket *f = SK_CONTAINER(s->followers.next,
						   struct sk_socket, follows);

		unfollow(f);
		sk_socket_wake(f);
	}
	if (!peer || !sk_socket_is_pair(s)) {
		unfollow(s);
		return;
	}
	peer->peer = NULL;
	peer->in_closed = peer->out_closed = true;
	if (s->in.used || s->packet_count)
		peer->error = SK_ECONNRESET;
	s->peer = NULL;
	sk_socket_wake(peer);
}

/* Connects a socket to a listener that has room. */
static int establish(struct sk_socket *s, struct sk_socket *listener)
{
	struct sk_socket *child;
	int error = sk_socket_new(s->kernel, listener->domain, s->type, &child);

	if (error)
		return error;
	sk_socket_pair(s, child);
	child->protocol = listener->protocol;
	child->no_delay = listener->no_delay;
	child->keep_alive = listener->keep_alive;
	child->pid = s->pid;
	s->pid = listener->pid;
	if (is_unix(s)) {
		child->name = s->peer_name = listener->name;
		child->peer_name = s->name;
	} else {
		sk_inet_accepted(child, s);
	}
	child->listener = listener;
	sk_list_add(&listener->accepts, &child->link);
	listener->accept_count++;
	sk_waitq_wake(&listener->in_changed);
	return 0;
}

static bool is_full(const struct sk_socket *listener)
{
	return listener->accept_count > listener->backlog;
}

int sk_socket_dial(struct sk_socket *s, struct sk_socket *listener)
{
	if (!is_full(listener))
		return establish(s, listener);
	s->state = SK_SOCKET_CONNECTING;
	s->listener = listener;
	sk_list_add(&listener->waiting, &s->link);
	return 0;
}

static void refuse(struct sk_socket *s, int error)
{
	sk_list_remove(&s->link);
	s->listener = NULL;
	s->state = SK_SOCKET_ENDED;
	s->error = error;
	sk_socket_wake(s);
}

static void let_in(struct sk_socket *listener)
{
	while (!sk_list_empty(&listener->waiting) && !is_full(listener)) {
		struct sk_socket *s = SK_CONTAINER(listener->waiting.next,
						   struct sk_socket, link);
		int error;

		sk_list_remove(&s->link);
		s->listener = NULL;
		error = establish(s, listener);
		if (error)
			refuse(s, -error);
		else
			sk_socket_wake(s);
	}
}

void sk_socket_unlisten(struct sk_socket *s)
{
	if (s->state != SK_SOCKET_LISTENING)
		return;
	while (!sk_list_empty(&s->waiting))
		refuse(SK_CONTAINER(s->waiting.next, struct sk_socket, link),
		       SK_ECONNREFUSED);
	while (!sk_list_empty(&s->accepts)) {
		struct sk_socket *child =
			SK_CONTAINER(s->accepts.next, struct sk_socket, link);

		if (child->peer)
			child->peer->error = SK_ECONNRESET;
		sk_socket_free(child);
	}
	s->accept_count = 0;
	if (!is_unix(s))
		sk_inet_listening(s, false);
}

int64_t sk_sys_listen(struct sk_task *t, const uint64_t *a)
{
	int32_t backlog = (int32_t)a[1];
	int error;
	struct sk_socket *s = sk_socket_of(t, (int)a[0], &error);

	if (!s)
		return error;
	if (!sk_socket_is_pair(s))
		return -SK_EOPNOTSUPP;
	if (s->state != SK_SOCKET_NEW && s->state != SK_SOCKET_LISTENING)
		return -SK_EINVAL;
	if (is_unix(s) && !s->name.size)
		return -SK_EINVAL;
	error = is_unix(s) ? 0 : sk_inet_autobind(s);
	if (error)
		return error;
	if (backlog < 0 || backlog > SK_SOMAXCONN)
		backlog = SK_SOMAXCONN;
	s->backlog = (uint32_t)backlog;
	s->pid = t->process->pid;
	if (s->state == SK_SOCKET_LISTENING) {
		let_in(s);
		return 0;
	}
	s->state = SK_SOCKET_LISTENING;
	if (!is_unix(s))
		sk_inet_listening(s, true);
	return 0;
}

static int64_t accept_next(struct sk_socket *s, struct sk_task *t,
			   const uint64_t *a, uint32_t flags)
{
	struct sk_socket *child =
		SK_CONTAINER(s->accepts.next, struct sk_socket, link);
	int64_t fd = sk_socket_install(t, child, flags);
	int error;

	if (fd < 0)
		return fd;
	sk_list_remove(&child->link);
	child->listener = NULL;
	s->accept_count--;
	let_in(s);
	if (!a[1])
		return fd;
	if (!child->peer_name.size) {
		child->peer_name.size = sizeof(child->peer_name.family);
		child->peer_name.family = SK_AF_UNIX;
	}
	error = sk_name_out(t, &child->peer_name, (sk_user)a[1], (sk_user)a[2]);
	if (!error)
		return fd;
	sk_fd_close(t, (int)fd);
	return error;
}

static int64_t accept(struct sk_task *t, const uint64_t *a, uint32_t flags)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	int error;
	struct sk_socket *s = sk_socket_of(t, (int)a[0], &error);
	struct sk_message m = { .io.flags = f ? f->flags : 0 };

	if (!s)
		return error;
	if (flags & ~(uint32_t)(SK_SOCK_NONBLOCK | SK_SOCK_CLOEXEC))
		return -SK_EINVAL;
	if (!sk_socket_is_pair(s))
		return -SK_EOPNOTSUPP;
	if (s->state != SK_SOCKET_LISTENING)
		return -SK_EINVAL;
	if (!sk_list_empty(&s->accepts))
		return accept_next(s, t, a, flags);
	return sk_socket_wait(s, t, &s->in_changed, &m, s->receive_time);
}

int64_t sk_sys_accept(struct sk_task *t, const uint64_t *a)
{
	return accept(t, a, 0);
}

int64_t sk_sys_accept4(struct sk_task *t, const uint64_t *a)
{
	return accept(t, a, (uint32_t)a[3]);
}

/* Connecting. */

static int connect_datagrams(struct sk_socket *s, struct sk_task *t,
			     const struct sk_name *name)
{
	struct sk_socket *to;
	int error;

	if (name->family == SK_AF_UNSPEC) {
		unfollow(s);
		s->state = SK_SOCKET_NEW;
		s->peer_name.size = 0;
		return 0;
	}
	if (!is_unix(s)) {
		error = sk_inet_check(s, name);
		if (!error)
			error = sk_inet_find(s, name, &to);
		if (error && error != -SK_ECONNREFUSED)
			return error;
		error = sk_inet_autobind(s);
		if (error)
			return error;
		sk_inet_settle(s, name);
	} else {
		error = sk_unix_find(t, name, s->type, &to);
		if (error)
			return error;
		if (to->state == SK_SOCKET_CONNECTED && to->peer != s)
			return -SK_EPERM;
		unfollow(s);
		s->peer = to;
		sk_list_add(&to->followers, &s->follows);
	}
	s->peer_name = *name;
	s->state = SK_SOCKET_CONNECTED;
	sk_socket_wake(s);
	return 0;
}

static int start_unix(struct sk_socket *s, struct sk_task *t,
		      const struct sk_name *name, bool block)
{
	struct sk_socket *listener;
	int error = sk_unix_find(t, name, s->type, &listener);

	if (error)
		return error;
	if (listener->state != SK_SOCKET_LISTENING)
		return -SK_ECONNREFUSED;
	if (!block && is_full(listener))
		return -SK_EAGAIN;
	return sk_socket_dial(s, listener);
}

static int64_t start_inet(struct sk_socket *s, const struct sk_name *name,
			  bool block)
{
	struct sk_socket *listener;
	int error = sk_inet_check(s, name);

	if (error)
		return error;
	error = sk_inet_find(s, name, &listener);
	if (error == -SK_ENETUNREACH)
		return sk_remote_connect(s, name);
	if (error && (error != -SK_ECONNREFUSED || block))
		return error;
	if (error) {
		s->announced = true;
		refuse(s, SK_ECONNREFUSED);
		return 0;
	}
	error = sk_inet_autobind(s);
	if (error)
		return error;
	sk_inet_settle(s, name);
	s->peer_name = *name;
	s->announced = !block;
	return sk_socket_dial(s, listener);
}

static int64_t wait_for_it(struct sk_socket *s, struct sk_task *t,
			   const struct sk_message *m)
{
	struct sk_waitq *q = s->remote ? &s->watch.ready : &s->out_changed;
	int64_t result = sk_socket_wait(s, t, q, m, s->send_time);

	return result == -SK_EAGAIN ? -SK_EINPROGRESS : result;
}

/* A connect that is under way, or was. */
static int64_t go_on(struct sk_socket *s, struct sk_task *t,
		     const struct sk_message *m)
{
	int64_t result;

	if (s->remote && s->state == SK_SOCKET_CONNECTING)
		sk_remote_step(s);
	switch (s->state) {
	case SK_SOCKET_CONNECTED:
		if (!t->call.again && !s->announced)
			return -SK_EISCONN;
		s->announced = false;
		return 0;
	case SK_SOCKET_CONNECTING:
		if ((m->io.flags & SK_O_NONBLOCK) && !t->call.again)
			return -SK_EALREADY;
		return wait_for_it(s, t, m);
	case SK_SOCKET_ENDED:
		s->state = SK_SOCKET_NEW;
		s->announced = false;
		result = sk_socket_error(s);
		return result ? result : -SK_ECONNABORTED;
	default:
		return -SK_EISCONN;
	}
}

static int64_t connect(struct sk_socket *s, struct sk_task *t,
		       const struct sk_name *name, const struct sk_message *m)
{
	bool block = !(m->io.flags & SK_O_NONBLOCK);
	int64_t result;

	if (s->state != SK_SOCKET_NEW)
		return is_unix(s) && s->state == SK_SOCKET_LISTENING
			       ? -SK_EINVAL
			       : go_on(s, t, m);
	s->pid = t->process->pid;
	result = is_unix(s) ? start_unix(s, t, name, block)
			    : start_inet(s, name, block);
	if (result)
		return result;
	if (s->state == SK_SOCKET_CONNECTED && (block || is_unix(s)))
		return 0;
	if (!block)
		return -SK_EINPROGRESS;
	return wait_for_it(s, t, m);
}

int64_t sk_sys_connect(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	struct sk_message m = { .io.flags = f ? f->flags : 0 };
	struct sk_name name;
	int error;
	struct sk_socket *s = sk_socket_of(t, (int)a[0], &error);

	if (!s)
		return error;
	error = sk_name_in(t, &name, (sk_user)a[1], (uint32_t)a[2]);
	if (error)
		return error;
	return sk_socket_is_pair(s) ? connect(s, t, &name, &m)
				    : connect_datagrams(s, t, &name);
}
