/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log lines as text or JSON. The message comes from a worker process: it can
 * neither forge a second entry, nor move the cursor of the terminal that shows
 * it, nor break the JSON.
 */
#ifndef SK_TEXT_H
#define SK_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "control/control.h"

enum sk_log_format { SK_LOG_TEXT, SK_LOG_JSON };

struct sk_entry {
	enum sk_level level;
	const char *route; /* NUL-terminated */
	pid_t pid;
	const char *text;
	size_t length;
};

/* Bytes on the heap that grow. After a failed allocation it stays empty. */
struct sk_buffer {
	char *data;
	size_t length;
	size_t room;
	int failed;
};

void sk_buffer_add(struct sk_buffer *buffer, const void *data, size_t length);
void sk_buffer_fini(struct sk_buffer *buffer);

/* Appends one entry, its final newline included. In text, further lines of the
 * message are indented; in JSON an entry is one line. */
void sk_text_entry(struct sk_buffer *out, enum sk_log_format format,
		   const struct sk_entry *entry, const struct timespec *when);

#endif
