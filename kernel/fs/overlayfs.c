/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * overlayfs: a lower tree that is never written, and an upper one that has
 * what is new or changed.
 *
 * A name is the upper's if it is there; else the lower's, unless the upper
 * hides it by a file ".wh.name". Folders that are in both are one. A folder of
 * the upper with a file ".wh..wh..opq" hides all that the lower has in it.
 * (These are the names that container images use.) Nothing of the lower tree
 * is read before it is asked for.
 *
 * An inode refers to its real inodes; writing, or opening for writing, copies
 * a file up first (overlaycopy.c). What has its file open goes on with the
 * upper one. A folder finds the inodes of its names that are in use in
 * `children`; an inode whose name went is `gone` and in no list.
 *
 * Deviations, as Linux's: a folder that has a lower part cannot be renamed
 * (-SK_EXDEV: mv copies it); hard links are parted by a copy.
 */
#include "fs/overlayfs.h"

static const struct sk_inode_ops overlay_ops;

static bool is_dir(const struct sk_inode *i)
{
	return (i->mode & SK_S_IFMT) == SK_S_IFDIR;
}

void sk_overlay_take(struct sk_overlay_inode *o)
{
	const struct sk_inode *real = sk_overlay_real(o);
	struct sk_inode *i = &o->i;

	i->mode = real->mode;
	i->nlink = o->gone ? 0 : is_dir(real) ? 1 : real->nlink;
	i->uid = real->uid;
	i->gid = real->gid;
	i->rdev = real->rdev;
	i->size = real->size;
	i->blocks = real->blocks;
	i->atime = real->atime;
	i->mtime = real->mtime;
	i->ctime = real->ctime;
	if (!is_dir(real))
		i->generation = real->generation << 1 | (o->upper != NULL);
}

/* Takes over the references to upper and lower, also when it fails. */
static int inode_new(struct sk_overlay *s, struct sk_overlay_inode *parent,
		     const char *name, size_t len, struct sk_inode *upper,
		     struct sk_inode *lower, struct sk_overlay_inode **out)
{
	struct sk_kernel *k = s->s.kernel;
	struct sk_overlay_inode *o = sk_alloc(k, sizeof(*o));
	struct sk_inode *real = upper ? upper : lower;

	if (o)
		o->name = sk_alloc(k, len + 1);
	if (!o || !o->name) {
		if (o)
			sk_free(k, o, sizeof(*o));
		if (upper)
			sk_inode_put(upper);
		if (lower)
			sk_inode_put(lower);
		return -SK_ENOMEM;
	}
	memcpy(o->name, name, len);
	sk_inode_init(&o->i, &s->s, &overlay_ops,
		      real->ino << 1 | (upper != NULL), real->mode);
	o->upper = upper;
	o->lower = lower;
	sk_list_init(&o->children);
	sk_list_init(&o->sibling);
	if (parent) {
		o->parent = parent;
		sk_inode_get(&parent->i);
		sk_list_add(&parent->children, &o->sibling);
	}
	sk_overlay_take(o);
	*out = o;
	return 0;
}

static struct sk_overlay_inode *child(struct sk_overlay_inode *dir,
				      const char *name, size_t len)
{
	SK_LIST_EACH(node, &dir->children)
	{
		struct sk_overlay_inode *o =
			SK_CONTAINER(node, struct sk_overlay_inode, sibling);

		if (strlen(o->name) == len && !memcmp(o->name, name, len))
			return o;
	}
	return NULL;
}

static int find(struct sk_inode *dir, const char *name, size_t len,
		struct sk_inode **out)
{
	int error = dir->ops->lookup(dir, name, len, out);

	if (error)
		*out = NULL;
	return error == -SK_ENOENT ? 0 : error;
}

/* The real inodes of a name: one, both (folders), or -SK_ENOENT. */
static int find_real(struct sk_overlay_inode *dir, const char *name, size_t len,
		     struct sk_inode **upper, struct sk_inode **lower)
{
	int error = 0, hidden = 0;

	*upper = *lower = NULL;
	if (dir->upper) {
		error = find(dir->upper, name, len, upper);
		if (!error && dir->lower && (!*upper || is_dir(*upper))) {
			hidden = sk_overlay_hidden(dir->upper, name, len);
			if (!hidden && *upper)
				hidden = sk_overlay_hidden(*upper, SK_OPAQUE,
							   SK_OPAQUE_SIZE);
			if (hidden < 0)
				error = hidden;
		}
	}
	if (!error && dir->lower && !hidden && (!*upper || is_dir(*upper)))
		error = find(dir->lower, name, len, lower);
	if (!error && *upper && *lower && !is_dir(*lower)) {
		sk_inode_put(*lower);
		*lower = NULL;
	}
	if (!error && !*upper && !*lower)
		return -SK_ENOENT;
	if (error && *upper)
		sk_inode_put(*upper);
	return error;
}

static int lookup(struct sk_inode *i, const char *name, size_t len,
		  struct sk_inode **out)
{
	struct sk_overlay_inode *dir = sk_overlay_inode(i), *o;
	struct sk_inode *upper, *lower;
	int error;

	if (len >= SK_WHITEOUT_SIZE &&
	    !memcmp(name, SK_WHITEOUT, SK_WHITEOUT_SIZE))
		return -SK_ENOENT;
	o = child(dir, name, len);
	if (o) {
		*out = sk_inode_get(&o->i);
		return 0;
	}
	error = find_real(dir, name, len, &upper, &lower);
	if (error)
		return error;
	o = child(dir, name, len);
	if (o) {
		/* Another task came first while the host worked. */
		if (upper)
			sk_inode_put(upper);
		if (lower)
			sk_inode_put(lower);
		*out = sk_inode_get(&o->i);
		return 0;
	}
	error = inode_new(sk_overlay_of(i), dir, name, len, upper, lower, &o);
	if (!error)
		*out = &o->i;
	return error;
}

static void changed(struct sk_overlay_inode *dir)
{
	sk_overlay_take(dir);
	dir->i.generation++;
}

/* A folder ready for a new name: 1 when the upper hides a lower one. */
static int prepare(struct sk_overlay_inode *dir, const char *name, size_t len)
{
	struct sk_inode *there;
	int error;

	if (dir->gone)
		return -SK_ENOENT;
	if (len >= SK_WHITEOUT_SIZE &&
	    !memcmp(name, SK_WHITEOUT, SK_WHITEOUT_SIZE))
		return -SK_EPERM;
	error = lookup(&dir->i, name, len, &there);
	if (!error) {
		sk_inode_put(there);
		return -SK_EEXIST;
	}
	if (error != -SK_ENOENT)
		return error;
	error = sk_overlay_copy_up(dir, true);
	return error ? error : sk_overlay_hidden(dir->upper, name, len);
}

static int create(struct sk_inode *i, const char *name, size_t len,
		  uint32_t mode, uint64_t rdev, struct sk_inode **out)
{
	struct sk_overlay_inode *dir = sk_overlay_inode(i);
	int hidden = prepare(dir, name, len), error;
	struct sk_inode *made;

	if (hidden < 0)
		return hidden;
	error = dir->upper->ops->create(dir->upper, name, len, mode, rdev,
					&made);
	if (error)
		return error;
	if (hidden && (mode & SK_S_IFMT) == SK_S_IFDIR)
		error = sk_overlay_hide(made, SK_OPAQUE, SK_OPAQUE_SIZE);
	sk_inode_put(made);
	if (!error && hidden)
		error = sk_overlay_unhide(dir->upper, name, len);
	changed(dir);
	if (!error && out)
		error = lookup(i, name, len, out);
	return error;
}

static int make_symlink(struct sk_inode *i, const char *name, size_t len,
			const char *target)
{
	struct sk_overlay_inode *dir = sk_overlay_inode(i);
	int hidden = prepare(dir, name, len), error;

	if (hidden < 0)
		return hidden;
	error = dir->upper->ops->symlink(dir->upper, name, len, target);
	if (!error && hidden)
		error = sk_overlay_unhide(dir->upper, name, len);
	changed(dir);
	return error;
}

static int make_link(struct sk_inode *i, const char *name, size_t len,
		     struct sk_inode *to)
{
	struct sk_overlay_inode *dir = sk_overlay_inode(i);
	struct sk_overlay_inode *o = sk_overlay_inode(to);
	int hidden = prepare(dir, name, len), error;

	if (hidden < 0)
		return hidden;
	error = sk_overlay_copy_up(o, true);
	if (!error)
		error = dir->upper->ops->link(dir->upper, name, len, o->upper);
	if (!error && hidden)
		error = sk_overlay_unhide(dir->upper, name, len);
	changed(dir);
	sk_overlay_take(o);
	return error;
}

static int tmpfile(struct sk_inode *i, uint32_t mode, struct sk_inode **out)
{
	struct sk_overlay *s = sk_overlay_of(i);
	struct sk_overlay_inode *o;
	struct sk_inode *made;
	int error;

	if (!s->upper.inode->ops->tmpfile)
		return -SK_EOPNOTSUPP;
	error = s->upper.inode->ops->tmpfile(s->upper.inode, mode, &made);
	if (!error)
		error = inode_new(s, NULL, "", 0, made, NULL, &o);
	if (error)
		return error;
	o->gone = true;
	o->i.nlink = 0;
	*out = &o->i;
	return 0;
}

static void set_gone(struct sk_overlay_inode *o)
{
	o->gone = true;
	sk_list_remove(&o->sibling);
	sk_overlay_take(o);
}

/* Whether the lower layer would show the name if nothing hid it. */
static int below(struct sk_overlay_inode *dir, const char *name, size_t len)
{
	struct sk_inode *found;
	int error;

	if (!dir->lower)
		return 0;
	error = find(dir->lower, name, len, &found);
	if (error || !found)
		return error;
	sk_inode_put(found);
	return 1;
}

/* Takes a name out of the upper layer, when it is there. */
static int remove_upper(struct sk_overlay_inode *dir,
			struct sk_overlay_inode *o, const char *name,
			size_t len)
{
	int error = 0;

	if (!o->upper)
		return 0;
	if (is_dir(&o->i))
		error = sk_overlay_clean(o->upper);
	return error ? error
		     : dir->upper->ops->unlink(dir->upper, name, len,
					       is_dir(&o->i));
}

static int remove_found(struct sk_overlay_inode *dir,
			struct sk_overlay_inode *o, const char *name,
			size_t len)
{
	int error, hide = below(dir, name, len);

	if (hide < 0)
		return hide;
	error = sk_overlay_copy_up(dir, true);
	if (!error && hide)
		error = sk_overlay_hide(dir->upper, name, len);
	if (!error)
		error = remove_upper(dir, o, name, len);
	if (!error)
		set_gone(o);
	changed(dir);
	return error;
}

static int remove(struct sk_inode *i, const char *name, size_t len,
		  bool want_dir)
{
	struct sk_inode *found;
	int error = lookup(i, name, len, &found), empty;

	if (error)
		return error;
	if (want_dir != is_dir(found)) {
		error = want_dir ? -SK_ENOTDIR : -SK_EISDIR;
	} else if (want_dir) {
		empty = sk_overlay_empty(sk_overlay_inode(found));
		error = empty < 0 ? empty : empty ? 0 : -SK_ENOTEMPTY;
	}
	if (!error)
		error = remove_found(sk_overlay_inode(i),
				     sk_overlay_inode(found), name, len);
	sk_inode_put(found);
	return error;
}

/* `text` is the new name, allocated. */
static void set_place(struct sk_overlay_inode *o, struct sk_overlay_inode *dir,
		      char *text)
{
	struct sk_overlay_inode *old = o->parent;

	sk_list_remove(&o->sibling);
	sk_free(o->i.kernel, o->name, strlen(o->name) + 1);
	o->name = text;
	o->parent = dir;
	sk_inode_get(&dir->i);
	sk_list_add(&dir->children, &o->sibling);
	sk_inode_put(&old->i);
}

/* Makes the target's name free in the upper layer, for a rename onto it. */
static int clear_target(struct sk_overlay_inode *to, const char *name,
			size_t len, struct sk_overlay_inode *old,
			struct sk_overlay_inode *moved)
{
	int error, empty;

	if (!old)
		return 0;
	if (is_dir(&old->i)) {
		if (!is_dir(&moved->i))
			return -SK_EISDIR;
		empty = sk_overlay_empty(old);
		if (empty <= 0)
			return empty < 0 ? empty : -SK_ENOTEMPTY;
	} else if (is_dir(&moved->i)) {
		return -SK_ENOTDIR;
	}
	/* A file is replaced by the upper's rename itself, in one. */
	if (!is_dir(&old->i))
		return 0;
	error = remove_found(to, old, name, len);
	return error;
}

static int move_found(struct sk_overlay_inode *dir, const char *name,
		      size_t len, struct sk_overlay_inode *o,
		      struct sk_overlay_inode *to, const char *to_name,
		      size_t to_len, struct sk_overlay_inode *old)
{
	struct sk_kernel *k = o->i.kernel;
	int hide = below(dir, name, len), over = below(to, to_name, to_len);
	char *text = NULL;
	int error;

	if (hide < 0 || over < 0)
		return hide < 0 ? hide : over;
	if (is_dir(&o->i) && o->lower)
		return -SK_EXDEV;
	error = sk_overlay_copy_up(o, true);
	if (!error)
		error = sk_overlay_copy_up(to, true);
	if (!error)
		error = clear_target(to, to_name, to_len, old, o);
	if (!error && is_dir(&o->i) && over)
		error = sk_overlay_hide(o->upper, SK_OPAQUE, SK_OPAQUE_SIZE);
	if (!error) {
		text = sk_alloc(k, to_len + 1);
		if (!text)
			error = -SK_ENOMEM;
		else
			memcpy(text, to_name, to_len);
	}
	if (!error && hide)
		error = sk_overlay_hide(dir->upper, name, len);
	if (!error)
		error = dir->upper->ops->rename(dir->upper, name, len,
						to->upper, to_name, to_len, 0);
	if (error) {
		if (text)
			sk_free(k, text, to_len + 1);
		return error;
	}
	sk_overlay_unhide(to->upper, to_name, to_len);
	if (old && !old->gone)
		set_gone(old);
	set_place(o, to, text);
	changed(dir);
	changed(to);
	sk_overlay_take(o);
	return 0;
}

static int move(struct sk_inode *dir, const char *name, size_t len,
		struct sk_inode *to, const char *to_name, size_t to_len,
		uint32_t flags)
{
	struct sk_inode *moved, *old;
	int error;

	if (flags & SK_RENAME_EXCHANGE)
		return -SK_EINVAL;
	if (to_len >= SK_WHITEOUT_SIZE &&
	    !memcmp(to_name, SK_WHITEOUT, SK_WHITEOUT_SIZE))
		return -SK_EPERM;
	error = lookup(dir, name, len, &moved);
	if (error)
		return error;
	error = find(to, to_name, to_len, &old);
	if (!error && old && (flags & SK_RENAME_NOREPLACE))
		error = -SK_EEXIST;
	if (!error)
		error = move_found(sk_overlay_inode(dir), name, len,
				   sk_overlay_inode(moved),
				   sk_overlay_inode(to), to_name, to_len,
				   old ? sk_overlay_inode(old) : NULL);
	if (old)
		sk_inode_put(old);
	sk_inode_put(moved);
	return error;
}

static int parent(struct sk_inode *i, struct sk_inode **out,
		  char name[SK_NAME_MAX + 1])
{
	struct sk_overlay_inode *o = sk_overlay_inode(i);

	if (!o->parent || (name && o->gone))
		return -SK_ENOENT;
	if (out)
		*out = sk_inode_get(&o->parent->i);
	if (name)
		memcpy(name, o->name, strlen(o->name) + 1);
	return 0;
}

static int64_t read_link(struct sk_inode *i, struct sk_task *t, char *to,
			 size_t size)
{
	struct sk_inode *real = sk_overlay_real(sk_overlay_inode(i));

	return real->ops->readlink(real, t, to, size);
}

static int64_t read(struct sk_inode *i, struct sk_io *io, int64_t offset)
{
	struct sk_inode *real = sk_overlay_real(sk_overlay_inode(i));
	int64_t n = real->ops->read(real, io, offset);

	i->atime = real->atime;
	return n;
}

static int64_t write(struct sk_inode *i, struct sk_io *io, int64_t offset)
{
	struct sk_overlay_inode *o = sk_overlay_inode(i);
	int64_t n = sk_overlay_copy_up(o, true);

	if (!n)
		n = o->upper->ops->write(o->upper, io, offset);
	sk_overlay_take(o);
	return n;
}

static int truncate(struct sk_inode *i, int64_t size)
{
	struct sk_overlay_inode *o = sk_overlay_inode(i);
	int error = sk_overlay_copy_up(o, size != 0);

	if (!error)
		error = o->upper->ops->truncate(o->upper, size);
	sk_overlay_take(o);
	return error;
}

static int sync(struct sk_inode *i)
{
	struct sk_inode *real = sk_overlay_real(sk_overlay_inode(i));

	return real->ops->sync ? real->ops->sync(real) : 0;
}

static int open(struct sk_inode *i, struct sk_task *t, uint32_t flags,
		struct sk_file *file)
{
	struct sk_overlay_inode *o = sk_overlay_inode(i);
	struct sk_inode *real;
	int error = 0;

	switch (i->mode & SK_S_IFMT) {
	case SK_S_IFIFO:
		return sk_fifo_open(i, t, flags, file);
	case SK_S_IFCHR:
	case SK_S_IFBLK:
		return sk_device_open(i, t, flags, file);
	case SK_S_IFSOCK:
		return -SK_ENXIO;
	case SK_S_IFLNK:
		return -SK_ELOOP;
	case SK_S_IFREG:
		if (flags & (SK_O_ACCMODE | SK_O_TRUNC))
			error = sk_overlay_copy_up(o, !(flags & SK_O_TRUNC));
		break;
	}
	if (error)
		return error;
	real = sk_overlay_real(o);
	if (real->ops->open)
		error = real->ops->open(real, t, flags, file);
	sk_overlay_take(o);
	return error;
}

static int refresh(struct sk_inode *i)
{
	struct sk_overlay_inode *o = sk_overlay_inode(i);
	struct sk_inode *real = sk_overlay_real(o);
	int error = real->ops->refresh ? real->ops->refresh(real) : 0;

	sk_overlay_take(o);
	return error;
}

static int change(struct sk_inode *i, uint32_t mode, uint32_t uid, uint32_t gid,
		  int64_t atime, int64_t mtime)
{
	struct sk_overlay_inode *o = sk_overlay_inode(i);
	int error = sk_overlay_copy_up(o, true);

	if (!error)
		error = o->upper->ops->change(o->upper, mode, uid, gid, atime,
					      mtime);
	sk_overlay_take(o);
	return error;
}

static int statfs(struct sk_inode *i, struct sk_abi_statfs *out)
{
	struct sk_inode *upper = sk_overlay_of(i)->upper.inode;
	int error = upper->ops->statfs ? upper->ops->statfs(upper, out) : 0;

	out->type = 0x794c7630; /* OVERLAYFS_SUPER_MAGIC */
	return error;
}

static void forget(struct sk_inode *i)
{
	struct sk_overlay_inode *o = sk_overlay_inode(i);
	struct sk_overlay_inode *up = o->parent;
	struct sk_kernel *k = i->kernel;

	sk_list_remove(&o->sibling);
	if (o->upper)
		sk_inode_put(o->upper);
	if (o->lower)
		sk_inode_put(o->lower);
	if (o->list)
		sk_free(k, o->list, o->list_room);
	sk_free(k, o->name, strlen(o->name) + 1);
	sk_inode_fini(i);
	sk_free(k, o, sizeof(*o));
	if (up)
		sk_inode_put(&up->i);
}

static const struct sk_inode_ops overlay_ops = {
	.lookup = lookup,
	.create = create,
	.symlink = make_symlink,
	.link = make_link,
	.unlink = remove,
	.rename = move,
	.list = sk_overlay_list,
	.tmpfile = tmpfile,
	.parent = parent,
	.readlink = read_link,
	.read = read,
	.write = write,
	.truncate = truncate,
	.sync = sync,
	.open = open,
	.refresh = refresh,
	.change = change,
	.statfs = statfs,
	.forget = forget,
};

static void fini(struct sk_super *super)
{
	struct sk_overlay *s = (struct sk_overlay *)super;

	if (super->root)
		sk_inode_put(super->root);
	sk_path_put(&s->lower);
	sk_path_put(&s->upper);
	sk_free(super->kernel, s, sizeof(*s));
}

/* A memfs in no place, for what has no upper layer given. */
static int memory_upper(struct sk_kernel *k, struct sk_path *out)
{
	struct sk_super *super;
	int error = sk_memfs_new(k, &super);

	if (error)
		return error;
	error = sk_mount_detached(super, &out->mount);
	if (!error)
		out->inode = sk_inode_get(super->root);
	sk_super_put(super);
	return error;
}

int sk_overlayfs_new(struct sk_kernel *k, const struct sk_path *lower,
		     const struct sk_path *upper, struct sk_super **out)
{
	struct sk_overlay *s = sk_alloc(k, sizeof(*s));
	struct sk_overlay_inode *root;
	int error = 0;

	if (!s)
		return -SK_ENOMEM;
	s->s.kernel = k;
	s->s.refs = 1;
	s->s.dev = ++k->next_dev;
	s->s.type = "overlay";
	s->s.fini = fini;
	s->lower = *lower;
	sk_path_get(&s->lower);
	if (upper) {
		s->upper = *upper;
		sk_path_get(&s->upper);
	} else {
		error = memory_upper(k, &s->upper);
	}
	if (!error)
		error = inode_new(s, NULL, "", 0, sk_inode_get(s->upper.inode),
				  sk_inode_get(s->lower.inode), &root);
	if (error) {
		fini(&s->s);
		return error;
	}
	s->s.root = &root->i;
	*out = &s->s;
	return 0;
}
