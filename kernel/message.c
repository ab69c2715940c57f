/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls that send and receive: names, vectors and control data in and
 * out of the program's memory; bytes.c and packets.c do the rest.
 */
#include "process.h"
#include "socket.h"

#define SCM_CREDENTIALS	 2
#define VECTORS_ON_STACK 8
#define CONTROL_MAX	 4096u
#define HEADER		 ((uint32_t)sizeof(struct sk_abi_cmsghdr))

int64_t sk_socket_send(struct sk_socket *s, struct sk_task *t,
		       struct sk_message *m)
{
	if (m->flags & SK_MSG_OOB)
		return -SK_EOPNOTSUPP;
	if (m->name.size && s->domain == SK_AF_UNIX && sk_socket_is_stream(s))
		return s->state == SK_SOCKET_CONNECTED ? -SK_EISCONN
						       : -SK_EOPNOTSUPP;
	if (s->remote)
		return sk_remote_send(s, t, m);
	return sk_socket_is_stream(s) ? sk_bytes_send(s, t, m)
				      : sk_packet_send(s, t, m);
}

int64_t sk_socket_receive(struct sk_socket *s, struct sk_task *t,
			  struct sk_message *m)
{
	if (m->flags & SK_MSG_OOB)
		return -SK_EINVAL;
	if (s->remote)
		return sk_remote_receive(s, t, m);
	return sk_socket_is_stream(s) ? sk_bytes_receive(s, t, m)
				      : sk_packet_receive(s, t, m);
}

int sk_name_in(struct sk_task *t, struct sk_name *name, sk_user from,
	       uint32_t size)
{
	memset(name, 0, sizeof(*name));
	if (size > SK_NAME_SIZE || size < sizeof(name->family))
		return -SK_EINVAL;
	name->size = size;
	return sk_copy_in(t, name->bytes, from, size);
}

int sk_name_out(struct sk_task *t, const struct sk_name *name, sk_user to,
		sk_user size)
{
	uint32_t room;
	int error = sk_copy_in(t, &room, size, sizeof(room));

	if (error)
		return error;
	if ((int32_t)room < 0)
		return -SK_EINVAL;
	error = sk_copy_out(t, to, name->bytes,
			    room < name->size ? room : name->size);
	return error ? error
		     : sk_copy_out(t, size, &name->size, sizeof(name->size));
}

/* A socket whose file is held for the length of the call. */
static struct sk_socket *begin(struct sk_task *t, int fd, struct sk_file **file,
			       struct sk_message *m, uint64_t flags, int *error)
{
	struct sk_socket *s = sk_socket_of(t, fd, error);

	memset(m, 0, sizeof(*m));
	if (!s)
		return NULL;
	*file = sk_file_get(sk_fd_file(t, fd));
	m->flags = (uint32_t)flags;
	return s;
}

static uint32_t length(uint64_t a)
{
	return (uint32_t)a > SK_RW_MAX ? SK_RW_MAX : (uint32_t)a;
}

int64_t sk_sys_sendto(struct sk_task *t, const uint64_t *a)
{
	struct sk_abi_iovec one;
	struct sk_message m;
	struct sk_file *f;
	int error;
	struct sk_socket *s = begin(t, (int)a[0], &f, &m, a[3], &error);
	int64_t count = 0;

	if (!s)
		return error;
	sk_io_user(&m.io, t, &one, (sk_user)a[1], length(a[2]));
	m.io.flags = f->flags;
	if (a[4])
		count = sk_name_in(t, &m.name, (sk_user)a[4], (uint32_t)a[5]);
	if (!count)
		count = sk_socket_send(s, t, &m);
	sk_file_put(f);
	return count;
}

int64_t sk_sys_recvfrom(struct sk_task *t, const uint64_t *a)
{
	struct sk_abi_iovec one;
	struct sk_message m;
	struct sk_file *f;
	int error;
	struct sk_socket *s = begin(t, (int)a[0], &f, &m, a[3], &error);
	int64_t count;

	if (!s)
		return error;
	sk_io_user(&m.io, t, &one, (sk_user)a[1], length(a[2]));
	m.io.flags = f->flags;
	count = sk_socket_receive(s, t, &m);
	if (count >= 0 && a[4]) {
		error = sk_name_out(t, &m.name, (sk_user)a[4], (sk_user)a[5]);
		if (error)
			count = error;
	}
	sk_file_put(f);
	return count;
}

/* sendmsg and recvmsg. */

struct vectors {
	struct sk_abi_msghdr head;
	struct sk_abi_iovec few[VECTORS_ON_STACK], *all;
	uint32_t count;
};

static void vectors_fini(struct vectors *v, struct sk_task *t)
{
	if (v->all != v->few)
		sk_free(sk_kernel_of(t), v->all, v->count * sizeof(*v->all));
}

static int vectors_init(struct vectors *v, struct sk_task *t, sk_user from,
			struct sk_message *m, uint32_t file_flags)
{
	uint64_t total = 0;
	int error = sk_copy_in(t, &v->head, from, sizeof(v->head));

	if (error)
		return error;
	v->count = (uint32_t)v->head.iovlen;
	if (v->count > SK_IOV_MAX)
		return -SK_EMSGSIZE;
	v->all = v->few;
	if (v->count > VECTORS_ON_STACK)
		v->all = sk_alloc(sk_kernel_of(t), v->count * sizeof(*v->all));
	if (!v->all)
		return -SK_ENOMEM;
	error = sk_copy_in(t, v->all, v->head.iov,
			   v->count * (uint32_t)sizeof(*v->all));
	for (uint32_t i = 0; !error && i < v->count; i++)
		total += v->all[i].len;
	if (!error && total > SK_RW_MAX)
		error = -SK_EINVAL;
	if (error) {
		vectors_fini(v, t);
		return error;
	}
	m->io = (struct sk_io){ .task = t,
				.vec = v->all,
				.vec_count = v->count,
				.left = (size_t)total,
				.flags = file_flags };
	return 0;
}

/* The files of one SCM_RIGHTS; adds to what came before. */
static int take_rights(struct sk_task *t, sk_user at, uint32_t count,
		       struct sk_message *m)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_rights *r;

	if (m->rights || count > SK_RIGHTS_MAX)
		return -SK_EINVAL;
	if (!count)
		return 0;
	r = sk_alloc(k, sizeof(*r) + count * sizeof(r->files[0]));
	if (!r)
		return -SK_ENOMEM;
	r->count = count;
	sk_list_init(&r->link);
	for (uint32_t i = 0; i < count; i++) {
		int32_t fd;
		int error = sk_copy_in(t, &fd, at + 4 * i, sizeof(fd));
		struct sk_file *f = error ? NULL : sk_fd_file(t, fd);

		if (f) {
			r->files[i] = sk_file_get(f);
			continue;
		}
		while (i--)
			sk_file_put(r->files[i]);
		sk_free(k, r, sizeof(*r) + count * sizeof(r->files[0]));
		return error ? error : -SK_EBADF;
	}
	m->rights = r;
	return 0;
}

static int control_in(struct sk_task *t, const struct sk_abi_msghdr *head,
		      struct sk_message *m)
{
	uint32_t at = 0, size = head->controllen;

	if (size > CONTROL_MAX)
		return -SK_ENOBUFS;
	while (head->control && size - at >= HEADER) {
		struct sk_abi_cmsghdr c;
		int error = sk_copy_in(t, &c, head->control + at, HEADER);

		if (error)
			return error;
		if (c.len < HEADER || c.len > size - at)
			return -SK_EINVAL;
		if (c.level == SK_SOL_SOCKET && c.type == SK_SCM_RIGHTS)
			error = take_rights(t, head->control + at + HEADER,
					    (c.len - HEADER) / 4, m);
		else if (c.level == SK_SOL_SOCKET && c.type != SCM_CREDENTIALS)
			error = -SK_EINVAL;
		if (error)
			return error;
		at += (c.len + 3) & ~3u;
		if (at > size)
			break;
	}
	return 0;
}

static int64_t send_vectors(struct sk_socket *s, struct sk_task *t,
			    struct sk_message *m, struct vectors *v)
{
	int64_t result = 0;

	if (v->head.name && v->head.namelen)
		result = sk_name_in(t, &m->name, v->head.name, v->head.namelen);
	if (!result)
		result = control_in(t, &v->head, m);
	if (!result && m->rights && s->domain != SK_AF_UNIX)
		result = -SK_EINVAL;
	if (!result)
		result = sk_socket_send(s, t, m);
	sk_rights_free(s->kernel, m->rights);
	return result;
}

int64_t sk_sys_sendmsg(struct sk_task *t, const uint64_t *a)
{
	struct sk_message m;
	struct vectors v;
	struct sk_file *f;
	int error;
	struct sk_socket *s = begin(t, (int)a[0], &f, &m, a[2], &error);
	int64_t result;

	if (!s)
		return error;
	result = vectors_init(&v, t, (sk_user)a[1], &m, f->flags);
	if (!result) {
		result = send_vectors(s, t, &m, &v);
		vectors_fini(&v, t);
	}
	sk_file_put(f);
	return result;
}

/* Makes descriptors of what came, as far as there is room for them. */
static int rights_out(struct sk_task *t, struct sk_abi_msghdr *head,
		      struct sk_message *m)
{
	struct sk_abi_cmsghdr c = { HEADER, SK_SOL_SOCKET, SK_SCM_RIGHTS };
	uint32_t room = head->controllen, done = 0;
	sk_user to = head->control;
	int error = 0;

	head->controllen = 0;
	if (!m->rights)
		return 0;
	room = to && room >= HEADER ? (room - HEADER) / 4 : 0;
	for (; done < m->rights->count && done < room && !error; done++) {
		int32_t fd =
			sk_fd_install(t, sk_file_get(m->rights->files[done]), 0,
				      (m->flags & SK_MSG_CMSG_CLOEXEC) != 0);

		if (fd < 0)
			break;
		error = sk_copy_out(t, to + HEADER + 4 * done, &fd, sizeof(fd));
	}
	if (done < m->rights->count)
		m->out_flags |= SK_MSG_CTRUNC;
	if (error || !done)
		return error;
	c.len = HEADER + 4 * done;
	head->controllen = c.len;
	return sk_copy_out(t, to, &c, sizeof(c));
}

static int64_t receive_vectors(struct sk_socket *s, struct sk_task *t,
			       struct sk_message *m, struct vectors *v,
			       sk_user to)
{
	int64_t count = sk_socket_receive(s, t, m);
	uint32_t room = v->head.namelen;
	int error;

	if (count < 0)
		return count;
	error = rights_out(t, &v->head, m);
	if (!error && v->head.name) {
		v->head.namelen = m->name.size;
		error = sk_copy_out(t, v->head.name, m->name.bytes,
				    room < m->name.size ? room : m->name.size);
	}
	v->head.flags = (int32_t)m->out_flags;
	if (!error)
		error = sk_copy_out(t, to, &v->head, sizeof(v->head));
	return error ? error : count;
}

int64_t sk_sys_recvmsg(struct sk_task *t, const uint64_t *a)
{
	struct sk_message m;
	struct vectors v;
	struct sk_file *f;
	int error;
	struct sk_socket *s = begin(t, (int)a[0], &f, &m, a[2], &error);
	int64_t result;

	if (!s)
		return error;
	m.want_rights = true;
	result = vectors_init(&v, t, (sk_user)a[1], &m, f->flags);
	if (!result) {
		result = receive_vectors(s, t, &m, &v, (sk_user)a[1]);
		sk_rights_free(s->kernel, m.rights);
		vectors_fini(&v, t);
	}
	sk_file_put(f);
	return result;
}
