/* SPDX-License-Identifier: BSD-2-Clause */
#include "address/resolve.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address/address.h"

#define HOST_MAX 253

static int is_host(const char *text, size_t length)
{
	static const char known[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789.-_";

	return length > 0 && length <= HOST_MAX &&
	       strspn(text, known) >= length;
}

static int is_port(const char *text, size_t length)
{
	return length > 0 && length <= 5 &&
	       strspn(text, "0123456789") >= length && atoi(text) > 0 &&
	       atoi(text) < 65536;
}

static int is_address(const char *text)
{
	char plain[INET6_ADDRSTRLEN];
	size_t length = strlen(text);

	if (text[0] != '[')
		return sk_address_is_text(text);
	if (length < 3 || text[length - 1] != ']' ||
	    length - 2 >= sizeof(plain))
		return 0;
	memcpy(plain, text + 1, length - 2);
	plain[length - 2] = 0;
	return sk_address_is_text(plain);
}

int sk_resolve_check(const char *text, char *error, size_t errsize)
{
	const char *port = strchr(text, ':');
	const char *address = port ? strchr(port + 1, ':') : NULL;
	const char *what = NULL;

	if (!address)
		what = "HOST:PORT:ADDRESS is wanted";
	else if (!is_host(text, (size_t)(port - text)))
		what = "the host is no name";
	else if (!is_port(port + 1, (size_t)(address - port - 1)))
		what = "the port is not 1 to 65535";
	else if (!is_address(address + 1))
		what = "the address is neither IPv4 nor IPv6";
	if (!what)
		return 0;
	snprintf(error, errsize, "%s: %s", text, what);
	return -EINVAL;
}
