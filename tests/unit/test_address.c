/* SPDX-License-Identifier: BSD-2-Clause */
#include "sk_test.h"

#include "address/address.h"
#include "address/resolve.h"

static void is(const char *text, enum sk_address_class class)
{
	if (sk_address_classify_text(text) != class)
		print_error("%s\n", text);
	assert_int_equal(sk_address_classify_text(text), class);
}

SK_TEST(ipv4_private_blocks_and_their_edges)
{
	is("10.0.0.0", SK_ADDRESS_PRIVATE);
	is("10.255.255.255", SK_ADDRESS_PRIVATE);
	is("9.255.255.255", SK_ADDRESS_PUBLIC);
	is("11.0.0.0", SK_ADDRESS_PUBLIC);
	is("127.0.0.1", SK_ADDRESS_PRIVATE);
	is("127.255.255.254", SK_ADDRESS_PRIVATE);
	is("128.0.0.1", SK_ADDRESS_PUBLIC);
	is("169.254.169.254", SK_ADDRESS_PRIVATE);
	is("169.253.255.255", SK_ADDRESS_PUBLIC);
	is("172.16.0.1", SK_ADDRESS_PRIVATE);
	is("172.31.255.255", SK_ADDRESS_PRIVATE);
	is("172.32.0.0", SK_ADDRESS_PUBLIC);
	is("172.15.255.255", SK_ADDRESS_PUBLIC);
	is("192.168.0.1", SK_ADDRESS_PRIVATE);
	is("100.64.0.1", SK_ADDRESS_PRIVATE);
	is("100.128.0.0", SK_ADDRESS_PUBLIC);
	is("198.18.0.1", SK_ADDRESS_PRIVATE);
	is("0.0.0.0", SK_ADDRESS_NEVER);
	is("0.1.2.3", SK_ADDRESS_NEVER);
	is("224.0.0.1", SK_ADDRESS_NEVER);
	is("255.255.255.255", SK_ADDRESS_NEVER);
	is("8.8.8.8", SK_ADDRESS_PUBLIC);
	is("1.1.1.1", SK_ADDRESS_PUBLIC);
}

SK_TEST(ipv6_special_blocks)
{
	is("::", SK_ADDRESS_NEVER);
	is("::1", SK_ADDRESS_PRIVATE);
	is("fe80::1", SK_ADDRESS_PRIVATE);
	is("fe80::1%lo", SK_ADDRESS_PRIVATE);
	is("fec0::1", SK_ADDRESS_PRIVATE);
	is("fc00::1", SK_ADDRESS_PRIVATE);
	is("fdff::1", SK_ADDRESS_PRIVATE);
	is("ff02::1", SK_ADDRESS_NEVER);
	is("2001:db8::1", SK_ADDRESS_PRIVATE);
	is("100::1", SK_ADDRESS_PRIVATE);
	is("2606:4700:4700::1111", SK_ADDRESS_PUBLIC);
	is("2a00:1450::1", SK_ADDRESS_PUBLIC);
	is("4000::1", SK_ADDRESS_PRIVATE);
}

SK_TEST(ipv6_that_carries_ipv4_has_its_class)
{
	is("::ffff:127.0.0.1", SK_ADDRESS_PRIVATE);
	is("::ffff:8.8.8.8", SK_ADDRESS_PUBLIC);
	is("::ffff:0:10.0.0.1", SK_ADDRESS_PRIVATE);
	is("::127.0.0.1", SK_ADDRESS_PRIVATE);
	is("64:ff9b::169.254.169.254", SK_ADDRESS_PRIVATE);
	is("64:ff9b::8.8.8.8", SK_ADDRESS_PUBLIC);
	is("64:ff9b:1::8.8.8.8", SK_ADDRESS_PRIVATE);
	is("2002:7f00:1::1", SK_ADDRESS_PRIVATE);
	is("2002:0808:0808::1", SK_ADDRESS_PUBLIC);
	is("2001:0:1:2:3:4:80ff:fffe", SK_ADDRESS_PRIVATE);
	is("::ffff:0.0.0.0", SK_ADDRESS_NEVER);
}

SK_TEST(what_is_no_address_is_never_dialled)
{
	is("", SK_ADDRESS_NEVER);
	is("localhost", SK_ADDRESS_NEVER);
	is("127.1", SK_ADDRESS_NEVER);
	is("1.2.3.4.5", SK_ADDRESS_NEVER);
	is("[::1]", SK_ADDRESS_NEVER);
	is("0x7f000001", SK_ADDRESS_NEVER);
	is("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	   SK_ADDRESS_NEVER);
}

SK_TEST(resolve_option_names_host_port_and_address)
{
	static const char *const good[] = { "a.test:80:127.0.0.1",
					    "a:65535:::1", "a-b_c.d:1:[::1]",
					    "A.TEST:443:fe80::1" };
	static const char *const bad[] = { "",
					   "a",
					   "a:80",
					   "a:80:",
					   ":80:1.2.3.4",
					   "a:0:1.2.3.4",
					   "a:65536:1.2.3.4",
					   "a::1.2.3.4",
					   "a:x:1.2.3.4",
					   "a:80:b.test",
					   "a:80:1.2.3",
					   "a:80:[::1",
					   "a b:80:1.2.3.4",
					   "*:80:1.2.3.4",
					   "a:80:[]",
					   "+a:80:1.2.3.4",
					   "a:80:1.2.3.4,5.6.7.8",
					   "[::1]:80:1.2.3.4" };
	char error[600];
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_int_equal(
			sk_resolve_check(good[i], error, sizeof(error)), 0);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(sk_resolve_check(bad[i], error, sizeof(error)),
				 -EINVAL);
}
