/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walls round a process that runs untrusted code: layer on layer, each
 * of which holds alone. They go up in two steps, because the engine's start
 * needs a little more than user code does:
 *
 *   sk_sandbox_enter   while the process has one thread: descriptors, user,
 *                      no_new_privs, capabilities, rlimits, Landlock for all
 *                      but the two files that the engine reads at its start
 *   sk_sandbox_close   with the engine running, before any user code: Landlock
 *                      for all; the system call filter, on all threads; the
 *                      data limit
 *
 * Threads that the engine starts in between keep the first Landlock ruleset
 * (random bytes and this process's own memory map stay readable), but are under
 * the filter, which opens no file at all.
 *
 * A layer that this system does not have is recorded, never skipped in
 * silence: sk_sandbox_missing names it, sk_sandbox_probe prints the lot.
 */
#ifndef SK_SANDBOX_H
#define SK_SANDBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SK_SANDBOX_LAYERS      7
#define SK_SANDBOX_START_FILES 2

enum sk_sandbox_state {
	SK_SANDBOX_ON,
	SK_SANDBOX_PARTIAL, /* there, but an old version of it */
	SK_SANDBOX_MISSING
};

/* All strings are constants. */
struct sk_sandbox_layer {
	const char *name;
	enum sk_sandbox_state state;
	const char *hint; /* what is lost and how to get it; "" when on */
};

struct sk_sandbox {
	/* The caller fills these in. */
	const int *keep; /* descriptors to keep, besides 0, 1 and 2 */
	int nkeep;
	int drop_user; /* become uid and gid (needs root) */
	uid_t uid;
	gid_t gid;
	int writes_stdio;     /* 1 or 2 may be files: no limit on file sizes */
	int die_with_parent;  /* SIGKILL when the parent dies */
	uint64_t data_budget; /* bytes of private writable memory beyond
			       * what the process has at sk_sandbox_close */
	/* Filled in on the way: bit n is layer n of sk_sandbox_probe. */
	unsigned missing;
	/* Open between the two steps: /proc/self/status; what the engine may
	 * read while it starts. */
	int status_fd;
	int start_fds[SK_SANDBOX_START_FILES];
};

/* Step one. 0 or -errno; a failure here means: do not run user code. */
int sk_sandbox_enter(struct sk_sandbox *sandbox);

/* Step two. 0 or -errno, the same. */
int sk_sandbox_close(struct sk_sandbox *sandbox);

/* The other kind of wall, in one step and with one thread: for a process that
 * is trusted to call out and to do nothing else (the egress). Of files it may
 * read the certificates and what the resolver needs; it may open sockets and
 * connect, but neither listen nor reach a unix socket. `nkeep`, `keep`, the user
 * and `die_with_parent` count. 0 or -errno. */
int sk_sandbox_network(struct sk_sandbox *sandbox);

/* The third kind, for the process that runs programs in our kernel (selkie-run).
 * Step one, with one thread: no capabilities, no new privileges, no file but
 * what lies beneath `folders` (descriptors; `writable` says which may change).
 * Step two, when its threads run: the system call filter, under which no
 * memory becomes executable any more. 0 or -errno. */
int sk_sandbox_programs(struct sk_sandbox *sandbox, const int *folders,
			const int *writable, int count);
int sk_sandbox_programs_close(struct sk_sandbox *sandbox);

/* The names of the layers that are missing, separated by ", "; "" when none
 * is. Returns the length. */
size_t sk_sandbox_missing(const struct sk_sandbox *sandbox, char *text,
			  size_t size);

/* What this system offers, in the order of the layers, without entering any.
 * Fills in up to `n` and returns how many layers there are. */
int sk_sandbox_probe(struct sk_sandbox_layer *layers, size_t n);

/* --- inside lib/sandbox --- */

enum sk__layer {
	SK__LAYER_DESCRIPTORS,
	SK__LAYER_USER,
	SK__LAYER_CAPABILITIES,
	SK__LAYER_NO_NEW_PRIVS,
	SK__LAYER_LANDLOCK,
	SK__LAYER_SECCOMP,
	SK__LAYER_RLIMITS
};

void sk__sandbox_miss(struct sk_sandbox *sandbox, enum sk__layer layer);

/* Closes every descriptor above 2 that is not in the list. 0 or -errno. */
int sk__sandbox_close_others(const struct sk_sandbox *sandbox);

/* User, capabilities, and no way back. 0 or -errno. */
int sk__sandbox_drop(struct sk_sandbox *sandbox);

/* Private writable memory of this process, in bytes, as RLIMIT_DATA counts it,
 * out of /proc/self/status. 0 or -errno. */
int sk__sandbox_data(int status_fd, uint64_t *out);

/* setrlimit, both values. 0 or -errno. */
int sk__sandbox_limit(int which, uint64_t value);

/* Landlock's version here, 0 when there is none. */
int sk__landlock_version(void);

/* Denies every access that the running version can deny, for this thread and
 * what it starts. 0 or -errno (-ENOSYS, -EOPNOTSUPP: no Landlock here). */
int sk__landlock_deny_all(void);

/* The same but for reading the files that `files` (O_PATH) name. */
int sk__landlock_deny_but(const int *files, int count);

/* Reading what lies at or below `paths` (ends with NULL; what does not exist is
 * left out) and calling out by TCP is all that remains. 0 or -errno. */
int sk__landlock_read_only(const char *const *paths);

/* All that files allow beneath these folders, or reading alone; nothing of
 * the network. 0 or -errno. */
int sk__landlock_beneath(const int *folders, const int *writable, int count);

/* The egress's allow-list. 0 or -errno. */
int sk__seccomp_load_network(void);

/* Loads the allow-list on all threads of the process. 0 or -errno. */
int sk__seccomp_load(void);

#endif
