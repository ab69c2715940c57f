/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sendfile, copy_file_range and splice: bytes from one open file to another
 * by way of a buffer of the kernel's.
 *
 * Nothing may be lost when the call parks or fails, so bytes are taken at an
 * offset, which moves on only by what was written. (What has no offset, a
 * pipe, is only spliced into what never makes a writer wait.) The first write
 * may park, and is then made again with the same bytes; those that follow
 * write what goes in at once.
 */
#include "file.h"
#include "process.h"

#define BUFFER 65536u

struct transfer {
	struct sk_file *in, *out;
	int64_t in_at, out_at; /* out_at -1: the offset of the file */
	size_t left;
};

/* One buffer's worth: bytes moved, 0 at the end. */
static int64_t move(struct sk_task *t, struct transfer *x, uint8_t *buffer,
		    bool first)
{
	size_t n = x->left < BUFFER ? x->left : BUFFER;
	struct sk_io io;
	int64_t got, put;

	sk_io_kernel(&io, buffer, n);
	io.flags = x->in->flags;
	got = x->in->ops->pread(x->in, t, &io, x->in_at);
	if (got <= 0)
		return got;
	sk_io_kernel(&io, buffer, (size_t)got);
	io.flags = x->out->flags;
	if (!first) {
		t->call.done = 0;
		io.flags |= SK_O_NONBLOCK;
	}
	put = x->out_at >= 0 ? x->out->ops->pwrite(x->out, t, &io, x->out_at)
			     : x->out->ops->write(x->out, t, &io);
	if (put > 0) {
		x->in_at += put;
		x->left -= (size_t)put;
		if (x->out_at >= 0)
			x->out_at += put;
	}
	return put;
}

static int64_t transfer(struct sk_task *t, struct transfer *x)
{
	struct sk_kernel *k = sk_kernel_of(t);
	uint8_t *buffer = sk_alloc(k, BUFFER);
	int64_t moved = 0, n = 0;

	if (!buffer)
		return -SK_ENOMEM;
	sk_file_get(x->in);
	sk_file_get(x->out);
	while (x->left) {
		size_t wanted = x->left < BUFFER ? x->left : BUFFER;

		n = move(t, x, buffer, !moved);
		if (n <= 0)
			break;
		moved += n;
		if ((size_t)n < wanted)
			break;
	}
	sk_file_put(x->out);
	sk_file_put(x->in);
	sk_free(k, buffer, BUFFER);
	return moved ? moved : n;
}

/* An offset of the program's, or the file's own. */
static int offset_in(struct sk_task *t, sk_user from, struct sk_file *f,
		     int64_t *at)
{
	int error = 0;

	*at = f->offset;
	if (from)
		error = sk_copy_in(t, at, from, sizeof(*at));
	return error ? error : *at < 0 ? -SK_EINVAL : 0;
}

static int offset_out(struct sk_task *t, sk_user to, struct sk_file *f,
		      int64_t at)
{
	if (to)
		return sk_copy_out(t, to, &at, sizeof(at));
	f->offset = at;
	return 0;
}

static bool readable(const struct sk_file *f)
{
	return f && !(f->flags & SK_O_PATH) &&
	       (f->flags & SK_O_ACCMODE) != SK_O_WRONLY;
}

static bool writable(const struct sk_file *f)
{
	return f && !(f->flags & SK_O_PATH) && (f->flags & SK_O_ACCMODE);
}

static bool is_regular(const struct sk_file *f)
{
	return f->path.inode && (f->path.inode->mode & SK_S_IFMT) == SK_S_IFREG;
}

int64_t sk_sys_sendfile(struct sk_task *t, const uint64_t *a)
{
	struct transfer x = { .out_at = -1 };
	int64_t n;
	int error;

	x.out = sk_fd_file(t, (int)a[0]);
	x.in = sk_fd_file(t, (int)a[1]);
	if (!writable(x.out) || !readable(x.in))
		return -SK_EBADF;
	if (!x.in->ops->pread || !x.out->ops->write || !is_regular(x.in) ||
	    (x.out->flags & SK_O_APPEND))
		return -SK_EINVAL;
	error = offset_in(t, (sk_user)a[2], x.in, &x.in_at);
	if (error)
		return error;
	x.left = (uint32_t)a[3] > SK_RW_MAX ? SK_RW_MAX : (uint32_t)a[3];
	n = transfer(t, &x);
	if (n > 0) {
		error = offset_out(t, (sk_user)a[2], x.in, x.in_at);
		if (error)
			return error;
	}
	return n;
}

int64_t sk_sys_copy_file_range(struct sk_task *t, const uint64_t *a)
{
	struct transfer x = { 0 };
	int64_t n;
	int error;

	x.in = sk_fd_file(t, (int)a[0]);
	x.out = sk_fd_file(t, (int)a[2]);
	if (!readable(x.in) || !writable(x.out) || (x.out->flags & SK_O_APPEND))
		return -SK_EBADF;
	if (!x.in->path.inode || !x.out->path.inode || (uint32_t)a[5])
		return -SK_EINVAL;
	if (!is_regular(x.in) || !is_regular(x.out))
		return (x.in->path.inode->mode & SK_S_IFMT) == SK_S_IFDIR ||
				       (x.out->path.inode->mode & SK_S_IFMT) ==
					       SK_S_IFDIR
			       ? -SK_EISDIR
			       : -SK_EINVAL;
	error = offset_in(t, (sk_user)a[1], x.in, &x.in_at);
	if (!error)
		error = offset_in(t, (sk_user)a[3], x.out, &x.out_at);
	if (error)
		return error;
	x.left = (uint32_t)a[4] > SK_RW_MAX ? SK_RW_MAX : (uint32_t)a[4];
	if (x.in->path.inode == x.out->path.inode &&
	    x.in_at < x.out_at + (int64_t)x.left &&
	    x.out_at < x.in_at + (int64_t)x.left)
		return -SK_EINVAL;
	if (!x.in->ops->pread || !x.out->ops->pwrite)
		return -SK_EINVAL;
	n = transfer(t, &x);
	if (n <= 0)
		return n;
	error = offset_out(t, (sk_user)a[1], x.in, x.in_at);
	if (!error)
		error = offset_out(t, (sk_user)a[3], x.out, x.out_at);
	return error ? error : n;
}

/* From a pipe to a file: a regular one takes all that was read. */
static int64_t drain(struct sk_task *t, struct sk_file *in, struct sk_file *out,
		     int64_t *out_at, size_t size, uint32_t flags)
{
	struct sk_kernel *k = sk_kernel_of(t);
	uint8_t *buffer = sk_alloc(k, BUFFER);
	struct sk_io io;
	int64_t n;

	if (!buffer)
		return -SK_ENOMEM;
	sk_io_kernel(&io, buffer, size < BUFFER ? size : BUFFER);
	io.flags = in->flags | (flags & 2 ? SK_O_NONBLOCK : 0);
	sk_file_get(in);
	sk_file_get(out);
	n = in->ops->read(in, t, &io);
	if (n > 0) {
		sk_io_kernel(&io, buffer, (size_t)n);
		io.flags = out->flags;
		n = out->ops->pwrite(out, t, &io, *out_at);
	}
	if (n > 0)
		*out_at += n;
	sk_file_put(out);
	sk_file_put(in);
	sk_free(k, buffer, BUFFER);
	return n;
}

static bool is_pipe(const struct sk_file *f)
{
	uint32_t mode = f->path.inode ? f->path.inode->mode : f->ops->mode;

	return (mode & SK_S_IFMT) == SK_S_IFIFO;
}

int64_t sk_sys_splice(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *in = sk_fd_file(t, (int)a[0]);
	struct sk_file *out = sk_fd_file(t, (int)a[2]);
	sk_user in_at = (sk_user)a[1], out_at = (sk_user)a[3];
	size_t size = (uint32_t)a[4] > SK_RW_MAX ? SK_RW_MAX : (uint32_t)a[4];
	struct transfer x = { in, out, 0, -1, size };
	int64_t n, at;
	int error;

	if (!readable(in) || !writable(out))
		return -SK_EBADF;
	if (((is_pipe(in) && in_at) || (is_pipe(out) && out_at)))
		return -SK_ESPIPE;
	if (out->flags & SK_O_APPEND)
		return -SK_EINVAL;
	if (is_pipe(in) && is_regular(out) && out->ops->pwrite) {
		error = offset_in(t, out_at, out, &at);
		n = error ? error
			  : drain(t, in, out, &at, size, (uint32_t)a[5]);
		error = n > 0 ? offset_out(t, out_at, out, at) : 0;
		return error ? error : n;
	}
	if (!is_pipe(out) || !is_regular(in) || !in->ops->pread)
		return -SK_EINVAL;
	error = offset_in(t, in_at, in, &x.in_at);
	n = error ? error : transfer(t, &x);
	error = n > 0 ? offset_out(t, in_at, in, x.in_at) : 0;
	return error ? error : n;
}
