/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which addresses count as public. An app's policy names hosts; a name can
 * resolve to anything, so the address itself is classed at the moment it is
 * dialled.
 */
#ifndef SK_ADDRESS_H
#define SK_ADDRESS_H

#include <sys/socket.h>

enum sk_address_class {
	SK_ADDRESS_PUBLIC,
	SK_ADDRESS_PRIVATE, /* loopback, link-local, private use, shared … */
	SK_ADDRESS_NEVER    /* unspecified, multicast, broadcast, not IP */
};

/* Classes a socket address. Forms of IPv6 that carry an IPv4 address (mapped,
 * compatible, NAT64, 6to4, Teredo) get the class of what they carry.
 * Sources: RFC 6890, the IANA special-purpose registries, RFC 4291, RFC 6052,
 * RFC 3056, RFC 4380. */
enum sk_address_class sk_address_classify(const struct sockaddr *address);

/* The same for text ("127.0.0.1", "::1", with or without a zone);
 * SK_ADDRESS_NEVER when it is no IP address. */
enum sk_address_class sk_address_classify_text(const char *text);

/* 1 when `text` is an IPv4 or IPv6 address (no brackets, no zone). */
int sk_address_is_text(const char *text);

#endif
