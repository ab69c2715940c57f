/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process's title is what lies where its arguments were. The environment's
 * strings follow them there; moved to the heap, they make room.
 */
#include "worker/start.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static char *title;
static size_t title_size;

int sk_title_init(char **argv)
{
	char *end = argv[0], **copy;
	size_t count = 0, i;

	for (i = 0; argv[i]; i++)
		if (argv[i] == end)
			end = argv[i] + strlen(argv[i]) + 1;
	for (; environ[count]; count++)
		if (environ[count] == end)
			end = environ[count] + strlen(environ[count]) + 1;
	copy = calloc(count + 1, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		if (!(copy[i] = strdup(environ[i])))
			return -ENOMEM;
	environ = copy;
	title = argv[0];
	title_size = (size_t)(end - argv[0]);
	return 0;
}

void sk_title_set(const char *format, ...)
{
	va_list args;
	int n;

	if (!title)
		return;
	va_start(args, format);
	n = vsnprintf(title, title_size, format, args);
	va_end(args);
	if (n >= 0 && (size_t)n < title_size)
		memset(title + n, 0, title_size - (size_t)n);
}

int sk_zone_init(void)
{
	static const char marker[] = "zoneinfo/";
	char path[512];
	const char *zone;
	ssize_t n;

	if (getenv("TZ"))
		return 0;
	n = readlink("/etc/localtime", path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	zone = strstr(path, marker);
	return setenv("TZ", zone ? zone + strlen(marker) : "UTC", 1) ? -errno
								     : 0;
}
