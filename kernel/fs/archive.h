/* SPDX-License-Identifier: BSD-2-Clause */
/* What tarfs and zipfs share: a memfs tree over an archive's file. */
#ifndef SK_FS_ARCHIVE_H
#define SK_FS_ARCHIVE_H

#include "file.h"
#include "fs/memfs.h"

struct sk_archive {
	struct sk_path path; /* of the archive; a reference */
	int64_t size;
	/* What zipfs has inflated, last used first; and how much it is. */
	struct sk_list cached;
	size_t kept;
};

/*
 * A read-only tree of type `type` whose regular files have `ops`; `archive`
 * is its data. file_fini may be NULL.
 */
int sk_archive_new(struct sk_kernel *k, const char *type,
		   const struct sk_path *path, const struct sk_inode_ops *ops,
		   void (*file_fini)(struct sk_mem_inode *i),
		   struct sk_mem_super **out);

/* All of `size` bytes at an offset: 0, -SK_EIO when they are not there. */
int sk_archive_read(struct sk_mem_super *m, void *to, size_t size,
		    int64_t offset);
/* What there is, up to `size`; a count. */
int64_t sk_archive_read_some(struct sk_mem_super *m, void *to, size_t size,
			     int64_t offset);
/* Bytes of the archive from `at` on, as those of a file. */
int64_t sk_archive_move(struct sk_mem_super *m, struct sk_io *io, int64_t at,
			int64_t size);

struct sk_archive *sk_archive_of(struct sk_mem_super *m);

/*
 * The inode of an entry, new or replaced; NULL in *out for a name that is
 * nobody's (with ".." in it), which is left out.
 */
int sk_archive_entry(struct sk_mem_super *m, const char *path, uint32_t mode,
		     uint64_t rdev, const char *target,
		     struct sk_mem_inode **out);

#endif
