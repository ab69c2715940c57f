/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which generations live, and how they outlive the supervisor.
 *
 * A generation lives while a client of it is connected; the newest lives
 * because its clients are about to come, and the one connected to last because
 * nginx goes on with it when a reload fails half-way. After a restart all
 * are kept for SK_GRACE ms, until the clients have come back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/generation.h"
#include "supervisor/supervisor.h"

#define SK_GRACE 10000

void sk_generations_collect(struct sk_supervisor *sup)
{
	struct sk_generation *at, *next, *newest;
	int dropped = 0;

	if (sup->grace && sk_now() < sup->grace)
		return;
	sup->grace = 0;
	newest = LIST_FIRST(&sup->generations);
	for (at = newest; at; at = next) {
		next = LIST_NEXT(at, link);
		if (at == newest || at == sup->connected || at->clients)
			continue;
		LIST_REMOVE(at, link);
		sk_generation_free(at);
		dropped = 1;
	}
	if (dropped)
		sk_generations_save(sup);
}

static void save_text(struct sk_store_writer *writer,
		      const struct sk_generation *oldest_first)
{
	/* The list runs from the newest; the image is read in its own order. */
	if (!oldest_first)
		return;
	save_text(writer, LIST_NEXT(oldest_first, link));
	sk_store_text(writer, oldest_first->number, oldest_first->text,
		      oldest_first->length);
}

void sk_generations_save(struct sk_supervisor *sup)
{
	struct sk_store_writer writer;
	const struct sk_route *route;
	int err;

	sk_store_begin(&writer, &sup->store);
	LIST_FOREACH(route, &sup->routes, link)
	{
		if (!route->users)
			continue;
		if (route->bundle >= 0)
			sk_store_file(&writer, route->bundle_path,
				      route->bundle);
		if (route->map >= 0)
			sk_store_file(&writer, route->map_path, route->map);
	}
	save_text(&writer, LIST_FIRST(&sup->generations));
	err = sk_store_commit(&writer);
	if (err)
		sk_log_say(&sup->log, SK_LEVEL_WARN, "supervisor", getpid(),
			   "cannot keep the configuration for a restart: %s",
			   strerror(-err));
}

/* Opens what the store has by that name, else the file itself. */
struct kept_opener {
	struct sk_opener base;
	struct sk_store *store;
};

static int kept_open(struct sk_opener *base, const char *path)
{
	struct kept_opener *opener = (struct kept_opener *)base;
	struct sk_store_record record;
	int fd = -ENOENT;

	sk_store_first(opener->store, &record);
	while (sk_store_next(opener->store, &record) > 0) {
		if (strcmp(record.name, path))
			continue;
		fd = sk_store_memfd(opener->store, &record);
		free(record.name);
		break;
	}
	return fd == -ENOENT ? sk_file_opener.open(base, path) : fd;
}

static void restore_one(struct sk_supervisor *sup,
			const struct sk_store_record *record,
			struct sk_opener *opener)
{
	char error[512] = "out of memory";
	struct sk_generation *generation;
	char *text;
	int err;

	text = sk_store_string(&sup->store, record);
	if (!text)
		err = -ENOMEM;
	else
		err = sk_generation_load(sup, &generation, record->generation,
					 text, record->length, opener, error,
					 sizeof(error));
	if (!err) {
		LIST_INSERT_HEAD(&sup->generations, generation, link);
		return;
	}
	free(text);
	sk_log_say(&sup->log, SK_LEVEL_ERROR, "supervisor", getpid(),
		   "lost configuration %llu: %s",
		   (unsigned long long)record->generation, error);
}

void sk_generations_restore(struct sk_supervisor *sup)
{
	struct kept_opener opener = { { kept_open }, &sup->store };
	struct sk_store_record record;
	int err;

	sk_store_first(&sup->store, &record);
	while ((err = sk_store_next(&sup->store, &record)) > 0)
		if (!*record.name)
			restore_one(sup, &record, &opener.base);
	if (err)
		sk_log_say(&sup->log, SK_LEVEL_ERROR, "supervisor", getpid(),
			   "the kept configurations are damaged: %s",
			   strerror(-err));
	if (!LIST_EMPTY(&sup->generations))
		sup->grace = sk_now() + SK_GRACE;
}
