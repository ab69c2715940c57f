/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker/process.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_PATIENCE 20 /* milliseconds that a full socket is waited for */

static int send_line(struct sk_process *process, enum sk_level level,
		     const char *text, size_t length)
{
	struct sk_message head = { .type = SK_MSG_LOG,
				   .value = (int32_t)level };
	struct pollfd ready = { process->control_fd, POLLOUT, 0 };
	int err;

	err = sk_message_send(process->control_fd, &head, text, length, NULL,
			      0);
	if (err == -EAGAIN && poll(&ready, 1, LOG_PATIENCE) == 1)
		err = sk_message_send(process->control_fd, &head, text, length,
				      NULL, 0);
	return err;
}

/* The longest prefix of at most `max` bytes that splits no UTF-8 sequence. */
static size_t whole_characters(const char *text, size_t length, size_t max)
{
	if (length <= max)
		return length;
	while (max > 0 && ((unsigned char)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

static void log_to_control(struct sk_process *process, enum sk_level level,
			   const char *text, size_t length)
{
	char lost[64];
	int n;

	if (process->lost_lines) {
		n = snprintf(lost, sizeof(lost), "(%u log lines were lost)",
			     process->lost_lines);
		if (send_line(process, SK_LEVEL_WARN, lost, (size_t)n)) {
			process->lost_lines++;
			return;
		}
		process->lost_lines = 0;
	}
	do {
		size_t part = whole_characters(text, length, SK_MESSAGE_MAX);

		if (send_line(process, level, text, part)) {
			process->lost_lines++;
			return;
		}
		text += part;
		length -= part;
	} while (length > 0);
}

static void write_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		length -= (size_t)n;
	}
}

void sk_process_log(struct sk_process *process, enum sk_level level,
		    const char *text, size_t length)
{
	int fd = level >= SK_LEVEL_WARN ? 2 : process->log_fd;

	if (process->control_fd >= 0) {
		log_to_control(process, level, text, length);
		return;
	}
	write_all(fd, text, length);
	write_all(fd, "\n", 1);
}

void sk_process_logf(struct sk_process *process, enum sk_level level,
		     const char *format, ...)
{
	char text[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n >= (int)sizeof(text))
		n = (int)sizeof(text) - 1;
	if (n > 0)
		sk_process_log(process, level, text, (size_t)n);
}

static ssize_t read_at(int fd, void *buffer, size_t size, size_t at)
{
	ssize_t n = pread(fd, buffer, size, (off_t)at);

	return n < 0 && errno == ESPIPE ? read(fd, buffer, size) : n;
}

int sk_read_all(int fd, char **out, size_t *length, size_t max)
{
	size_t have = 0, cap = 64 * 1024;
	char *text = malloc(cap);
	ssize_t n;

	if (!text)
		return -ENOMEM;
	for (;;) {
		n = read_at(fd, text + have, cap - have - 1, have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
		if (have > max) {
			free(text);
			return -EFBIG;
		}
		if (cap - have < 2) {
			char *more = realloc(text, cap *= 2);

			if (!more) {
				free(text);
				return -ENOMEM;
			}
			text = more;
		}
	}
	if (n < 0) {
		int err = -errno;

		free(text);
		return err;
	}
	text[have] = '\0';
	*out = text;
	*length = have;
	return 0;
}
