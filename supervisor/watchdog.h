/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The watchdog: what the status page of a process says about its health. The
 * page is written by the process itself, so a process can hide from it; the
 * gateway's STUCK catches those.
 */
#ifndef SK_WATCHDOG_H
#define SK_WATCHDOG_H

#include <stdint.h>

#include "supervisor/route.h"

/* What is seen at one look. */
struct sk_look {
	uint64_t turn;
	uint32_t in_turn;
	uint32_t inflight;
	int64_t now; /* ms */
	int64_t cpu; /* ms of CPU that the process has used */
};

struct sk_watch {
	uint64_t turn;
	uint32_t in_turn;
	int64_t wall; /* `now` when this turn was first seen */
	int64_t cpu;  /* `cpu` then */
	int64_t idle; /* `now` when it was last seen at work */
};

/* The engine stops a turn at its limit; who outlasts that by so much CPU time
 * is where it cannot, as in a loop of WebAssembly. */
#define SK_GRACE_MS 750

enum sk_verdict {
	SK_FINE,
	SK_IDLE,     /* no requests for limits->idle */
	SK_OVER_CPU, /* one turn took limits->cpu and SK_GRACE_MS */
	SK_OVER_WALL /* one turn took twice limits->wall */
};

void sk_watch_init(struct sk_watch *watch, int64_t now);

enum sk_verdict sk_watch_look(struct sk_watch *watch,
			      const struct sk_look *look,
			      const struct sk_limits *limits);

#endif
