/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A route as the supervisor knows it: what its processes are started from,
 * and the places where they run, one for each index.
 *
 * Generations share a route as long as nothing about it changed, so that a
 * reload keeps its processes. `users` counts the generations that list it; at
 * 0 it is retired, and freed when its last process has gone.
 */
#ifndef SK_ROUTE_H
#define SK_ROUTE_H

#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#define SK_PROCESSES_MAX 64

/* Back-off after failures, in ms. */
#define SK_BACKOFF_FIRST 100
#define SK_BACKOFF_MAX	 10000
#define SK_GOOD_LIFE	 10000

struct sk_client;
struct sk_proc;
struct sk_route;
struct sk_supervisor;

struct sk_backoff {
	unsigned failures; /* in a row */
	int64_t until;	   /* start nothing before */
};

/* Counts a failure of a process that lived `lived` ms after it was ready (-1:
 * it never was). A process that was ready may fall once without a delay, so
 * that requests which had not begun find a fresh one. Returns the delay. */
int64_t sk_backoff_fail(struct sk_backoff *backoff, int64_t now, int64_t lived);

/* ms until another try makes sense, 0: now. */
int64_t sk_backoff_left(const struct sk_backoff *backoff, int64_t now);

/* A client that waits for a process to be ready. */
struct sk_waiter {
	LIST_ENTRY(sk_waiter) of_place;
	LIST_ENTRY(sk_waiter) of_client;
	struct sk_client *client;
	uint32_t app; /* as the client counts */
	uint32_t route;
	uint32_t index;
};

struct sk_place {
	struct sk_route *route;
	uint32_t index;
	struct sk_proc *proc; /* the one that new clients get, or NULL */
	struct sk_backoff backoff;
	char *reason; /* why the last one failed, or NULL */
	LIST_HEAD(, sk_waiter) waiters;
};

struct sk_limits {
	int64_t cpu;  /* ms of one turn */
	int64_t wall; /* ms of one request */
	int64_t idle; /* ms without requests; 0: for ever */
};

/* What tells routes apart, and all that a process is started from. Strings
 * are the route's own. */
struct sk_route {
	LIST_ENTRY(sk_route) link;
	struct sk_supervisor *sup;
	char *app;   /* path of the app file */
	char *label; /* "GET /hello/:name" */
	char *identity;
	char *error; /* it cannot run, and why; or NULL */
	char *bundle_path;
	char *map_path; /* or NULL */
	char *start;	/* the SPAWN payload */
	char *egress;	/* the EGRESS_AREA payload; NULL: it calls nobody */
	int bundle;	/* -1 when `error` */
	int map;	/* or -1 */
	struct sk_limits limits;
	unsigned users; /* generations */
	unsigned procs; /* processes that still exist */
	uint64_t claim; /* the generation that took it last */
	uint32_t processes;
	struct sk_place *places;
};

/* Opens a bundle or map for reading: a descriptor for the caller, or -errno. */
struct sk_opener {
	int (*open)(struct sk_opener *opener, const char *path);
};

/* Completes a route whose strings, limits and process count are set: opens its
 * files, or sets `error`. 0 or -ENOMEM. */
int sk_route_prepare(struct sk_route *route, struct sk_opener *opener);

/* 1 when a process of one may serve for the other. */
int sk_route_same(const struct sk_route *one, const struct sk_route *other);

/* Frees a route without processes that is in no list. */
void sk_route_free(struct sk_route *route);

/* One generation less uses it: retires or frees it after the last. */
void sk_route_drop(struct sk_route *route);

/* One process less runs. */
void sk_route_reap(struct sk_route *route);

/* --- places --- */

/* A client asks for a process: it waits in the place, which starts one, or
 * gets its answer at once. 0 or -errno. */
int sk_place_ask(struct sk_place *place, struct sk_client *client, uint32_t app,
		 uint32_t route);

/* The place's process is ready: everybody who waited gets it. */
void sk_place_ready(struct sk_place *place);

/* The place's process has failed. `reason` is for the clients' log. */
void sk_place_failed(struct sk_place *place, int64_t lived, pid_t pid,
		     const char *reason);

void sk_waiter_free(struct sk_waiter *waiter);

#endif
