/* SPDX-License-Identifier: BSD-2-Clause */
/* Where log entries go; see log.h. */
#include "supervisor/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void stream_flush(struct sk_stream *stream);

static void stream_ready(struct sk_source *source, uint32_t events)
{
	(void)events;
	stream_flush((struct sk_stream *)source);
}

/* Opens the file behind `fd` once more, non-blocking. -1 when that fails. */
static int open_again(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int stream_init(struct sk_stream *stream, struct sk_log *log, int fd)
{
	struct stat st;

	memset(stream, 0, sizeof(*stream));
	stream->log = log;
	stream->source.fd = fd;
	stream->source.ready = stream_ready;
	stream->kind = SK_STREAM_PLAIN;
	stream->queue = malloc(SK_LOG_QUEUE);
	if (!stream->queue)
		return -ENOMEM;
	/* A file's offset belongs to its first opening: that stays in use. */
	if (fstat(fd, &st) < 0 || S_ISREG(st.st_mode))
		return 0;
	if (S_ISSOCK(st.st_mode)) {
		stream->kind = SK_STREAM_SOCKET;
		return 0;
	}
	stream->source.fd = open_again(fd);
	stream->own = stream->source.fd >= 0;
	if (!stream->own) {
		stream->source.fd = fd;
		stream->kind = SK_STREAM_POLLED;
	}
	return 0;
}

static void stream_fini(struct sk_stream *stream)
{
	if (stream->waiting)
		sk_loop_remove(stream->log->loop, &stream->source);
	if (stream->own)
		close(stream->source.fd);
	free(stream->queue);
	stream->queue = NULL;
}

int sk_log_init(struct sk_log *log, struct sk_loop *loop,
		enum sk_log_format format, int debug)
{
	int err;

	memset(log, 0, sizeof(*log));
	log->loop = loop;
	log->format = format;
	log->debug = debug;
	err = stream_init(&log->out, log, STDOUT_FILENO);
	if (err)
		return err;
	err = stream_init(&log->err, log, STDERR_FILENO);
	if (err)
		stream_fini(&log->out);
	return err;
}

/* Bytes written, 0 when it would have to wait, or -errno. */
static ssize_t stream_write(struct sk_stream *stream, const char *data,
			    size_t length)
{
	struct pollfd ask = { .fd = stream->source.fd, .events = POLLOUT };
	ssize_t n;

	switch (stream->kind) {
	case SK_STREAM_SOCKET:
		n = send(stream->source.fd, data, length,
			 MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case SK_STREAM_POLLED:
		if (poll(&ask, 1, 0) <= 0)
			return 0;
		n = write(stream->source.fd, data,
			  length < PIPE_BUF ? length : PIPE_BUF);
		break;
	default:
		n = write(stream->source.fd, data, length);
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n < 0 ? -errno : n;
}

static void stream_wait(struct sk_stream *stream, int wait)
{
	struct sk_loop *loop = stream->log->loop;

	if (wait == stream->waiting)
		return;
	if (!wait)
		sk_loop_remove(loop, &stream->source);
	else if (sk_loop_add(loop, &stream->source, EPOLLOUT) < 0)
		return;
	stream->waiting = wait;
}

static void stream_put(struct sk_stream *stream, const char *data,
		       size_t length)
{
	if (SK_LOG_QUEUE - stream->used < length) {
		stream->dropped++;
		return;
	}
	if (SK_LOG_QUEUE - stream->start - stream->used < length) {
		memmove(stream->queue, stream->queue + stream->start,
			stream->used);
		stream->start = 0;
	}
	memcpy(stream->queue + stream->start + stream->used, data, length);
	stream->used += length;
}

static void put_entry(struct sk_stream *stream, const struct sk_entry *entry)
{
	struct sk_buffer line = { 0 };
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	sk_text_entry(&line, stream->log->format, entry, &now);
	if (line.failed)
		stream->dropped++;
	else
		stream_put(stream, line.data, line.length);
	sk_buffer_fini(&line);
}

static void report_dropped(struct sk_stream *stream)
{
	struct sk_entry entry = { .level = SK_LEVEL_WARN,
				  .route = "supervisor" };
	char text[96];

	snprintf(text, sizeof(text),
		 "%llu entries dropped: the reader of the log is too slow",
		 (unsigned long long)stream->dropped);
	entry.pid = getpid();
	entry.text = text;
	entry.length = strlen(text);
	stream->dropped = 0;
	put_entry(stream, &entry);
}

static void stream_flush(struct sk_stream *stream)
{
	ssize_t n = 1;

	while (stream->used && n > 0) {
		n = stream_write(stream, stream->queue + stream->start,
				 stream->used);
		if (n < 0) /* nobody reads it any more */
			n = (ssize_t)stream->used;
		stream->start += (size_t)n;
		stream->used -= (size_t)n;
		if (!stream->used && stream->dropped)
			report_dropped(stream);
	}
	stream_wait(stream, stream->used > 0);
}

void sk_log_flush(struct sk_log *log)
{
	if (log->out.used && !log->out.waiting)
		stream_flush(&log->out);
	if (log->err.used && !log->err.waiting)
		stream_flush(&log->err);
}

void sk_log_fini(struct sk_log *log, int ms)
{
	struct timespec nap = { .tv_nsec = 10000000 };
	int64_t end = sk_now() + ms;

	for (;;) {
		stream_flush(&log->out);
		stream_flush(&log->err);
		if (!(log->out.used || log->err.used) || sk_now() >= end)
			break;
		nanosleep(&nap, NULL);
	}
	stream_fini(&log->out);
	stream_fini(&log->err);
}

void sk_log_entry(struct sk_log *log, const struct sk_entry *entry)
{
	put_entry(entry->level >= SK_LEVEL_WARN ? &log->err : &log->out, entry);
}

void sk_log_say(struct sk_log *log, enum sk_level level, const char *route,
		pid_t pid, const char *format, ...)
{
	struct sk_entry entry = { .level = level, .route = route, .pid = pid };
	char *text;
	va_list list;
	int length;

	if (level == SK_LEVEL_DEBUG && !log->debug)
		return;
	va_start(list, format);
	length = vasprintf(&text, format, list);
	va_end(list);
	if (length < 0)
		return;
	entry.text = text;
	entry.length = (size_t)length;
	sk_log_entry(log, &entry);
	free(text);
}

void sk_bucket_init(struct sk_bucket *bucket, int64_t now)
{
	bucket->at = now;
	bucket->tokens = SK_BUCKET_BURST;
	bucket->dropped = 0;
}

int sk_bucket_take(struct sk_bucket *bucket, int64_t now, size_t length)
{
	int64_t cost = 1 + (int64_t)(length / 256);

	bucket->tokens += (now - bucket->at) * SK_BUCKET_RATE / 1000;
	bucket->at = now;
	if (bucket->tokens > SK_BUCKET_BURST)
		bucket->tokens = SK_BUCKET_BURST;
	if (bucket->tokens < cost) {
		bucket->dropped++;
		return 0;
	}
	bucket->tokens -= cost;
	return 1;
}
