/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tarfs: an uncompressed tar archive (ustar, GNU long names, pax), read-only.
 *
 * An entry is a header of 512 bytes, and its bytes rounded up to 512. Entries
 * of types L, K and x say something about the one that follows. The end is a
 * header of zeros, or the end of the file. A file's bytes stay where they are.
 */
#include "fs/archive.h"

#define BLOCK 512

struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12],
		checksum[8], type, link[100], magic[8], user[32], group[32],
		major[8], minor[8], prefix[155], pad[12];
};

/* An entry, and what was said about it before. */
struct entry {
	struct header h;
	char path[SK_PATH_MAX], link[SK_PATH_MAX];
	bool has_path, has_link, has_size, has_mtime;
	int64_t size, mtime;
};

/* Octal digits, or (top bit set) a big-endian number; -1: neither. */
static int64_t number(const char *field, size_t size)
{
	const uint8_t *f = (const uint8_t *)field;
	int64_t n = 0;
	size_t at = 0;

	if (f[0] & 0x80) {
		n = f[0] & 0x3f;
		for (at = 1; at < size; at++) {
			if (n >> 54)
				return -1;
			n = n << 8 | f[at];
		}
		return n;
	}
	while (at < size && f[at] == ' ')
		at++;
	for (; at < size && f[at] >= '0' && f[at] <= '7'; at++) {
		if (n >> 58)
			return -1;
		n = n * 8 + (f[at] - '0');
	}
	return n;
}

static bool checks(const struct header *h)
{
	const uint8_t *at = (const uint8_t *)h;
	int64_t sum = 8 * ' ';

	for (size_t n = 0; n < BLOCK; n++)
		if (n < 148 || n >= 156)
			sum += at[n];
	return sum == number(h->checksum, sizeof(h->checksum));
}

static bool is_end(const struct header *h)
{
	const uint8_t *at = (const uint8_t *)h;

	for (size_t n = 0; n < BLOCK; n++)
		if (at[n])
			return false;
	return true;
}

static size_t field_length(const char *field, size_t size)
{
	const char *end = memchr(field, 0, size);

	return end ? (size_t)(end - field) : size;
}

/* prefix/name of the header, unless an entry before gave the path. */
static void take_names(struct entry *e)
{
	size_t prefix = 0, n;

	if (!e->has_path) {
		if (!memcmp(e->h.magic, "ustar", 6))
			prefix = field_length(e->h.prefix, sizeof(e->h.prefix));
		memcpy(e->path, e->h.prefix, prefix);
		if (prefix)
			e->path[prefix++] = '/';
		n = field_length(e->h.name, sizeof(e->h.name));
		memcpy(e->path + prefix, e->h.name, n);
		e->path[prefix + n] = '\0';
	}
	if (!e->has_link) {
		n = field_length(e->h.link, sizeof(e->h.link));
		memcpy(e->link, e->h.link, n);
		e->link[n] = '\0';
	}
}

/* Bytes of an entry as a string. */
static int text_of(struct sk_mem_super *m, int64_t at, int64_t size, char *to,
		   size_t room)
{
	if (size < 0 || (uint64_t)size >= room)
		return -SK_ENAMETOOLONG;
	to[size] = '\0';
	return sk_archive_read(m, to, (size_t)size, at);
}

/* "1234.567" as ns; false for what is no time. */
static bool time_of(const char *text, int64_t *out)
{
	int64_t n = 0, unit = 100000000;
	bool minus = *text == '-';

	for (text += minus; *text >= '0' && *text <= '9'; text++) {
		if (n > INT64_MAX / 20000000000)
			return false;
		n = n * 10 + (*text - '0');
	}
	n *= 1000000000;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++) {
			n += (*text - '0') * unit;
			unit /= 10;
		}
	*out = minus ? -n : n;
	return true;
}

static void pax_record(struct entry *e, const char *key, const char *value)
{
	size_t n = strlen(value);

	if (!strcmp(key, "path") && n < sizeof(e->path)) {
		memcpy(e->path, value, n + 1);
		e->has_path = true;
	} else if (!strcmp(key, "linkpath") && n < sizeof(e->link)) {
		memcpy(e->link, value, n + 1);
		e->has_link = true;
	} else if (!strcmp(key, "size")) {
		e->size = 0;
		for (; *value >= '0' && *value <= '9' && !(e->size >> 58);
		     value++)
			e->size = e->size * 10 + (*value - '0');
		e->has_size = true;
	} else if (!strcmp(key, "mtime")) {
		e->has_mtime = time_of(value, &e->mtime);
	}
}

/* Records "LENGTH KEY=VALUE\n", the length being that of all of it. */
static int pax(struct sk_mem_super *m, struct entry *e, int64_t at,
	       int64_t size)
{
	struct sk_kernel *k = m->s.kernel;
	size_t room = (size_t)size + 1, used = 0;
	char *text;
	int error;

	if (size < 0 || size > 1 << 20)
		return -SK_EIO;
	text = sk_alloc(k, room);
	if (!text)
		return -SK_ENOMEM;
	error = text_of(m, at, size, text, room);
	while (!error && used < (size_t)size) {
		size_t length = 0, start = used, key;

		while (text[used] >= '0' && text[used] <= '9' && length <= room)
			length = length * 10 + (size_t)(text[used++] - '0');
		if (text[used] != ' ' || length < used - start + 2 ||
		    length > (size_t)size - start)
			break;
		key = used + 1;
		used = start + length;
		text[used - 1] = '\0';
		for (size_t n = key; n < used; n++) {
			if (text[n] != '=')
				continue;
			text[n] = '\0';
			pax_record(e, text + key, text + n + 1);
			break;
		}
	}
	sk_free(k, text, room);
	return error;
}

/* The folder that a path's last name is in; *name points at that. */
static int parent_of(struct sk_mem_super *m, char *path, const char **name,
		     struct sk_mem_inode **out)
{
	size_t n = strlen(path);
	int error;

	while (n && path[n - 1] == '/')
		path[--n] = '\0';
	while (n && path[n - 1] != '/')
		n--;
	*name = path + n;
	if (!n) {
		*out = sk_mem_inode(m->s.root);
		return 0;
	}
	path[n - 1] = '\0';
	error = sk_archive_entry(m, path, SK_S_IFDIR | 0755, 0, NULL, out);
	path[n - 1] = '/';
	return error;
}

static int hard_link(struct sk_mem_super *m, struct entry *e)
{
	struct sk_mem_inode *to, *dir;
	const char *name;
	int error =
		sk_archive_entry(m, e->link, SK_S_IFREG | 0644, 0, NULL, &to);

	if (!error && to)
		error = parent_of(m, e->path, &name, &dir);
	if (error || !to || !dir || !*name)
		return error;
	error = dir->i.ops->link(&dir->i, name, strlen(name), &to->i);
	return error == -SK_EEXIST ? 0 : error;
}

static uint32_t type_of(char type)
{
	switch (type) {
	case '2':
		return SK_S_IFLNK;
	case '3':
		return SK_S_IFCHR;
	case '4':
		return SK_S_IFBLK;
	case '5':
		return SK_S_IFDIR;
	case '6':
		return SK_S_IFIFO;
	default:
		return SK_S_IFREG;
	}
}

static int64_t header_time(const struct header *h)
{
	int64_t n = number(h->mtime, sizeof(h->mtime));

	return n > INT64_MAX / 1000000000 ? INT64_MAX : n * 1000000000;
}

static int add(struct sk_mem_super *m, struct entry *e, int64_t at)
{
	uint32_t mode = (uint32_t)number(e->h.mode, sizeof(e->h.mode)) & 07777;
	uint32_t type = type_of(e->h.type);
	uint64_t rdev = 0;
	struct sk_mem_inode *i;
	size_t n;
	int error;

	take_names(e);
	n = strlen(e->path);
	if (n && e->path[n - 1] == '/' && type == SK_S_IFREG)
		type = SK_S_IFDIR;
	if (e->h.type == '1')
		return hard_link(m, e);
	if (type == SK_S_IFCHR || type == SK_S_IFBLK)
		rdev = (uint64_t)number(e->h.major, 8) << 8 |
		       (uint64_t)number(e->h.minor, 8);
	error = sk_archive_entry(m, e->path, type | mode, rdev,
				 type == SK_S_IFLNK ? e->link : NULL, &i);
	if (error || !i)
		return error;
	i->i.mode = type | mode;
	i->i.mtime = e->has_mtime ? e->mtime : header_time(&e->h);
	i->i.atime = i->i.ctime = i->i.mtime;
	if (type == SK_S_IFREG) {
		i->source.at = at;
		i->i.size = e->size;
		i->i.blocks = (e->size + 511) / 512;
	}
	return 0;
}

/* What follows a header; the position of the next. */
static int entry(struct sk_mem_super *m, struct entry *e, int64_t at,
		 int64_t *next)
{
	const struct sk_archive *a = sk_archive_of(m);
	int64_t size = number(e->h.size, sizeof(e->h.size));
	bool about_next = true;
	int error = 0;

	if (e->has_size && e->h.type != 'x' && e->h.type != 'L' &&
	    e->h.type != 'K')
		size = e->size;
	if (e->h.type >= '1' && e->h.type <= '6')
		size = 0;
	if (size < 0 || size > a->size - at)
		return -SK_EIO;
	switch (e->h.type) {
	case 'L':
		error = text_of(m, at, size, e->path, sizeof(e->path));
		e->has_path = true;
		break;
	case 'K':
		error = text_of(m, at, size, e->link, sizeof(e->link));
		e->has_link = true;
		break;
	case 'x':
		error = pax(m, e, at, size);
		break;
	case 'g':
		break;
	default:
		e->size = size;
		error = add(m, e, at);
		about_next = false;
		break;
	}
	if (!about_next)
		e->has_path = e->has_link = e->has_size = e->has_mtime = false;
	*next = at + (size + BLOCK - 1) / BLOCK * BLOCK;
	return error;
}

static int read_all(struct sk_mem_super *m)
{
	struct sk_kernel *k = m->s.kernel;
	struct entry *e = sk_alloc(k, sizeof(*e));
	int64_t at = 0;
	int error = 0;

	if (!e)
		return -SK_ENOMEM;
	if (sk_archive_of(m)->size < BLOCK)
		error = -SK_EINVAL;
	while (!error && at + BLOCK <= sk_archive_of(m)->size) {
		error = sk_archive_read(m, &e->h, BLOCK, at);
		if (error || is_end(&e->h))
			break;
		if (!checks(&e->h))
			error = -SK_EINVAL;
		else
			error = entry(m, e, at + BLOCK, &at);
	}
	sk_free(k, e, sizeof(*e));
	return error;
}

static int64_t read(struct sk_inode *i, struct sk_io *io, int64_t offset)
{
	return sk_archive_move((struct sk_mem_super *)i->super, io,
			       sk_mem_inode(i)->source.at + offset,
			       i->size - offset);
}

static const struct sk_inode_ops file_ops = {
	.read = read,
	.parent = sk_memtree_parent,
	.statfs = sk_memtree_statfs,
	.forget = sk_memtree_forget,
};

int sk_tarfs_new(struct sk_kernel *k, const struct sk_path *archive,
		 struct sk_super **out)
{
	struct sk_mem_super *m;
	int error = sk_archive_new(k, "tar", archive, &file_ops, NULL, &m);

	if (error)
		return error;
	error = read_all(m);
	if (error)
		sk_super_put(&m->s);
	else
		*out = &m->s;
	return error;
}
