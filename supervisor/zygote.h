/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The zygote: `selkie-worker --zygote`, from which worker processes are
 * forked. It is started with the supervisor and again, with back-off, when it
 * dies. What it and its children write to stdout and stderr (crash reports of
 * the engine, say) comes through a pipe into the log.
 */
#ifndef SK_ZYGOTE_H
#define SK_ZYGOTE_H

#include <stdint.h>
#include <sys/types.h>

#include "supervisor/log.h"
#include "supervisor/loop.h"
#include "supervisor/outbox.h"
#include "supervisor/route.h"

struct sk_supervisor;
struct sk_proc;

#define SK_CHATTER_LINE 4096

struct sk_zygote {
	struct sk_supervisor *sup;
	pid_t pid; /* 0: there is none */
	struct sk_source socket;
	struct sk_source chatter; /* stdout and stderr of all its family */
	int write_end;		  /* of that pipe: it outlives a zygote */
	struct sk_outbox outbox;
	struct sk_backoff backoff;
	int64_t started;
	struct sk_bucket bucket;
	size_t heard; /* bytes of chatter since the last tick */
	size_t used;
	char line[SK_CHATTER_LINE];
};

/* 0 or -errno. */
int sk_zygote_init(struct sk_zygote *zygote, struct sk_supervisor *sup);

/* Starts it unless it runs or is backing off. */
void sk_zygote_start(struct sk_zygote *zygote);

/* Every SK_TICK ms. */
void sk_zygote_tick(struct sk_zygote *zygote);

/* 1 when spawns can be sent. */
int sk_zygote_up(const struct sk_zygote *zygote);

/* Asks for a worker process. 0 or -errno. */
int sk_zygote_spawn(struct sk_zygote *zygote, struct sk_proc *proc);

/* SIGKILL: it is of no use any more. */
void sk_zygote_kill(struct sk_zygote *zygote);

/* It was reaped. */
void sk_zygote_died(struct sk_zygote *zygote, int status);

/* Ends it and lets go of all: at the supervisor's own end. */
void sk_zygote_fini(struct sk_zygote *zygote);

#endif
