/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mappings of files. libc chooses the address; the kernel copies the file's
 * bytes there. Of a shared mapping that may be written the kernel keeps the
 * range and writes it back, at msync, munmap, exec and exit, to the bytes
 * that the file has. Within a process reads and writes of the file, and other
 * mappings of it, see a shared mapping as they should; other processes see it
 * only when it is written back. docs/abi.md says so.
 */
#include "file.h"
#include "process.h"

#define PAGE 4096u

struct mapping {
	struct sk_list link; /* in sk_process.mappings */
	struct sk_file *file;
	int64_t offset;
	sk_user start;
	uint32_t size;
};

/*
 * libc maps whole pages, to the end of which the file goes on; but not beyond
 * the program's memory.
 */
static uint32_t whole_pages(struct sk_task *t, sk_user start, uint32_t size)
{
	uint64_t end =
		((uint64_t)start + size + PAGE - 1) & ~(uint64_t)(PAGE - 1);

	if (start % PAGE || end > t->face.memory_size)
		return size;
	return (uint32_t)(end - start);
}

/*
 * Reads the file into the range; what lies behind its end is zero. Past the
 * file's own read, which would write mappings back first.
 */
static int64_t fill(struct sk_task *t, struct sk_file *f, int64_t offset,
		    sk_user to, uint32_t size)
{
	struct sk_inode *i = f->path.inode;
	uint32_t done = 0;

	while (done < size) {
		struct sk_abi_iovec one;
		struct sk_io io;
		int64_t n;

		sk_io_user(&io, t, &one, to + done, size - done);
		io.flags = f->flags;
		n = i->ops->read ? i->ops->read(i, &io, offset + done)
				 : f->ops->pread(f, t, &io, offset + done);
		if (n < 0)
			return n;
		if (n == 0)
			return sk_zero_out(t, to + done, size - done);
		done += (uint32_t)n;
	}
	return 0;
}

static int64_t write_back(struct sk_task *t, const struct mapping *m,
			  sk_user start, uint32_t size)
{
	struct sk_inode *i = m->file->path.inode;
	int64_t offset = m->offset + (start - m->start);
	int error = i->ops->refresh ? i->ops->refresh(i) : 0;

	if (error)
		return error;
	if (offset >= i->size)
		return 0;
	if (size > i->size - offset)
		size = (uint32_t)(i->size - offset);
	while (size) {
		struct sk_abi_iovec one;
		struct sk_io io;
		int64_t n;

		sk_io_user(&io, t, &one, start, size);
		n = i->ops->write(i, &io, offset);
		if (n <= 0)
			return n;
		start += (uint32_t)n;
		offset += n;
		size -= (uint32_t)n;
	}
	return 0;
}

static void drop(struct sk_kernel *k, struct mapping *m)
{
	sk_list_remove(&m->link);
	sk_file_put(m->file);
	sk_free(k, m, sizeof(*m));
}

static int keep(struct sk_task *t, struct sk_file *f, int64_t offset,
		sk_user start, uint32_t size)
{
	struct mapping *m = sk_alloc(sk_kernel_of(t), sizeof(*m));

	if (!m)
		return -SK_ENOMEM;
	m->file = sk_file_get(f);
	m->offset = offset;
	m->start = start;
	m->size = size;
	sk_list_add(&t->process->mappings, &m->link);
	return 0;
}

int64_t sk_sys_mmap(struct sk_task *t, const uint64_t *a)
{
	sk_user start = (sk_user)a[0];
	uint32_t size = (uint32_t)a[1], prot = (uint32_t)a[2];
	uint32_t flags = (uint32_t)a[3] & 0xf;
	struct sk_file *f = sk_fd_file(t, (int)a[4]);
	int64_t offset = (int64_t)a[5], result;
	bool shared = flags != SK_MAP_PRIVATE;

	if (!f || (f->flags & SK_O_PATH))
		return -SK_EBADF;
	if (!size || offset < 0 || offset % 4096 ||
	    (flags != SK_MAP_SHARED && flags != SK_MAP_PRIVATE))
		return -SK_EINVAL;
	if (offset > INT64_MAX - size)
		return -SK_EOVERFLOW;
	if (!f->path.inode || !f->ops->pread ||
	    (f->path.inode->mode & SK_S_IFMT) == SK_S_IFDIR)
		return -SK_ENODEV;
	if ((f->flags & SK_O_ACCMODE) == SK_O_WRONLY ||
	    (shared && (prot & SK_PROT_WRITE) &&
	     (f->flags & SK_O_ACCMODE) != SK_O_RDWR))
		return -SK_EACCES;
	size = whole_pages(t, start, size);
	sk_file_get(f);
	sk_mappings_before_read(t, f->path.inode);
	result = fill(t, f, offset, start, size);
	/* mprotect, which libc keeps to itself, may allow writes later. */
	if (!result && shared && (f->flags & SK_O_ACCMODE) == SK_O_RDWR &&
	    f->path.inode->ops->write)
		result = keep(t, f, offset, start, size);
	sk_file_put(f);
	return result ? result : (int64_t)start;
}

/* The part of a mapping in a range; false when there is none. */
static bool part(const struct mapping *m, sk_user start, uint32_t size,
		 sk_user *first, uint32_t *count)
{
	uint64_t a = m->start > start ? m->start : start;
	uint64_t end = (uint64_t)m->start + m->size;

	if (end > (uint64_t)start + size)
		end = (uint64_t)start + size;
	if (a >= end)
		return false;
	*first = (sk_user)a;
	*count = (uint32_t)(end - a);
	return true;
}

static int64_t sync_range(struct sk_task *t, sk_user start, uint32_t size)
{
	int64_t result = 0;

	SK_LIST_EACH(node, &t->process->mappings)
	{
		struct mapping *m = SK_CONTAINER(node, struct mapping, link);
		sk_user first;
		uint32_t count;
		int64_t n;

		if (!part(m, start, size, &first, &count))
			continue;
		n = write_back(t, m, first, count);
		if (n < 0)
			result = n;
	}
	return result;
}

int64_t sk_sys_msync(struct sk_task *t, const uint64_t *a)
{
	sk_user start = (sk_user)a[0];
	uint32_t size = (uint32_t)a[1], flags = (uint32_t)a[2];
	uint32_t memory = t->face.memory_size;

	if ((flags & ~7u) ||
	    (flags & (SK_MS_ASYNC | SK_MS_SYNC)) ==
		    (SK_MS_ASYNC | SK_MS_SYNC) ||
	    start % 4096)
		return -SK_EINVAL;
	if (memory && (uint64_t)start + size > memory)
		return -SK_ENOMEM;
	return sync_range(t, start, size);
}

/*
 * Only of ranges that mmap gave for files. A mapping of which the middle goes
 * becomes two.
 */
int64_t sk_sys_munmap(struct sk_task *t, const uint64_t *a)
{
	sk_user start = (sk_user)a[0], first;
	uint32_t size = (uint32_t)a[1], count;
	int error;

	if (start % 4096 || !size)
		return -SK_EINVAL;
	size = whole_pages(t, start, size);
	SK_LIST_EACH(node, &t->process->mappings)
	{
		struct mapping *m = SK_CONTAINER(node, struct mapping, link);
		uint32_t before, after;

		if (!part(m, start, size, &first, &count))
			continue;
		write_back(t, m, first, count);
		before = first - m->start;
		after = m->size - before - count;
		if (before && after) {
			error = keep(t, m->file, m->offset + before + count,
				     first + count, after);
			if (error)
				return error;
			m->size = before;
		} else if (before) {
			m->size = before;
		} else if (after) {
			m->start += count;
			m->offset += count;
			m->size = after;
		} else {
			drop(sk_kernel_of(t), m);
		}
	}
	return 0;
}

void sk_mappings_before_read(struct sk_task *t, const struct sk_inode *i)
{
	SK_LIST_EACH(node, &t->process->mappings)
	{
		struct mapping *m = SK_CONTAINER(node, struct mapping, link);

		if (m->file->path.inode == i)
			write_back(t, m, m->start, m->size);
	}
}

void sk_mappings_after_write(struct sk_task *t, const struct sk_inode *i,
			     int64_t offset, int64_t size)
{
	SK_LIST_EACH(node, &t->process->mappings)
	{
		struct mapping *m = SK_CONTAINER(node, struct mapping, link);
		int64_t from = offset > m->offset ? offset : m->offset;
		int64_t end = m->offset + m->size;

		if (m->file->path.inode != i)
			continue;
		if (end > offset + size)
			end = offset + size;
		if (from < end)
			fill(t, m->file, from,
			     m->start + (uint32_t)(from - m->offset),
			     (uint32_t)(end - from));
	}
}

void sk_mappings_drop(struct sk_process *p)
{
	SK_LIST_EACH(node, &p->mappings)
	drop(p->kernel, SK_CONTAINER(node, struct mapping, link));
}

void sk_mappings_end(struct sk_task *t)
{
	SK_LIST_EACH(node, &t->process->mappings)
	{
		struct mapping *m = SK_CONTAINER(node, struct mapping, link);

		write_back(t, m, m->start, m->size);
	}
	sk_mappings_drop(t->process);
}

int sk_mappings_copy(struct sk_process *from, struct sk_process *to)
{
	SK_LIST_EACH(node, &from->mappings)
	{
		struct mapping *m = SK_CONTAINER(node, struct mapping, link);
		struct mapping *copy = sk_alloc(to->kernel, sizeof(*copy));

		if (!copy) {
			sk_mappings_drop(to);
			return -SK_ENOMEM;
		}
		*copy = *m;
		sk_list_init(&copy->link);
		sk_file_get(copy->file);
		sk_list_add(&to->mappings, &copy->link);
	}
	return 0;
}
