/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plays supervisor and worker process for the real selkie-egress, and a server
 * upstream that answers as it was told and counts what reached it.
 */
#ifndef SK_EGRESS_RIG_H
#define SK_EGRESS_RIG_H

#include "control/control.h"
#include "ring/fetch.h"
#include "ring/ring.h"

#define RIG_PATIENCE 20000 /* ms that any one wait may last */

/* Shared with the child that serves. */
struct rig_upstream {
	pid_t pid;
	int port;
	struct {
		_Atomic uint32_t connections;
		_Atomic uint32_t requests;
		_Atomic uint64_t bytes; /* received, in all */
		char last[65536];	/* the last request's head */
	} * seen;
};

struct rig {
	pid_t egress;
	int control; /* our end of its control socket */
	int worker_wake;
	int egress_wake;
	struct sk_area area;
	char log[65536];   /* "level text\n" */
	char hostile[256]; /* payload of EGRESS_HOSTILE, or "" */
	uint32_t serial;
	uint32_t timeout_ms; /* that calls ask for; 0: none */
	int deaf;	     /* does not read its control socket */
};

struct rig_reply {
	uint32_t status;
	char headers[8192]; /* "name: value\n" */
	unsigned char *body;
	size_t length;
	int ended;
	uint32_t fail; /* enum sk_fail */
	char text[512];
};

/* Each fails the test by assertion when the machinery does not work. */

/* A server on 127.0.0.1 (or ::1) that answers each request with `reply`, as it
 * stands, on a connection that it keeps open; "" for a reply that never
 * comes. `length` 0: strlen. */
void rig_upstream_open(struct rig_upstream *upstream, const char *reply,
		       size_t length);
void rig_upstream_close(struct rig_upstream *upstream);

/* Starts the egress; `options` (or NULL) end in NULL. */
void rig_open(struct rig *rig, const char *const *options);
void rig_close(struct rig *rig);

/* A worker process with a policy: the text of {"outboundHttp": …}. */
void rig_grant(struct rig *rig, const char *policy);

/* FETCH on a slot. `headers`: "name", "value", …, NULL. Returns its serial. */
uint32_t rig_fetch(struct rig *rig, uint32_t slot, const char *method,
		   const char *url, const char *const *headers,
		   uint64_t body_length, int end);

/* One frame up, published at once. Waits while the ring is full. */
void rig_push(struct rig *rig, uint16_t type, uint16_t flags, uint32_t slot,
	      uint32_t serial, const void *payload, uint32_t length);

/* Takes frames until the call is over or `stop_at` bytes of body are there
 * (credit is given when `credit`). 1: it is over. 0: `stop_at`. -1: the egress
 * called us hostile. */
int rig_take(struct rig *rig, uint32_t slot, struct rig_reply *reply,
	     size_t stop_at, int credit);
void rig_reply_free(struct rig_reply *reply);

/* Reads control messages that are there, waiting up to `ms` for the first. */
void rig_listen(struct rig *rig, int ms);

/* GET `url` and take the reply. */
void rig_get(struct rig *rig, const char *url, struct rig_reply *reply);

#endif
