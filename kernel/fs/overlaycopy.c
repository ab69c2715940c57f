/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What overlayfs writes to its upper layer by itself: whiteouts, and copies of
 * what is about to change. A copy is made under its name at once, and is the
 * inode's only when it is whole; when it fails, it is removed again.
 */
#include "fs/overlayfs.h"

#define BUFFER 65536u

/* ".wh.name" */
static int hiding_name(const char *name, size_t len, char to[SK_NAME_MAX + 1])
{
	if (len + SK_WHITEOUT_SIZE > SK_NAME_MAX)
		return -SK_ENAMETOOLONG;
	memcpy(to, SK_WHITEOUT, SK_WHITEOUT_SIZE);
	memcpy(to + SK_WHITEOUT_SIZE, name, len);
	to[SK_WHITEOUT_SIZE + len] = '\0';
	return 0;
}

int sk_overlay_hidden(struct sk_inode *upper, const char *name, size_t len)
{
	char text[SK_NAME_MAX + 1];
	struct sk_inode *found;
	int error = hiding_name(name, len, text);

	/* A name too long to be hidden is not. */
	if (error)
		return 0;
	error = upper->ops->lookup(upper, text, len + SK_WHITEOUT_SIZE, &found);
	if (error)
		return error == -SK_ENOENT ? 0 : error;
	sk_inode_put(found);
	return 1;
}

int sk_overlay_hide(struct sk_inode *upper, const char *name, size_t len)
{
	char text[SK_NAME_MAX + 1];
	int error = hiding_name(name, len, text);

	if (!error)
		error = upper->ops->create(upper, text, len + SK_WHITEOUT_SIZE,
					   SK_S_IFREG | 0600, 0, NULL);
	return error == -SK_EEXIST ? 0 : error;
}

int sk_overlay_unhide(struct sk_inode *upper, const char *name, size_t len)
{
	char text[SK_NAME_MAX + 1];
	int error = hiding_name(name, len, text);

	if (error)
		return 0;
	error = upper->ops->unlink(upper, text, len + SK_WHITEOUT_SIZE, false);
	return error == -SK_ENOENT ? 0 : error;
}

static int copy_bytes(struct sk_inode *from, struct sk_inode *to)
{
	struct sk_kernel *k = from->kernel;
	uint8_t *buffer = sk_alloc(k, BUFFER);
	int64_t at = 0, n, put;
	struct sk_io io;

	if (!buffer)
		return -SK_ENOMEM;
	do {
		sk_io_kernel(&io, buffer, BUFFER);
		n = from->ops->read(from, &io, at);
		if (n <= 0)
			break;
		sk_io_kernel(&io, buffer, (size_t)n);
		put = to->ops->write(to, &io, at);
		if (put < n)
			n = put < 0 ? put : -SK_ENOSPC;
		at += n;
		sk_lock_breathe(k);
	} while (n > 0);
	sk_free(k, buffer, BUFFER);
	return n < 0 ? (int)n : 0;
}

/* The copy under its name in a folder of the upper layer. */
static int make_copy(struct sk_overlay_inode *o, struct sk_inode *dir,
		     struct sk_inode **out)
{
	struct sk_inode *from = o->lower;
	size_t len = strlen(o->name);
	char *target;
	int64_t n;
	int error;

	if ((from->mode & SK_S_IFMT) != SK_S_IFLNK)
		return dir->ops->create(dir, o->name, len, from->mode,
					from->rdev, out);
	target = sk_alloc(o->i.kernel, SK_PATH_MAX);
	if (!target)
		return -SK_ENOMEM;
	n = from->ops->readlink(from, NULL, target, SK_PATH_MAX - 1);
	error = n < 0 ? (int)n : dir->ops->symlink(dir, o->name, len, target);
	if (!error)
		error = dir->ops->lookup(dir, o->name, len, out);
	sk_free(o->i.kernel, target, SK_PATH_MAX);
	return error;
}

/* Owner, mode and times; an upper layer that keeps no owner is fine. */
static int copy_rest(struct sk_inode *from, struct sk_inode *to)
{
	int error = 0;

	if ((from->uid != to->uid || from->gid != to->gid) && to->ops->change)
		to->ops->change(to, UINT32_MAX, from->uid, from->gid, INT64_MIN,
				INT64_MIN);
	if ((from->mode & SK_S_IFMT) != SK_S_IFLNK && to->ops->change)
		error = to->ops->change(to, from->mode & 07777, UINT32_MAX,
					UINT32_MAX, from->atime, from->mtime);
	return error;
}

static bool is_dir(const struct sk_inode *i)
{
	return (i->mode & SK_S_IFMT) == SK_S_IFDIR;
}

/* A file whose name is gone goes on without one. */
static int make_nameless(struct sk_overlay_inode *o, struct sk_inode **out)
{
	struct sk_inode *root = sk_overlay_of(&o->i)->upper.inode;

	if (is_dir(&o->i) || !root->ops->tmpfile)
		return -SK_ENOENT;
	return root->ops->tmpfile(root, o->lower->mode, out);
}

int sk_overlay_copy_up(struct sk_overlay_inode *o, bool with_data)
{
	const struct sk_overlay *s = sk_overlay_of(&o->i);
	struct sk_inode *made, *dir = NULL;
	int error;

	if ((s->upper.mount->flags | s->upper.inode->super->flags) &
	    SK_MOUNT_RDONLY)
		return -SK_EROFS;
	if (o->upper)
		return 0;
	if (o->gone) {
		error = make_nameless(o, &made);
	} else {
		error = sk_overlay_copy_up(o->parent, true);
		if (error)
			return error;
		dir = o->parent->upper;
		error = make_copy(o, dir, &made);
	}
	/* Another task may have made it while the host worked. */
	if (o->upper) {
		if (!error)
			sk_inode_put(made);
		return 0;
	}
	if (error)
		return error;
	if (with_data && (made->mode & SK_S_IFMT) == SK_S_IFREG)
		error = copy_bytes(o->lower, made);
	if (!error)
		error = copy_rest(o->lower, made);
	if (error) {
		if (dir)
			dir->ops->unlink(dir, o->name, strlen(o->name),
					 is_dir(made));
		sk_inode_put(made);
		return error;
	}
	o->upper = made;
	return 0;
}
