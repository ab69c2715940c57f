// SPDX-License-Identifier: BSD-2-Clause
/* The special schemes and their default ports. */
#include "url/internal.h"

static const struct {
	char name[6];
	uint8_t length;
	int16_t port;
} schemes[] = {
	[SK__FILE] = { "file", 4, -1 }, [SK__FTP] = { "ftp", 3, 21 },
	[SK__HTTP] = { "http", 4, 80 }, [SK__HTTPS] = { "https", 5, 443 },
	[SK__WS] = { "ws", 2, 80 },	[SK__WSS] = { "wss", 3, 443 },
	[SK__OTHER] = { "", 0, -1 },
};

enum sk__scheme sk__scheme_find(const char *name, size_t length)
{
	/* Most likely first. */
	static const enum sk__scheme order[] = { SK__HTTP, SK__HTTPS, SK__WS,
						 SK__WSS,  SK__FILE,  SK__FTP };
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (schemes[order[i]].length == length &&
		    !memcmp(schemes[order[i]].name, name, length))
			return order[i];
	return SK__OTHER;
}

int sk__scheme_port(enum sk__scheme scheme)
{
	return schemes[scheme].port;
}

int sk_url_default_port(const char *scheme, size_t length)
{
	return sk__scheme_port(sk__scheme_find(scheme, length));
}
