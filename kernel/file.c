/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open files, and what those of regular files and folders do.
 *
 * An open file holds a reference to the place it was opened at. A call that
 * uses one holds a reference for its length, because an operation of hostfs
 * gives the lock back, and another task of the process may close the
 * descriptor meanwhile.
 */
#include "epoll.h"
#include "file.h"
#include "process.h"

int sk_file_new(struct sk_kernel *k, const struct sk_file_ops *ops,
		uint32_t flags, struct sk_file **out)
{
	struct sk_file *f;

	if (k->file_count >= k->max_processes * 64)
		return -SK_ENFILE;
	f = sk_alloc(k, sizeof(*f));
	if (!f)
		return -SK_ENOMEM;
	f->kernel = k;
	f->ops = ops;
	f->refs = 1;
	f->flags = flags & ~(uint32_t)(SK_O_CREAT | SK_O_EXCL | SK_O_NOCTTY |
				       SK_O_TRUNC | SK_O_CLOEXEC);
	f->ino = ++k->next_generation;
	k->file_count++;
	*out = f;
	return 0;
}

struct sk_file *sk_file_get(struct sk_file *f)
{
	f->refs++;
	return f;
}

void sk_file_put(struct sk_file *f)
{
	struct sk_kernel *k = f->kernel;

	if (--f->refs)
		return;
	if (f->followers)
		sk_epoll_forget(f);
	if (f->path.inode && f->path.inode->locks)
		sk_locks_released(f->path.inode, f);
	if (f->ops && f->ops->release)
		f->ops->release(f);
	sk_path_put(&f->path);
	k->file_count--;
	sk_free(k, f, sizeof(*f));
}

static bool is_dir(const struct sk_file *f)
{
	return (f->path.inode->mode & SK_S_IFMT) == SK_S_IFDIR;
}

/*
 * The size limit of the process: io is cut to it, or the signal goes out.
 * Appends begin at the end.
 */
static int64_t limit(struct sk_file *f, struct sk_task *t, struct sk_io *io,
		     int64_t *offset)
{
	uint64_t max = t->process->limits[SK_RLIMIT_FSIZE].cur;
	struct sk_inode *i = f->path.inode;

	if (io->flags & SK_O_APPEND) {
		int error = i->ops->refresh ? i->ops->refresh(i) : 0;

		if (error)
			return error;
		*offset = i->size;
	}
	if (*offset < 0 || (uint64_t)*offset + io->left > INT64_MAX)
		return -SK_EFBIG;
	if ((uint64_t)*offset + io->left <= max || !io->left)
		return 0;
	if ((uint64_t)*offset >= max) {
		sk_signal_send(t->process, SK_SIGXFSZ, NULL);
		return -SK_EFBIG;
	}
	io->left = (size_t)(max - (uint64_t)*offset);
	return 0;
}

static bool has_mappings(struct sk_task *t)
{
	return !sk_list_empty(&t->process->mappings);
}

static int64_t inode_pread(struct sk_file *f, struct sk_task *t,
			   struct sk_io *io, int64_t offset)
{
	struct sk_inode *i = f->path.inode;

	if (is_dir(f))
		return -SK_EISDIR;
	if (!i->ops->read)
		return -SK_EINVAL;
	if (has_mappings(t))
		sk_mappings_before_read(t, i);
	return i->ops->read(i, io, offset);
}

static int64_t write_at(struct sk_file *f, struct sk_task *t, struct sk_io *io,
			int64_t *offset)
{
	struct sk_inode *i = f->path.inode;
	int64_t n;

	if (!i->ops->write)
		return -SK_EINVAL;
	n = limit(f, t, io, offset);
	if (n || !io->left)
		return n;
	n = i->ops->write(i, io, *offset);
	if (n > 0 && (io->flags & SK_O_APPEND))
		*offset = i->size - n;
	if (n > 0 && has_mappings(t))
		sk_mappings_after_write(t, i, *offset, n);
	return n;
}

static int64_t inode_pwrite(struct sk_file *f, struct sk_task *t,
			    struct sk_io *io, int64_t offset)
{
	return write_at(f, t, io, &offset);
}

static int64_t inode_read(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io)
{
	int64_t n = inode_pread(f, t, io, f->offset);

	if (n > 0)
		f->offset += n;
	return n;
}

static int64_t inode_write(struct sk_file *f, struct sk_task *t,
			   struct sk_io *io)
{
	int64_t offset = f->offset, n = write_at(f, t, io, &offset);

	if (n > 0)
		f->offset = offset + n;
	return n;
}

/* Every file is one run of data, which POSIX allows. */
static int64_t seek_data(struct sk_inode *i, int64_t offset, int whence)
{
	if (offset < 0 || offset >= i->size)
		return -SK_ENXIO;
	return whence == SK_SEEK_DATA ? offset : i->size;
}

static int64_t inode_seek(struct sk_file *f, int64_t offset, int whence)
{
	struct sk_inode *i = f->path.inode;
	int64_t base = 0;
	int error;

	if (whence != SK_SEEK_SET && whence != SK_SEEK_CUR && i->ops->refresh) {
		error = i->ops->refresh(i);
		if (error)
			return error;
	}
	switch (whence) {
	case SK_SEEK_SET:
		break;
	case SK_SEEK_CUR:
		base = f->offset;
		break;
	case SK_SEEK_END:
		base = i->size;
		break;
	case SK_SEEK_DATA:
	case SK_SEEK_HOLE:
		base = seek_data(i, offset, whence);
		if (base < 0)
			return base;
		offset = 0;
		break;
	default:
		return -SK_EINVAL;
	}
	if (offset > 0 && base > INT64_MAX - offset)
		return -SK_EOVERFLOW;
	if (base + offset < 0)
		return -SK_EINVAL;
	f->offset = base + offset;
	return f->offset;
}

static int64_t inode_ioctl(struct sk_file *f, struct sk_task *t,
			   uint32_t request, uint64_t arg)
{
	int64_t left = f->path.inode->size - f->offset;
	int32_t n = left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int32_t)left;

	if (request != SK_FIONREAD || is_dir(f))
		return -SK_ENOTTY;
	return sk_copy_out(t, (sk_user)arg, &n, sizeof(n));
}

const struct sk_file_ops sk_inode_file_ops = {
	.read = inode_read,
	.write = inode_write,
	.pread = inode_pread,
	.pwrite = inode_pwrite,
	.seek = inode_seek,
	.ioctl = inode_ioctl,
};

/* What SK_O_PATH gives: a place, and nothing to be done with it. */
static const struct sk_file_ops path_ops = { 0 };

static int open_type(struct sk_task *t, struct sk_inode *i, uint32_t flags,
		     struct sk_file *f)
{
	if (i->ops->open)
		return i->ops->open(i, t, flags, f);
	switch (i->mode & SK_S_IFMT) {
	case SK_S_IFIFO:
		return sk_fifo_open(i, t, flags, f);
	case SK_S_IFCHR:
	case SK_S_IFBLK:
		return sk_device_open(i, t, flags, f);
	case SK_S_IFSOCK:
		return -SK_ENXIO;
	case SK_S_IFLNK:
		return -SK_ELOOP;
	default:
		return 0;
	}
}

int sk_file_open(struct sk_task *t, const struct sk_path *path, uint32_t flags,
		 struct sk_file **out)
{
	struct sk_inode *i = path->inode;
	struct sk_file *f;
	int error;

	if (i->ops->reopen && !(flags & SK_O_PATH))
		return i->ops->reopen(i, t, out);
	error = sk_file_new(sk_kernel_of(t), &sk_inode_file_ops, flags, &f);
	if (error)
		return error;
	f->path = *path;
	sk_path_get(&f->path);
	if (flags & SK_O_PATH) {
		f->ops = &path_ops;
	} else {
		error = open_type(t, i, flags, f);
		if (error) {
			/* What failed to open has nothing to release. */
			f->ops = &path_ops;
			sk_file_put(f);
			return error;
		}
	}
	*out = f;
	return 0;
}

int64_t sk_file_read(struct sk_file *f, struct sk_task *t, struct sk_io *io)
{
	if ((f->flags & SK_O_ACCMODE) == SK_O_WRONLY || (f->flags & SK_O_PATH))
		return -SK_EBADF;
	io->flags = f->flags;
	return f->ops->read ? f->ops->read(f, t, io) : -SK_EINVAL;
}

int64_t sk_file_write(struct sk_file *f, struct sk_task *t, struct sk_io *io)
{
	if ((f->flags & SK_O_ACCMODE) == SK_O_RDONLY || (f->flags & SK_O_PATH))
		return -SK_EBADF;
	io->flags = f->flags;
	return f->ops->write ? f->ops->write(f, t, io) : -SK_EINVAL;
}
