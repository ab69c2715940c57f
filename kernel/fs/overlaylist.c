/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Listings of overlayfs: all names of the upper folder, then those of the
 * lower that the upper neither has nor hides. They are put together when a
 * listing begins and the folder has changed since the last time; a position
 * is an offset into that.
 */
#include "fs/overlayfs.h"

struct record {
	uint64_t ino;
	uint32_t mode;
	uint16_t size; /* of the record, a multiple of 8 */
	uint16_t len;
	char name[];
};

static int add(struct sk_overlay_inode *dir, const char *name, uint64_t ino,
	       uint32_t mode)
{
	size_t len = strlen(name);
	uint32_t size = (uint32_t)(sizeof(struct record) + len + 1 + 7) & ~7u;
	uint32_t room = dir->list_room ? dir->list_room : 512;
	struct record *r;
	uint8_t *grown;

	while (room < dir->list_size + size)
		room *= 2;
	if (room != dir->list_room) {
		grown = dir->list ? sk_realloc(dir->i.kernel, dir->list,
					       dir->list_room, room)
				  : sk_alloc(dir->i.kernel, room);
		if (!grown)
			return -SK_ENOMEM;
		dir->list = grown;
		dir->list_room = room;
	}
	r = (struct record *)(void *)(dir->list + dir->list_size);
	*r = (struct record){ ino, mode, (uint16_t)size, (uint16_t)len };
	memcpy(r->name, name, len + 1);
	dir->list_size += size;
	return 0;
}

static bool hides(const char *name)
{
	return !strncmp(name, SK_WHITEOUT, SK_WHITEOUT_SIZE);
}

/* Whether a lower name is to be seen: 1, 0 or -errno. */
static int shows(struct sk_inode *upper, const char *name)
{
	size_t len = strlen(name);
	struct sk_inode *found;
	int error;

	if (!upper)
		return 1;
	error = upper->ops->lookup(upper, name, len, &found);
	if (!error) {
		sk_inode_put(found);
		return 0;
	}
	if (error != -SK_ENOENT)
		return error;
	error = sk_overlay_hidden(upper, name, len);
	return error < 0 ? error : !error;
}

static int add_layer(struct sk_overlay_inode *dir, struct sk_inode *layer,
		     struct sk_inode *upper)
{
	char name[SK_NAME_MAX + 1];
	int64_t at = 0, next;
	uint64_t ino;
	uint32_t mode;
	int more;

	while ((more = layer->ops->list(layer, at, &next, name, &ino, &mode)) >
	       0) {
		at = next;
		if (hides(name))
			continue;
		more = layer == upper ? 1 : shows(upper, name);
		if (more > 0)
			more = add(dir, name,
				   ino << 1 | (uint64_t)(layer == upper), mode);
		if (more < 0)
			break;
	}
	return more;
}

static int fill(struct sk_overlay_inode *dir)
{
	int error = 0;

	dir->list_size = 0;
	dir->list_generation = dir->i.generation;
	if (dir->upper)
		error = add_layer(dir, dir->upper, dir->upper);
	if (!error && dir->lower)
		error = add_layer(dir, dir->lower, dir->upper);
	if (error)
		dir->list_generation = dir->i.generation - 1;
	return error;
}

int sk_overlay_list(struct sk_inode *i, int64_t at, int64_t *next,
		    char name[SK_NAME_MAX + 1], uint64_t *ino, uint32_t *mode)
{
	struct sk_overlay_inode *dir = sk_overlay_inode(i);
	const struct record *r;
	int error;

	/* A host's folder changes without our knowledge. */
	if (!dir->list || (at == 0 && (dir->list_generation != i->generation ||
				       dir->list_size == 0 ||
				       sk_overlay_real(dir)->ops->refresh))) {
		error = fill(dir);
		if (error)
			return error;
	}
	if (at >= dir->list_size || at % 8)
		return 0;
	r = (const struct record *)(const void *)(dir->list + at);
	*next = at + r->size;
	*ino = r->ino;
	*mode = r->mode;
	memcpy(name, r->name, r->len + 1u);
	return 1;
}

int sk_overlay_empty(struct sk_overlay_inode *dir)
{
	int error = fill(dir);

	return error ? error : dir->list_size == 0;
}

int sk_overlay_clean(struct sk_inode *upper)
{
	char name[SK_NAME_MAX + 1];
	int64_t next;
	uint64_t ino;
	uint32_t mode;
	int more;

	while ((more = upper->ops->list(upper, 0, &next, name, &ino, &mode)) >
	       0) {
		if (!hides(name))
			return -SK_ENOTEMPTY;
		more = upper->ops->unlink(upper, name, strlen(name), false);
		if (more)
			break;
	}
	return more;
}
