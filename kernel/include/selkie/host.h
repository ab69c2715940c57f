/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel asks of its host. Every function gets the `self` of
 * struct sk_config first. Unless a comment says so, a function is called with
 * the kernel's lock held and must neither block nor call back into the kernel.
 */
#ifndef SELKIE_HOST_H
#define SELKIE_HOST_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "selkie/abi.h"

struct sk_task;
struct sk_host_files;
struct sk_host_net;

#define SK_NEVER INT64_MAX

struct sk_host {
	/* Zeroed memory, aligned to 16; NULL when there is none. */
	void *(*alloc)(void *self, size_t size);
	void (*free)(void *self, void *memory, size_t size);

	/*
	 * Futexes. wait sleeps while *word == seen, at most until `deadline`
	 * (ns of SK_CLOCK_MONOTONIC, or SK_NEVER), and may return early; wake
	 * wakes all who wait on the word. The kernel calls wait only for its
	 * own lock, without holding it. wake is called unlocked too, and the
	 * word's memory may be gone by then: it must not look at it.
	 */
	void (*wait)(void *self, _Atomic uint32_t *word, uint32_t seen,
		     int64_t deadline);
	void (*wake)(void *self, _Atomic uint32_t *word);

	/* ns of a clock of abi.h (REALTIME or MONOTONIC). Called unlocked too. */
	int64_t (*now)(void *self, int clock);
	/* CPU time of the calling task's thread, ns. Called unlocked too. */
	int64_t (*cpu_time)(void *self, struct sk_task *task);
	void (*random)(void *self, void *out, size_t size);

	/*
	 * sk_kernel_tick is to be called at `deadline` (ns of MONOTONIC) or
	 * soon after, from any thread. Replaces the deadline given before;
	 * SK_NEVER takes it back.
	 */
	void (*timer)(void *self, int64_t deadline);

	/*
	 * Copies between the kernel and a task's memory, for hosts where
	 * task->memory is NULL. -SK_EFAULT outside of the memory.
	 */
	int (*copy_in)(void *self, struct sk_task *task, void *to, sk_user from,
		       uint32_t size);
	int (*copy_out)(void *self, struct sk_task *task, sk_user to,
			const void *from, uint32_t size);

	/*
	 * Starts a thread that runs the image of `child` (sk_spawn). Called
	 * unlocked, and may take long. 0: the thread will call
	 * sk_exec_commit(child) first of all; -SK_ENOEXEC, -SK_ENOMEM
	 * otherwise, and nothing was started.
	 */
	int (*start)(void *self, struct sk_task *child);

	/*
	 * Ends the thread of a task that is in user state at once, or NULL
	 * when the host's programs poll kernel.pending often enough. Then
	 * the host calls sk_task_end. The thread of a new child may not
	 * have begun yet.
	 */
	void (*terminate)(void *self, struct sk_task *task);

	/* One line for whoever runs the kernel. Called unlocked too. */
	void (*log)(void *self, const char *line);

	const struct sk_host_files *files; /* NULL: no hostfs */
	const struct sk_host_net *net;	   /* NULL: loopback only */
};

/*
 * Files and folders of the host, by handle. All are called UNLOCKED and may
 * block, but for streams (see below). Names are single components, never "."
 * or ".."; the host must not follow a symbolic link in a name (openat2
 * RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS). 0 or a count, or -errno. The host's
 * umask is 0: modes are meant as they are given.
 */
struct sk_host_files {
	/* `dir` is an open folder; flags are SK_O_*. */
	int (*open)(void *self, int dir, const char *name, uint32_t flags,
		    uint32_t mode, int *handle);
	void (*close)(void *self, int handle); /* called locked */
	int (*stat)(void *self, int dir, const char *name,
		    struct sk_abi_stat *out); /* name NULL: the handle itself */
	int64_t (*read)(void *self, int handle, void *to, size_t size,
			int64_t offset); /* offset -1: a stream */
	/* Offset -1: a stream, or a file that was opened with SK_O_APPEND. */
	int64_t (*write)(void *self, int handle, const void *from, size_t size,
			 int64_t offset);
	int (*truncate)(void *self, int handle, int64_t size);
	int (*sync)(void *self, int handle);
	/*
	 * Fills `to` with struct sk_abi_dirent from position `at`, without
	 * "." and ".."; a count of bytes, 0 at the end.
	 */
	int64_t (*list)(void *self, int dir, int64_t at, void *to, size_t size);
	int (*mkdir)(void *self, int dir, const char *name, uint32_t mode);
	int (*unlink)(void *self, int dir, const char *name, int is_dir);
	int (*rename)(void *self, int from_dir, const char *from, int to_dir,
		      const char *to, uint32_t flags);
	int (*link)(void *self, int from_dir, const char *from, int to_dir,
		    const char *to);
	int (*symlink)(void *self, const char *target, int dir,
		       const char *name);
	int64_t (*readlink)(void *self, int dir, const char *name, char *to,
			    size_t size);
	/* name NULL: the handle itself, for both. */
	int (*chmod)(void *self, int dir, const char *name, uint32_t mode);
	int (*utimes)(void *self, int dir, const char *name, int64_t atime,
		      int64_t mtime); /* ns; INT64_MIN leaves one as it is */
	int (*statfs)(void *self, int handle, struct sk_abi_statfs *out);
	/*
	 * Streams (standard input, pipes, sockets of the host): read and
	 * write answer -SK_EAGAIN instead of blocking; poll answers what is
	 * ready now (SK_POLL*); watch asks that sk_kernel_host_event(cookie)
	 * be called once when one of `events` may be ready. poll and watch
	 * are called locked.
	 */
	uint32_t (*poll)(void *self, int handle);
	void (*watch)(void *self, int handle, uint32_t events, void *cookie);
	void (*unwatch)(void *self, int handle, void *cookie);
};

/* The network beyond the kernel. Called locked; must not block. */
struct sk_host_net {
	/*
	 * A stream to an address, as a handle of sk_host_files; the stream
	 * becomes writable when it stands (then `connected` says 0 or
	 * -errno). -SK_EACCES when the policy does not allow it.
	 */
	int (*connect)(void *self, int type,
		       const struct sk_abi_sockaddr_in6 *to, int *handle);
	int (*connected)(void *self, int handle);
	int (*shutdown)(void *self, int handle, int how);
	/* A program listens on a port, or no longer does. */
	void (*listening)(void *self, uint16_t port, int yes);
};

#endif
