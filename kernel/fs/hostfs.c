/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostfs: a folder of the host, beneath a handle that the host gave.
 *
 * An inode stands for a file of the host that something refers to. It knows
 * its parent (a reference) and its name there, and has handles by need: a
 * folder one to look up from; a regular file one for reading, one for writing
 * and one for appending, opened when the file is opened, so that it stays
 * usable when its name goes. Inodes that live are found by the host's device
 * and number, so that two opens share one inode, with its locks.
 *
 * The kernel's lock is given back while the host works. Callers hold
 * references to the inodes they pass; what is found afterwards is looked up
 * again in the table (another task may have found it meanwhile).
 *
 * Fifos, devices and sockets of the host can be seen but not opened.
 */
#include "fs/hostfs.h"

static const struct sk_inode_ops hostfs_ops;

static uint32_t type_of(uint32_t mode)
{
	return mode & SK_S_IFMT;
}

static struct sk_host_super *super_of(const struct sk_inode *i)
{
	return (struct sk_host_super *)i->super;
}

static const struct sk_host_files *files_of(const struct sk_inode *i)
{
	return i->kernel->host->files;
}

static struct sk_list *bucket(struct sk_host_super *s, uint64_t dev,
			      uint64_t ino)
{
	return &s->live[(dev * 31 + ino) % SK_HOST_BUCKETS];
}

static void take_stat(struct sk_host_inode *h, const struct sk_abi_stat *st)
{
	struct sk_inode *i = &h->i;

	i->mode = st->mode;
	i->nlink = st->nlink;
	i->uid = st->uid;
	i->gid = st->gid;
	i->rdev = st->rdev;
	i->size = st->size;
	i->blocks = st->blocks;
	i->atime = st->atime.sec * 1000000000 + st->atime.nsec;
	i->mtime = st->mtime.sec * 1000000000 + st->mtime.nsec;
	i->ctime = st->ctime.sec * 1000000000 + st->ctime.nsec;
	i->generation = (uint64_t)i->mtime * 31 + (uint64_t)i->ctime * 17 +
			(uint64_t)i->size;
}

static struct sk_host_inode *find(struct sk_host_super *s,
				  const struct sk_abi_stat *st)
{
	SK_LIST_EACH(node, bucket(s, st->dev, st->ino))
	{
		struct sk_host_inode *h =
			SK_CONTAINER(node, struct sk_host_inode, live);

		if (h->dev == st->dev && h->i.ino == st->ino &&
		    type_of(h->i.mode) == type_of(st->mode))
			return h;
	}
	return NULL;
}

static int inode_new(struct sk_host_super *s, struct sk_host_inode *parent,
		     const char *name, size_t len, const struct sk_abi_stat *st,
		     struct sk_host_inode **out)
{
	struct sk_kernel *k = s->s.kernel;
	struct sk_host_inode *h = sk_alloc(k, sizeof(*h));

	if (!h)
		return -SK_ENOMEM;
	h->name = sk_alloc(k, len + 1);
	if (!h->name) {
		sk_free(k, h, sizeof(*h));
		return -SK_ENOMEM;
	}
	memcpy(h->name, name, len);
	sk_inode_init(&h->i, &s->s, &hostfs_ops, st->ino, st->mode);
	h->dev = st->dev;
	for (int n = 0; n < SK_HOST_HANDLES; n++)
		h->handles[n] = -1;
	if (parent) {
		h->parent = parent;
		sk_inode_get(&parent->i);
	}
	take_stat(h, st);
	sk_list_add(bucket(s, st->dev, st->ino), &h->live);
	*out = h;
	return 0;
}

/* The live inode of what was found as `name` of a folder, or a new one. */
static int inode_get(struct sk_host_inode *dir, const char *name, size_t len,
		     const struct sk_abi_stat *st, struct sk_host_inode **out)
{
	struct sk_host_inode *h = find(super_of(&dir->i), st);

	if (!h)
		return inode_new(super_of(&dir->i), dir, name, len, st, out);
	sk_inode_get(&h->i);
	take_stat(h, st);
	*out = h;
	return 0;
}

static void set_name(struct sk_host_inode *h, struct sk_host_inode *dir,
		     char *name)
{
	struct sk_kernel *k = h->i.kernel;
	struct sk_host_inode *old = h->parent;

	sk_free(k, h->name, strlen(h->name) + 1);
	h->name = name;
	h->gone = false;
	h->parent = dir;
	sk_inode_get(&dir->i);
	if (old)
		sk_inode_put(&old->i);
}

int sk_hostfs_handle(struct sk_host_inode *h, enum sk_host_handle which,
		     uint32_t flags)
{
	struct sk_kernel *k = h->i.kernel;
	struct sk_host_inode *dir = h->parent;
	char name[SK_NAME_MAX + 1];
	int error, above, handle = -1;

	if (h->handles[which] >= 0)
		return h->handles[which];
	if (h->gone || !dir)
		return -SK_ENOENT;
	above = sk_hostfs_folder(dir);
	if (above < 0)
		return above;
	memcpy(name, h->name, strlen(h->name) + 1);
	sk_inode_get(&dir->i);
	sk_unlock(k);
	error = k->host->files->open(k->self, above, name, flags, 0, &handle);
	sk_lock(k);
	sk_inode_put(&dir->i);
	if (error)
		return error;
	if (h->handles[which] >= 0)
		k->host->files->close(k->self, handle);
	else
		h->handles[which] = handle;
	return h->handles[which];
}

int sk_hostfs_folder(struct sk_host_inode *dir)
{
	return sk_hostfs_handle(dir, SK_HOST_READ,
				SK_O_RDONLY | SK_O_DIRECTORY);
}

static struct sk_host_inode *host_inode(struct sk_inode *i)
{
	return (struct sk_host_inode *)i;
}

static void copy_name(char to[SK_NAME_MAX + 1], const char *name, size_t len)
{
	memcpy(to, name, len);
	to[len] = '\0';
}

static int lookup(struct sk_inode *dir, const char *name, size_t len,
		  struct sk_inode **out)
{
	struct sk_kernel *k = dir->kernel;
	struct sk_host_inode *found;
	char text[SK_NAME_MAX + 1];
	struct sk_abi_stat st;
	int handle = sk_hostfs_folder(host_inode(dir)), error;

	if (handle < 0)
		return handle;
	copy_name(text, name, len);
	sk_unlock(k);
	error = files_of(dir)->stat(k->self, handle, text, &st);
	sk_lock(k);
	if (!error)
		error = inode_get(host_inode(dir), text, len, &st, &found);
	if (!error)
		*out = &found->i;
	return error;
}

static int create(struct sk_inode *dir, const char *name, size_t len,
		  uint32_t mode, uint64_t rdev, struct sk_inode **out)
{
	struct sk_kernel *k = dir->kernel;
	int handle = sk_hostfs_folder(host_inode(dir)), made = -1, error;
	char text[SK_NAME_MAX + 1];
	struct sk_inode *i;

	(void)rdev;
	if (handle < 0)
		return handle;
	if (type_of(mode) != SK_S_IFREG && type_of(mode) != SK_S_IFDIR)
		return -SK_EPERM;
	copy_name(text, name, len);
	sk_unlock(k);
	if (type_of(mode) == SK_S_IFDIR)
		error = files_of(dir)->mkdir(k->self, handle, text,
					     mode & 07777);
	else
		error = files_of(dir)->open(k->self, handle, text,
					    SK_O_CREAT | SK_O_EXCL | SK_O_RDWR,
					    mode & 07777, &made);
	sk_lock(k);
	if (error)
		return error;
	error = lookup(dir, text, len, &i);
	if (!error && made >= 0 && host_inode(i)->handles[SK_HOST_WRITE] < 0) {
		host_inode(i)->handles[SK_HOST_WRITE] = made;
		made = -1;
	}
	if (made >= 0)
		files_of(dir)->close(k->self, made);
	if (!error && out)
		*out = i;
	else if (!error)
		sk_inode_put(i);
	return error;
}

static int make_symlink(struct sk_inode *dir, const char *name, size_t len,
			const char *target)
{
	struct sk_kernel *k = dir->kernel;
	int handle = sk_hostfs_folder(host_inode(dir)), error;
	char text[SK_NAME_MAX + 1];

	if (handle < 0)
		return handle;
	copy_name(text, name, len);
	sk_unlock(k);
	error = files_of(dir)->symlink(k->self, target, handle, text);
	sk_lock(k);
	return error;
}

static int make_link(struct sk_inode *dir, const char *name, size_t len,
		     struct sk_inode *to)
{
	struct sk_host_inode *h = host_inode(to);
	struct sk_kernel *k = dir->kernel;
	char text[SK_NAME_MAX + 1], old[SK_NAME_MAX + 1];
	int handle = sk_hostfs_folder(host_inode(dir)), above, error;

	if (handle < 0)
		return handle;
	if (h->gone || !h->parent)
		return -SK_ENOENT;
	above = sk_hostfs_folder(h->parent);
	if (above < 0)
		return above;
	copy_name(text, name, len);
	copy_name(old, h->name, strlen(h->name));
	sk_unlock(k);
	error = files_of(dir)->link(k->self, above, old, handle, text);
	sk_lock(k);
	return error;
}

/* The live inode that has a name, or NULL. */
static struct sk_host_inode *named(struct sk_inode *dir, const char *name,
				   size_t len)
{
	struct sk_host_super *s = super_of(dir);

	for (uint32_t b = 0; b < SK_HOST_BUCKETS; b++) {
		SK_LIST_EACH(node, &s->live[b])
		{
			struct sk_host_inode *h =
				SK_CONTAINER(node, struct sk_host_inode, live);

			if (!h->gone && h->parent == host_inode(dir) &&
			    strlen(h->name) == len &&
			    !memcmp(h->name, name, len))
				return h;
		}
	}
	return NULL;
}

static int remove(struct sk_inode *dir, const char *name, size_t len,
		  bool is_dir)
{
	int handle = sk_hostfs_folder(host_inode(dir)), error;
	struct sk_kernel *k = dir->kernel;
	char text[SK_NAME_MAX + 1];
	struct sk_host_inode *h;

	if (handle < 0)
		return handle;
	copy_name(text, name, len);
	sk_unlock(k);
	error = files_of(dir)->unlink(k->self, handle, text, is_dir);
	sk_lock(k);
	if (error)
		return error;
	h = named(dir, text, len);
	if (h)
		h->gone = true;
	return 0;
}

/* Before a rename: the moved inode's name is allocated, so none fails later. */
static int move(struct sk_inode *dir, const char *name, size_t len,
		struct sk_inode *to, const char *to_name, size_t to_len,
		uint32_t flags)
{
	int from = sk_hostfs_folder(host_inode(dir)), onto, error;
	struct sk_kernel *k = dir->kernel;
	char text[SK_NAME_MAX + 1], to_text[SK_NAME_MAX + 1], *kept;
	struct sk_host_inode *moved, *over;

	if (from < 0)
		return from;
	onto = sk_hostfs_folder(host_inode(to));
	if (onto < 0)
		return onto;
	if (flags & SK_RENAME_EXCHANGE)
		return -SK_EINVAL;
	copy_name(text, name, len);
	copy_name(to_text, to_name, to_len);
	kept = sk_strdup(k, to_text);
	if (!kept)
		return -SK_ENOMEM;
	sk_unlock(k);
	error = files_of(dir)->rename(k->self, from, text, onto, to_text,
				      flags);
	sk_lock(k);
	moved = error ? NULL : named(dir, text, len);
	over = error ? NULL : named(to, to_text, to_len);
	if (over && over != moved)
		over->gone = true;
	if (moved)
		set_name(moved, host_inode(to), kept);
	else
		sk_free(k, kept, to_len + 1);
	return error;
}

/* Fills the folder's buffer from a position; the bytes there, or -errno. */
static int64_t refill(struct sk_host_inode *dir, int64_t at)
{
	struct sk_kernel *k = dir->i.kernel;
	int handle = sk_hostfs_folder(dir);
	int64_t n;

	if (handle < 0)
		return handle;
	if (!dir->list)
		dir->list = sk_alloc(k, SK_HOST_LIST);
	if (!dir->list)
		return -SK_ENOMEM;
	dir->list_size = 0;
	sk_unlock(k);
	n = files_of(&dir->i)->list(k->self, handle, at, dir->list,
				    SK_HOST_LIST);
	sk_lock(k);
	if (n >= 0) {
		dir->list_size = (uint32_t)n;
		dir->list_used = 0;
		dir->list_at = at;
	}
	return n;
}

static int list(struct sk_inode *i, int64_t at, int64_t *next,
		char name[SK_NAME_MAX + 1], uint64_t *ino, uint32_t *mode)
{
	struct sk_host_inode *dir = host_inode(i);
	const struct sk_abi_dirent *e;
	size_t len;
	int64_t n;

	if (!at || !dir->list || at != dir->list_at ||
	    dir->list_used >= dir->list_size) {
		n = refill(dir, at);
		if (n <= 0)
			return (int)n;
	}
	e = (const void *)(dir->list + dir->list_used);
	if (dir->list_size - dir->list_used < sizeof(*e) ||
	    e->reclen < sizeof(*e) ||
	    e->reclen > dir->list_size - dir->list_used)
		return -SK_EIO;
	dir->list_used += e->reclen;
	dir->list_at = *next = e->off;
	len = strlen(e->name);
	if (len > SK_NAME_MAX)
		return -SK_EIO;
	memcpy(name, e->name, len + 1);
	*ino = e->ino;
	*mode = (uint32_t)e->type << 12;
	return 1;
}

static int parent(struct sk_inode *i, struct sk_inode **out,
		  char name[SK_NAME_MAX + 1])
{
	struct sk_host_inode *h = host_inode(i);

	if (!h->parent || (name && h->gone))
		return -SK_ENOENT;
	if (out)
		*out = sk_inode_get(&h->parent->i);
	if (name)
		memcpy(name, h->name, strlen(h->name) + 1);
	return 0;
}

/* A handle of the file itself if one is open (then *name is NULL), or -1. */
static int own_handle(const struct sk_host_inode *h)
{
	for (int n = 0; n < SK_HOST_HANDLES; n++)
		if (h->handles[n] >= 0)
			return h->handles[n];
	return -1;
}

/* How the host is told which file: a handle and no name, or its folder's. */
static int address(struct sk_host_inode *h, char text[SK_NAME_MAX + 1],
		   const char **name)
{
	int handle = own_handle(h);

	*name = NULL;
	if (handle >= 0)
		return handle;
	if (h->gone || !h->parent)
		return -SK_ENOENT;
	copy_name(text, h->name, strlen(h->name));
	*name = text;
	return sk_hostfs_folder(h->parent);
}

static int64_t read_link(struct sk_inode *i, struct sk_task *t, char *to,
			 size_t size)
{
	struct sk_kernel *k = i->kernel;
	char text[SK_NAME_MAX + 1];
	const char *name;
	int handle = address(host_inode(i), text, &name);
	int64_t n;

	(void)t;
	if (handle < 0)
		return handle;
	sk_unlock(k);
	n = files_of(i)->readlink(k->self, handle, name, to, size);
	sk_lock(k);
	return n;
}

static int refresh(struct sk_inode *i)
{
	struct sk_kernel *k = i->kernel;
	char text[SK_NAME_MAX + 1];
	struct sk_abi_stat st;
	const char *name;
	int handle = address(host_inode(i), text, &name), error;

	if (handle < 0)
		return handle;
	sk_unlock(k);
	error = files_of(i)->stat(k->self, handle, name, &st);
	sk_lock(k);
	if (!error)
		take_stat(host_inode(i), &st);
	return error;
}

static int change(struct sk_inode *i, uint32_t mode, uint32_t uid, uint32_t gid,
		  int64_t atime, int64_t mtime)
{
	struct sk_kernel *k = i->kernel;
	char text[SK_NAME_MAX + 1];
	const char *name;
	int handle = address(host_inode(i), text, &name), error = 0;

	if (handle < 0)
		return handle;
	if ((uid != UINT32_MAX && uid != i->uid) ||
	    (gid != UINT32_MAX && gid != i->gid))
		return -SK_EPERM;
	sk_unlock(k);
	if (mode != UINT32_MAX)
		error = files_of(i)->chmod(k->self, handle, name, mode & 07777);
	if (!error && (atime != INT64_MIN || mtime != INT64_MIN))
		error = files_of(i)->utimes(k->self, handle, name, atime,
					    mtime);
	sk_lock(k);
	return error ? error : refresh(i);
}

static int statfs(struct sk_inode *i, struct sk_abi_statfs *out)
{
	struct sk_kernel *k = i->kernel;
	int handle = super_of(i)->handle, error;

	sk_unlock(k);
	error = files_of(i)->statfs(k->self, handle, out);
	sk_lock(k);
	return error;
}

static void forget(struct sk_inode *i)
{
	struct sk_host_inode *h = host_inode(i);
	struct sk_kernel *k = i->kernel;
	struct sk_host_inode *up = h->parent;

	for (int n = 0; n < SK_HOST_HANDLES; n++)
		if (h->handles[n] >= 0)
			files_of(i)->close(k->self, h->handles[n]);
	sk_list_remove(&h->live);
	if (h->list)
		sk_free(k, h->list, SK_HOST_LIST);
	sk_free(k, h->name, strlen(h->name) + 1);
	sk_inode_fini(i);
	sk_free(k, h, sizeof(*h));
	if (up)
		sk_inode_put(&up->i);
}

static const struct sk_inode_ops hostfs_ops = {
	.lookup = lookup,
	.create = create,
	.symlink = make_symlink,
	.link = make_link,
	.unlink = remove,
	.rename = move,
	.list = list,
	.parent = parent,
	.readlink = read_link,
	.read = sk_hostfs_read,
	.write = sk_hostfs_write,
	.truncate = sk_hostfs_truncate,
	.sync = sk_hostfs_sync,
	.open = sk_hostfs_open,
	.refresh = refresh,
	.change = change,
	.statfs = statfs,
	.forget = forget,
};

/* The root's handle is its inode's, which closes it. */
static void fini(struct sk_super *s)
{
	struct sk_host_super *h = (struct sk_host_super *)s;

	if (s->root)
		sk_inode_put(s->root);
	sk_free(s->kernel, h, sizeof(*h));
}

int sk_hostfs_new(struct sk_kernel *k, int handle, struct sk_super **out)
{
	const struct sk_host_files *files = k->host->files;
	struct sk_host_inode *root;
	struct sk_host_super *s;
	struct sk_abi_stat st;
	int error;

	if (!files)
		return -SK_ENODEV;
	sk_unlock(k);
	error = files->stat(k->self, handle, NULL, &st);
	sk_lock(k);
	if (!error && type_of(st.mode) != SK_S_IFDIR)
		error = -SK_ENOTDIR;
	s = error ? NULL : sk_alloc(k, sizeof(*s));
	if (!error && !s)
		error = -SK_ENOMEM;
	if (error)
		goto close_handle;
	s->s.kernel = k;
	s->s.refs = 1;
	s->s.dev = ++k->next_dev;
	s->s.type = "hostfs";
	s->s.fini = fini;
	s->handle = handle;
	for (uint32_t b = 0; b < SK_HOST_BUCKETS; b++)
		sk_list_init(&s->live[b]);
	error = inode_new(s, NULL, "", 0, &st, &root);
	if (error)
		goto free_super;
	root->handles[SK_HOST_READ] = handle;
	s->s.root = &root->i;
	*out = &s->s;
	return 0;
free_super:
	sk_free(k, s, sizeof(*s));
close_handle:
	files->close(k->self, handle);
	return error;
}
