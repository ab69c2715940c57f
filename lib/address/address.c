/* SPDX-License-Identifier: BSD-2-Clause */
#include "address/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct block4 {
	uint32_t base;
	int bits;
	enum sk_address_class class;
};

/* IANA IPv4 special-purpose registry; whatever is not globally reachable. */
static const struct block4 blocks4[] = {
	{ 0x00000000u, 8, SK_ADDRESS_NEVER },	 /* this network */
	{ 0x0a000000u, 8, SK_ADDRESS_PRIVATE },	 /* 10/8 */
	{ 0x64400000u, 10, SK_ADDRESS_PRIVATE }, /* 100.64/10 shared */
	{ 0x7f000000u, 8, SK_ADDRESS_PRIVATE },	 /* loopback */
	{ 0xa9fe0000u, 16, SK_ADDRESS_PRIVATE }, /* link-local, metadata */
	{ 0xac100000u, 12, SK_ADDRESS_PRIVATE }, /* 172.16/12 */
	{ 0xc0000000u, 24, SK_ADDRESS_PRIVATE }, /* IETF assignments */
	{ 0xc0000200u, 24, SK_ADDRESS_PRIVATE }, /* TEST-NET-1 */
	{ 0xc0586300u, 24, SK_ADDRESS_PRIVATE }, /* 6to4 relay anycast */
	{ 0xc0a80000u, 16, SK_ADDRESS_PRIVATE }, /* 192.168/16 */
	{ 0xc6120000u, 15, SK_ADDRESS_PRIVATE }, /* benchmarking */
	{ 0xc6336400u, 24, SK_ADDRESS_PRIVATE }, /* TEST-NET-2 */
	{ 0xcb007100u, 24, SK_ADDRESS_PRIVATE }, /* TEST-NET-3 */
	{ 0xe0000000u, 4, SK_ADDRESS_NEVER },	 /* multicast */
	{ 0xf0000000u, 4, SK_ADDRESS_NEVER },	 /* reserved, broadcast */
};

static enum sk_address_class classify4(uint32_t address)
{
	size_t i;
	uint32_t mask;

	for (i = 0; i < sizeof(blocks4) / sizeof(blocks4[0]); i++) {
		mask = 0xffffffffu << (32 - blocks4[i].bits);
		if ((address & mask) == blocks4[i].base)
			return blocks4[i].class;
	}
	return SK_ADDRESS_PUBLIC;
}

static uint32_t word(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
	       (uint32_t)at[2] << 8 | at[3];
}

static int has_prefix(const unsigned char *a, const char *prefix, size_t bytes)
{
	return memcmp(a, prefix, bytes) == 0;
}

/* The IPv4 address that an IPv6 address carries. 1 and `*out`, or 0. */
static int carried4(const unsigned char *a, uint32_t *out)
{
	static const unsigned char zero[12];

	if (has_prefix(a, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12) ||
	    has_prefix(a, "\0\0\0\0\0\0\0\0\xff\xff\0\0", 12) ||
	    has_prefix(a, "\0\x64\xff\x9b\0\0\0\0\0\0\0\0", 12)) {
		*out = word(a + 12);
		return 1;
	}
	/* IPv4-compatible; :: and ::1 are classed by themselves. */
	if (memcmp(a, zero, 12) == 0 && word(a + 12) > 1) {
		*out = word(a + 12);
		return 1;
	}
	if (has_prefix(a, "\x20\x02", 2)) { /* 6to4 */
		*out = word(a + 2);
		return 1;
	}
	if (has_prefix(a, "\x20\x01\0\0", 4)) { /* Teredo, client inverted */
		*out = ~word(a + 12);
		return 1;
	}
	return 0;
}

static enum sk_address_class classify6(const unsigned char *a)
{
	static const unsigned char zero[16];
	uint32_t v4;

	if (memcmp(a, zero, 16) == 0)
		return SK_ADDRESS_NEVER;
	if (memcmp(a, zero, 15) == 0 && a[15] == 1)
		return SK_ADDRESS_PRIVATE;
	if (carried4(a, &v4))
		return classify4(v4);
	if (a[0] == 0xff)
		return SK_ADDRESS_NEVER;
	if ((a[0] & 0xfe) == 0xfc) /* unique local */
		return SK_ADDRESS_PRIVATE;
	if (a[0] == 0xfe) /* link- and site-local */
		return SK_ADDRESS_PRIVATE;
	if (has_prefix(a, "\x20\x01\x0d\xb8", 4) || /* documentation */
	    (has_prefix(a, "\x3f\xff", 2) && !(a[2] & 0xf0)) ||
	    has_prefix(a, "\x01\0\0\0\0\0\0\0", 8) ||	/* discard */
	    has_prefix(a, "\0\x64\xff\x9b\0\x01", 6) || /* local NAT64 */
	    (has_prefix(a, "\x20\x01", 2) && a[2] < 2)) /* IETF assignments */
		return SK_ADDRESS_PRIVATE;
	/* Only 2000::/3 is global unicast. */
	return (a[0] & 0xe0) == 0x20 ? SK_ADDRESS_PUBLIC : SK_ADDRESS_PRIVATE;
}

enum sk_address_class sk_address_classify(const struct sockaddr *address)
{
	struct sockaddr_in in4;
	struct sockaddr_in6 in6;

	switch (address->sa_family) {
	case AF_INET:
		memcpy(&in4, address, sizeof(in4));
		return classify4(ntohl(in4.sin_addr.s_addr));
	case AF_INET6:
		memcpy(&in6, address, sizeof(in6));
		return classify6(in6.sin6_addr.s6_addr);
	default:
		return SK_ADDRESS_NEVER;
	}
}

enum sk_address_class sk_address_classify_text(const char *text)
{
	char plain[INET6_ADDRSTRLEN];
	unsigned char bytes[16];
	size_t length = strcspn(text, "%");

	if (length >= sizeof(plain))
		return SK_ADDRESS_NEVER;
	memcpy(plain, text, length);
	plain[length] = 0;
	if (inet_pton(AF_INET, plain, bytes) == 1)
		return classify4(word(bytes));
	if (inet_pton(AF_INET6, plain, bytes) == 1)
		return classify6(bytes);
	return SK_ADDRESS_NEVER;
}

int sk_address_is_text(const char *text)
{
	unsigned char bytes[16];

	return inet_pton(AF_INET, text, bytes) == 1 ||
	       inet_pton(AF_INET6, text, bytes) == 1;
}
