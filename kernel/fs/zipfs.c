/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * zipfs: a zip archive (also zip64), read-only; stored or deflated files.
 *
 * The end of the file says where the directory is, whose entries say where a
 * file's header is, behind which its bytes are. That header is read when the
 * file is. A deflated file is inflated as a whole at its first read, and kept
 * while it is among the last ones that were read (KEEP bytes of them).
 *
 * An archive with something in front of it (a program that unpacks it) has
 * offsets that are too small by as much: `shift`.
 */
#include "fs/archive.h"
#include "fs/inflate.h"

#define KEEP	      (32u << 20)
#define TAIL_MAX      (65535 + 22)
#define INPUT	      32768
#define DIRECTORY_MAX (64u << 20)

enum method { STORED = 0, DEFLATED = 8, FOUND = 0x10000 };

struct cache {
	struct sk_list link; /* in sk_archive.cached */
	struct sk_mem_inode *of;
	uint8_t *bytes;
	size_t size;
};

static uint32_t le16(const uint8_t *at)
{
	return (uint32_t)(at[0] | at[1] << 8);
}

static uint32_t le32(const uint8_t *at)
{
	return le16(at) | le16(at + 2) << 16;
}

static uint64_t le64(const uint8_t *at)
{
	return le32(at) | (uint64_t)le32(at + 4) << 32;
}

static struct sk_mem_super *super_of(const struct sk_mem_inode *i)
{
	return (struct sk_mem_super *)i->i.super;
}

/* Where the bytes behind a file's header begin; -SK_EIO. */
static int64_t skip_header(struct sk_mem_super *m, int64_t at)
{
	uint8_t h[30];
	int error = sk_archive_read(m, h, sizeof(h), at);

	if (error)
		return error;
	if (le32(h) != 0x04034b50)
		return -SK_EIO;
	return at + (int64_t)sizeof(h) + le16(h + 26) + le16(h + 28);
}

struct input {
	struct sk_inflate_input in;
	struct sk_mem_super *m;
	int64_t at, left;
	uint8_t bytes[INPUT];
};

static int64_t more(struct sk_inflate_input *in, const uint8_t **from)
{
	struct input *i = (struct input *)in;
	size_t size = i->left < INPUT ? (size_t)i->left : INPUT;
	int64_t n =
		size ? sk_archive_read_some(i->m, i->bytes, size, i->at) : 0;

	if (n > 0) {
		i->at += n;
		i->left -= n;
	}
	*from = i->bytes;
	return n;
}

/* All bytes of a file, checked. */
static int load(struct sk_mem_super *m, const struct sk_mem_inode *f,
		uint8_t *to, size_t size)
{
	struct sk_kernel *k = m->s.kernel;
	int64_t at = skip_header(m, f->source.at);
	struct input *in;
	int error;

	if (at < 0)
		return (int)at;
	if (f->source.method == STORED) {
		error = sk_archive_read(m, to, size, at);
	} else if (f->source.method == DEFLATED) {
		in = sk_alloc(k, sizeof(*in));
		if (!in)
			return -SK_ENOMEM;
		in->in.more = more;
		in->m = m;
		in->at = at;
		in->left = f->source.stored;
		error = sk_inflate(&in->in, to, size);
		sk_free(k, in, sizeof(*in));
	} else {
		error = -SK_EIO;
	}
	if (!error && sk_crc32(to, size) != f->source.crc)
		error = -SK_EIO;
	return error;
}

static void cache_drop(struct cache *c)
{
	struct sk_kernel *k = c->of->i.kernel;

	sk_archive_of(super_of(c->of))->kept -= c->size;
	sk_list_remove(&c->link);
	c->of->source.cache = NULL;
	sk_free(k, c->bytes, c->size);
	sk_free(k, c, sizeof(*c));
}

/* Makes room for `size` bytes among what is kept; one file always stays. */
static void cache_trim(struct sk_archive *a, size_t size)
{
	while (!sk_list_empty(&a->cached) && a->kept + size > KEEP)
		cache_drop(SK_CONTAINER(a->cached.next, struct cache, link));
}

static int cache_fill(struct sk_mem_inode *f, struct cache **out)
{
	struct sk_archive *a = sk_archive_of(super_of(f));
	struct sk_kernel *k = f->i.kernel;
	size_t size = (size_t)f->i.size;
	struct cache *c;
	int error;

	if (f->i.size > INT32_MAX)
		return -SK_EFBIG;
	cache_trim(a, size);
	c = sk_alloc(k, sizeof(*c));
	if (!c)
		return -SK_ENOMEM;
	c->size = size;
	c->of = f;
	c->bytes = sk_alloc(k, size);
	error = c->bytes ? load(super_of(f), f, c->bytes, size) : -SK_ENOMEM;
	if (error || f->source.cache) {
		/* When it is there now: another task was faster. */
		if (c->bytes)
			sk_free(k, c->bytes, size);
		sk_free(k, c, sizeof(*c));
		*out = f->source.cache;
		return *out ? 0 : error;
	}
	a->kept += size;
	f->source.cache = c;
	sk_list_add(&a->cached, &c->link);
	*out = c;
	return 0;
}

static int64_t read_stored(struct sk_mem_inode *f, struct sk_io *io,
			   int64_t offset)
{
	if (f->source.method == STORED) {
		int64_t at = skip_header(super_of(f), f->source.at);

		if (at < 0)
			return at;
		f->source.at = at;
		f->source.method = STORED | FOUND;
	}
	return sk_archive_move(super_of(f), io, f->source.at + offset,
			       f->i.size - offset);
}

static int64_t read(struct sk_inode *i, struct sk_io *io, int64_t offset)
{
	struct sk_mem_inode *f = sk_mem_inode(i);
	struct sk_archive *a = sk_archive_of(super_of(f));
	struct cache *c = NULL;
	int error = 0;

	if (offset >= i->size)
		return 0;
	if (f->source.method != DEFLATED)
		return (f->source.method & ~(uint32_t)FOUND) == STORED
			       ? read_stored(f, io, offset)
			       : -SK_EIO;
	c = f->source.cache;
	if (!c)
		error = cache_fill(f, &c);
	if (error)
		return error;
	sk_list_remove(&c->link);
	sk_list_add(&a->cached, &c->link);
	return sk_io_put(io, c->bytes + offset, c->size - (size_t)offset);
}

static void file_fini(struct sk_mem_inode *i)
{
	if (i->source.cache)
		cache_drop(i->source.cache);
}

/* Where the directory is. */
struct directory {
	int64_t at, size, shift;
};

static int find_zip64(struct sk_mem_super *m, int64_t end,
		      struct directory *out)
{
	uint8_t l[20], e[56];
	int64_t at;
	int error;

	if (end < (int64_t)sizeof(l))
		return 0;
	error = sk_archive_read(m, l, sizeof(l), end - (int64_t)sizeof(l));
	if (error || le32(l) != 0x07064b50)
		return error;
	at = (int64_t)le64(l + 8);
	error = sk_archive_read(m, e, sizeof(e), at);
	if (!error && le32(e) != 0x06064b50)
		error = -SK_EINVAL;
	if (error)
		return error;
	out->size = (int64_t)le64(e + 40);
	out->at = (int64_t)le64(e + 48);
	out->shift = 0;
	return 0;
}

/* The record at the archive's end, behind which a comment may be. */
static int find_directory(struct sk_mem_super *m, struct directory *out)
{
	int64_t total = sk_archive_of(m)->size, start;
	struct sk_kernel *k = m->s.kernel;
	size_t size = total < TAIL_MAX ? (size_t)total : TAIL_MAX, n;
	uint8_t *tail;
	int error;

	if (size < 22)
		return -SK_EINVAL;
	tail = sk_alloc(k, size);
	if (!tail)
		return -SK_ENOMEM;
	start = total - (int64_t)size;
	error = sk_archive_read(m, tail, size, start);
	for (n = size - 22; !error && n && le32(tail + n) != 0x06054b50; n--)
		;
	if (!error && le32(tail + n) != 0x06054b50)
		error = -SK_EINVAL;
	if (!error) {
		out->size = le32(tail + n + 12);
		out->at = le32(tail + n + 16);
		out->shift = start + (int64_t)n - out->size - out->at;
		error = find_zip64(m, start + (int64_t)n, out);
	}
	sk_free(k, tail, size);
	if (!error && (out->shift < 0 || out->at < 0 || out->size < 0 ||
		       out->size > DIRECTORY_MAX || out->at > total ||
		       out->at + out->shift > total - out->size))
		error = -SK_EINVAL;
	return error;
}

/* Days from 1970 to a date. */
static int64_t days(int64_t year, int64_t month, int64_t day)
{
	/* Years begin in March, so that the odd day comes last. */
	year -= month <= 2;
	month += month <= 2 ? 9 : -3;
	return year * 365 + year / 4 - year / 100 + year / 400 +
	       (month * 153 + 2) / 5 + day - 1 - 719468;
}

static int64_t dos_time(uint32_t date, uint32_t time)
{
	int64_t d = days(1980 + (date >> 9), date >> 5 & 15, date & 31);

	return ((d * 24 + (time >> 11)) * 3600 + (time >> 5 & 63) * 60 +
		(time & 31) * 2) *
	       1000000000;
}

struct entry {
	const uint8_t *head, *name, *extra;
	uint32_t name_size, extra_size;
	uint64_t stored, size, at;
	int64_t mtime;
};

/* Sizes of 64 bits, and times of Unix. */
static void take_extra(struct entry *e)
{
	const uint8_t *x = e->extra, *end = x + e->extra_size;

	for (; end - x >= 4; x += 4 + le16(x + 2)) {
		const uint8_t *field = x + 4;
		uint32_t size = le16(x + 2);

		if (size > (uint32_t)(end - field))
			return;
		if (le16(x) == 0x5455 && size >= 5 && (field[0] & 1))
			e->mtime =
				(int64_t)(int32_t)le32(field + 1) * 1000000000;
		if (le16(x) != 1)
			continue;
		if (e->size == UINT32_MAX && size >= 8) {
			e->size = le64(field);
			field += 8;
			size -= 8;
		}
		if (e->stored == UINT32_MAX && size >= 8) {
			e->stored = le64(field);
			field += 8;
			size -= 8;
		}
		if (e->at == UINT32_MAX && size >= 8)
			e->at = le64(field);
	}
}

static uint32_t mode_of(const struct entry *e, bool folder)
{
	uint32_t mode = le32(e->head + 38) >> 16, type = mode & SK_S_IFMT;

	/* Made on Unix (3), and a mode is given. */
	if (e->head[5] != 3 || !mode)
		return folder ? SK_S_IFDIR | 0755 : SK_S_IFREG | 0644;
	if (folder)
		type = SK_S_IFDIR;
	else if (type != SK_S_IFLNK)
		type = SK_S_IFREG;
	return type | (mode & 07777);
}

static void set_source(struct sk_mem_inode *i, const struct entry *e,
		       int64_t shift)
{
	/* What is encrypted cannot be read: no method. */
	i->source.method = (le16(e->head + 8) & 1) ? 99 : le16(e->head + 10);
	i->source.at = (int64_t)e->at + shift;
	i->source.stored = (int64_t)e->stored;
	i->source.crc = le32(e->head + 16);
}

/* A link's target is the file's bytes. */
static int add_link(struct sk_mem_super *m, const struct entry *e,
		    const char *path, int64_t shift, struct sk_mem_inode **out)
{
	struct sk_kernel *k = m->s.kernel;
	struct sk_mem_inode from = { 0 };
	char *target;
	int error;

	if (!e->size || e->size >= SK_PATH_MAX)
		return -SK_EINVAL;
	target = sk_alloc(k, SK_PATH_MAX);
	if (!target)
		return -SK_ENOMEM;
	set_source(&from, e, shift);
	error = load(m, &from, (uint8_t *)target, (size_t)e->size);
	if (!error)
		error = sk_archive_entry(m, path, 0, 0, target, out);
	sk_free(k, target, SK_PATH_MAX);
	return error;
}

static int add(struct sk_mem_super *m, const struct entry *e, char *path,
	       int64_t shift)
{
	struct sk_mem_inode *i;
	uint32_t mode;
	int error;

	if (!e->name_size || e->name_size >= SK_PATH_MAX)
		return 0;
	memcpy(path, e->name, e->name_size);
	path[e->name_size] = '\0';
	mode = mode_of(e, path[e->name_size - 1] == '/');
	if ((mode & SK_S_IFMT) == SK_S_IFLNK)
		error = add_link(m, e, path, shift, &i);
	else
		error = sk_archive_entry(m, path, mode, 0, NULL, &i);
	if (error || !i)
		return error;
	i->i.mode = mode;
	i->i.mtime = i->i.atime = i->i.ctime = e->mtime;
	if ((mode & SK_S_IFMT) == SK_S_IFREG) {
		set_source(i, e, shift);
		i->i.size = (int64_t)e->size;
		i->i.blocks = (int64_t)((e->size + 511) / 512);
	}
	return 0;
}

static int add_all(struct sk_mem_super *m, const uint8_t *at, size_t size,
		   char *path, int64_t shift)
{
	int error = 0;

	while (!error && size >= 46 && le32(at) == 0x02014b50) {
		struct entry e = {
			.head = at,
			.name = at + 46,
			.name_size = le16(at + 28),
			.extra_size = le16(at + 30),
			.stored = le32(at + 20),
			.size = le32(at + 24),
			.at = le32(at + 42),
			.mtime = dos_time(le16(at + 14), le16(at + 12)),
		};
		size_t whole = 46 + e.name_size + e.extra_size + le16(at + 32);

		if (whole > size)
			return -SK_EINVAL;
		e.extra = e.name + e.name_size;
		take_extra(&e);
		if (e.at > INT64_MAX / 2 || e.size > INT64_MAX / 2 ||
		    e.stored > INT64_MAX / 2)
			return -SK_EINVAL;
		error = add(m, &e, path, shift);
		at += whole;
		size -= whole;
	}
	return error;
}

static int read_all(struct sk_mem_super *m)
{
	struct sk_kernel *k = m->s.kernel;
	struct directory d;
	uint8_t *bytes;
	char *path;
	int error = find_directory(m, &d);

	if (error || !d.size)
		return error;
	bytes = sk_alloc(k, (size_t)d.size);
	path = sk_alloc(k, SK_PATH_MAX);
	error = bytes && path ? sk_archive_read(m, bytes, (size_t)d.size,
						d.at + d.shift)
			      : -SK_ENOMEM;
	if (!error)
		error = add_all(m, bytes, (size_t)d.size, path, d.shift);
	if (path)
		sk_free(k, path, SK_PATH_MAX);
	if (bytes)
		sk_free(k, bytes, (size_t)d.size);
	return error;
}

static const struct sk_inode_ops file_ops = {
	.read = read,
	.parent = sk_memtree_parent,
	.statfs = sk_memtree_statfs,
	.forget = sk_memtree_forget,
};

int sk_zipfs_new(struct sk_kernel *k, const struct sk_path *archive,
		 struct sk_super **out)
{
	struct sk_mem_super *m;
	int error = sk_archive_new(k, "zip", archive, &file_ops, file_fini, &m);

	if (error)
		return error;
	error = read_all(m);
	if (error)
		sk_super_put(&m->s);
	else
		*out = &m->s;
	return error;
}
