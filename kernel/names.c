/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names in folders: link, symlink, unlink, mkdir, rmdir, rename, mknod and
 * readlink. Each walks to a folder (SK_WALK_PARENT), checks what all file
 * systems have in common, and leaves the rest to the folder's file system.
 */
#include "file.h"
#include "process.h"

static bool is_dir(const struct sk_inode *i)
{
	return (i->mode & SK_S_IFMT) == SK_S_IFDIR;
}

static bool is_dot(const struct sk_walk *w)
{
	return w->name_len == 1 && w->name[0] == '.';
}

static bool is_dots(const struct sk_walk *w)
{
	return w->name_len == 2 && w->name[0] == '.' && w->name[1] == '.';
}

/* A name that stands for a folder by itself: "", "." or "..". */
static bool is_special(const struct sk_walk *w)
{
	return !w->name_len || is_dot(w) || is_dots(w);
}

static int lookup(struct sk_walk *w, struct sk_inode **out)
{
	struct sk_inode *dir = w->path.inode;

	return dir->ops->lookup(dir, w->name, w->name_len, out);
}

static int may_change(struct sk_task *t, const struct sk_walk *w)
{
	return sk_inode_access(t, &w->path, SK_W_OK | SK_X_OK);
}

/* Whether a new name may be made; links are not made as "name/". */
static int may_make(struct sk_task *t, struct sk_walk *w, bool folder)
{
	struct sk_inode *there;
	int error;

	if (is_special(w))
		return -SK_EEXIST;
	error = lookup(w, &there);
	if (!error) {
		sk_inode_put(there);
		return -SK_EEXIST;
	}
	if (error != -SK_ENOENT)
		return error;
	if (w->name_is_folder && !folder)
		return -SK_ENOENT;
	return may_change(t, w);
}

/* mode has the type. */
static int make(struct sk_task *t, struct sk_walk *w, uint32_t mode,
		uint64_t rdev)
{
	struct sk_inode *dir = w->path.inode, *made;
	int error;

	if (!dir->ops->create)
		return -SK_EPERM;
	error = dir->ops->create(dir, w->name, w->name_len, mode, rdev, &made);
	if (error)
		return error;
	sk_inode_own(t, made);
	sk_inode_put(made);
	return 0;
}

int64_t sk_sys_mkdirat(struct sk_task *t, const uint64_t *a)
{
	uint32_t mode = (uint32_t)a[2] & 01777 & ~t->process->umask;
	char text[SK_PATH_MAX];
	struct sk_walk w;
	int64_t error = sk_walk_user(t, (int)a[0], (sk_user)a[1], text,
				     SK_WALK_PARENT, &w);

	if (error)
		return error;
	error = may_make(t, &w, true);
	if (!error)
		error = make(t, &w, SK_S_IFDIR | mode, 0);
	sk_path_put(&w.path);
	return error;
}

int64_t sk_sys_mknodat(struct sk_task *t, const uint64_t *a)
{
	uint32_t mode = (uint32_t)a[2], type = mode & SK_S_IFMT;
	char text[SK_PATH_MAX];
	struct sk_walk w;
	int64_t error;

	if (!type)
		type = SK_S_IFREG;
	if (type == SK_S_IFDIR)
		return -SK_EPERM;
	if (type != SK_S_IFREG && type != SK_S_IFIFO && type != SK_S_IFSOCK &&
	    type != SK_S_IFCHR && type != SK_S_IFBLK)
		return -SK_EINVAL;
	if ((type == SK_S_IFCHR || type == SK_S_IFBLK) && t->process->uid[1])
		return -SK_EPERM;
	error = sk_walk_user(t, (int)a[0], (sk_user)a[1], text, SK_WALK_PARENT,
			     &w);
	if (error)
		return error;
	mode = type | (mode & 07777 & ~t->process->umask);
	error = may_make(t, &w, false);
	if (!error)
		error = make(t, &w, mode, (uint32_t)a[3]);
	sk_path_put(&w.path);
	return error;
}

int64_t sk_sys_symlinkat(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	char text[SK_PATH_MAX], *target = sk_alloc(k, SK_PATH_MAX);
	struct sk_walk w;
	int64_t error;

	if (!target)
		return -SK_ENOMEM;
	error = sk_copy_string(t, target, (sk_user)a[0], SK_PATH_MAX);
	if (error >= 0)
		error = *target ? sk_walk_user(t, (int)a[1], (sk_user)a[2],
					       text, SK_WALK_PARENT, &w)
				: -SK_ENOENT;
	if (!error) {
		error = may_make(t, &w, false);
		if (!error)
			error = w.path.inode->ops->symlink
					? w.path.inode->ops->symlink(
						  w.path.inode, w.name,
						  w.name_len, target)
					: -SK_EPERM;
		sk_path_put(&w.path);
	}
	sk_free(k, target, SK_PATH_MAX);
	return error;
}

int64_t sk_sys_readlinkat(struct sk_task *t, const uint64_t *a)
{
	char text[SK_PATH_MAX];
	struct sk_inode *i;
	struct sk_walk w;
	uint32_t size = (uint32_t)a[3];
	int64_t n;
	int error;

	if ((int32_t)size <= 0)
		return -SK_EINVAL;
	n = sk_walk_user(t, (int)a[0], (sk_user)a[1], text, SK_WALK_EMPTY, &w);
	if (n)
		return n;
	i = w.path.inode;
	if ((i->mode & SK_S_IFMT) != SK_S_IFLNK || !i->ops->readlink) {
		n = *text ? -SK_EINVAL : -SK_ENOENT;
	} else {
		n = i->ops->readlink(i, t, text, sizeof(text));
		if (n > size)
			n = size;
		error = n > 0 ? sk_copy_out(t, (sk_user)a[2], text, (uint32_t)n)
			      : 0;
		if (error)
			n = error;
	}
	sk_path_put(&w.path);
	return n;
}

static int link_to(struct sk_task *t, const struct sk_path *from,
		   struct sk_walk *w)
{
	struct sk_inode *dir = w->path.inode;
	int error = may_make(t, w, false);

	if (error)
		return error;
	if (from->mount != w->path.mount)
		return -SK_EXDEV;
	if (is_dir(from->inode) || !dir->ops->link)
		return -SK_EPERM;
	if (from->inode->ops->reopen || !from->inode->super)
		return -SK_EXDEV;
	return dir->ops->link(dir, w->name, w->name_len, from->inode);
}

int64_t sk_sys_linkat(struct sk_task *t, const uint64_t *a)
{
	uint32_t flags = (uint32_t)a[4], walk = 0;
	char text[SK_PATH_MAX];
	struct sk_walk from, to;
	int64_t error;

	if (flags & ~(uint32_t)(SK_AT_SYMLINK_FOLLOW | SK_AT_EMPTY_PATH))
		return -SK_EINVAL;
	if (flags & SK_AT_SYMLINK_FOLLOW)
		walk |= SK_WALK_FOLLOW;
	if (flags & SK_AT_EMPTY_PATH)
		walk |= SK_WALK_EMPTY;
	error = sk_walk_user(t, (int)a[0], (sk_user)a[1], text, walk, &from);
	if (error)
		return error;
	error = sk_walk_user(t, (int)a[2], (sk_user)a[3], text, SK_WALK_PARENT,
			     &to);
	if (!error) {
		error = link_to(t, &from.path, &to);
		sk_path_put(&to.path);
	}
	sk_path_put(&from.path);
	return error;
}

/* In a sticky folder only owners remove. */
static int may_remove(struct sk_task *t, const struct sk_walk *w,
		      const struct sk_inode *i)
{
	const struct sk_inode *dir = w->path.inode;
	uint32_t uid = t->process->uid[1];
	int error = may_change(t, w);

	if (error)
		return error;
	if (uid && (dir->mode & SK_S_ISVTX) && dir->uid != uid && i->uid != uid)
		return -SK_EPERM;
	return i->mounted ? -SK_EBUSY : 0;
}

static int unlink_name(struct sk_task *t, struct sk_walk *w, bool want_dir)
{
	struct sk_inode *dir = w->path.inode, *i;
	int error;

	if (!want_dir && is_special(w))
		return -SK_EISDIR;
	if (is_special(w))
		return is_dot(w)    ? -SK_EINVAL
		       : is_dots(w) ? -SK_ENOTEMPTY
				    : -SK_EBUSY;
	error = lookup(w, &i);
	if (error)
		return error;
	error = may_remove(t, w, i);
	if (!error && w->name_is_folder && !is_dir(i))
		error = -SK_ENOTDIR;
	else if (!error && !want_dir && is_dir(i))
		error = -SK_EISDIR;
	else if (!error && want_dir && !is_dir(i))
		error = -SK_ENOTDIR;
	if (!error)
		error = dir->ops->unlink
				? dir->ops->unlink(dir, w->name, w->name_len,
						   want_dir)
				: -SK_EPERM;
	sk_inode_put(i);
	return error;
}

int64_t sk_sys_unlinkat(struct sk_task *t, const uint64_t *a)
{
	char text[SK_PATH_MAX];
	struct sk_walk w;
	int64_t error;

	if ((uint32_t)a[2] & ~(uint32_t)SK_AT_REMOVEDIR)
		return -SK_EINVAL;
	error = sk_walk_user(t, (int)a[0], (sk_user)a[1], text, SK_WALK_PARENT,
			     &w);
	if (error)
		return error;
	error = unlink_name(t, &w, (a[2] & SK_AT_REMOVEDIR) != 0);
	sk_path_put(&w.path);
	return error;
}

/* Whether `dir` is `top` or lies below it. */
static bool is_below(struct sk_inode *dir, const struct sk_inode *top)
{
	struct sk_inode *at = sk_inode_get(dir), *up;
	bool below = false;

	while (!(below = at == top) && at != at->super->root &&
	       !at->ops->parent(at, &up, NULL)) {
		sk_inode_put(at);
		at = up;
	}
	sk_inode_put(at);
	return below;
}

/* `to` is NULL when the new name is free. */
static int may_rename(struct sk_task *t, const struct sk_walk *from,
		      const struct sk_walk *at, struct sk_inode *i,
		      struct sk_inode *to, uint32_t flags)
{
	int error = may_remove(t, from, i);

	if (!error)
		error = to ? may_remove(t, at, to) : may_change(t, at);
	if (error)
		return error;
	if (from->name_is_folder && !is_dir(i))
		return -SK_ENOTDIR;
	if (at->name_is_folder && !is_dir(i) && !(flags & SK_RENAME_EXCHANGE))
		return -SK_ENOTDIR;
	if (is_dir(i) && is_below(at->path.inode, i))
		return -SK_EINVAL;
	if (to && (flags & SK_RENAME_NOREPLACE))
		return -SK_EEXIST;
	if (to && (flags & SK_RENAME_EXCHANGE))
		return is_dir(to) && is_below(from->path.inode, to) ? -SK_EINVAL
								    : 0;
	if (to && is_dir(to) && is_below(from->path.inode, to))
		return is_dir(i) ? -SK_ENOTEMPTY : -SK_EISDIR;
	if (to && is_dir(i) != is_dir(to))
		return is_dir(i) ? -SK_ENOTDIR : -SK_EISDIR;
	return 0;
}

static int rename_name(struct sk_task *t, struct sk_walk *from,
		       struct sk_walk *at, uint32_t flags)
{
	struct sk_inode *dir = from->path.inode, *i, *to = NULL;
	int error;

	if (from->path.mount != at->path.mount)
		return -SK_EXDEV;
	if (is_special(from) || is_special(at))
		return (flags & SK_RENAME_NOREPLACE) && !is_special(from)
			       ? -SK_EEXIST
			       : -SK_EBUSY;
	error = lookup(from, &i);
	if (error)
		return error;
	error = lookup(at, &to);
	if (error == -SK_ENOENT && !(flags & SK_RENAME_EXCHANGE))
		error = 0;
	if (!error)
		error = may_rename(t, from, at, i, to, flags);
	if (!error && i != to)
		error = dir->ops->rename
				? dir->ops->rename(dir, from->name,
						   from->name_len,
						   at->path.inode, at->name,
						   at->name_len, flags)
				: -SK_EPERM;
	if (to)
		sk_inode_put(to);
	sk_inode_put(i);
	return error;
}

int64_t sk_sys_renameat2(struct sk_task *t, const uint64_t *a)
{
	uint32_t flags = (uint32_t)a[4];
	char text[SK_PATH_MAX];
	struct sk_walk from, at;
	int64_t error;

	if ((flags & ~(uint32_t)(SK_RENAME_NOREPLACE | SK_RENAME_EXCHANGE)) ||
	    flags == (SK_RENAME_NOREPLACE | SK_RENAME_EXCHANGE))
		return -SK_EINVAL;
	error = sk_walk_user(t, (int)a[0], (sk_user)a[1], text, SK_WALK_PARENT,
			     &from);
	if (error)
		return error;
	error = sk_walk_user(t, (int)a[2], (sk_user)a[3], text, SK_WALK_PARENT,
			     &at);
	if (!error) {
		error = rename_name(t, &from, &at, flags);
		sk_path_put(&at.path);
	}
	sk_path_put(&from.path);
	return error;
}

int64_t sk_sys_renameat(struct sk_task *t, const uint64_t *a)
{
	uint64_t b[5] = { a[0], a[1], a[2], a[3], 0 };

	return sk_sys_renameat2(t, b);
}
