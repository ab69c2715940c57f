/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What files are like: the stat family, statfs, access; and changes of it:
 * modes, owners, times.
 */
#include "file.h"
#include "process.h"

#define NS 1000000000

static struct sk_abi_timespec time_of(int64_t ns)
{
	struct sk_abi_timespec ts = { ns / NS, ns % NS };

	if (ts.nsec < 0) {
		ts.sec--;
		ts.nsec += NS;
	}
	return ts;
}

static int stat_inode(struct sk_inode *i, struct sk_abi_stat *st)
{
	int error = i->ops->refresh ? i->ops->refresh(i) : 0;

	if (error)
		return error;
	*st = (struct sk_abi_stat){
		.dev = i->super->dev,
		.ino = i->ino,
		.mode = i->mode,
		.nlink = i->nlink,
		.uid = i->uid,
		.gid = i->gid,
		.rdev = i->rdev,
		.size = i->size,
		.blksize = 4096,
		.blocks = i->blocks,
		.atime = time_of(i->atime),
		.mtime = time_of(i->mtime),
		.ctime = time_of(i->ctime),
	};
	return 0;
}

/* Open files without an inode: pipes, sockets, and what has no type. */
static int stat_file(struct sk_file *f, struct sk_abi_stat *st)
{
	const struct sk_kernel *k = f->kernel;
	struct sk_abi_timespec boot = time_of(k->boot_realtime);

	if (f->path.inode)
		return stat_inode(f->path.inode, st);
	*st = (struct sk_abi_stat){
		.dev = 1,
		.ino = f->ino,
		.mode = f->ops->mode ? f->ops->mode : 0600,
		.nlink = 1,
		.uid = k->uid,
		.gid = k->gid,
		.blksize = 4096,
		.atime = boot,
		.mtime = boot,
		.ctime = boot,
	};
	return 0;
}

static int stat_path(struct sk_task *t, const struct sk_path *path,
		     bool followed, struct sk_abi_stat *st)
{
	struct sk_inode *i = path->inode;
	struct sk_file *f;
	int error;

	if (!followed || !i->ops->reopen)
		return stat_inode(i, st);
	error = i->ops->reopen(i, t, &f);
	if (error)
		return error;
	error = stat_file(f, st);
	sk_file_put(f);
	return error;
}

static int stat_fd(struct sk_task *t, int fd, struct sk_abi_stat *st)
{
	struct sk_file *f = sk_fd_file(t, fd);
	int error;

	if (!f)
		return -SK_EBADF;
	sk_file_get(f);
	error = stat_file(f, st);
	sk_file_put(f);
	return error;
}

#define STAT_FLAGS (uint32_t)(SK_AT_SYMLINK_NOFOLLOW | SK_AT_EMPTY_PATH)

static int stat_at(struct sk_task *t, int dirfd, sk_user path, uint32_t flags,
		   struct sk_abi_stat *st)
{
	char text[SK_PATH_MAX];
	struct sk_walk w;
	int64_t error = sk_copy_string(t, text, path, sizeof(text));
	bool follow = !(flags & SK_AT_SYMLINK_NOFOLLOW);

	if (error < 0)
		return (int)error;
	if (!*text && (flags & SK_AT_EMPTY_PATH) && dirfd != SK_AT_FDCWD)
		return stat_fd(t, dirfd, st);
	error = sk_walk(
		t, dirfd, text,
		(follow ? SK_WALK_FOLLOW : 0) |
			((flags & SK_AT_EMPTY_PATH) ? SK_WALK_EMPTY : 0),
		&w);
	if (error)
		return (int)error;
	error = stat_path(t, &w.path, follow, st);
	sk_path_put(&w.path);
	return (int)error;
}

int64_t sk_sys_newfstatat(struct sk_task *t, const uint64_t *a)
{
	uint32_t flags = (uint32_t)a[3];
	struct sk_abi_stat st;
	int error;

	/* AT_NO_AUTOMOUNT is 0x800. */
	if (flags & ~(STAT_FLAGS | 0x800))
		return -SK_EINVAL;
	error = stat_at(t, (int)a[0], (sk_user)a[1], flags, &st);
	return error ? error : sk_copy_out(t, (sk_user)a[2], &st, sizeof(st));
}

int64_t sk_sys_fstat(struct sk_task *t, const uint64_t *a)
{
	struct sk_abi_stat st;
	int error = stat_fd(t, (int)a[0], &st);

	return error ? error : sk_copy_out(t, (sk_user)a[1], &st, sizeof(st));
}

static struct sk_abi_statx_time statx_time(struct sk_abi_timespec ts)
{
	return (struct sk_abi_statx_time){ ts.sec, (uint32_t)ts.nsec, 0 };
}

/* Device numbers as Linux's makedev packs them. */
static uint32_t major_of(uint64_t dev)
{
	return (uint32_t)((dev >> 8 & 0xfff) | (dev >> 32 & ~UINT64_C(0xfff)));
}

static uint32_t minor_of(uint64_t dev)
{
	return (uint32_t)((dev & 0xff) | (dev >> 12 & ~UINT64_C(0xff)));
}

int64_t sk_sys_statx(struct sk_task *t, const uint64_t *a)
{
	uint32_t flags = (uint32_t)a[2];
	struct sk_abi_statx x;
	struct sk_abi_stat st;
	int error;

	/* AT_NO_AUTOMOUNT and AT_STATX_*_SYNC. */
	if ((flags & ~(STAT_FLAGS | 0x6800)) || (flags & 0x6000) == 0x6000)
		return -SK_EINVAL;
	error = stat_at(t, (int)a[0], (sk_user)a[1], flags, &st);
	if (error)
		return error;
	x = (struct sk_abi_statx){
		.mask = 0x7ff,
		.blksize = (uint32_t)st.blksize,
		.nlink = st.nlink,
		.uid = st.uid,
		.gid = st.gid,
		.mode = (uint16_t)st.mode,
		.ino = st.ino,
		.size = (uint64_t)st.size,
		.blocks = (uint64_t)st.blocks,
		.atime = statx_time(st.atime),
		.ctime = statx_time(st.ctime),
		.mtime = statx_time(st.mtime),
		.rdev_major = major_of(st.rdev),
		.rdev_minor = minor_of(st.rdev),
		.dev_major = major_of(st.dev),
		.dev_minor = minor_of(st.dev),
	};
	return sk_copy_out(t, (sk_user)a[4], &x, sizeof(x));
}

static int64_t statfs_of(struct sk_task *t, struct sk_inode *i, uint32_t flags,
			 sk_user to)
{
	struct sk_abi_statfs st = { .namelen = SK_NAME_MAX,
				    .bsize = 4096,
				    .frsize = 4096 };
	int error;

	if (i) {
		st.fsid[0] = (int32_t)i->super->dev;
		/* ST_VALID, and the mount's flags as statfs has them. */
		st.flags = 0x20 | flags | i->super->flags;
		error = i->ops->statfs ? i->ops->statfs(i, &st) : 0;
		if (error)
			return error;
	}
	return sk_copy_out(t, to, &st, sizeof(st));
}

int64_t sk_sys_statfs(struct sk_task *t, const uint64_t *a)
{
	char text[SK_PATH_MAX];
	struct sk_walk w;
	int64_t result = sk_walk_user(t, SK_AT_FDCWD, (sk_user)a[0], text,
				      SK_WALK_FOLLOW, &w);

	if (result)
		return result;
	result = statfs_of(t, w.path.inode, w.path.mount->flags, (sk_user)a[1]);
	sk_path_put(&w.path);
	return result;
}

int64_t sk_sys_fstatfs(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	int64_t result;

	if (!f)
		return -SK_EBADF;
	sk_file_get(f);
	result = statfs_of(t, f->path.inode,
			   f->path.mount ? f->path.mount->flags : 0,
			   (sk_user)a[1]);
	sk_file_put(f);
	return result;
}

int64_t sk_sys_faccessat2(struct sk_task *t, const uint64_t *a)
{
	uint32_t mask = (uint32_t)a[2], flags = (uint32_t)a[3], walk = 0;
	char text[SK_PATH_MAX];
	struct sk_walk w;
	int64_t result;

	if ((mask & ~7u) || (flags & ~(STAT_FLAGS | SK_AT_EACCESS)))
		return -SK_EINVAL;
	if (!(flags & SK_AT_SYMLINK_NOFOLLOW))
		walk |= SK_WALK_FOLLOW;
	if (flags & SK_AT_EMPTY_PATH)
		walk |= SK_WALK_EMPTY;
	result = sk_walk_user(t, (int)a[0], (sk_user)a[1], text, walk, &w);
	if (result)
		return result;
	if (mask && (flags & SK_AT_EACCESS))
		result = sk_inode_access(t, &w.path, mask);
	else if (mask)
		result = sk_inode_access_real(t, &w.path, mask);
	sk_path_put(&w.path);
	return result;
}

int64_t sk_sys_faccessat(struct sk_task *t, const uint64_t *a)
{
	uint64_t b[4] = { a[0], a[1], a[2], 0 };

	return sk_sys_faccessat2(t, b);
}

/* What is to be changed: see sk_inode_ops.change. */
struct change {
	uint32_t mode, uid, gid;
	int64_t atime, mtime;
	bool to_now; /* whoever may write may do that */
};

#define NO_CHANGE                                                              \
	{                                                                      \
		UINT32_MAX, UINT32_MAX, UINT32_MAX, INT64_MIN, INT64_MIN,      \
			false                                                  \
	}

static int change_path(struct sk_task *t, const struct sk_path *path,
		       const struct change *c)
{
	uint32_t uid = t->process->uid[1], gid = t->process->gid[1];
	struct sk_inode *i = path->inode;
	uint32_t mode = c->mode;

	if (path->mount &&
	    ((path->mount->flags | i->super->flags) & SK_MOUNT_RDONLY))
		return -SK_EROFS;
	if (uid && i->uid != uid &&
	    !(c->to_now && !sk_inode_access(t, path, SK_W_OK)))
		return c->to_now ? -SK_EACCES : -SK_EPERM;
	if (uid &&
	    ((c->uid != UINT32_MAX && c->uid != i->uid) ||
	     (c->gid != UINT32_MAX && c->gid != i->gid && c->gid != gid)))
		return -SK_EPERM;
	if (!i->ops->change)
		return -SK_EPERM;
	/* A new owner does not get the set-id bits of the old one. */
	if ((c->uid != UINT32_MAX || c->gid != UINT32_MAX) &&
	    (i->mode & SK_S_IFMT) == SK_S_IFREG && (i->mode & 06000))
		mode = i->mode & 07777 & ~06000u;
	return i->ops->change(i, mode, c->uid, c->gid, c->atime, c->mtime);
}

static int change_fd(struct sk_task *t, int fd, const struct change *c)
{
	struct sk_file *f = sk_fd_file(t, fd);
	int error;

	if (!f || (f->flags & SK_O_PATH))
		return -SK_EBADF;
	/* Of a pipe or socket nobody sees a change. */
	if (!f->path.inode)
		return 0;
	sk_file_get(f);
	error = change_path(t, &f->path, c);
	sk_file_put(f);
	return error;
}

static int change_at(struct sk_task *t, int dirfd, sk_user path, uint32_t flags,
		     const struct change *c)
{
	char text[SK_PATH_MAX];
	struct sk_walk w;
	int64_t n = sk_copy_string(t, text, path, sizeof(text));

	if (n < 0)
		return (int)n;
	n = sk_walk(t, dirfd, text,
		    ((flags & SK_AT_SYMLINK_NOFOLLOW) ? 0 : SK_WALK_FOLLOW) |
			    ((flags & SK_AT_EMPTY_PATH) ? SK_WALK_EMPTY : 0),
		    &w);
	if (n)
		return (int)n;
	if ((w.path.inode->mode & SK_S_IFMT) == SK_S_IFLNK &&
	    c->mode != UINT32_MAX)
		n = -SK_EOPNOTSUPP;
	else
		n = change_path(t, &w.path, c);
	sk_path_put(&w.path);
	return (int)n;
}

int64_t sk_sys_fchmod(struct sk_task *t, const uint64_t *a)
{
	struct change c = NO_CHANGE;

	c.mode = (uint32_t)a[1] & 07777;
	return change_fd(t, (int)a[0], &c);
}

int64_t sk_sys_fchmodat(struct sk_task *t, const uint64_t *a)
{
	struct change c = NO_CHANGE;

	c.mode = (uint32_t)a[2] & 07777;
	return change_at(t, (int)a[0], (sk_user)a[1], 0, &c);
}

int64_t sk_sys_fchown(struct sk_task *t, const uint64_t *a)
{
	struct change c = NO_CHANGE;

	c.uid = (uint32_t)a[1];
	c.gid = (uint32_t)a[2];
	return change_fd(t, (int)a[0], &c);
}

int64_t sk_sys_fchownat(struct sk_task *t, const uint64_t *a)
{
	struct change c = NO_CHANGE;

	if ((uint32_t)a[4] & ~STAT_FLAGS)
		return -SK_EINVAL;
	c.uid = (uint32_t)a[2];
	c.gid = (uint32_t)a[3];
	return change_at(t, (int)a[0], (sk_user)a[1], (uint32_t)a[4], &c);
}

/* One of the two times of utimensat. */
static int time_in(const struct sk_abi_timespec *ts, int64_t now, int64_t *out)
{
	uint32_t nsec = (uint32_t)ts->nsec;

	if (nsec == SK_UTIME_OMIT)
		return 0;
	if (nsec == SK_UTIME_NOW) {
		*out = now;
		return 0;
	}
	if (nsec >= NS)
		return -SK_EINVAL;
	/* What 64 bits of nanoseconds reach, from 1677 to 2262. */
	if (ts->sec > INT64_MAX / NS - 1)
		*out = INT64_MAX;
	else if (ts->sec < -(INT64_MAX / NS - 1))
		*out = INT64_MIN + 1;
	else
		*out = ts->sec * NS + nsec;
	return 0;
}

int64_t sk_sys_utimensat(struct sk_task *t, const uint64_t *a)
{
	int64_t now = sk_now(sk_kernel_of(t), SK_CLOCK_REALTIME);
	struct sk_abi_timespec ts[2];
	struct change c = NO_CHANGE;
	int error = 0;

	if ((uint32_t)a[3] & ~STAT_FLAGS)
		return -SK_EINVAL;
	c.to_now = true;
	c.atime = c.mtime = now;
	if ((sk_user)a[2]) {
		error = sk_copy_in(t, ts, (sk_user)a[2], sizeof(ts));
		c.atime = c.mtime = INT64_MIN;
		if (!error)
			error = time_in(&ts[0], now, &c.atime);
		if (!error)
			error = time_in(&ts[1], now, &c.mtime);
		if (!error && (uint32_t)ts[0].nsec == SK_UTIME_OMIT &&
		    (uint32_t)ts[1].nsec == SK_UTIME_OMIT)
			return 0;
		c.to_now = (uint32_t)ts[0].nsec == SK_UTIME_NOW &&
			   (uint32_t)ts[1].nsec == SK_UTIME_NOW;
	}
	if (error)
		return error;
	if (!(sk_user)a[1])
		return change_fd(t, (int)a[0], &c);
	return change_at(t, (int)a[0], (sk_user)a[1], (uint32_t)a[3], &c);
}
