/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pair: a watcher and the supervisor proper.
 *
 * Each holds the other's pidfd and starts it again when it dies, by executing
 * this program anew in the other role. What a fresh supervisor needs lies
 * in the door (descriptor 3) and the store (descriptor 4), which both keep.
 * Either may be the other's parent.
 */
#ifndef SK_PAIR_H
#define SK_PAIR_H

#include <stdint.h>
#include <sys/types.h>

#include "supervisor/loop.h"

struct sk_options;

struct sk_peer {
	pid_t pid;
	struct sk_source source; /* pidfd: readable when it has died */
	int64_t started;
	unsigned quick; /* deaths in a row, each soon after its start */
};

/* Starts the other of the pair (`role` "watcher" or "supervisor"). `peer` gets
 * its pid and pidfd. 0 or -errno. */
int sk_peer_start(struct sk_peer *peer, const struct sk_options *options,
		  const char *role);

/* Takes over the peer that started us. 0, or -ESRCH when it has died already.
 */
int sk_peer_adopt(struct sk_peer *peer, pid_t pid);

/* The peer has died: reaps it if it was a child, and closes the pidfd's
 * descriptor unless a loop has. Returns ms to wait before it is started again.
 */
int64_t sk_peer_bury(struct sk_peer *peer);

/* The watcher: lives as long as the supervisor has work. The exit status. */
int sk_watcher_run(struct sk_options *options, pid_t supervisor);

#endif
