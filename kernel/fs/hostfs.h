/* SPDX-License-Identifier: BSD-2-Clause */
/* hostfs: what hostfs.c (names) and hostfile.c (bytes) share. */
#ifndef SK_FS_HOSTFS_H
#define SK_FS_HOSTFS_H

#include "file.h"
#include "process.h"

#define SK_HOST_BUCKETS 64
#define SK_HOST_LIST	8192 /* bytes of a listing at a time */

enum sk_host_handle {
	SK_HOST_READ,
	SK_HOST_WRITE,
	SK_HOST_APPEND,
	SK_HOST_HANDLES,
};

struct sk_host_inode {
	struct sk_inode i;
	struct sk_list live;	      /* in sk_host_super.live */
	struct sk_host_inode *parent; /* NULL for the root; a reference */
	char *name;
	bool gone;		      /* the name is no longer this file's */
	uint64_t dev;		      /* of the host */
	int handles[SK_HOST_HANDLES]; /* -1: not open */
	/* Of a folder: entries read ahead, and the position behind the used. */
	uint8_t *list;
	uint32_t list_size, list_used;
	int64_t list_at;
};

struct sk_host_super {
	struct sk_super s;
	int handle; /* of the root, whose inode owns it */
	struct sk_list live[SK_HOST_BUCKETS];
};

/* A handle of the inode, opened by need with SK_O_*; or -errno. Unlocks. */
int sk_hostfs_handle(struct sk_host_inode *h, enum sk_host_handle which,
		     uint32_t flags);
int sk_hostfs_folder(struct sk_host_inode *dir);

int64_t sk_hostfs_read(struct sk_inode *i, struct sk_io *io, int64_t offset);
int64_t sk_hostfs_write(struct sk_inode *i, struct sk_io *io, int64_t offset);
int sk_hostfs_truncate(struct sk_inode *i, int64_t size);
int sk_hostfs_sync(struct sk_inode *i);
int sk_hostfs_open(struct sk_inode *i, struct sk_task *t, uint32_t flags,
		   struct sk_file *file);

#endif
