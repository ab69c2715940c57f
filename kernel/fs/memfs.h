/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memfs: files in the kernel's memory. Its tree also serves the file systems
 * whose names are known ahead (tarfs, zipfs, devfs): they make a memfs, fill
 * it, and give its regular files operations of their own.
 */
#ifndef SK_FS_MEMFS_H
#define SK_FS_MEMFS_H

#include "inode.h"

/* The bytes of a file, memdata.c. */
struct sk_memdata {
	void *root; /* a chunk (height 0) or a node of chunks and nodes */
	uint32_t height;
	uint32_t head; /* bytes that the only chunk of height 0 has */
	uint64_t allocated;
};
/* A file cannot be larger. */
#define SK_MEMDATA_MAX (INT64_C(1) << 47)

/* Moves io->left bytes at most, within `size`; what has no chunk is zero. */
int64_t sk_memdata_read(struct sk_memdata *d, struct sk_io *io, int64_t offset,
			int64_t size);
/* The bytes written, or -SK_ENOSPC, -SK_EFAULT when none were. */
int64_t sk_memdata_write(struct sk_memdata *d, struct sk_kernel *k,
			 struct sk_io *io, int64_t offset);
/* Frees what lies from `size` on and zeroes the rest of its chunk. */
void sk_memdata_cut(struct sk_memdata *d, struct sk_kernel *k, int64_t size);

struct sk_mem_entry;

struct sk_mem_dir {
	struct sk_mem_entry **buckets; /* by hash of the name */
	uint32_t bucket_count, count;
	struct sk_list order; /* sk_mem_entry.order, by position */
	int64_t next_position;
	struct sk_mem_entry *cursor; /* where the last list ended, or NULL */
};

struct sk_mem_inode {
	struct sk_inode i;
	/* Where it was linked last, or NULL. A folder: the only place. */
	struct sk_mem_entry *entry;
	/* Of a folder that was removed: keeps ".." working. */
	struct sk_inode *old_parent;
	union {
		struct sk_mem_dir dir;
		struct sk_memdata data;
		char *target;
		struct { /* files of archives and devices */
			int64_t at, stored;
			void *cache;
			uint32_t method, crc;
		} source;
	};
};

struct sk_mem_entry {
	struct sk_mem_entry *hash_next;
	struct sk_list order;
	struct sk_mem_inode *dir; /* where it is; no reference */
	struct sk_mem_inode *inode;
	int64_t position;
	uint32_t hash;
	uint8_t len;
	char name[];
};

extern const struct sk_inode_ops sk_memfs_dir_ops, sk_memfs_link_ops;

/*
 * An empty tree of a type. `data` and `data_fini` are the file system's own;
 * fini is called when the tree has gone.
 */
struct sk_mem_super {
	struct sk_super s;
	uint64_t next_ino;
	void *data;
	void (*data_fini)(struct sk_mem_super *m);
	/* What all but folders and links get. */
	const struct sk_inode_ops *file_ops;
	void (*file_fini)(struct sk_mem_inode *i);
};
int sk_memtree_new(struct sk_kernel *k, const char *type,
		   struct sk_mem_super **out);
/*
 * The inode at a relative path of a tree, made with its parents when it is
 * not there (as mode says). Borrowed. For mounts that fill their tree.
 */
int sk_memtree_make(struct sk_mem_super *m, const char *path, uint32_t mode,
		    uint64_t rdev, const char *target,
		    struct sk_mem_inode **out);

/* What all of its inodes share. */
int sk_memtree_parent(struct sk_inode *i, struct sk_inode **out,
		      char name[SK_NAME_MAX + 1]);
int sk_memtree_change(struct sk_inode *i, uint32_t mode, uint32_t uid,
		      uint32_t gid, int64_t atime, int64_t mtime);
int sk_memtree_statfs(struct sk_inode *i, struct sk_abi_statfs *out);
void sk_memtree_forget(struct sk_inode *i);

static inline struct sk_mem_inode *sk_mem_inode(struct sk_inode *i)
{
	return (struct sk_mem_inode *)i;
}

#endif
