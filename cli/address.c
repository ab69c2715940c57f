/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/port.h"
#include "cli/text.h"

int sk_address_wish(struct sk_address *address,
		    const struct sk_options *options, const json_t *app)
{
	const char *environment = getenv("PORT");
	const char *interface = options->interface;
	int port = options->port;

	if (port < 0 && environment && *environment) {
		port = sk_port_parse(environment);
		if (port < 0) {
			sk_complain("PORT in the environment is \"%s\", not a "
				    "port number (0 to 65535)",
				    environment);
			return -EINVAL;
		}
	}
	if (port < 0)
		port = (int)json_integer_value(json_object_get(app, "port"));
	if (!interface)
		interface =
			json_string_value(json_object_get(app, "interface"));
	address->interface = sk_copy(interface);
	address->wish = port;
	address->port = port;
	return 0;
}

int sk_address_same(const struct sk_address *a, const struct sk_address *b)
{
	return a->wish == b->wish && !strcmp(a->interface, b->interface);
}

char *sk_address_url(const struct sk_address *address)
{
	char *name = sk_port_name(address->interface, address->port);
	char *url = sk_format("http://%s", name);

	free(name);
	return url;
}

void sk_address_fini(struct sk_address *address)
{
	free(address->interface);
	address->interface = NULL;
}
