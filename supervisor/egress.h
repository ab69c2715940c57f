/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The egress: `selkie-egress`, the door out for every worker process whose
 * route has outbound grants. It is started with the first of them and again,
 * with back-off, when it dies. Each of these processes shares an area with it,
 * which is made here, so that neither can name another route.
 */
#ifndef SK_SUPERVISOR_EGRESS_H
#define SK_SUPERVISOR_EGRESS_H

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/log.h"
#include "supervisor/loop.h"
#include "supervisor/outbox.h"
#include "supervisor/route.h"

struct sk_supervisor;
struct sk_proc;

struct sk_egress {
	struct sk_supervisor *sup;
	pid_t pid; /* 0: there is none */
	struct sk_source socket;
	struct sk_outbox outbox;
	struct sk_backoff backoff;
	int64_t started;
	struct sk_bucket bucket;
	char **args;  /* what the running one was started with */
	int outdated; /* it was told to end, for other options */
};

void sk_egress_init(struct sk_egress *egress, struct sk_supervisor *sup);

/* Every SK_TICK ms. */
void sk_egress_tick(struct sk_egress *egress);

/* The newest configuration has changed: one that runs with other options is
 * replaced. */
void sk_egress_configure(struct sk_egress *egress);

/* A process is about to be spawned, or the egress is a new one: gives both an
 * area if the route may call out. */
void sk_egress_attach(struct sk_egress *egress, struct sk_proc *proc);

/* That process is no more. */
void sk_egress_detach(struct sk_egress *egress, struct sk_proc *proc);

/* It was reaped. */
void sk_egress_died(struct sk_egress *egress, int status);

/* Ends it and lets go of all: at the supervisor's own end. */
void sk_egress_fini(struct sk_egress *egress);

/* --- what a configuration says of it --- */

/* The options of {"resolve": […], "caFile": …, "audit": …} (or NULL), ready
 * for execv behind the program's name. 0, -ENOMEM, or -EINVAL with a message in
 * `error`. */
int sk_egress_args(const json_t *from, char ***out, char *error,
		   size_t errsize);
void sk_egress_args_free(char **args);

/* The payload of EGRESS_AREA for a route, `*out` NULL when its policy grants no
 * call. 0, -ENOMEM, -E2BIG. */
int sk_egress_payload(const char *label, const json_t *route, char **out);

#endif
