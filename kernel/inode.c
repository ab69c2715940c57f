/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes, supers and mounts: who holds whom.
 *
 *     path ──> mount ──> super ──> root inode ──> ... (as the fs keeps them)
 *       └────> inode       ^
 *                          └── an archive's or overlay's own references
 *
 * An inode points at its super without a reference: whoever holds an inode
 * holds a path, and so its mount. A mount that is in the tree has one
 * reference for that, and refers to the folder that it covers; `mounted` of
 * that folder points back. So nothing below a mount can go before it.
 */
#include "file.h"
#include "process.h"

void sk_inode_init(struct sk_inode *i, struct sk_super *super,
    const struct sk_inode_ops *ops, uint64_t ino, uint32_t mode)
{
	struct sk_kernel *k = super->kernel;

	i->kernel = k;
	i->super = super;
	i->ops = ops;
	i->refs = 1;
	i->ino = ino;
	i->mode = mode;
	i->nlink = 1;
	i->uid = k->uid;
	i->gid = k->gid;
	i->atime = i->mtime = i->ctime = sk_now(k, SK_CLOCK_REALTIME);
	k->inode_count++;
}

void sk_inode_fini(struct sk_inode *i)
{
	if (i->locks)
		sk_locks_fini(i);
	if (i->special && (i->mode & SK_S_IFMT) == SK_S_IFIFO)
		sk_fifo_forget(i);
	i->kernel->inode_count--;
}

struct sk_inode *sk_inode_get(struct sk_inode *i)
{
	i->refs++;
	return i;
}

void sk_inode_put(struct sk_inode *i)
{
	if (--i->refs == 0)
		i->ops->forget(i);
}

void sk_path_get(struct sk_path *path)
{
	if (path->mount)
		path->mount->refs++;
	if (path->inode)
		path->inode->refs++;
}

void sk_path_put(struct sk_path *path)
{
	/* The inode first: its file system has to be there when it goes. */
	if (path->inode)
		sk_inode_put(path->inode);
	if (path->mount)
		sk_mount_put(path->mount);
	path->inode = NULL;
	path->mount = NULL;
}

struct sk_super *sk_super_get(struct sk_super *s)
{
	s->refs++;
	return s;
}

void sk_super_put(struct sk_super *s)
{
	if (--s->refs == 0)
		s->fini(s);
}

void sk_mount_put(struct sk_mount *m)
{
	struct sk_kernel *k;

	if (--m->refs)
		return;
	k = m->super->kernel;
	sk_super_put(m->super);
	sk_path_put(&m->on);
	sk_free(k, m, sizeof(*m));
}

static bool may(const struct sk_kernel *k, const struct sk_inode *i,
    uint32_t mask)
{
	uint32_t bits = i->mode;

	if (k->uid == 0)
		return !(mask & SK_X_OK) || (bits & 0111) ||
		    (bits & SK_S_IFMT) == SK_S_IFDIR;
	if (i->uid == k->uid)
		bits >>= 6;
	else if (i->gid == k->gid)
		bits >>= 3;
	return (bits & mask) == mask;
}

int sk_inode_access(struct sk_task *t, const struct sk_path *path,
    uint32_t mask)
{
	const struct sk_inode *i = path->inode;
	uint32_t type = i->mode & SK_S_IFMT;

	if ((mask & SK_W_OK) && path->mount &&
	    ((path->mount->flags | i->super->flags) & SK_MOUNT_RDONLY) &&
	    (type == SK_S_IFREG || type == SK_S_IFDIR ||
		type == SK_S_IFLNK))
		return -SK_EROFS;
	if ((mask & SK_X_OK) && type == SK_S_IFREG && path->mount &&
	    (path->mount->flags & SK_MOUNT_NOEXEC))
		return -SK_EACCES;
	return may(sk_kernel_of(t), i, mask) ? 0 : -SK_EACCES;
}
