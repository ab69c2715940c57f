/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors: a table per process, which grows by doubling. No descriptor
 * below `lowest_free` is free, so that open need not search from 0.
 *
 * dup, dup3, close, close_range, fcntl and the parts of ioctl that belong to
 * the descriptor.
 */
#include "file.h"
#include "process.h"

#define TABLE_MIN 16

/* A table never grows beyond this, whatever the limits say. */
#define TABLE_MAX (1u << 20)

int sk_fds_new(struct sk_kernel *k, struct sk_fds **out)
{
	struct sk_fds *fds = sk_alloc(k, sizeof(*fds));

	if (!fds)
		return -SK_ENOMEM;
	fds->table = sk_alloc(k, TABLE_MIN * sizeof(*fds->table));
	if (!fds->table) {
		sk_free(k, fds, sizeof(*fds));
		return -SK_ENOMEM;
	}
	fds->kernel = k;
	fds->refs = 1;
	fds->size = TABLE_MIN;
	*out = fds;
	return 0;
}

int sk_fds_copy(struct sk_fds *from, struct sk_fds **out)
{
	struct sk_kernel *k = from->kernel;
	struct sk_fds *fds = sk_alloc(k, sizeof(*fds));

	if (!fds)
		return -SK_ENOMEM;
	fds->table = sk_alloc(k, from->size * sizeof(*fds->table));
	if (!fds->table) {
		sk_free(k, fds, sizeof(*fds));
		return -SK_ENOMEM;
	}
	fds->kernel = k;
	fds->refs = 1;
	fds->size = from->size;
	fds->lowest_free = from->lowest_free;
	for (uint32_t i = 0; i < from->size; i++) {
		fds->table[i] = from->table[i];
		if (fds->table[i].file)
			sk_file_get(fds->table[i].file);
	}
	*out = fds;
	return 0;
}

/* Takes the file out of its slot; p NULL: no process has it any more. */
static void close_slot(struct sk_fds *fds, uint32_t fd, struct sk_process *p)
{
	struct sk_file *f = fds->table[fd].file;

	fds->table[fd].file = NULL;
	fds->table[fd].cloexec = false;
	if (fd < fds->lowest_free)
		fds->lowest_free = fd;
	if (p && f->path.inode && f->path.inode->locks)
		sk_locks_closed(f->path.inode, p);
	if (p && f->ops->closed)
		f->ops->closed(f, p);
	sk_file_put(f);
}

void sk_fds_exec(struct sk_fds *fds, struct sk_process *p)
{
	for (uint32_t i = 0; i < fds->size; i++)
		if (fds->table[i].file && fds->table[i].cloexec)
			close_slot(fds, i, p);
}

void sk_fds_put(struct sk_fds *fds, struct sk_process *p)
{
	struct sk_kernel *k = fds->kernel;

	if (--fds->refs)
		return;
	for (uint32_t i = 0; i < fds->size; i++)
		if (fds->table[i].file)
			close_slot(fds, i, p);
	sk_free(k, fds->table, fds->size * sizeof(*fds->table));
	sk_free(k, fds, sizeof(*fds));
}

static struct sk_fd *slot(struct sk_task *t, int fd)
{
	struct sk_fds *fds = t->process->fds;

	if (fd < 0 || (uint32_t)fd >= fds->size || !fds->table[fd].file)
		return NULL;
	return &fds->table[fd];
}

struct sk_file *sk_fd_file(struct sk_task *t, int fd)
{
	struct sk_fd *s = slot(t, fd);

	return s ? s->file : NULL;
}

/* How many descriptors the process may have. */
static uint32_t limit(struct sk_task *t)
{
	uint64_t max = t->process->limits[SK_RLIMIT_NOFILE].cur;
	uint32_t of_kernel = sk_kernel_of(t)->max_fds;

	if (max > of_kernel)
		max = of_kernel;
	return max > TABLE_MAX ? TABLE_MAX : (uint32_t)max;
}

/* Room for descriptor `fd`. */
static int reserve(struct sk_fds *fds, uint32_t fd)
{
	uint32_t size = fds->size;
	struct sk_fd *table;

	while (size <= fd)
		size *= 2;
	if (size == fds->size)
		return 0;
	table = sk_realloc(fds->kernel, fds->table, fds->size * sizeof(*table),
			   size * sizeof(*table));
	if (!table)
		return -SK_ENOMEM;
	fds->table = table;
	fds->size = size;
	return 0;
}

int sk_fd_install(struct sk_task *t, struct sk_file *file, int from,
		  bool cloexec)
{
	struct sk_fds *fds = t->process->fds;
	uint32_t fd = (uint32_t)from;
	int error = -SK_EMFILE;

	if (fd < fds->lowest_free)
		fd = fds->lowest_free;
	while (fd < fds->size && fds->table[fd].file)
		fd++;
	if (fd < limit(t))
		error = reserve(fds, fd);
	if (error) {
		sk_file_put(file);
		return error;
	}
	fds->table[fd].file = file;
	fds->table[fd].cloexec = cloexec;
	if ((uint32_t)from <= fds->lowest_free)
		fds->lowest_free = fd + 1;
	return (int)fd;
}

int sk_fd_close(struct sk_task *t, int fd)
{
	if (!slot(t, fd))
		return -SK_EBADF;
	close_slot(t->process->fds, (uint32_t)fd, t->process);
	return 0;
}

int64_t sk_sys_close(struct sk_task *t, const uint64_t *a)
{
	return sk_fd_close(t, (int)a[0]);
}

int64_t sk_sys_close_range(struct sk_task *t, const uint64_t *a)
{
	struct sk_fds *fds = t->process->fds;
	uint32_t first = (uint32_t)a[0], last = (uint32_t)a[1];
	uint32_t flags = (uint32_t)a[2];

	/* CLOSE_RANGE_UNSHARE is 2: a table is never shared by processes. */
	if (first > last || (flags & ~6u))
		return -SK_EINVAL;
	for (uint32_t i = first; i <= last && i < fds->size; i++) {
		if (!fds->table[i].file)
			continue;
		if (flags & 4)
			fds->table[i].cloexec = true;
		else
			close_slot(fds, i, t->process);
	}
	return 0;
}

static int64_t dup_from(struct sk_task *t, int fd, int64_t from, bool cloexec)
{
	struct sk_fd *s = slot(t, fd);

	if (!s)
		return -SK_EBADF;
	if (from < 0 || from >= limit(t))
		return -SK_EINVAL;
	return sk_fd_install(t, sk_file_get(s->file), (int)from, cloexec);
}

int64_t sk_sys_dup(struct sk_task *t, const uint64_t *a)
{
	struct sk_fd *s = slot(t, (int)a[0]);

	if (!s)
		return -SK_EBADF;
	return sk_fd_install(t, sk_file_get(s->file), 0, false);
}

int64_t sk_sys_dup3(struct sk_task *t, const uint64_t *a)
{
	struct sk_fds *fds = t->process->fds;
	struct sk_fd *s = slot(t, (int)a[0]);
	uint32_t to = (uint32_t)a[1];
	struct sk_file *f;
	int error;

	if (((uint32_t)a[2] & ~(uint32_t)SK_O_CLOEXEC) || (int)a[0] == (int)to)
		return -SK_EINVAL;
	if (!s || to >= limit(t))
		return -SK_EBADF;
	f = s->file;
	error = reserve(fds, to);
	if (error)
		return error;
	sk_file_get(f);
	if (fds->table[to].file)
		close_slot(fds, to, t->process);
	fds->table[to].file = f;
	fds->table[to].cloexec = ((uint32_t)a[2] & SK_O_CLOEXEC) != 0;
	while (fds->lowest_free < fds->size &&
	       fds->table[fds->lowest_free].file)
		fds->lowest_free++;
	return to;
}

/* What F_SETFL may change. */
#define SETTABLE                                                               \
	(uint32_t)(SK_O_APPEND | SK_O_NONBLOCK | SK_O_ASYNC | SK_O_DIRECT |    \
		   SK_O_NOATIME)

int64_t sk_sys_fcntl(struct sk_task *t, const uint64_t *a)
{
	struct sk_fd *s = slot(t, (int)a[0]);
	uint32_t command = (uint32_t)a[1], arg = (uint32_t)a[2];
	struct sk_file *f;

	if (!s)
		return -SK_EBADF;
	f = s->file;
	switch (command) {
	case SK_F_DUPFD:
		return dup_from(t, (int)a[0], (int32_t)arg, false);
	case SK_F_DUPFD_CLOEXEC:
		return dup_from(t, (int)a[0], (int32_t)arg, true);
	case SK_F_GETFD:
		return s->cloexec ? SK_FD_CLOEXEC : 0;
	case SK_F_SETFD:
		s->cloexec = (arg & SK_FD_CLOEXEC) != 0;
		return 0;
	case SK_F_GETFL:
		return f->flags;
	}
	if (f->flags & SK_O_PATH)
		return -SK_EBADF;
	switch (command) {
	case SK_F_SETFL:
		f->flags = (f->flags & ~SETTABLE) | (arg & SETTABLE);
		return 0;
	case SK_F_GETOWN:
		return f->owner;
	case SK_F_SETOWN:
		f->owner = (int32_t)arg;
		return 0;
	case SK_F_GETLK:
	case SK_F_SETLK:
	case SK_F_SETLKW:
	case SK_F_OFD_GETLK:
	case SK_F_OFD_SETLK:
	case SK_F_OFD_SETLKW:
		return sk_locks_fcntl(t, f, (int)command, (sk_user)arg);
	case SK_F_SETPIPE_SZ:
	case SK_F_GETPIPE_SZ: {
		int64_t n = f->ops->ioctl ? f->ops->ioctl(f, t, command, arg)
					  : -SK_EBADF;

		return n == -SK_ENOTTY ? -SK_EBADF : n;
	}
	default:
		return -SK_EINVAL;
	}
}

static int64_t set_flag(struct sk_task *t, struct sk_file *f, uint32_t flag,
			sk_user from)
{
	int32_t on;
	int error = sk_copy_in(t, &on, from, sizeof(on));

	if (error)
		return error;
	f->flags = on ? f->flags | flag : f->flags & ~flag;
	return 0;
}

int64_t sk_sys_ioctl(struct sk_task *t, const uint64_t *a)
{
	struct sk_fd *s = slot(t, (int)a[0]);
	uint32_t request = (uint32_t)a[1];
	struct sk_file *f;
	int64_t result;

	if (!s)
		return -SK_EBADF;
	f = s->file;
	if (f->flags & SK_O_PATH)
		return -SK_EBADF;
	switch (request) {
	case SK_FIOCLEX:
		s->cloexec = true;
		return 0;
	case SK_FIONCLEX:
		s->cloexec = false;
		return 0;
	case SK_FIONBIO:
		return set_flag(t, f, SK_O_NONBLOCK, (sk_user)a[2]);
	}
	if (!f->ops->ioctl)
		return -SK_ENOTTY;
	sk_file_get(f);
	result = f->ops->ioctl(f, t, request, a[2]);
	sk_file_put(f);
	return result;
}
