/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * openat with all its flags, and memfd_create.
 *
 * Without O_CREAT the walk goes to the file. With it, the walk goes to the
 * folder, and the last name is looked up here: a link there is followed by
 * a new walk from that folder, so that a file is also made where a dangling
 * link points.
 */
#include "file.h"
#include "fs/memfs.h"
#include "process.h"

#define TMPFILE_BIT (uint32_t)(SK_O_TMPFILE & ~SK_O_DIRECTORY)

static uint32_t type_of(const struct sk_inode *i)
{
	return i->mode & SK_S_IFMT;
}

/* Where a walk for O_CREAT ended. */
struct target {
	struct sk_path path;
	bool created;
};

/* Makes the file, or takes one that was made meanwhile. */
static int make(struct sk_task *t, struct sk_walk *w, uint32_t mode,
		struct sk_inode **out)
{
	struct sk_inode *dir = w->path.inode;
	int error = sk_inode_access(t, &w->path, SK_W_OK | SK_X_OK);

	if (error)
		return error;
	if (!dir->ops->create)
		return -SK_EACCES;
	error = dir->ops->create(
		dir, w->name, w->name_len,
		SK_S_IFREG | (mode & 07777 & ~t->process->umask), 0, out);
	if (!error)
		sk_inode_own(t, *out);
	return error;
}

/* The file that a walk to its folder names; 1: a link, whose text is new. */
static int find_or_make(struct sk_task *t, struct sk_walk *w, char *text,
			uint32_t flags, uint32_t mode, struct target *out)
{
	struct sk_inode *dir = w->path.inode, *found;
	int64_t n;
	int error;

	if (!w->name_len || w->name_is_folder ||
	    (w->name[0] == '.' &&
	     (w->name_len == 1 || (w->name_len == 2 && w->name[1] == '.'))))
		return -SK_EISDIR;
	error = dir->ops->lookup(dir, w->name, w->name_len, &found);
	if (error == -SK_ENOENT) {
		error = make(t, w, mode, &found);
		out->created = !error;
	}
	if (error == -SK_EEXIST && !(flags & SK_O_EXCL))
		error = dir->ops->lookup(dir, w->name, w->name_len, &found);
	if (error)
		return error;
	if (!out->created && (flags & SK_O_EXCL)) {
		error = -SK_EEXIST;
	} else if (type_of(found) == SK_S_IFLNK && !(flags & SK_O_NOFOLLOW) &&
		   !found->ops->jump) {
		n = found->ops->readlink(found, t, text, SK_PATH_MAX - 1);
		error = n < 0 ? (int)n : 1;
		if (n >= 0)
			text[n] = '\0';
	}
	if (error) {
		sk_inode_put(found);
		return error;
	}
	out->path = w->path;
	sk_path_get(&out->path);
	sk_inode_put(out->path.inode);
	out->path.inode = found;
	return 0;
}

static int walk_create(struct sk_task *t, int dirfd, char *text, uint32_t flags,
		       uint32_t mode, struct target *out)
{
	struct sk_walk walk;
	uint32_t links = 0;
	int error = sk_walk(t, dirfd, text, SK_WALK_PARENT, &walk);

	while (!error) {
		struct sk_path from = walk.path;

		error = find_or_make(t, &walk, text, flags, mode, out);
		if (error == 1)
			error = ++links > 40 ? -SK_ELOOP
				: *text	     ? sk_walk_from(t, &from, text,
							    SK_WALK_PARENT, &links,
							    &walk)
					     : -SK_ENOENT;
		else if (!error)
			error = 1;
		sk_path_put(&from);
	}
	return error < 0 ? error : 0;
}

static int may_open(struct sk_task *t, const struct sk_path *path,
		    uint32_t flags)
{
	uint32_t type = type_of(path->inode), mask = 0;

	if (type == SK_S_IFLNK && !path->inode->ops->reopen)
		return (flags & SK_O_DIRECTORY) ? -SK_ENOTDIR : -SK_ELOOP;
	if ((flags & SK_O_DIRECTORY) && type != SK_S_IFDIR)
		return -SK_ENOTDIR;
	if (type == SK_S_IFDIR &&
	    (flags & (SK_O_ACCMODE | SK_O_TRUNC | SK_O_CREAT)))
		return -SK_EISDIR;
	if ((flags & SK_O_ACCMODE) != SK_O_WRONLY)
		mask |= SK_R_OK;
	if ((flags & SK_O_ACCMODE) || (flags & SK_O_TRUNC))
		mask |= SK_W_OK;
	return sk_inode_access(t, path, mask);
}

static int install(struct sk_task *t, struct sk_file *f, uint32_t flags)
{
	return sk_fd_install(t, f, 0, (flags & SK_O_CLOEXEC) != 0);
}

static int64_t open_tmpfile(struct sk_task *t, int dirfd, const char *text,
			    uint32_t flags, uint32_t mode)
{
	struct sk_inode *dir, *made;
	struct sk_path path;
	struct sk_walk walk;
	struct sk_file *f;
	int error;

	if (!(flags & SK_O_ACCMODE))
		return -SK_EINVAL;
	error = sk_walk(t, dirfd, text, SK_WALK_FOLLOW | SK_WALK_FOLDER, &walk);
	if (error)
		return error;
	dir = walk.path.inode;
	error = sk_inode_access(t, &walk.path, SK_W_OK | SK_X_OK);
	if (!error && !dir->ops->tmpfile)
		error = -SK_EOPNOTSUPP;
	if (!error)
		error = dir->ops->tmpfile(
			dir, SK_S_IFREG | (mode & 07777 & ~t->process->umask),
			&made);
	if (!error) {
		path = walk.path;
		path.inode = made;
		error = sk_file_open(t, &path, flags, &f);
		sk_inode_put(made);
	}
	sk_path_put(&walk.path);
	return error ? error : install(t, f, flags);
}

static int64_t open_found(struct sk_task *t, struct target *target,
			  uint32_t flags)
{
	struct sk_inode *i = target->path.inode;
	struct sk_file *f;
	int error = 0;

	if (!target->created && !(flags & SK_O_PATH))
		error = may_open(t, &target->path, flags);
	if (!error)
		error = sk_file_open(t, &target->path, flags, &f);
	if (!error && (flags & SK_O_TRUNC) && !target->created &&
	    type_of(i) == SK_S_IFREG && i->ops->truncate) {
		error = i->ops->truncate(i, 0);
		if (error)
			sk_file_put(f);
	}
	sk_path_put(&target->path);
	return error ? error : install(t, f, flags);
}

/* `text` (SK_PATH_MAX bytes) is used up. */
static int64_t open_at(struct sk_task *t, int dirfd, char *text, uint32_t flags,
		       uint32_t mode)
{
	struct target target = { .created = false };
	struct sk_walk walk;
	int error;

	if (flags & SK_O_PATH)
		flags &= SK_O_PATH | SK_O_DIRECTORY | SK_O_NOFOLLOW |
			 SK_O_CLOEXEC;
	if ((flags & SK_O_ACCMODE) == SK_O_ACCMODE)
		return -SK_EINVAL;
	if (!*text)
		return -SK_ENOENT;
	if (flags & TMPFILE_BIT)
		return flags & SK_O_DIRECTORY
			       ? open_tmpfile(t, dirfd, text, flags, mode)
			       : -SK_EINVAL;
	if (flags & SK_O_CREAT) {
		if (flags & SK_O_DIRECTORY)
			return -SK_EINVAL;
		error = walk_create(t, dirfd, text, flags, mode, &target);
	} else {
		error = sk_walk(t, dirfd, text,
				((flags & SK_O_NOFOLLOW) ? 0 : SK_WALK_FOLLOW),
				&walk);
		if (!error)
			target.path = walk.path;
	}
	return error ? error : open_found(t, &target, flags);
}

int64_t sk_sys_openat(struct sk_task *t, const uint64_t *a)
{
	char text[SK_PATH_MAX];
	int64_t n = sk_copy_string(t, text, (sk_user)a[1], sizeof(text));

	if (n < 0)
		return n;
	return open_at(t, (int)a[0], text, (uint32_t)a[2], (uint32_t)a[3]);
}

#define MFD_CLOEXEC	  1u
#define MFD_ALLOW_SEALING 2u
#define MFD_EXEC_BITS	  0x18u

int64_t sk_sys_memfd_create(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	uint32_t flags = (uint32_t)a[1];
	char name[SK_NAME_MAX + 1];
	struct sk_super *super;
	struct sk_path path;
	struct sk_file *f;
	int64_t error;

	if (flags & ~(MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC_BITS))
		return -SK_EINVAL;
	error = sk_copy_string(t, name, (sk_user)a[0], 250);
	if (error < 0)
		return error == -SK_ENAMETOOLONG ? -SK_EINVAL : error;
	error = sk_memfs_new(k, &super);
	if (error)
		return error;
	error = sk_mount_detached(super, &path.mount);
	sk_super_put(super);
	if (error)
		return error;
	error = super->root->ops->tmpfile(super->root, SK_S_IFREG | 0777,
					  &path.inode);
	if (error)
		path.inode = NULL;
	else
		error = sk_file_open(t, &path, SK_O_RDWR | SK_O_LARGEFILE, &f);
	sk_path_put(&path);
	return error ? error
		     : sk_fd_install(t, f, 0, (flags & MFD_CLOEXEC) != 0);
}
