/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes and the places where their processes run; see route.h. */
#include "supervisor/route.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/client.h"
#include "supervisor/proc.h"
#include "supervisor/supervisor.h"

/* What a client is told to wait when only a new configuration can help. */
#define WAIT_FOR_RELOAD SK_BACKOFF_MAX

int64_t sk_backoff_fail(struct sk_backoff *backoff, int64_t now, int64_t lived)
{
	int64_t delay = SK_BACKOFF_FIRST;
	unsigned i, steps;

	if (lived >= SK_GOOD_LIFE)
		backoff->failures = 0;
	backoff->failures++;
	steps = backoff->failures;
	if (lived >= 0)
		steps--;
	if (!steps)
		delay = 0;
	for (i = 1; i < steps && delay < SK_BACKOFF_MAX; i++)
		delay *= 2;
	if (delay > SK_BACKOFF_MAX)
		delay = SK_BACKOFF_MAX;
	backoff->until = now + delay;
	return delay;
}

int64_t sk_backoff_left(const struct sk_backoff *backoff, int64_t now)
{
	return backoff->until > now ? backoff->until - now : 0;
}

static int equal(const char *one, const char *other)
{
	return one == other || (one && other && !strcmp(one, other));
}

int sk_route_same(const struct sk_route *one, const struct sk_route *other)
{
	return one->processes == other->processes &&
	       one->limits.idle == other->limits.idle &&
	       equal(one->identity, other->identity) &&
	       equal(one->label, other->label) && equal(one->app, other->app) &&
	       equal(one->start, other->start) &&
	       equal(one->egress, other->egress) &&
	       equal(one->error, other->error);
}

/* Opens one file of the route, or says in `error` why not. */
static int open_file(struct sk_route *route, struct sk_opener *opener,
		     const char *path, int *out)
{
	int fd = opener->open(opener, path);

	if (fd >= 0) {
		*out = fd;
		return 0;
	}
	if (asprintf(&route->error, "cannot open %s: %s", path, strerror(-fd)) <
	    0) {
		route->error = NULL;
		return -ENOMEM;
	}
	return 0;
}

int sk_route_prepare(struct sk_route *route, struct sk_opener *opener)
{
	uint32_t i;
	int err = 0;

	route->places = calloc(route->processes, sizeof(*route->places));
	if (!route->places)
		return -ENOMEM;
	for (i = 0; i < route->processes; i++) {
		route->places[i].route = route;
		route->places[i].index = i;
		LIST_INIT(&route->places[i].waiters);
	}
	if (!route->error)
		err = open_file(route, opener, route->bundle_path,
				&route->bundle);
	/* A lost source map costs line numbers, not the route. */
	if (!err && !route->error && route->map_path)
		route->map = opener->open(opener, route->map_path);
	return err;
}

void sk_route_free(struct sk_route *route)
{
	uint32_t i;

	for (i = 0; route->places && i < route->processes; i++)
		free(route->places[i].reason);
	free(route->places);
	if (route->bundle >= 0)
		close(route->bundle);
	if (route->map >= 0)
		close(route->map);
	free(route->app);
	free(route->label);
	free(route->identity);
	free(route->error);
	free(route->bundle_path);
	free(route->map_path);
	free(route->start);
	free(route->egress);
	free(route);
}

static void free_when_unused(struct sk_route *route)
{
	if (route->users || route->procs)
		return;
	LIST_REMOVE(route, link);
	sk_route_free(route);
}

void sk_route_drop(struct sk_route *route)
{
	uint32_t i;

	if (--route->users)
		return;
	/* Held while its processes are told, which may free some at once. */
	route->procs++;
	for (i = 0; i < route->processes; i++)
		if (route->places[i].proc)
			sk_proc_retire(route->places[i].proc, "reload");
	sk_route_reap(route);
}

void sk_route_reap(struct sk_route *route)
{
	route->procs--;
	free_when_unused(route);
}

static struct sk_waiter *find_waiter(struct sk_place *place,
				     struct sk_client *client, uint32_t app,
				     uint32_t route)
{
	struct sk_waiter *waiter;

	LIST_FOREACH(waiter, &place->waiters, of_place)
	if (waiter->client == client && waiter->app == app &&
	    waiter->route == route)
		return waiter;
	return NULL;
}

static int wait_in(struct sk_place *place, struct sk_client *client,
		   uint32_t app, uint32_t route)
{
	struct sk_waiter *waiter;

	if (find_waiter(place, client, app, route))
		return 0;
	waiter = calloc(1, sizeof(*waiter));
	if (!waiter)
		return -ENOMEM;
	waiter->client = client;
	waiter->app = app;
	waiter->route = route;
	waiter->index = place->index;
	LIST_INSERT_HEAD(&place->waiters, waiter, of_place);
	LIST_INSERT_HEAD(&client->waiters, waiter, of_client);
	return 0;
}

void sk_waiter_free(struct sk_waiter *waiter)
{
	LIST_REMOVE(waiter, of_place);
	LIST_REMOVE(waiter, of_client);
	free(waiter);
}

int sk_place_ask(struct sk_place *place, struct sk_client *client, uint32_t app,
		 uint32_t route)
{
	int64_t left = sk_backoff_left(&place->backoff, sk_now());
	int err;

	if (place->route->error) {
		sk_client_refuse(client, app, route, place->index,
				 WAIT_FOR_RELOAD, place->route->error);
		return 0;
	}
	if (place->proc && place->proc->state == SK_PROC_READY)
		return sk_attachment_new(place->proc, client, app, route,
					 place->index);
	if (!place->proc && left > 0) {
		sk_client_refuse(client, app, route, place->index, left,
				 place->reason ? place->reason : "");
		return 0;
	}
	err = wait_in(place, client, app, route);
	if (!err && !place->proc) {
		err = sk_proc_start(place);
		if (err)
			sk_waiter_free(LIST_FIRST(&place->waiters));
	}
	return err;
}

void sk_place_ready(struct sk_place *place)
{
	struct sk_proc *proc = place->proc;
	struct sk_waiter *waiter, copy;
	int err;

	/* It may die of the first attachment. */
	while (place->proc == proc && (waiter = LIST_FIRST(&place->waiters))) {
		copy = *waiter;
		sk_waiter_free(waiter);
		err = sk_attachment_new(proc, copy.client, copy.app, copy.route,
					copy.index);
		if (err)
			sk_client_refuse(copy.client, copy.app, copy.route,
					 copy.index, SK_BACKOFF_FIRST,
					 strerror(-err));
	}
}

static void refuse_all(struct sk_place *place, int64_t wait, const char *why)
{
	struct sk_waiter *waiter;

	while ((waiter = LIST_FIRST(&place->waiters))) {
		sk_client_refuse(waiter->client, waiter->app, waiter->route,
				 waiter->index, wait, why);
		sk_waiter_free(waiter);
	}
}

void sk_place_failed(struct sk_place *place, int64_t lived, pid_t pid,
		     const char *reason)
{
	struct sk_supervisor *sup = place->route->sup;
	int64_t delay = sk_backoff_fail(&place->backoff, sk_now(), lived);

	place->proc = NULL;
	free(place->reason);
	place->reason = strdup(reason);
	if (delay)
		sk_log_say(&sup->log, SK_LEVEL_WARN, place->route->label, pid,
			   "failed %u times in a row; the next start is in "
			   "%lld ms at the earliest",
			   place->backoff.failures, (long long)delay);
	/* Without a delay, who asked meanwhile is served by a fresh one. */
	if (!delay && !LIST_EMPTY(&place->waiters) && !sup->draining &&
	    sk_proc_start(place) == 0)
		return;
	refuse_all(place, delay, reason);
}
