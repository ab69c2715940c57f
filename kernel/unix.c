/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of AF_UNIX: files (the inode's `special` is the socket, as long as
 * that one lives) and abstract names, which stand in sk_net.bound.
 */
#include "process.h"
#include "socket.h"

#define PATH_OFFSET offsetof(struct sk_abi_sockaddr_un, path)

static bool is_abstract(const struct sk_name *name)
{
	return name->size > PATH_OFFSET && !name->un.path[0];
}

static int check(const struct sk_name *name)
{
	if (name->size < sizeof(name->family) ||
	    name->size > sizeof(struct sk_abi_sockaddr_un))
		return -SK_EINVAL;
	return name->family == SK_AF_UNIX ? 0 : -SK_EINVAL;
}

static struct sk_socket *find_abstract(struct sk_kernel *k,
				       const struct sk_name *name)
{
	if (!k->net)
		return NULL;
	SK_LIST_EACH(node, &k->net->bound)
	{
		struct sk_socket *s =
			SK_CONTAINER(node, struct sk_socket, bound);

		if (s->domain == SK_AF_UNIX && s->name.size == name->size &&
		    !memcmp(s->name.bytes, name->bytes, name->size))
			return s;
	}
	return NULL;
}

static int bind_abstract(struct sk_socket *s, const struct sk_name *name)
{
	struct sk_net *net;

	if (find_abstract(s->kernel, name))
		return -SK_EADDRINUSE;
	net = sk_net_get(s->kernel);
	if (!net)
		return -SK_ENOMEM;
	s->name = *name;
	sk_list_add(&net->bound, &s->bound);
	return 0;
}

/* An abstract name of five digits that nobody has. */
static int bind_any(struct sk_socket *s)
{
	struct sk_net *net = sk_net_get(s->kernel);
	struct sk_name name = { .size = PATH_OFFSET + 6, .family = SK_AF_UNIX };
	int error = -SK_ENOMEM;

	for (uint32_t i = 0; net && i < 0x100000; i++) {
		sk_format(name.un.path + 1, 6, "%05x",
			  net->next_name++ & 0xfffff);
		error = bind_abstract(s, &name);
		if (error != -SK_EADDRINUSE)
			break;
	}
	return error;
}

/* The path with its NUL; there is room for one. */
static void path_of(const struct sk_name *name, char path[109])
{
	size_t size = name->size - PATH_OFFSET;

	memcpy(path, name->un.path, size);
	path[size] = '\0';
}

static int make_file(struct sk_socket *s, struct sk_task *t, struct sk_walk *w)
{
	struct sk_inode *dir = w->path.inode, *made;
	int error;

	if (!w->name_len || w->name_is_folder)
		return w->name_len ? -SK_ENOENT : -SK_EADDRINUSE;
	error = sk_inode_access(t, &w->path, SK_W_OK | SK_X_OK);
	if (error)
		return error;
	if (!dir->ops->create)
		return -SK_EPERM;
	error = dir->ops->create(dir, w->name, w->name_len,
				 SK_S_IFSOCK | (0777 & ~t->process->umask), 0,
				 &made);
	if (error)
		return error == -SK_EEXIST ? -SK_EADDRINUSE : error;
	sk_inode_own(t, made);
	s->path = w->path;
	sk_path_get(&s->path);
	sk_inode_put(s->path.inode);
	s->path.inode = made;
	made->special = s;
	return 0;
}

static int bind_path(struct sk_socket *s, struct sk_task *t,
		     const struct sk_name *name)
{
	char path[sizeof(name->un.path) + 1];
	struct sk_walk w;
	int error;

	path_of(name, path);
	error = sk_walk(t, SK_AT_FDCWD, path, SK_WALK_PARENT, &w);
	if (error)
		return error;
	error = make_file(s, t, &w);
	sk_path_put(&w.path);
	if (error)
		return error;
	s->name = *name;
	s->name.size = (uint32_t)(PATH_OFFSET + strlen(path) + 1);
	s->name.bytes[s->name.size - 1] = '\0';
	return 0;
}

int sk_unix_bind(struct sk_socket *s, struct sk_task *t,
		 const struct sk_name *name)
{
	int error = check(name);

	if (error)
		return error;
	if (s->name.size)
		return -SK_EINVAL;
	if (name->size == sizeof(name->family))
		return bind_any(s);
	return is_abstract(name) ? bind_abstract(s, name)
				 : bind_path(s, t, name);
}

void sk_unix_unbind(struct sk_socket *s)
{
	if (!s->path.inode)
		return;
	if (s->path.inode->special == s)
		s->path.inode->special = NULL;
	sk_path_put(&s->path);
	s->path = (struct sk_path){ 0 };
}

static int find_path(struct sk_task *t, const struct sk_name *name,
		     struct sk_socket **out)
{
	char path[sizeof(name->un.path) + 1];
	struct sk_walk w;
	int error;

	path_of(name, path);
	error = sk_walk(t, SK_AT_FDCWD, path, SK_WALK_FOLLOW, &w);
	if (error)
		return error;
	error = sk_inode_access(t, &w.path, SK_W_OK);
	*out = w.path.inode->special;
	if (!error &&
	    ((w.path.inode->mode & SK_S_IFMT) != SK_S_IFSOCK || !*out))
		error = -SK_ECONNREFUSED;
	sk_path_put(&w.path);
	return error;
}

int sk_unix_find(struct sk_task *t, const struct sk_name *name, uint32_t type,
		 struct sk_socket **out)
{
	int error = check(name);

	if (error)
		return error;
	if (name->size == sizeof(name->family))
		return -SK_EINVAL;
	if (is_abstract(name)) {
		*out = find_abstract(sk_kernel_of(t), name);
		error = *out ? 0 : -SK_ECONNREFUSED;
	} else {
		error = find_path(t, name, out);
	}
	if (error)
		return error;
	return (*out)->type == type ? 0 : -SK_EPROTOTYPE;
}
