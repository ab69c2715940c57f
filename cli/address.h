/* SPDX-License-Identifier: BSD-2-Clause */
/* Where an app is to listen: options, then the environment, then the app
 * file. */
#ifndef SK_CLI_ADDRESS_H
#define SK_CLI_ADDRESS_H

#include <jansson.h>

#include "cli/options.h"

struct sk_address {
	char *interface;
	int wish; /* the port that was asked for; 0: any */
	int port; /* the one that is used */
};

/* Reads the wish. 0, or -EINVAL after a message (PORT is not a number). */
int sk_address_wish(struct sk_address *address,
		    const struct sk_options *options, const json_t *app);

/* 1 when both ask for the same. */
int sk_address_same(const struct sk_address *a, const struct sk_address *b);

/* "http://127.0.0.1:8080", a heap string. */
char *sk_address_url(const struct sk_address *address);

void sk_address_fini(struct sk_address *address);

#endif
