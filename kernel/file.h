/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open files (open file descriptions): what dup and fork share, offset
 * included; and the descriptors of a process that refer to them.
 */
#ifndef SK_FILE_H
#define SK_FILE_H

#include "copy.h"
#include "inode.h"

struct sk_epoll_item;
struct sk_file;

struct sk_file_ops {
	/* For fstat of what has no inode: SK_S_IFIFO | 0600 and its kind. */
	uint32_t mode;
	/*
	 * What is NULL answers -SK_EINVAL (read, write), -SK_ENOTTY (ioctl),
	 * -SK_ESPIPE (seek), always ready (poll). read and write may park:
	 * sk_wait_on, unless io->flags has SK_O_NONBLOCK (then -SK_EAGAIN);
	 * what was moved before is returned instead of either.
	 */
	int64_t (*read)(struct sk_file *f, struct sk_task *t, struct sk_io *io);
	int64_t (*write)(struct sk_file *f, struct sk_task *t,
			 struct sk_io *io);
	int64_t (*pread)(struct sk_file *f, struct sk_task *t, struct sk_io *io,
			 int64_t offset);
	int64_t (*pwrite)(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io, int64_t offset);
	int64_t (*seek)(struct sk_file *f, int64_t offset, int whence);
	/* Also gets SK_F_SETPIPE_SZ and SK_F_GETPIPE_SZ of fcntl. */
	int64_t (*ioctl)(struct sk_file *f, struct sk_task *t, uint32_t request,
			 uint64_t arg);
	/*
	 * What is ready now (SK_POLL*). `queues` receives up to 2 queues that
	 * are woken when that changes; *count says how many.
	 */
	uint32_t (*poll)(struct sk_file *f, struct sk_waitq *queues[2],
			 uint32_t *count);
	/* A descriptor was closed (flush), and the last reference went. */
	void (*closed)(struct sk_file *f, struct sk_process *p);
	void (*release)(struct sk_file *f);
};

struct sk_file {
	struct sk_kernel *kernel;
	const struct sk_file_ops *ops;
	uint32_t refs;
	uint32_t flags; /* SK_O_ACCMODE, APPEND, NONBLOCK, PATH ... */
	int64_t offset;
	struct sk_path path; /* inode NULL for what has no name */
	void *data;	     /* of ops */
	uint64_t ino; /* for what has no inode; both ends of a pipe: the same */
	int32_t owner;			 /* F_SETOWN */
	struct sk_epoll_item *followers; /* epoll.c */
};

/* An open file with one reference, nothing else set. -SK_ENFILE, -SK_ENOMEM. */
int sk_file_new(struct sk_kernel *k, const struct sk_file_ops *ops,
		uint32_t flags, struct sk_file **out);
struct sk_file *sk_file_get(struct sk_file *f);
void sk_file_put(struct sk_file *f);

/* Files of inodes that are regular or folders (file.c). */
extern const struct sk_file_ops sk_inode_file_ops;
/* Opens what a walk has found; takes over nothing. */
int sk_file_open(struct sk_task *t, const struct sk_path *path, uint32_t flags,
		 struct sk_file **out);

/* Descriptors. */
struct sk_fd {
	struct sk_file *file; /* NULL: free */
	bool cloexec;
};
struct sk_fds {
	struct sk_kernel *kernel;
	uint32_t refs;	      /* tasks may share one */
	uint32_t size;	      /* of table, grows */
	uint32_t lowest_free; /* no free one below */
	struct sk_fd *table;
};
int sk_fds_new(struct sk_kernel *k, struct sk_fds **out);
int sk_fds_copy(struct sk_fds *from, struct sk_fds **out);  /* fork */
void sk_fds_exec(struct sk_fds *fds, struct sk_process *p); /* CLOEXEC */
void sk_fds_put(struct sk_fds *fds, struct sk_process *p);

/* Borrowed: valid while locked. NULL: -SK_EBADF is the answer. */
struct sk_file *sk_fd_file(struct sk_task *t, int fd);
/*
 * The lowest free descriptor from `from` on takes over the caller's
 * reference; on failure (-SK_EMFILE, -SK_ENOMEM) the file is put.
 */
int sk_fd_install(struct sk_task *t, struct sk_file *file, int from,
		  bool cloexec);
int sk_fd_close(struct sk_task *t, int fd);

/* read and write with the checks of their calls, for files opened so. */
int64_t sk_file_read(struct sk_file *f, struct sk_task *t, struct sk_io *io);
int64_t sk_file_write(struct sk_file *f, struct sk_task *t, struct sk_io *io);

/*
 * Shared mappings of files (mmap.c): written back and forgotten by the task
 * that has the memory (exec, exit); the list is copied by fork.
 */
void sk_mappings_end(struct sk_task *t);
void sk_mappings_drop(struct sk_process *p);
int sk_mappings_copy(struct sk_process *from, struct sk_process *to);

/*
 * What a process does to a file that it has mapped itself: called around
 * reads and writes, when it has mappings.
 */
void sk_mappings_before_read(struct sk_task *t, const struct sk_inode *i);
void sk_mappings_after_write(struct sk_task *t, const struct sk_inode *i,
			     int64_t offset, int64_t size);

/* Pipes are made by pipe.c, for pipe2, fifos and stream socketpairs. */

#endif
