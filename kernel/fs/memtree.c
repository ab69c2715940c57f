/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folders and links of memfs.
 *
 * A folder has its entries in a hash table, to find them, and in a list by
 * position, to list them: a position is given once and never again, so that a
 * listing goes on rightly while entries come and go. An entry refers to its
 * inode; an inode knows the entry that named it last, and so its parent. A
 * folder that was removed refers to its parent, so that ".." still works.
 */
#include "file.h"
#include "fs/memfs.h"

#define BUCKETS_MIN 8

static uint32_t hash_of(const char *name, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)name[i]) * 16777619u;
	return h;
}

static bool is_dir(const struct sk_inode *i)
{
	return (i->mode & SK_S_IFMT) == SK_S_IFDIR;
}

static struct sk_mem_entry *find(struct sk_mem_dir *d, const char *name,
				 size_t len, uint32_t hash)
{
	struct sk_mem_entry *e = NULL;

	if (d->bucket_count)
		e = d->buckets[hash & (d->bucket_count - 1)];
	while (e &&
	       (e->hash != hash || e->len != len || memcmp(e->name, name, len)))
		e = e->hash_next;
	return e;
}

static struct sk_mem_entry *find_name(struct sk_inode *dir, const char *name,
				      size_t len)
{
	return find(&sk_mem_inode(dir)->dir, name, len, hash_of(name, len));
}

/* A table that cannot grow is only slower, but for the first. */
static int grow(struct sk_kernel *k, struct sk_mem_dir *d)
{
	uint32_t count = d->bucket_count ? d->bucket_count * 2 : BUCKETS_MIN;
	struct sk_mem_entry **buckets = sk_alloc(k, count * sizeof(*buckets));

	if (!buckets)
		return d->bucket_count ? 0 : -SK_ENOSPC;
	for (uint32_t b = 0; b < d->bucket_count; b++) {
		struct sk_mem_entry *e = d->buckets[b], *next;

		for (; e; e = next) {
			struct sk_mem_entry **to =
				&buckets[e->hash & (count - 1)];

			next = e->hash_next;
			e->hash_next = *to;
			*to = e;
		}
	}
	sk_free(k, d->buckets, d->bucket_count * sizeof(*buckets));
	d->buckets = buckets;
	d->bucket_count = count;
	return 0;
}

static void changed(struct sk_inode *dir)
{
	dir->mtime = dir->ctime = sk_now(dir->kernel, SK_CLOCK_REALTIME);
	dir->generation++;
	dir->size = 40 + 20 * (int64_t)sk_mem_inode(dir)->dir.count;
}

/* Room for one more entry, so that link_entry cannot fail. */
static int entry_new(struct sk_mem_inode *dir, const char *name, size_t len,
		     struct sk_mem_entry **out)
{
	struct sk_kernel *k = dir->i.kernel;
	struct sk_mem_entry *e;

	if (dir->old_parent)
		return -SK_ENOENT;
	if (dir->dir.count >= dir->dir.bucket_count) {
		int error = grow(k, &dir->dir);

		if (error)
			return error;
	}
	e = sk_alloc(k, sizeof(*e) + len + 1);
	if (!e)
		return -SK_ENOSPC;
	memcpy(e->name, name, len);
	e->len = (uint8_t)len;
	e->hash = hash_of(name, len);
	*out = e;
	return 0;
}

static void entry_free(struct sk_kernel *k, struct sk_mem_entry *e)
{
	sk_free(k, e, sizeof(*e) + e->len + 1);
}

/* The entry takes over a reference to the inode. */
static void link_entry(struct sk_mem_inode *dir, struct sk_mem_entry *e,
		       struct sk_mem_inode *inode)
{
	struct sk_mem_dir *d = &dir->dir;
	struct sk_mem_entry **to = &d->buckets[e->hash & (d->bucket_count - 1)];

	e->hash_next = *to;
	*to = e;
	e->dir = dir;
	e->inode = inode;
	e->position = d->next_position++;
	sk_list_add(&d->order, &e->order);
	d->count++;
	inode->entry = e;
	if (is_dir(&inode->i))
		dir->i.nlink++;
	changed(&dir->i);
}

/* Gives back the entry's reference to its inode to the caller. */
static void unlink_entry(struct sk_mem_entry *e)
{
	struct sk_mem_inode *dir = e->dir;
	struct sk_mem_dir *d = &dir->dir;
	struct sk_mem_entry **at = &d->buckets[e->hash & (d->bucket_count - 1)];

	while (*at != e)
		at = &(*at)->hash_next;
	*at = e->hash_next;
	if (d->cursor == e)
		d->cursor = NULL;
	sk_list_remove(&e->order);
	d->count--;
	if (is_dir(&e->inode->i))
		dir->i.nlink--;
	if (e->inode->entry == e)
		e->inode->entry = NULL;
	changed(&dir->i);
	e->dir = NULL;
}

static int lookup(struct sk_inode *dir, const char *name, size_t len,
		  struct sk_inode **out)
{
	struct sk_mem_entry *e = find_name(dir, name, len);

	if (!e)
		return -SK_ENOENT;
	*out = sk_inode_get(&e->inode->i);
	return 0;
}

static int inode_new(struct sk_super *s, uint32_t mode, uint64_t rdev,
		     struct sk_mem_inode **out)
{
	struct sk_mem_super *m = (struct sk_mem_super *)s;
	struct sk_mem_inode *inode = sk_alloc(s->kernel, sizeof(*inode));
	const struct sk_inode_ops *ops = m->file_ops;

	if (!inode)
		return -SK_ENOSPC;
	if ((mode & SK_S_IFMT) == SK_S_IFDIR) {
		ops = &sk_memfs_dir_ops;
		sk_list_init(&inode->dir.order);
	} else if ((mode & SK_S_IFMT) == SK_S_IFLNK) {
		ops = &sk_memfs_link_ops;
	}
	sk_inode_init(&inode->i, s, ops, m->next_ino++, mode);
	inode->i.rdev = rdev;
	if (is_dir(&inode->i)) {
		inode->i.nlink = 2;
		inode->i.size = 40; /* and 20 an entry, as tmpfs has it */
	}
	*out = inode;
	return 0;
}

static int create(struct sk_inode *dir, const char *name, size_t len,
		  uint32_t mode, uint64_t rdev, struct sk_inode **out)
{
	struct sk_mem_inode *inode;
	struct sk_mem_entry *e;
	int error;

	if (find_name(dir, name, len))
		return -SK_EEXIST;
	error = entry_new(sk_mem_inode(dir), name, len, &e);
	if (error)
		return error;
	error = inode_new(dir->super, mode, rdev, &inode);
	if (error) {
		entry_free(dir->kernel, e);
		return error;
	}
	link_entry(sk_mem_inode(dir), e, inode);
	if (out)
		*out = sk_inode_get(&inode->i);
	return 0;
}

static int tmpfile(struct sk_inode *dir, uint32_t mode, struct sk_inode **out)
{
	struct sk_mem_inode *inode;
	int error = inode_new(dir->super, mode, 0, &inode);

	if (error)
		return error;
	inode->i.nlink = 0;
	*out = &inode->i;
	return 0;
}

static int make_symlink(struct sk_inode *dir, const char *name, size_t len,
			const char *target)
{
	char *copy = sk_strdup(dir->kernel, target);
	struct sk_inode *inode;
	int error;

	if (!copy)
		return -SK_ENOSPC;
	error = create(dir, name, len, SK_S_IFLNK | 0777, 0, &inode);
	if (error) {
		sk_free(dir->kernel, copy, strlen(target) + 1);
		return error;
	}
	sk_mem_inode(inode)->target = copy;
	inode->size = (int64_t)strlen(target);
	sk_inode_put(inode);
	return 0;
}

static int make_link(struct sk_inode *dir, const char *name, size_t len,
		     struct sk_inode *to)
{
	struct sk_mem_entry *e;
	int error;

	if (find_name(dir, name, len))
		return -SK_EEXIST;
	error = entry_new(sk_mem_inode(dir), name, len, &e);
	if (error)
		return error;
	link_entry(sk_mem_inode(dir), e, sk_mem_inode(sk_inode_get(to)));
	to->nlink++;
	to->ctime = dir->ctime;
	return 0;
}

/* What happens to an inode whose entry has gone. Puts it. */
static void drop(struct sk_mem_inode *inode, struct sk_mem_inode *dir)
{
	inode->i.ctime = dir->i.ctime;
	if (is_dir(&inode->i)) {
		inode->i.nlink = 0;
		inode->old_parent = sk_inode_get(&dir->i);
	} else {
		inode->i.nlink--;
	}
	sk_inode_put(&inode->i);
}

static int remove(struct sk_inode *dir, const char *name, size_t len,
		  bool want_dir)
{
	struct sk_mem_entry *e = find_name(dir, name, len);
	struct sk_mem_inode *inode;

	if (!e)
		return -SK_ENOENT;
	inode = e->inode;
	if (want_dir && !is_dir(&inode->i))
		return -SK_ENOTDIR;
	if (!want_dir && is_dir(&inode->i))
		return -SK_EISDIR;
	if (want_dir && inode->dir.count)
		return -SK_ENOTEMPTY;
	unlink_entry(e);
	entry_free(dir->kernel, e);
	drop(inode, sk_mem_inode(dir));
	return 0;
}

/* Both entries keep their names and positions and trade their inodes. */
static void exchange(struct sk_mem_entry *a, struct sk_mem_entry *b)
{
	struct sk_mem_inode *inode = a->inode;

	a->dir->i.nlink +=
		(uint32_t)is_dir(&b->inode->i) - (uint32_t)is_dir(&a->inode->i);
	b->dir->i.nlink +=
		(uint32_t)is_dir(&a->inode->i) - (uint32_t)is_dir(&b->inode->i);
	a->inode = b->inode;
	b->inode = inode;
	a->inode->entry = a;
	b->inode->entry = b;
	changed(&a->dir->i);
	changed(&b->dir->i);
}

static int may_replace(const struct sk_mem_inode *from,
		       const struct sk_mem_inode *to)
{
	if (is_dir(&to->i)) {
		if (!is_dir(&from->i))
			return -SK_EISDIR;
		return to->dir.count ? -SK_ENOTEMPTY : 0;
	}
	return is_dir(&from->i) ? -SK_ENOTDIR : 0;
}

static int move(struct sk_inode *dir, const char *name, size_t len,
		struct sk_inode *to, const char *to_name, size_t to_len,
		uint32_t flags)
{
	struct sk_mem_entry *e = find_name(dir, name, len);
	struct sk_mem_entry *old = find_name(to, to_name, to_len), *made;
	struct sk_mem_inode *inode, *gone = NULL;
	int error;

	if (!e)
		return -SK_ENOENT;
	if (flags & SK_RENAME_EXCHANGE) {
		if (!old)
			return -SK_ENOENT;
		exchange(e, old);
		return 0;
	}
	if (old) {
		if (flags & SK_RENAME_NOREPLACE)
			return -SK_EEXIST;
		error = may_replace(e->inode, old->inode);
		if (error)
			return error;
	}
	error = entry_new(sk_mem_inode(to), to_name, to_len, &made);
	if (error)
		return error;
	inode = e->inode;
	unlink_entry(e);
	entry_free(dir->kernel, e);
	if (old) {
		gone = old->inode;
		unlink_entry(old);
		entry_free(dir->kernel, old);
	}
	link_entry(sk_mem_inode(to), made, inode);
	inode->i.ctime = to->ctime;
	if (gone)
		drop(gone, sk_mem_inode(to));
	return 0;
}

static int list(struct sk_inode *dir, int64_t at, int64_t *next,
		char name[SK_NAME_MAX + 1], uint64_t *ino, uint32_t *mode)
{
	struct sk_mem_dir *d = &sk_mem_inode(dir)->dir;
	struct sk_list *node = d->order.next;
	struct sk_mem_entry *e;

	if (d->cursor && d->cursor->position < at)
		node = d->cursor->order.next;
	for (;; node = node->next) {
		if (node == &d->order)
			return 0;
		e = SK_CONTAINER(node, struct sk_mem_entry, order);
		if (e->position >= at)
			break;
	}
	d->cursor = e;
	*next = e->position + 1;
	memcpy(name, e->name, e->len + 1u);
	*ino = e->inode->i.ino;
	*mode = e->inode->i.mode;
	return 1;
}

int sk_memtree_parent(struct sk_inode *i, struct sk_inode **out,
		      char name[SK_NAME_MAX + 1])
{
	struct sk_mem_inode *m = sk_mem_inode(i);

	if (!m->entry) {
		if (!m->old_parent || name)
			return -SK_ENOENT;
		*out = sk_inode_get(m->old_parent);
		return 0;
	}
	if (out)
		*out = sk_inode_get(&m->entry->dir->i);
	if (name)
		memcpy(name, m->entry->name, m->entry->len + 1u);
	return 0;
}

static int64_t read_link(struct sk_inode *link, struct sk_task *t, char *to,
			 size_t size)
{
	size_t n = (size_t)link->size;

	(void)t;
	if (n > size)
		n = size;
	memcpy(to, sk_mem_inode(link)->target, n);
	return (int64_t)n;
}

int sk_memtree_change(struct sk_inode *i, uint32_t mode, uint32_t uid,
		      uint32_t gid, int64_t atime, int64_t mtime)
{
	if (mode != UINT32_MAX)
		i->mode = (i->mode & SK_S_IFMT) | (mode & ~SK_S_IFMT);
	if (uid != UINT32_MAX)
		i->uid = uid;
	if (gid != UINT32_MAX)
		i->gid = gid;
	if (atime != INT64_MIN)
		i->atime = atime;
	if (mtime != INT64_MIN)
		i->mtime = mtime;
	i->ctime = sk_now(i->kernel, SK_CLOCK_REALTIME);
	return 0;
}

int sk_memtree_statfs(struct sk_inode *i, struct sk_abi_statfs *out)
{
	const struct sk_kernel *k = i->kernel;

	out->type = 0x01021994; /* TMPFS_MAGIC */
	out->bsize = out->frsize = 4096;
	out->blocks = k->max_bytes / 4096;
	out->bfree = out->bavail =
		k->bytes < k->max_bytes ? (k->max_bytes - k->bytes) / 4096 : 0;
	out->files = out->blocks;
	out->ffree = out->bfree;
	return 0;
}

void sk_memtree_forget(struct sk_inode *i)
{
	struct sk_mem_inode *m = sk_mem_inode(i);
	struct sk_mem_super *s = (struct sk_mem_super *)i->super;
	struct sk_kernel *k = i->kernel;
	struct sk_inode *up = m->old_parent;

	switch (i->mode & SK_S_IFMT) {
	case SK_S_IFDIR:
		sk_free(k, m->dir.buckets,
			m->dir.bucket_count * sizeof(*m->dir.buckets));
		break;
	case SK_S_IFLNK:
		if (m->target)
			sk_free(k, m->target, (size_t)i->size + 1);
		break;
	case SK_S_IFREG:
		s->file_fini(m);
		break;
	default:
		break;
	}
	sk_inode_fini(i);
	sk_free(k, m, sizeof(*m));
	if (up)
		sk_inode_put(up);
}

const struct sk_inode_ops sk_memfs_dir_ops = {
	.lookup = lookup,
	.create = create,
	.tmpfile = tmpfile,
	.symlink = make_symlink,
	.link = make_link,
	.unlink = remove,
	.rename = move,
	.list = list,
	.parent = sk_memtree_parent,
	.change = sk_memtree_change,
	.statfs = sk_memtree_statfs,
	.forget = sk_memtree_forget,
};

const struct sk_inode_ops sk_memfs_link_ops = {
	.readlink = read_link,
	.parent = sk_memtree_parent,
	.change = sk_memtree_change,
	.statfs = sk_memtree_statfs,
	.forget = sk_memtree_forget,
};

/* Takes the tree apart from its leaves, without recursion. */
static void clear(struct sk_mem_inode *root)
{
	struct sk_kernel *k = root->i.kernel;
	struct sk_mem_inode *at = root;

	for (;;) {
		struct sk_mem_dir *d = &at->dir;
		struct sk_mem_inode *child, *up;
		struct sk_mem_entry *e;

		if (d->count) {
			e = SK_CONTAINER(d->order.next, struct sk_mem_entry,
					 order);
			child = e->inode;
			if (is_dir(&child->i) && child->dir.count) {
				at = child;
				continue;
			}
			unlink_entry(e);
			entry_free(k, e);
			sk_inode_put(&child->i);
		} else if (at == root) {
			break;
		} else {
			up = at->entry->dir;
			at = up;
		}
	}
}

static void fini(struct sk_super *s)
{
	struct sk_mem_super *m = (struct sk_mem_super *)s;

	if (s->root) {
		clear(sk_mem_inode(s->root));
		sk_inode_put(s->root);
	}
	if (m->data_fini)
		m->data_fini(m);
	sk_free(s->kernel, m, sizeof(*m));
}

int sk_memtree_new(struct sk_kernel *k, const char *type,
		   struct sk_mem_super **out)
{
	struct sk_mem_super *m = sk_alloc(k, sizeof(*m));
	struct sk_mem_inode *root;
	int error;

	if (!m)
		return -SK_ENOMEM;
	m->s.kernel = k;
	m->s.refs = 1;
	m->s.dev = ++k->next_dev;
	m->s.type = type;
	m->s.fini = fini;
	m->next_ino = 1;
	error = inode_new(&m->s, SK_S_IFDIR | 0755, 0, &root);
	if (error) {
		sk_free(k, m, sizeof(*m));
		return -SK_ENOMEM;
	}
	m->s.root = &root->i;
	*out = m;
	return 0;
}

int sk_memtree_make(struct sk_mem_super *m, const char *path, uint32_t mode,
		    uint64_t rdev, const char *target,
		    struct sk_mem_inode **out)
{
	struct sk_inode *at = m->s.root, *made;
	int error;

	for (;;) {
		const char *after;
		struct sk_mem_entry *e;
		size_t len = 0;

		while (*path == '/')
			path++;
		if (!*path)
			break;
		while (path[len] && path[len] != '/')
			len++;
		for (after = path + len; *after == '/'; after++)
			;
		if (len > SK_NAME_MAX || !is_dir(at))
			return -SK_EINVAL;
		if (len <= 2 && path[0] == '.' &&
		    (len == 1 || path[1] == '.')) {
			if (len == 2)
				return -SK_EINVAL;
			path = after;
			continue;
		}
		e = find_name(at, path, len);
		if (e) {
			at = &e->inode->i;
			path = after;
			continue;
		}
		if (!*after && target)
			error = make_symlink(at, path, len, target);
		else
			error = create(at, path, len,
				       *after ? SK_S_IFDIR | 0755 : mode, rdev,
				       NULL);
		if (error)
			return error;
		made = &find_name(at, path, len)->inode->i;
		at = made;
		path = after;
	}
	if (out)
		*out = sk_mem_inode(at);
	return 0;
}
