/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * devfs: a memfs tree of device nodes, with the ptys of the kernel in pts/,
 * which come and go by themselves. A device is what its number says, wherever
 * its node lies (sk_device_open).
 */
#include "file.h"
#include "fs/memfs.h"
#include "process.h"

#define DEVICE(major, minor) ((uint64_t)(major) << 8 | (minor))
#define MAJOR(dev)	     ((uint32_t)((dev) >> 8))
#define MINOR(dev)	     ((uint32_t)(dev)&0xff)
#define MAJOR_MEMORY	     1
#define MAJOR_TTY	     5
#define MAJOR_PTS	     136

enum {
	DEV_NULL = 3,
	DEV_ZERO = 5,
	DEV_FULL = 7,
	DEV_RANDOM = 8,
	DEV_URANDOM = 9
};

static int64_t null_read(struct sk_file *f, struct sk_task *t, struct sk_io *io)
{
	(void)f;
	(void)t;
	(void)io;
	return 0;
}

static int64_t null_pread(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io, int64_t offset)
{
	(void)offset;
	return null_read(f, t, io);
}

static int64_t null_write(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io)
{
	(void)f;
	(void)t;
	return (int64_t)io->left;
}

static int64_t null_pwrite(struct sk_file *f, struct sk_task *t,
			   struct sk_io *io, int64_t offset)
{
	(void)offset;
	return null_write(f, t, io);
}

static int64_t no_seek(struct sk_file *f, int64_t offset, int whence)
{
	(void)f;
	(void)offset;
	return whence < 0 || whence > SK_SEEK_END ? -SK_EINVAL : 0;
}

static int64_t zero_read(struct sk_file *f, struct sk_task *t, struct sk_io *io)
{
	static const uint8_t zeros[4096];
	int64_t done = 0;

	(void)t;
	while (io->left) {
		int64_t n = sk_io_put(io, zeros, sizeof(zeros));

		if (n <= 0)
			return done ? done : n;
		done += n;
		if (done % (1 << 20) == 0)
			sk_lock_breathe(f->kernel);
	}
	return done;
}

static int64_t zero_pread(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io, int64_t offset)
{
	(void)offset;
	return zero_read(f, t, io);
}

static int64_t full_write(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io)
{
	(void)f;
	(void)t;
	return io->left ? -SK_ENOSPC : 0;
}

static int64_t random_read(struct sk_file *f, struct sk_task *t,
			   struct sk_io *io)
{
	struct sk_kernel *k = f->kernel;
	uint8_t bytes[1024];
	int64_t done = 0;

	(void)t;
	while (io->left) {
		size_t size =
			io->left < sizeof(bytes) ? io->left : sizeof(bytes);
		int64_t n;

		k->host->random(k->self, bytes, size);
		n = sk_io_put(io, bytes, size);
		if (n <= 0)
			return done ? done : n;
		done += n;
		if (done % (1 << 20) == 0)
			sk_lock_breathe(k);
	}
	return done;
}

static int64_t random_pread(struct sk_file *f, struct sk_task *t,
			    struct sk_io *io, int64_t offset)
{
	(void)offset;
	return random_read(f, t, io);
}

static const struct sk_file_ops null_ops = {
	.read = null_read,
	.write = null_write,
	.pread = null_pread,
	.pwrite = null_pwrite,
	.seek = no_seek,
};

static const struct sk_file_ops zero_ops = {
	.read = zero_read,
	.write = null_write,
	.pread = zero_pread,
	.pwrite = null_pwrite,
	.seek = no_seek,
};

static const struct sk_file_ops full_ops = {
	.read = zero_read,
	.write = full_write,
	.pread = zero_pread,
	.seek = no_seek,
};

static const struct sk_file_ops random_ops = {
	.read = random_read,
	.write = null_write,
	.pread = random_pread,
	.pwrite = null_pwrite,
	.seek = no_seek,
};

static int open_memory(uint32_t minor, struct sk_file *file)
{
	switch (minor) {
	case DEV_NULL:
		file->ops = &null_ops;
		return 0;
	case DEV_ZERO:
		file->ops = &zero_ops;
		return 0;
	case DEV_FULL:
		file->ops = &full_ops;
		return 0;
	case DEV_RANDOM:
	case DEV_URANDOM:
		file->ops = &random_ops;
		return 0;
	default:
		return -SK_ENXIO;
	}
}

int sk_device_open(struct sk_inode *i, struct sk_task *t, uint32_t flags,
		   struct sk_file *file)
{
	if ((i->mode & SK_S_IFMT) != SK_S_IFCHR)
		return -SK_ENXIO;
	switch (MAJOR(i->rdev)) {
	case MAJOR_MEMORY:
		return open_memory(MINOR(i->rdev), file);
	case MAJOR_TTY:
	case MAJOR_PTS:
		return sk_tty_open(t, i->rdev, flags, file);
	default:
		return -SK_ENXIO;
	}
}

/* pts/: an inode is made at each look-up, and is the same by its number. */
struct pts_inode {
	struct sk_inode i;
	struct sk_inode *dir;
};

static uint32_t pts_number(const struct sk_inode *i)
{
	return (uint32_t)(i->rdev - DEVICE(MAJOR_PTS, 0));
}

static int pts_parent(struct sk_inode *i, struct sk_inode **out,
		      char name[SK_NAME_MAX + 1])
{
	if (out)
		*out = sk_inode_get(((struct pts_inode *)i)->dir);
	if (name)
		sk_format(name, SK_NAME_MAX + 1, "%u", pts_number(i));
	return 0;
}

static void pts_forget(struct sk_inode *i)
{
	struct pts_inode *p = (struct pts_inode *)i;
	struct sk_kernel *k = i->kernel;
	struct sk_inode *dir = p->dir;

	sk_inode_fini(i);
	sk_free(k, p, sizeof(*p));
	sk_inode_put(dir);
}

static const struct sk_inode_ops pts_ops = {
	.parent = pts_parent,
	.change = sk_memtree_change,
	.forget = pts_forget,
};

#define PTS_INO(n) (UINT64_C(1000) + (n))

static int pts_lookup(struct sk_inode *dir, const char *name, size_t len,
		      struct sk_inode **out)
{
	struct sk_kernel *k = dir->kernel;
	struct pts_inode *p;
	uint32_t n = 0;

	for (size_t at = 0; at < len; at++) {
		if (name[at] < '0' || name[at] > '9' || len > 4 ||
		    (name[0] == '0' && len > 1))
			return -SK_ENOENT;
		n = n * 10 + (uint32_t)(name[at] - '0');
	}
	if (sk_pty_next(k, (int)n) != (int)n)
		return -SK_ENOENT;
	p = sk_alloc(k, sizeof(*p));
	if (!p)
		return -SK_ENOMEM;
	sk_inode_init(&p->i, dir->super, &pts_ops, PTS_INO(n),
		      SK_S_IFCHR | 0620);
	p->i.rdev = DEVICE(MAJOR_PTS, 0) + n;
	p->dir = sk_inode_get(dir);
	*out = &p->i;
	return 0;
}

static int pts_list(struct sk_inode *dir, int64_t at, int64_t *next,
		    char name[SK_NAME_MAX + 1], uint64_t *ino, uint32_t *mode)
{
	int n = sk_pty_next(dir->kernel, (int)at);

	if (n < 0)
		return 0;
	sk_format(name, SK_NAME_MAX + 1, "%d", n);
	*next = n + 1;
	*ino = PTS_INO((uint64_t)n);
	*mode = SK_S_IFCHR | 0620;
	return 1;
}

static const struct sk_inode_ops pts_dir_ops = {
	.lookup = pts_lookup,
	.list = pts_list,
	.parent = sk_memtree_parent,
	.change = sk_memtree_change,
	.forget = sk_memtree_forget,
};

static const struct {
	const char *name;
	uint32_t mode, minor, major;
} nodes[] = {
	{ "null", 0666, DEV_NULL, MAJOR_MEMORY },
	{ "zero", 0666, DEV_ZERO, MAJOR_MEMORY },
	{ "full", 0666, DEV_FULL, MAJOR_MEMORY },
	{ "random", 0666, DEV_RANDOM, MAJOR_MEMORY },
	{ "urandom", 0666, DEV_URANDOM, MAJOR_MEMORY },
	{ "tty", 0666, 0, MAJOR_TTY },
	{ "ptmx", 0666, 2, MAJOR_TTY },
};

static const struct {
	const char *name, *target;
} links[] = {
	{ "fd", "/proc/self/fd" },
	{ "stdin", "/proc/self/fd/0" },
	{ "stdout", "/proc/self/fd/1" },
	{ "stderr", "/proc/self/fd/2" },
};

static int fill(struct sk_mem_super *m)
{
	struct sk_mem_inode *pts;
	int error = 0;

	for (size_t n = 0; !error && n < sizeof(nodes) / sizeof(*nodes); n++)
		error = sk_memtree_make(
			m, nodes[n].name, SK_S_IFCHR | nodes[n].mode,
			DEVICE(nodes[n].major, nodes[n].minor), NULL, NULL);
	for (size_t n = 0; !error && n < sizeof(links) / sizeof(*links); n++)
		error = sk_memtree_make(m, links[n].name, 0, 0, links[n].target,
					NULL);
	if (!error)
		error = sk_memtree_make(m, "shm", SK_S_IFDIR | 01777, 0, NULL,
					NULL);
	if (!error)
		error = sk_memtree_make(m, "pts", SK_S_IFDIR | 0755, 0, NULL,
					&pts);
	if (!error)
		pts->i.ops = &pts_dir_ops;
	return error;
}

/* What is made here by programs (/dev/shm/name) is as in any memfs. */
int sk_devfs_new(struct sk_kernel *k, struct sk_super **out)
{
	int error = sk_memfs_new(k, out);

	if (error)
		return error;
	(*out)->type = "devfs";
	error = fill((struct sk_mem_super *)*out);
	if (error)
		sk_super_put(*out);
	return error;
}
