/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control messages: who starts, attaches, retires and kills worker processes.
 *
 * Three kinds of AF_UNIX SOCK_SEQPACKET sockets carry them; docs/control.md
 * tells the story. A message is a struct sk_message, then `length` bytes of payload, and up to
 * SK_MESSAGE_FDS descriptors (SCM_RIGHTS) in the order given here.
 */
#ifndef SK_CONTROL_H
#define SK_CONTROL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SK_MESSAGE_MAX (48u * 1024u) /* payload bytes of one message */
#define SK_MESSAGE_FDS 4

enum sk_message_type {
	/* --- the door: nginx master and workers -> supervisor --- */
	/* Sent by nginx's master at each load of the configuration, accepted
	 * only from the supervisor's own uid (SCM_CREDENTIALS).
	 * generation. fd: sealed memfd, JSON (docs/control.md). */
	SK_MSG_CONFIG = 1,
	/* Sent by an nginx worker. generation. fd: the supervisor's end of a
	 * new SEQPACKET pair, the *client socket*. */
	SK_MSG_CONNECT = 2,

	/* --- a client socket: nginx worker <-> supervisor --- */
	SK_MSG_ATTACH = 10,	 /* -> app, route, index: I need it */
	SK_MSG_ATTACHED = 11,	 /* <- app, route, index, proc.
				  * fds: area, wake the worker process,
				  * wake the gateway */
	SK_MSG_UNAVAILABLE = 12, /* <- app, route, index, value = ms until
				  * another try makes sense; payload: why */
	SK_MSG_GONE = 13,	 /* <- proc, value = wait status: it died;
				  * index = HTTP status of its requests, or
				  * 0: 502 */
	SK_MSG_RETIRE = 14,	 /* <- proc: begin nothing new there */
	SK_MSG_RETIRED = 15,	 /* -> proc: nothing of mine runs there */
	SK_MSG_STUCK = 16,	 /* -> proc: it takes nothing from its ring
				  * though a request's time is up */
	SK_MSG_HOSTILE = 17,	 /* -> proc: protocol error; payload: what.
				  * The supervisor kills it */

	/* --- a worker process's control socket --- */
	SK_MSG_READY = 30,     /* -> supervisor: module loaded */
	SK_MSG_FAILED = 31,    /* -> supervisor; payload: message, stack and
				  * code frame; the process exits after it */
	SK_MSG_AREA = 32,      /* <- value = area id (0 to 63).
				  * fds: area, wake the gateway */
	SK_MSG_AREA_GONE = 33, /* <- value = area id: its nginx worker died */
	SK_MSG_STOP = 34,      /* <- finish (nothing runs) and exit 0 */
	SK_MSG_LOG = 35,       /* -> value = enum sk_level; payload: text */
	SK_MSG_RECYCLE = 36,   /* -> replace me by a fresh process;
				  * payload: why (for the log) */

	/* --- supervisor <-> zygote --- */
	SK_MSG_SPAWN = 50,	  /* -> proc; payload: start JSON.
				  * fds: control socket, bundle, source map
				  * (or /dev/null), wake eventfd; a second
				  * message SK_MSG_SPAWN_PAGE follows */
	SK_MSG_SPAWN_PAGE = 51,	  /* -> proc. fd: status page memfd */
	SK_MSG_SPAWNED = 52,	  /* <- proc, value = pid. fd: pidfd */
	SK_MSG_SPAWN_FAILED = 53, /* <- proc, value = errno */
	SK_MSG_EXITED = 54,	  /* <- proc, value = wait status */

	/* --- supervisor <-> egress (docs/egress.md) --- */
	SK_MSG_EGRESS_AREA = 70,    /* -> proc; payload: route and policy, JSON.
				    * fds: area, wake the worker process, wake
				    * the egress */
	SK_MSG_EGRESS_GONE = 71,    /* -> proc: that worker process died */
	SK_MSG_EGRESS_HOSTILE = 72, /* <- proc; payload: what it did */
	SK_MSG_EGRESS = 73	    /* supervisor -> worker process.
				    * fds: area, wake the egress; none:
				    * there is no egress at the moment */
};

enum sk_level {
	SK_LEVEL_DEBUG,
	SK_LEVEL_LOG,
	SK_LEVEL_INFO,
	SK_LEVEL_WARN,
	SK_LEVEL_ERROR
};

struct sk_message {
	uint32_t type;
	uint32_t length; /* payload bytes */
	uint64_t generation;
	uint64_t proc; /* the supervisor's number, never used twice */
	uint32_t app;
	uint32_t route;
	uint32_t index; /* 0 to processes-1 */
	int32_t value;
};

/*
 * Status page: one page shared by a worker process (writes) and the
 * supervisor (reads). It is a hint for the watchdog and trusted for nothing
 * else.
 */
struct sk_status_page {
	_Atomic uint64_t turn;	   /* counts turns of the event loop */
	_Atomic uint32_t in_turn;  /* 1 while user code may run */
	_Atomic uint32_t inflight; /* requests begun and not finished */
};

/* A received message. `fds` beyond `nfds` are -1; all belong to the caller. */
struct sk_received {
	struct sk_message head;
	int nfds;
	int fds[SK_MESSAGE_FDS];
	int has_cred;
	uid_t uid;
	pid_t pid;
	size_t length;
	unsigned char *payload; /* inside the caller's buffer, NUL after it */
};

/* Sends one message. `head->length` is filled in. The descriptors stay the
 * caller's. 0 or -errno (-EAGAIN: would block, -EMSGSIZE: too long,
 * -EPIPE: the peer is gone). */
int sk_message_send(int sock, struct sk_message *head, const void *payload,
		    size_t length, const int *fds, int nfds);

/* Receives one message into `buffer` (SK_MESSAGE_MAX + 1 bytes or less).
 * Descriptors are close-on-exec. 1: a message; 0: the peer closed; -EAGAIN;
 * -EPROTO: cut off or malformed (its descriptors have been closed); -errno. */
int sk_message_receive(int sock, struct sk_received *out, void *buffer,
		       size_t size);

/* Closes the descriptors that are left in `received`. */
void sk_received_close(struct sk_received *received);

/* A SEQPACKET pair, close-on-exec and non-blocking. 0 or -errno. */
int sk_control_pair(int pair[2]);

#endif
