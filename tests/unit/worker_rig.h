/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plays supervisor and gateway for the real selkie-worker: starts its zygote,
 * spawns a worker process from the text of a bundle, makes an area and speaks
 * the ring over it.
 */
#ifndef SK_WORKER_RIG_H
#define SK_WORKER_RIG_H

#include "control/control.h"
#include "ring/frame.h"
#include "ring/ring.h"

#define RIG_PATIENCE 20000 /* ms that any one wait may last */

struct rig {
	pid_t zygote;
	int zygote_fd;
	int control;	 /* our end of the worker process's socket */
	int worker_wake; /* eventfd that wakes it */
	int wake;	 /* eventfd that wakes us */
	struct sk_area area;
	struct sk_status_page *page;
	pid_t pid;
	int pidfd;
	int exit_status;  /* of EXITED, -1 before it */
	int recycle;	  /* RECYCLE messages seen */
	uint32_t verdict; /* SK_MSG_READY or SK_MSG_FAILED */
	char text[8192];  /* payload of the verdict */
	char log[65536];  /* lines that it logged */
};

/* What a response was made of. */
struct rig_reply {
	uint32_t status;
	uint64_t announced;
	char headers[4096]; /* "name: value\n" */
	unsigned char *body;
	size_t length;
	int ended;		 /* END was seen */
	int aborted;		 /* ABORT was seen */
	uint32_t request_credit; /* given for the request's body */
};

/* Each fails the test by assertion when the machinery does not work. */
void rig_open(struct rig *rig);
void rig_close(struct rig *rig);

/* Spawns a worker process; `module` is the body of `export default`, with the
 * bundle's wrapper put round it. `limits` is JSON or NULL. Waits for the
 * verdict; with READY an area is attached. */
void rig_spawn(struct rig *rig, const char *module, const char *limits);

/* Pushes a request without a body, or with one that follows. */
void rig_request(struct rig *rig, uint32_t slot, uint32_t serial,
		 const char *method, const char *target, int has_body);

/* One frame down, published at once. Waits while the ring is full. */
void rig_push(struct rig *rig, uint16_t type, uint16_t flags, uint32_t slot,
	      uint32_t serial, const void *payload, uint32_t length);

/* Takes frames for `slot` until END or ABORT, or until `stop_at` bytes of body
 * are there; credit is given for what was taken when `credit`. Frames for other
 * slots fail the test. 1: it ended. */
int rig_take(struct rig *rig, uint32_t slot, uint32_t serial,
	     struct rig_reply *reply, size_t stop_at, int credit);

/* Whether a frame comes within `ms`. */
int rig_quiet(struct rig *rig, int ms);

/* Reads control messages until there are none, or until the process has
 * exited. */
void rig_listen(struct rig *rig, int until_exit);

/* A hello round trip on `slot`: sends GET target, expects 200 and `text`. */
void rig_expect(struct rig *rig, uint32_t slot, uint32_t serial,
		const char *target, const char *text);

void rig_reply_free(struct rig_reply *reply);

#endif
