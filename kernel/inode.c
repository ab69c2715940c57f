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

static bool in_group(const struct sk_process *p, uint32_t gid, uint32_t mine)
{
	if (gid == mine)
		return true;
	for (uint32_t n = 0; n < p->group_count; n++)
		if (p->groups[n] == gid)
			return true;
	return false;
}

/* who: 0 the real user and group, 1 the effective ones. */
static int access_as(const struct sk_process *p, const struct sk_path *path,
		     uint32_t mask, uint32_t who)
{
	const struct sk_inode *i = path->inode;
	uint32_t type = i->mode & SK_S_IFMT, bits = i->mode;
	uint32_t flags = path->mount ? path->mount->flags : 0;

	flags |= i->super->flags;
	if ((mask & SK_W_OK) && (flags & SK_MOUNT_RDONLY) &&
	    (type == SK_S_IFREG || type == SK_S_IFDIR || type == SK_S_IFLNK))
		return -SK_EROFS;
	if ((mask & SK_X_OK) && type == SK_S_IFREG && (flags & SK_MOUNT_NOEXEC))
		return -SK_EACCES;
	if (p->uid[who] == 0)
		return !(mask & SK_X_OK) || (bits & 0111) || type == SK_S_IFDIR
			       ? 0
			       : -SK_EACCES;
	if (i->uid == p->uid[who])
		bits >>= 6;
	else if (in_group(p, i->gid, p->gid[who]))
		bits >>= 3;
	return (bits & mask) == mask ? 0 : -SK_EACCES;
}

int sk_inode_access(struct sk_task *t, const struct sk_path *path,
		    uint32_t mask)
{
	return access_as(t->process, path, mask, 1);
}

int sk_inode_access_real(struct sk_task *t, const struct sk_path *path,
			 uint32_t mask)
{
	return access_as(t->process, path, mask, 0);
}

void sk_inode_own(struct sk_task *t, struct sk_inode *i)
{
	const struct sk_process *p = t->process;
	const struct sk_kernel *k = i->kernel;

	if ((p->uid[1] != k->uid || p->gid[1] != k->gid) && i->ops->change)
		i->ops->change(i, UINT32_MAX, p->uid[1], p->gid[1], INT64_MIN,
			       INT64_MIN);
}
