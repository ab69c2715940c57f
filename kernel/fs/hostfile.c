/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of hostfs's regular files. They go by way of a buffer, because
 * the lock is given back while the host reads or writes, and a program's
 * memory is only touched under it.
 */
#include "fs/hostfs.h"

#define BUFFER 65536u
#define SMALL  2048u

static struct sk_host_inode *host_inode(struct sk_inode *i)
{
	return (struct sk_host_inode *)i;
}

/* One buffer's worth at the offset. */
static int64_t read_some(struct sk_inode *i, struct sk_io *io, int64_t offset,
			 int handle, uint8_t *buffer, size_t size)
{
	struct sk_kernel *k = i->kernel;
	int64_t n;

	if (size > io->left)
		size = io->left;
	sk_unlock(k);
	n = k->host->files->read(k->self, handle, buffer, size, offset);
	sk_lock(k);
	return n <= 0 ? n : sk_io_put(io, buffer, (size_t)n);
}

static int64_t write_some(struct sk_inode *i, struct sk_io *io, int64_t offset,
			  int handle, uint8_t *buffer, size_t size)
{
	struct sk_kernel *k = i->kernel;
	int64_t n;

	if (size > io->left)
		size = io->left;
	n = sk_io_get(io, buffer, size);
	if (n <= 0)
		return n;
	sk_unlock(k);
	n = k->host->files->write(k->self, handle, buffer, (size_t)n, offset);
	sk_lock(k);
	return n;
}

/* offset -1: appends. */
static int64_t move(struct sk_inode *i, struct sk_io *io, int64_t offset,
		    int handle, bool writing)
{
	uint8_t small[SMALL], *buffer = small;
	size_t size = sizeof(small), wanted;
	int64_t moved = 0, n = 0;

	if (io->left > sizeof(small)) {
		size = io->left < BUFFER ? io->left : BUFFER;
		buffer = sk_alloc(i->kernel, size);
		if (!buffer)
			return -SK_ENOMEM;
	}
	while (io->left) {
		int64_t at = offset < 0 ? -1 : offset + moved;

		wanted = io->left < size ? io->left : size;
		n = writing ? write_some(i, io, at, handle, buffer, size)
			    : read_some(i, io, at, handle, buffer, size);
		if (n <= 0)
			break;
		moved += n;
		if ((size_t)n < wanted)
			break;
	}
	if (buffer != small)
		sk_free(i->kernel, buffer, size);
	return moved ? moved : n;
}

int64_t sk_hostfs_read(struct sk_inode *i, struct sk_io *io, int64_t offset)
{
	struct sk_host_inode *h = host_inode(i);
	int handle = h->handles[SK_HOST_READ];

	/* A handle for writing is one for both, unless that was refused. */
	if (handle < 0)
		handle = h->handles[SK_HOST_WRITE];
	if (handle < 0)
		handle = sk_hostfs_handle(h, SK_HOST_READ, SK_O_RDONLY);
	return handle < 0 ? handle : move(i, io, offset, handle, false);
}

static int writable(struct sk_host_inode *h)
{
	int handle = sk_hostfs_handle(h, SK_HOST_WRITE, SK_O_RDWR);

	return handle == -SK_EACCES
		       ? sk_hostfs_handle(h, SK_HOST_WRITE, SK_O_WRONLY)
		       : handle;
}

int64_t sk_hostfs_write(struct sk_inode *i, struct sk_io *io, int64_t offset)
{
	struct sk_host_inode *h = host_inode(i);
	bool append = (io->flags & SK_O_APPEND) != 0;
	int handle = append ? sk_hostfs_handle(h, SK_HOST_APPEND,
					       SK_O_WRONLY | SK_O_APPEND)
			    : writable(h);
	int64_t n;

	if (handle < 0)
		return handle;
	if (append)
		offset = i->size;
	n = move(i, io, append ? -1 : offset, handle, true);
	if (n > 0) {
		i->generation++;
		if (offset + n > i->size)
			i->size = offset + n;
	}
	return n;
}

int sk_hostfs_truncate(struct sk_inode *i, int64_t size)
{
	struct sk_kernel *k = i->kernel;
	int handle = writable(host_inode(i)), error;

	if (handle < 0)
		return handle;
	sk_unlock(k);
	error = k->host->files->truncate(k->self, handle, size);
	sk_lock(k);
	if (!error) {
		i->size = size;
		i->generation++;
	}
	return error;
}

int sk_hostfs_sync(struct sk_inode *i)
{
	struct sk_host_inode *h = host_inode(i);
	struct sk_kernel *k = i->kernel;
	int handle = h->handles[SK_HOST_WRITE], error;

	if (handle < 0)
		handle = h->handles[SK_HOST_APPEND];
	if (handle < 0)
		handle = h->handles[SK_HOST_READ];
	if (handle < 0)
		return 0;
	sk_unlock(k);
	error = k->host->files->sync(k->self, handle);
	sk_lock(k);
	return error;
}

int sk_hostfs_open(struct sk_inode *i, struct sk_task *t, uint32_t flags,
		   struct sk_file *file)
{
	struct sk_host_inode *h = host_inode(i);
	uint32_t access = flags & SK_O_ACCMODE;
	int handle = 0;

	(void)t;
	(void)file;
	switch (i->mode & SK_S_IFMT) {
	case SK_S_IFDIR:
		handle = sk_hostfs_folder(h);
		break;
	case SK_S_IFREG:
		if (access != SK_O_RDONLY || (flags & SK_O_TRUNC))
			handle = writable(h);
		if (handle >= 0 && (flags & SK_O_APPEND))
			handle = sk_hostfs_handle(h, SK_HOST_APPEND,
						  SK_O_WRONLY | SK_O_APPEND);
		if (handle >= 0 && access == SK_O_RDONLY)
			handle = sk_hostfs_handle(h, SK_HOST_READ, SK_O_RDONLY);
		break;
	case SK_S_IFLNK:
		return -SK_ELOOP;
	default:
		return -SK_ENXIO;
	}
	return handle < 0 ? handle : 0;
}
