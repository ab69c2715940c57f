/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes, mounts and paths: the file system as the calls see it.
 *
 * An inode is a file, folder, link, fifo, device or socket name; it lives
 * while something refers to it (a folder of its file system, an open file, a
 * path). A file system is a set of operations on inodes. An operation is
 * called locked; one that uses the host gives the lock back meanwhile, so a
 * caller holds references and looks again at what it knew before.
 */
#ifndef SK_INODE_H
#define SK_INODE_H

#include "wait.h"

struct sk_file;
struct sk_inode;
struct sk_io;
struct sk_mount;
struct sk_process;
struct sk_tty;

/* Where a walk stands. Holds references to both. */
struct sk_path {
	struct sk_mount *mount;
	struct sk_inode *inode;
};

struct sk_inode_ops {
	/*
	 * Folders. `name` is one component, with its length, no NUL inside;
	 * never "." or "..". What comes out holds a reference.
	 */
	int (*lookup)(struct sk_inode *dir, const char *name, size_t len,
		      struct sk_inode **out);
	/* mode has the type; rdev for devices; -SK_EEXIST when it is there. */
	int (*create)(struct sk_inode *dir, const char *name, size_t len,
		      uint32_t mode, uint64_t rdev, struct sk_inode **out);
	int (*symlink)(struct sk_inode *dir, const char *name, size_t len,
		       const char *target);
	int (*link)(struct sk_inode *dir, const char *name, size_t len,
		    struct sk_inode *to);
	/* is_dir: rmdir (-SK_ENOTDIR, -SK_ENOTEMPTY); else unlink (-SK_EISDIR). */
	int (*unlink)(struct sk_inode *dir, const char *name, size_t len,
		      bool is_dir);
	int (*rename)(struct sk_inode *from, const char *name, size_t len,
		      struct sk_inode *to, const char *to_name, size_t to_len,
		      uint32_t flags);
	/*
	 * The entry at position `at` (0 first; any number that the file
	 * system gave as `next` later), without "." and "..": 1, or 0 at the end.
	 */
	int (*list)(struct sk_inode *dir, int64_t at, int64_t *next,
		    char name[SK_NAME_MAX + 1], uint64_t *ino, uint32_t *mode);
	/* A file of a folder that has no name (O_TMPFILE). */
	int (*tmpfile)(struct sk_inode *dir, uint32_t mode,
		       struct sk_inode **out);
	/*
	 * What folder it is in, and its name there (either out may be NULL);
	 * -SK_ENOENT when it has none. Folders must know, others may.
	 */
	int (*parent)(struct sk_inode *dir, struct sk_inode **out,
		      char name[SK_NAME_MAX + 1]);

	/* Links: the length, cut off at size. t may be NULL. */
	int64_t (*readlink)(struct sk_inode *link, struct sk_task *t, char *to,
			    size_t size);
	/*
	 * Links that lead to a thing, not to a name (/proc/self/fd/3): where
	 * it stands; or 1 when that is nowhere (a pipe), then `reopen` gives
	 * a reference to the open file itself.
	 */
	int (*reopen)(struct sk_inode *link, struct sk_task *t,
		      struct sk_file **out);
	int (*jump)(struct sk_inode *link, struct sk_task *t,
		    struct sk_path *out);

	/*
	 * Regular files; io moves at most io->left bytes. With SK_O_APPEND in
	 * io->flags a write ignores offset and goes to the end.
	 */
	int64_t (*read)(struct sk_inode *i, struct sk_io *io, int64_t offset);
	int64_t (*write)(struct sk_inode *i, struct sk_io *io, int64_t offset);
	int (*truncate)(struct sk_inode *i, int64_t size);
	int (*sync)(struct sk_inode *i);

	/*
	 * Makes an open file of it: sets file->ops and data (procfs, ttys), or
	 * leaves them, which makes it a regular file or folder. NULL: nothing
	 * to do; fifos and devices are opened by sk_fifo_open, sk_device_open.
	 */
	int (*open)(struct sk_inode *i, struct sk_task *t, uint32_t flags,
		    struct sk_file *file);

	/* Brings mode, size, times and nlink of the inode up to date. */
	int (*refresh)(struct sk_inode *i);
	/* What is INT64_MIN (times) or UINT32_MAX (mode, uid, gid) stays. */
	int (*change)(struct sk_inode *i, uint32_t mode, uint32_t uid,
		      uint32_t gid, int64_t atime, int64_t mtime);
	int (*statfs)(struct sk_inode *i, struct sk_abi_statfs *out);
	/* The last reference went: frees what the file system keeps. */
	void (*forget)(struct sk_inode *i);
};

struct sk_inode {
	struct sk_kernel *kernel;
	const struct sk_inode_ops *ops;
	struct sk_super *super;
	uint32_t refs;
	uint64_t ino, rdev;
	uint32_t mode, nlink, uid, gid;
	int64_t size, blocks;
	int64_t atime, mtime, ctime; /* ns of REALTIME */
	uint64_t generation;	     /* moves at each change of the contents */
	struct sk_mount *mounted;    /* what covers this folder */
	struct sk_locks *locks;	     /* record locks and flock, by need */
	void *special; /* a fifo's pipe, a socket's listener: see their files */
};

/* A file system that is mounted, perhaps in several places. */
struct sk_super {
	struct sk_kernel *kernel;
	uint32_t refs;
	uint64_t dev;
	const char *type;
	struct sk_inode *root;
	uint32_t flags;			  /* SK_MOUNT_* */
	void (*fini)(struct sk_super *s); /* frees it, whole, root too */
	void *data;
};

struct sk_mount {
	struct sk_list link; /* in sk_kernel.mounts */
	uint32_t refs;
	struct sk_super *super;
	struct sk_path on; /* the folder that it covers; empty for the root */
	uint32_t flags;
};

/*
 * Sets what a new inode has, with one reference and the time of now; uncounts
 * it again (forget calls it before it frees the memory).
 */
void sk_inode_init(struct sk_inode *i, struct sk_super *super,
		   const struct sk_inode_ops *ops, uint64_t ino, uint32_t mode);
void sk_inode_fini(struct sk_inode *i);
struct sk_inode *sk_inode_get(struct sk_inode *i);
void sk_inode_put(struct sk_inode *i);
void sk_path_get(struct sk_path *path);
void sk_path_put(struct sk_path *path);
struct sk_super *sk_super_get(struct sk_super *s);
void sk_super_put(struct sk_super *s);
void sk_mount_put(struct sk_mount *m);

/* A mount in no place, for files without a name. */
int sk_mount_detached(struct sk_super *super, struct sk_mount **out);

/* Walks (path.c). Flags: */
#define SK_WALK_FOLLOW 1 /* the last component too */
#define SK_WALK_PARENT 2 /* stop before the last component */
#define SK_WALK_FOLDER 4 /* the result must be a folder */
#define SK_WALK_EMPTY  8 /* "" means dirfd itself */

struct sk_walk {
	struct sk_path path; /* the result; for PARENT the folder */
	/* For PARENT: the last component; empty for "/". It may be "..". */
	char name[SK_NAME_MAX + 1];
	size_t name_len;
	bool name_is_folder; /* it had a slash behind it */
};
/*
 * From the process's cwd, root or dirfd. -SK_ENOENT, -SK_ENOTDIR, -SK_ELOOP
 * (more than 40 links), -SK_EACCES, -SK_ENAMETOOLONG, -SK_EBADF. On success
 * the caller puts walk->path.
 */
int sk_walk(struct sk_task *t, int dirfd, const char *path, uint32_t flags,
	    struct sk_walk *walk);
/* The same for a path in the program's memory; buffer of SK_PATH_MAX. */
int sk_walk_user(struct sk_task *t, int dirfd, sk_user path, char *buffer,
		 uint32_t flags, struct sk_walk *walk);

/*
 * The same from a place instead of dirfd; *links counts the links that were
 * followed, over several walks.
 */
int sk_walk_from(struct sk_task *t, const struct sk_path *from,
		 const char *path, uint32_t flags, uint32_t *links,
		 struct sk_walk *walk);

/* The absolute path of a folder or file as the process sees it; its length. */
int64_t sk_path_name(struct sk_process *p, const struct sk_path *path, char *to,
		     size_t size);

/*
 * Whether the process may, by its effective or real user and group; 0 or
 * -SK_EACCES, -SK_EROFS. Mask: SK_R_OK...
 */
int sk_inode_access(struct sk_task *t, const struct sk_path *path,
		    uint32_t mask);
int sk_inode_access_real(struct sk_task *t, const struct sk_path *path,
			 uint32_t mask);
/* Gives what the process made to its user, if that is not the kernel's. */
void sk_inode_own(struct sk_task *t, struct sk_inode *i);

/*
 * For kernel.c: mounts a super (whose reference is taken over, also when it
 * fails) as the kernel's root; and gives back all mounts at the end.
 */
int sk_mount_root(struct sk_kernel *k, struct sk_super *super);
void sk_mount_fini(struct sk_kernel *k);

/*
 * Opens of fifos (pipe.c; may answer -SK_PARK) and of devices that lie
 * anywhere (fs/devfs.c). They set file->ops and data.
 */
int sk_fifo_open(struct sk_inode *i, struct sk_task *t, uint32_t flags,
		 struct sk_file *file);
/* The inode of a fifo that was opened goes (sk_inode_fini). */
void sk_fifo_forget(struct sk_inode *i);
int sk_device_open(struct sk_inode *i, struct sk_task *t, uint32_t flags,
		   struct sk_file *file);

/*
 * Terminals by their device number (tty.c, pty.c): 5:0 the process's own,
 * 5:2 a new pty, 136:n the pty n. Sets file->ops and data. And the first pty
 * that exists from number `from` on, or -1.
 */
int sk_tty_open(struct sk_task *t, uint64_t rdev, uint32_t flags,
		struct sk_file *file);
int sk_pty_next(struct sk_kernel *k, int from);
/* The device number of a terminal, and its foreground group. */
uint64_t sk_tty_number(struct sk_tty *tty, int32_t *group);

/*
 * Locks (locks.c): what a process has on an inode goes when it closes any
 * descriptor of it; what an open file has, with the open file.
 */
int64_t sk_locks_fcntl(struct sk_task *t, struct sk_file *f, int command,
		       sk_user lock);
void sk_locks_closed(struct sk_inode *i, struct sk_process *p);
void sk_locks_released(struct sk_inode *i, struct sk_file *f);
void sk_locks_fini(struct sk_inode *i);

/* Makes a super for one of the types of sk_mount; fs/NAME.c each. */
int sk_memfs_new(struct sk_kernel *k, struct sk_super **out);
int sk_devfs_new(struct sk_kernel *k, struct sk_super **out);
int sk_procfs_new(struct sk_kernel *k, struct sk_super **out);
int sk_hostfs_new(struct sk_kernel *k, int handle, struct sk_super **out);
/* upper NULL: a new memfs. */
int sk_overlayfs_new(struct sk_kernel *k, const struct sk_path *lower,
		     const struct sk_path *upper, struct sk_super **out);
int sk_zipfs_new(struct sk_kernel *k, const struct sk_path *archive,
		 struct sk_super **out);
int sk_tarfs_new(struct sk_kernel *k, const struct sk_path *archive,
		 struct sk_super **out);

#endif
