/* SPDX-License-Identifier: BSD-2-Clause */
/* overlayfs: what overlayfs.c, overlaycopy.c and overlaylist.c share. */
#ifndef SK_FS_OVERLAYFS_H
#define SK_FS_OVERLAYFS_H

#include "file.h"
#include "process.h"

#define SK_WHITEOUT	 ".wh."
#define SK_WHITEOUT_SIZE 4
/* What a folder hides, by name, when it is opaque: ".wh..wh..opq". */
#define SK_OPAQUE      ".wh..opq"
#define SK_OPAQUE_SIZE (sizeof(SK_OPAQUE) - 1)

struct sk_overlay {
	struct sk_super s;
	struct sk_path lower, upper;
};

struct sk_overlay_inode {
	struct sk_inode i;
	struct sk_overlay_inode *parent; /* a reference; NULL: the root */
	struct sk_list sibling;	 /* in parent->children; alone when gone */
	struct sk_list children; /* the inodes of names that are in use */
	char *name;
	bool gone; /* the name is no longer this inode's */
	/* At least one, with a reference each. A file with both: the upper. */
	struct sk_inode *upper, *lower;
	/* Of a folder: its merged listing, and of what generation it is. */
	uint8_t *list;
	uint32_t list_size, list_room;
	uint64_t list_generation;
};

static inline struct sk_overlay_inode *sk_overlay_inode(struct sk_inode *i)
{
	return (struct sk_overlay_inode *)i;
}

static inline struct sk_overlay *sk_overlay_of(const struct sk_inode *i)
{
	return (struct sk_overlay *)i->super;
}

static inline struct sk_inode *sk_overlay_real(struct sk_overlay_inode *o)
{
	return o->upper ? o->upper : o->lower;
}

/* Takes over what the real inode is like. */
void sk_overlay_take(struct sk_overlay_inode *o);

/* Whether a folder of the upper layer hides a name of the lower: 1, 0, -errno. */
int sk_overlay_hidden(struct sk_inode *upper, const char *name, size_t len);
int sk_overlay_hide(struct sk_inode *upper, const char *name, size_t len);
int sk_overlay_unhide(struct sk_inode *upper, const char *name, size_t len);

/* Makes sure that the inode is in the upper layer, parents first. */
int sk_overlay_copy_up(struct sk_overlay_inode *o, bool with_data);

int sk_overlay_list(struct sk_inode *dir, int64_t at, int64_t *next,
		    char name[SK_NAME_MAX + 1], uint64_t *ino, uint32_t *mode);
/* 1 when a folder shows no name, 0, or -errno. */
int sk_overlay_empty(struct sk_overlay_inode *dir);
/* Removes what hides names from a folder of the upper layer. */
int sk_overlay_clean(struct sk_inode *upper);

#endif
