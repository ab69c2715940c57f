/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memfs: a tree (memtree.c) whose regular files have their bytes in memory
 * (memdata.c). Times: a read marks atime only when that says something new
 * (as Linux's relatime); each write marks mtime and ctime.
 */
#include "copy.h"
#include "file.h"
#include "fs/memfs.h"

#define PIECE (1u << 20)

static void count_blocks(struct sk_mem_inode *m)
{
	m->i.blocks = (int64_t)((m->data.allocated + 4095) / 4096 * 8);
}

static void wrote(struct sk_mem_inode *m)
{
	m->i.mtime = m->i.ctime = sk_now(m->i.kernel, SK_CLOCK_REALTIME);
	m->i.generation++;
	count_blocks(m);
}

static int64_t read_piece(struct sk_inode *i, struct sk_io *io, int64_t offset)
{
	if (i->atime <= i->mtime || i->atime <= i->ctime)
		i->atime = sk_now(i->kernel, SK_CLOCK_REALTIME);
	return sk_memdata_read(&sk_mem_inode(i)->data, io, offset, i->size);
}

static int64_t write_piece(struct sk_inode *i, struct sk_io *io, int64_t offset)
{
	struct sk_mem_inode *m = sk_mem_inode(i);
	int64_t n = sk_memdata_write(&m->data, i->kernel, io, offset);

	if (n > 0 && offset + n > i->size)
		i->size = offset + n;
	if (n > 0)
		wrote(m);
	return n;
}

/* Piece by piece, so that others come to the kernel in between. */
static int64_t move(struct sk_inode *i, struct sk_io *io, int64_t offset,
		    int64_t (*piece)(struct sk_inode *i, struct sk_io *io,
				     int64_t offset))
{
	int64_t moved = 0, n;

	for (;;) {
		size_t left = io->left, size = left < PIECE ? left : PIECE;

		io->left = size;
		n = piece(i, io, offset + moved);
		io->left = n > 0 ? left - (size_t)n : left;
		if (n > 0)
			moved += n;
		if (n < (int64_t)size || !io->left)
			return moved ? moved : n;
		sk_lock_breathe(i->kernel);
	}
}

static int64_t read(struct sk_inode *i, struct sk_io *io, int64_t offset)
{
	return move(i, io, offset, read_piece);
}

/* What is appended stays together. */
static int64_t write(struct sk_inode *i, struct sk_io *io, int64_t offset)
{
	if (io->flags & SK_O_APPEND)
		return write_piece(i, io, i->size);
	return move(i, io, offset, write_piece);
}

static int truncate(struct sk_inode *i, int64_t size)
{
	struct sk_mem_inode *m = sk_mem_inode(i);

	if (size > SK_MEMDATA_MAX)
		return -SK_EFBIG;
	if (size < i->size)
		sk_memdata_cut(&m->data, i->kernel, size);
	i->size = size;
	wrote(m);
	return 0;
}

static const struct sk_inode_ops file_ops = {
	.read = read,
	.write = write,
	.truncate = truncate,
	.parent = sk_memtree_parent,
	.change = sk_memtree_change,
	.statfs = sk_memtree_statfs,
	.forget = sk_memtree_forget,
};

static void file_fini(struct sk_mem_inode *m)
{
	sk_memdata_cut(&m->data, m->i.kernel, 0);
}

int sk_memfs_new(struct sk_kernel *k, struct sk_super **out)
{
	struct sk_mem_super *m;
	int error = sk_memtree_new(k, "memfs", &m);

	if (error)
		return error;
	m->file_ops = &file_ops;
	m->file_fini = file_fini;
	*out = &m->s;
	return 0;
}
