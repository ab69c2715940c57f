/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where log entries go: warnings and errors to stderr, the rest to stdout.
 *
 * The supervisor must never wait for the reader of its log. Each stream has a
 * bounded queue; what does not fit is counted and reported when there is
 * room again. Other processes share the open files behind descriptors 1 and 2,
 * so these are not made non-blocking: the file is opened a second time.
 */
#ifndef SK_LOG_H
#define SK_LOG_H

#include "supervisor/loop.h"
#include "supervisor/text.h"

#define SK_LOG_QUEUE (256u * 1024u)

enum sk_stream_kind {
	SK_STREAM_PLAIN,  /* never waits: a file, or opened non-blocking */
	SK_STREAM_SOCKET, /* send() with MSG_DONTWAIT */
	SK_STREAM_POLLED  /* asked first, then given at most PIPE_BUF */
};

struct sk_stream {
	struct sk_source source; /* fd is ours only if `own` */
	struct sk_log *log;
	enum sk_stream_kind kind;
	int own;
	int waiting; /* in the epoll set */
	char *queue; /* SK_LOG_QUEUE bytes */
	size_t start;
	size_t used;
	uint64_t dropped;
};

struct sk_log {
	struct sk_loop *loop;
	enum sk_log_format format;
	int debug; /* show the supervisor's own debug entries */
	struct sk_stream out;
	struct sk_stream err;
};

/* Adopts descriptors 1 and 2. 0 or -errno. */
int sk_log_init(struct sk_log *log, struct sk_loop *loop,
		enum sk_log_format format, int debug);

/* Writes what is queued, waiting up to `ms`, and lets go of the streams. */
void sk_log_fini(struct sk_log *log, int ms);

/* Queues an entry; sk_log_flush writes it. */
void sk_log_entry(struct sk_log *log, const struct sk_entry *entry);

/* The supervisor's own entry about `route` (or "supervisor"). */
__attribute__((format(printf, 5, 6))) void
sk_log_say(struct sk_log *log, enum sk_level level, const char *route,
	   pid_t pid, const char *format, ...);

/* Writes as much as can be written without waiting. */
void sk_log_flush(struct sk_log *log);

/* How many entries one process may log: a bucket of SK_BUCKET_BURST that
 * fills at SK_BUCKET_RATE a second; a long entry costs more. */
#define SK_BUCKET_RATE	1000
#define SK_BUCKET_BURST 2000

struct sk_bucket {
	int64_t at; /* when `tokens` was true, ms */
	int64_t tokens;
	uint64_t dropped;
};

void sk_bucket_init(struct sk_bucket *bucket, int64_t now);

/* 1: log it. 0: it was counted as dropped. */
int sk_bucket_take(struct sk_bucket *bucket, int64_t now, size_t length);

#endif
