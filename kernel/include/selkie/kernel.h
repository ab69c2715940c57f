/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's calls, for its hosts. A process enters the kernel by calling a
 * function on its own thread. The kernel never sleeps: what has to wait
 * returns SK_CALL_PARK, and the host parks the thread (sk_task_park) and
 * calls sk_call_again. docs/abi.md, docs/locking.md, docs/lifetimes.md.
 */
#ifndef SELKIE_KERNEL_H
#define SELKIE_KERNEL_H

#include "selkie/host.h"

struct sk_kernel;

struct sk_config {
	const struct sk_host *host;
	void *self; /* passed to every function of the host */
	/* Limits; 0 takes the default in brackets. */
	uint32_t max_processes; /* [4096] */
	uint32_t max_fds;	/* per process [1024] */
	uint64_t max_memory;	/* bytes that the kernel allocates [1 GiB] */
	const char *hostname;	/* NULL: "selkie" */
	uint32_t uid, gid;	/* the one user */
};

/*
 * Makes a kernel with an empty memfs as its root and process 1, which belongs
 * to the host: it does calls (mount, open, spawn, wait) like any process, and
 * orphans that end under it are reaped by themselves. -SK_ENOMEM.
 */
int sk_kernel_new(const struct sk_config *config, struct sk_kernel **out);

/* Ends a kernel of which no task but that of process 1 is left. */
void sk_kernel_free(struct sk_kernel *k);

struct sk_task *sk_kernel_init(struct sk_kernel *k);

/* Runs the timers that are due; from any thread (host->timer). */
void sk_kernel_tick(struct sk_kernel *k);

/* A stream that was watched may be ready; from any thread, unlocked. */
void sk_kernel_host_event(struct sk_kernel *k, void *cookie);

/* Sends a signal as a terminal would; 0, -SK_ESRCH, -SK_EINVAL. */
int sk_kernel_kill(struct sk_kernel *k, int32_t pid, int signo);

/* Bytes and objects that the kernel holds, for leak tests. */
struct sk_kernel_usage {
	uint64_t bytes; /* in use now, as the counts are */
	uint32_t allocations, processes, files, inodes;
};
void sk_kernel_usage(struct sk_kernel *k, struct sk_kernel_usage *out);

/*
 * The head of a task: what its host may read and write. A task is a thread
 * of a process.
 */
struct sk_face {
	/* Set by the host before the task's first call. */
	uint8_t *memory; /* the program's memory, or NULL: host->copy_in */
	_Atomic uint32_t memory_size; /* bytes; the host raises it */
	void *host;		      /* the host's own */
	/* Written by the kernel. */
	_Atomic uint32_t attention; /* not 0: kernel.pending answers 1 */
	_Atomic uint32_t wake;	    /* the word to park on */
	uint32_t seen;	  /* its value when SK_CALL_PARK was returned */
	int64_t deadline; /* until when to park, or SK_NEVER */
	struct sk_kernel *kernel;
};

static inline struct sk_face *sk_task_face(struct sk_task *t)
{
	return (struct sk_face *)t;
}
int32_t sk_task_pid(struct sk_task *t);

/* Answers of sk_call and its kind that are not for the program. */
#define SK_CALL_PARK INT64_MIN	     /* park, then sk_call_again */
#define SK_CALL_EXIT (INT64_MIN + 1) /* leave the program; sk_task_end */
#define SK_CALL_EXEC (INT64_MIN + 2) /* load the image; sk_exec_commit */

/*
 * A system call of the program: its result and SK_RESULT_SIGNAL, or one of
 * the three above. Arguments that are 32 bits wide may carry anything above.
 */
int64_t sk_call(struct sk_task *t, uint32_t n, const uint64_t a[6]);
int64_t sk_call_again(struct sk_task *t);

/* Parks until the word moves or the deadline passes (host->wait). */
void sk_task_park(struct sk_task *t);

/*
 * kernel.nextsig: takes the next signal that has a handler and writes a
 * struct sk_abi_sigframe to `frame`. 1, 0 (none left), SK_CALL_PARK (the
 * process is stopped: park, then ask again), SK_CALL_EXIT.
 */
int64_t sk_next_signal(struct sk_task *t, sk_user frame);

/*
 * The program trapped. 0: sk_next_signal has a handler for it (which must
 * not return into the trapped code); SK_CALL_EXIT otherwise.
 */
int64_t sk_trap(struct sk_task *t, int signo, int code, sk_user addr);

/*
 * kernel.fork, kernel.vfork: makes a child that shares nothing but open
 * files; its task has no memory yet. The host copies the memory and starts
 * a thread, or (vfork) calls the kernel as the child on the parent's thread
 * until that one's exec or exit. The child's pid, or -SK_EAGAIN, -SK_ENOMEM.
 */
int64_t sk_fork(struct sk_task *t, struct sk_task **child);
/* Undoes sk_fork before the child ever ran. */
void sk_fork_undo(struct sk_task *child);

/*
 * kernel.exec: finds the program and its arguments. SK_CALL_EXEC: read the
 * image (below), make an instance of it, then commit, after which the old
 * program must not run again; or fail, whose result goes to the program.
 * Otherwise -errno or SK_CALL_PARK.
 */
int64_t sk_exec(struct sk_task *t, sk_user path, sk_user argv, sk_user envp);
/* 0, or SK_CALL_EXIT: the process was ended meanwhile. */
int64_t sk_exec_commit(struct sk_task *t);
int64_t sk_exec_fail(struct sk_task *t, int error);

/* The image that an exec or spawn has found, until the commit. */
struct sk_image {
	/* The same key: the same bytes. For caches of translated programs. */
	uint64_t dev, ino, generation;
	int64_t size;
	char name[256]; /* last component of its path */
};
const struct sk_image *sk_image(struct sk_task *t);
/* Bytes read, short only at the end; -errno. Unlocked; may block. */
int64_t sk_image_read(struct sk_task *t, int64_t offset, void *to, size_t size);

/* The task's thread has left for good. Frees the task. */
void sk_task_end(struct sk_task *t);

/*
 * Mounts, as process `t`. `type`: memfs, devfs, procfs, overlay (source:
 * "lower:upper" paths; upper empty: a new memfs), zip, tar (source: path of
 * the archive), hostfs (handle: an open folder of the host, owned by the
 * mount from then on, whatever the result). Flags: SK_MOUNT_*. Folders that
 * the target lacks are made. A mount on "/" becomes the root of `t`, and of
 * what it starts from then on. -errno.
 */
#define SK_MOUNT_RDONLY 1
#define SK_MOUNT_NOEXEC 8
int sk_mount(struct sk_task *t, const char *type, const char *source,
	     const char *target, uint32_t flags, int handle);

/* Opens a stream of the host (owned from then on) as the lowest free fd. */
int sk_open_stream(struct sk_task *t, int handle, uint32_t flags);

#endif
