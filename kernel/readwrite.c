/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read, write and their vectors and offsets; lseek, ftruncate and its kind;
 * and the calls that move bytes between two open files.
 *
 * A call that parks is made again from its start; what a read or write did
 * before is kept by its file (sk_task.call.done).
 */
#include "file.h"
#include "process.h"

#define VECS_ON_STACK 8

/* Vectors of readv and its kind, copied in. */
struct vectors {
	struct sk_abi_iovec few[VECS_ON_STACK];
	struct sk_abi_iovec *all;
	uint32_t count;
	struct sk_io io;
};

static int vectors_init(struct vectors *v, struct sk_task *t, sk_user from,
			uint32_t count)
{
	uint64_t total = 0;
	int error;

	if (count > SK_IOV_MAX)
		return -SK_EINVAL;
	v->count = count;
	v->all = v->few;
	if (count > VECS_ON_STACK)
		v->all = sk_alloc(sk_kernel_of(t), count * sizeof(*v->all));
	if (!v->all)
		return -SK_ENOMEM;
	error = sk_copy_in(t, v->all, from, count * (uint32_t)sizeof(*v->all));
	for (uint32_t i = 0; !error && i < count; i++)
		total += v->all[i].len;
	if (!error && total > INT32_MAX)
		error = -SK_EINVAL;
	if (error) {
		if (v->all != v->few)
			sk_free(sk_kernel_of(t), v->all,
				count * sizeof(*v->all));
		return error;
	}
	v->io = (struct sk_io){ .task = t,
				.vec = v->all,
				.vec_count = count,
				.left = total > SK_RW_MAX ? SK_RW_MAX
							  : (size_t)total };
	return 0;
}

static void vectors_fini(struct vectors *v, struct sk_task *t)
{
	if (v->all != v->few)
		sk_free(sk_kernel_of(t), v->all, v->count * sizeof(*v->all));
}

static uint32_t length(uint64_t a)
{
	return (uint32_t)a > SK_RW_MAX ? SK_RW_MAX : (uint32_t)a;
}

/* -SK_EBADF, -SK_ESPIPE or -SK_EINVAL, for what has an offset of its own. */
static int64_t positioned(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io, int64_t offset, bool write)
{
	uint32_t mode = f->flags & SK_O_ACCMODE;

	if ((f->flags & SK_O_PATH) ||
	    mode == (write ? SK_O_RDONLY : SK_O_WRONLY))
		return -SK_EBADF;
	if (!(write ? f->ops->pwrite : f->ops->pread))
		return -SK_ESPIPE;
	if (offset < 0)
		return -SK_EINVAL;
	io->flags = f->flags;
	return (write ? f->ops->pwrite : f->ops->pread)(f, t, io, offset);
}

int64_t sk_sys_read(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	struct sk_abi_iovec one;
	struct sk_io io;
	int64_t n;

	if (!f)
		return -SK_EBADF;
	sk_io_user(&io, t, &one, (sk_user)a[1], length(a[2]));
	sk_file_get(f);
	n = sk_file_read(f, t, &io);
	sk_file_put(f);
	return n;
}

int64_t sk_sys_write(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	struct sk_abi_iovec one;
	struct sk_io io;
	int64_t n;

	if (!f)
		return -SK_EBADF;
	sk_io_user(&io, t, &one, (sk_user)a[1], length(a[2]));
	sk_file_get(f);
	n = sk_file_write(f, t, &io);
	sk_file_put(f);
	return n;
}

static int64_t one_at(struct sk_task *t, const uint64_t *a, bool write)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	struct sk_abi_iovec one;
	struct sk_io io;
	int64_t n;

	if (!f)
		return -SK_EBADF;
	sk_io_user(&io, t, &one, (sk_user)a[1], length(a[2]));
	sk_file_get(f);
	n = positioned(f, t, &io, (int64_t)a[3], write);
	sk_file_put(f);
	return n;
}

int64_t sk_sys_pread64(struct sk_task *t, const uint64_t *a)
{
	return one_at(t, a, false);
}

int64_t sk_sys_pwrite64(struct sk_task *t, const uint64_t *a)
{
	return one_at(t, a, true);
}

/* at: NULL for the file's own offset. */
static int64_t many(struct sk_task *t, const uint64_t *a, const int64_t *at,
		    bool write)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	struct vectors v;
	int64_t n;

	if (!f)
		return -SK_EBADF;
	n = vectors_init(&v, t, (sk_user)a[1], (uint32_t)a[2]);
	if (n)
		return n;
	sk_file_get(f);
	if (at)
		n = positioned(f, t, &v.io, *at, write);
	else
		n = write ? sk_file_write(f, t, &v.io)
			  : sk_file_read(f, t, &v.io);
	sk_file_put(f);
	vectors_fini(&v, t);
	return n;
}

int64_t sk_sys_readv(struct sk_task *t, const uint64_t *a)
{
	return many(t, a, NULL, false);
}

int64_t sk_sys_writev(struct sk_task *t, const uint64_t *a)
{
	return many(t, a, NULL, true);
}

int64_t sk_sys_preadv(struct sk_task *t, const uint64_t *a)
{
	int64_t at = (int64_t)a[3];

	return many(t, a, &at, false);
}

int64_t sk_sys_pwritev(struct sk_task *t, const uint64_t *a)
{
	int64_t at = (int64_t)a[3];

	return many(t, a, &at, true);
}

int64_t sk_sys_lseek(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	int64_t at;

	if (!f || (f->flags & SK_O_PATH))
		return -SK_EBADF;
	if (!f->ops->seek)
		return -SK_ESPIPE;
	sk_file_get(f);
	at = f->ops->seek(f, (int64_t)a[1], (int)a[3]);
	sk_file_put(f);
	return at < 0 ? at : sk_copy_out(t, (sk_user)a[2], &at, sizeof(at));
}

/* To any size that the process may make a file. */
static int64_t truncate_inode(struct sk_task *t, struct sk_inode *i,
			      int64_t size)
{
	if (size < 0)
		return -SK_EINVAL;
	if ((i->mode & SK_S_IFMT) == SK_S_IFDIR)
		return -SK_EISDIR;
	if ((i->mode & SK_S_IFMT) != SK_S_IFREG || !i->ops->truncate)
		return -SK_EINVAL;
	if ((uint64_t)size > t->process->limits[SK_RLIMIT_FSIZE].cur &&
	    size > i->size) {
		sk_signal_send(t->process, SK_SIGXFSZ, NULL);
		return -SK_EFBIG;
	}
	return i->ops->truncate(i, size);
}

int64_t sk_sys_ftruncate(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	int64_t result;

	if (!f || (f->flags & SK_O_PATH))
		return -SK_EBADF;
	if (!(f->flags & SK_O_ACCMODE) || !f->path.inode)
		return -SK_EINVAL;
	sk_file_get(f);
	result = truncate_inode(t, f->path.inode, (int64_t)a[1]);
	sk_file_put(f);
	return result;
}

int64_t sk_sys_truncate(struct sk_task *t, const uint64_t *a)
{
	char text[SK_PATH_MAX];
	struct sk_walk w;
	int64_t result = sk_walk_user(t, SK_AT_FDCWD, (sk_user)a[0], text,
				      SK_WALK_FOLLOW, &w);

	if (result)
		return result;
	if ((w.path.inode->mode & SK_S_IFMT) == SK_S_IFDIR)
		result = -SK_EISDIR;
	else
		result = sk_inode_access(t, &w.path, SK_W_OK);
	if (!result)
		result = truncate_inode(t, w.path.inode, (int64_t)a[1]);
	sk_path_put(&w.path);
	return result;
}

#define FALLOC_KEEP_SIZE 1u

/* Room is found when bytes are written; what is asked for is the size. */
int64_t sk_sys_fallocate(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	int64_t offset = (int64_t)a[2], size = (int64_t)a[3], result = 0;
	struct sk_inode *i;

	if (!f || !(f->flags & SK_O_ACCMODE) || (f->flags & SK_O_PATH))
		return -SK_EBADF;
	if (offset < 0 || size <= 0)
		return -SK_EINVAL;
	i = f->path.inode;
	if (!i || (i->mode & SK_S_IFMT) == SK_S_IFIFO)
		return -SK_ESPIPE;
	if ((i->mode & SK_S_IFMT) != SK_S_IFREG)
		return -SK_ENODEV;
	if ((uint32_t)a[1] & ~FALLOC_KEEP_SIZE)
		return -SK_EOPNOTSUPP;
	if (offset > INT64_MAX - size)
		return -SK_EFBIG;
	if (!((uint32_t)a[1] & FALLOC_KEEP_SIZE) && offset + size > i->size) {
		sk_file_get(f);
		result = truncate_inode(t, i, offset + size);
		sk_file_put(f);
	}
	return result;
}

int64_t sk_sys_fadvise64(struct sk_task *t, const uint64_t *a)
{
	const struct sk_file *f = sk_fd_file(t, (int)a[0]);

	if (!f)
		return -SK_EBADF;
	if (!f->path.inode || (f->path.inode->mode & SK_S_IFMT) == SK_S_IFIFO)
		return -SK_ESPIPE;
	return (uint32_t)a[3] > 5 || (int64_t)a[2] < 0 ? -SK_EINVAL : 0;
}

static int64_t sync_file(struct sk_task *t, int fd)
{
	struct sk_file *f = sk_fd_file(t, fd);
	struct sk_inode *i;
	int64_t result = 0;

	if (!f || (f->flags & SK_O_PATH))
		return -SK_EBADF;
	i = f->path.inode;
	if (!i || ((i->mode & SK_S_IFMT) != SK_S_IFREG &&
		   (i->mode & SK_S_IFMT) != SK_S_IFDIR))
		return -SK_EINVAL;
	sk_file_get(f);
	if (i->ops->sync)
		result = i->ops->sync(i);
	sk_file_put(f);
	return result;
}

int64_t sk_sys_fsync(struct sk_task *t, const uint64_t *a)
{
	return sync_file(t, (int)a[0]);
}

int64_t sk_sys_fdatasync(struct sk_task *t, const uint64_t *a)
{
	return sync_file(t, (int)a[0]);
}

int64_t sk_sys_syncfs(struct sk_task *t, const uint64_t *a)
{
	return sk_fd_file(t, (int)a[0]) ? 0 : -SK_EBADF;
}

/* Nothing is held back: what was written is with the host already. */
int64_t sk_sys_sync(struct sk_task *t, const uint64_t *a)
{
	(void)t;
	(void)a;
	return 0;
}
