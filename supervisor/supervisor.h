/* SPDX-License-Identifier: BSD-2-Clause */
/* The supervisor's state: single-threaded, every part hangs off it. */
#ifndef SK_SUPERVISOR_H
#define SK_SUPERVISOR_H

#include <sys/queue.h>
#include <sys/types.h>

#include "control/control.h"
#include "supervisor/egress.h"
#include "supervisor/log.h"
#include "supervisor/loop.h"
#include "supervisor/pair.h"
#include "supervisor/store.h"
#include "supervisor/zygote.h"

#define SK_DOOR_FD  3
#define SK_STORE_FD 4

#define SK_TICK	    250	  /* ms between two looks at the processes */
#define SK_STOP_MS  5000  /* from STOP to SIGKILL */
#define SK_START_MS 30000 /* from SPAWN to READY */
/* What one worker process may say in a tick before it is heard no more until
 * the next: a flood costs the flooder, not us. */
#define SK_HEAR_MESSAGES 5000
#define SK_HEAR_BYTES	 (1024 * 1024)

struct sk_generation;
struct sk_route;
struct sk_client;
struct sk_proc;

struct sk_options {
	char *worker;		 /* path of selkie-worker */
	char *egress;		 /* path of selkie-egress */
	const char *worker_user; /* when root */
	uid_t uid;		 /* of worker processes and egress, when root */
	gid_t gid;
	enum sk_log_format format;
	int debug;
	int argc; /* to start the other of the pair in the same way */
	char **argv;
};

struct sk_supervisor {
	struct sk_options *options;
	struct sk_loop loop;
	struct sk_log log;
	struct sk_store store;
	struct sk_source door;
	struct sk_source signals;
	struct sk_peer watcher;
	struct sk_zygote zygote;
	struct sk_egress egress;

	LIST_HEAD(, sk_generation) generations; /* newest first */
	LIST_HEAD(, sk_route) routes;
	LIST_HEAD(, sk_client) clients;
	LIST_HEAD(, sk_proc) procs;
	struct sk_generation *connected; /* of the last CONNECT, or NULL */
	int64_t grace; /* after a restart: drop no generation before */
	uint64_t next_proc;
	int64_t next_tick;
	int64_t watcher_at; /* start it again then; 0: it lives */
	int draining;
	int64_t drained_by;
	int walls_reported; /* missing layers of the sandbox, once */
	unsigned char buffer[SK_MESSAGE_MAX + 1]; /* the message being read */
};

/* Runs until everything is drained. The exit status. */
int sk_supervisor_run(struct sk_options *options, pid_t watcher);

/* Stop everything and end. */
void sk_supervisor_drain(struct sk_supervisor *sup, const char *why);

#endif
