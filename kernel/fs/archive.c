/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Archives mounted in place: their names are read into a memfs tree when they
 * are mounted, their bytes when somebody reads them.
 */
#include "fs/archive.h"

struct sk_archive *sk_archive_of(struct sk_mem_super *m)
{
	return m->data;
}

static void no_file_fini(struct sk_mem_inode *i)
{
	(void)i;
}

static void data_fini(struct sk_mem_super *m)
{
	struct sk_archive *a = m->data;

	sk_path_put(&a->path);
	sk_free(m->s.kernel, a, sizeof(*a));
}

int sk_archive_new(struct sk_kernel *k, const char *type,
		   const struct sk_path *path, const struct sk_inode_ops *ops,
		   void (*file_fini)(struct sk_mem_inode *i),
		   struct sk_mem_super **out)
{
	struct sk_inode *i = path->inode;
	struct sk_archive *a = sk_alloc(k, sizeof(*a));
	int error;

	if (!a)
		return -SK_ENOMEM;
	error = i->ops->refresh ? i->ops->refresh(i) : 0;
	if (!error && !i->ops->read)
		error = -SK_EINVAL;
	if (!error)
		error = sk_memtree_new(k, type, out);
	if (error) {
		sk_free(k, a, sizeof(*a));
		return error;
	}
	a->path = *path;
	a->size = i->size;
	sk_list_init(&a->cached);
	sk_path_get(&a->path);
	(*out)->data = a;
	(*out)->data_fini = data_fini;
	(*out)->file_ops = ops;
	(*out)->file_fini = file_fini ? file_fini : no_file_fini;
	(*out)->s.flags = SK_MOUNT_RDONLY;
	return 0;
}

int64_t sk_archive_read_some(struct sk_mem_super *m, void *to, size_t size,
			     int64_t offset)
{
	struct sk_inode *i = sk_archive_of(m)->path.inode;
	struct sk_io io;

	if (offset < 0)
		return -SK_EIO;
	sk_io_kernel(&io, to, size);
	return i->ops->read(i, &io, offset);
}

int sk_archive_read(struct sk_mem_super *m, void *to, size_t size,
		    int64_t offset)
{
	uint8_t *at = to;

	while (size) {
		int64_t n = sk_archive_read_some(m, at, size, offset);

		if (n <= 0)
			return n < 0 ? (int)n : -SK_EIO;
		at += n;
		offset += n;
		size -= (size_t)n;
	}
	return 0;
}

int64_t sk_archive_move(struct sk_mem_super *m, struct sk_io *io, int64_t at,
			int64_t size)
{
	struct sk_inode *i = sk_archive_of(m)->path.inode;
	size_t left = io->left;
	int64_t n;

	if (size <= 0)
		return 0;
	if ((int64_t)io->left > size)
		io->left = (size_t)size;
	n = i->ops->read(i, io, at);
	io->left = n > 0 ? left - (size_t)n : left;
	return n;
}

int sk_archive_entry(struct sk_mem_super *m, const char *path, uint32_t mode,
		     uint64_t rdev, const char *target,
		     struct sk_mem_inode **out)
{
	int error = sk_memtree_make(m, path, mode, rdev, target, out);

	if (error == -SK_EINVAL) {
		*out = NULL;
		return 0;
	}
	if (error)
		return error;
	/* The same name again, as something else: the first one stays. */
	if (((*out)->i.mode & SK_S_IFMT) !=
	    (target ? SK_S_IFLNK : mode & SK_S_IFMT))
		*out = NULL;
	return 0;
}
