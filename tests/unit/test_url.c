// SPDX-License-Identifier: BSD-2-Clause
/*
 * URLs by example. tests/conformance/url-differential.mjs compares all the rest
 * with whatwg-url.
 */
#include "sk_test.h"

#include "url/url.h"

static struct sk_url parse(const char *input, const char *base)
{
	struct sk_url url = { 0 }, parsed_base = { 0 };

	if (base && sk_url_parse(&parsed_base, base, strlen(base), NULL) != 0)
		fail_msg("base %s does not parse", base);
	if (sk_url_parse(&url, input, strlen(input),
			 base ? &parsed_base : NULL) != 0)
		fail_msg("%s does not parse", input);
	sk_url_fini(&parsed_base);
	return url;
}

static void expect_href(const char *input, const char *base, const char *href)
{
	struct sk_url url = parse(input, base);

	assert_string_equal(url.href, href);
	assert_int_equal(url.length, strlen(href));
	sk_url_fini(&url);
}

static void expect_failure(const char *input)
{
	struct sk_url url = { 0 };

	if (sk_url_parse(&url, input, strlen(input), NULL) != -EINVAL)
		fail_msg("%s parses to %s", input, url.href);
	assert_null(url.href);
}

struct row {
	const char *input;
	const char *base;
	const char *href;
};

static void expect_rows(const struct row *rows, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		expect_href(rows[i].input, rows[i].base, rows[i].href);
}

#define EXPECT_ROWS(rows) expect_rows(rows, sizeof(rows) / sizeof((rows)[0]))

static void expect_part(void (*get)(const struct sk_url *, const char **,
				    size_t *),
			const struct sk_url *url, const char *wanted)
{
	const char *at;
	size_t length;

	get(url, &at, &length);
	assert_int_equal(length, strlen(wanted));
	assert_memory_equal(at, wanted, length);
}

/* --- offsets --- */

SK_TEST(offsets_of_a_full_url_are_those_of_the_header)
{
	struct sk_url url =
		parse("https://user:pw@host.test:81/p/q?x=1#f", NULL);

	assert_int_equal(url.scheme_end, 6);
	assert_int_equal(url.username_end, 12);
	assert_int_equal(url.host_start, 15);
	assert_int_equal(url.host_end, 25);
	assert_int_equal(url.path_start, 28);
	assert_int_equal(url.search_start, 32);
	assert_int_equal(url.hash_start, 36);
	assert_int_equal(url.port, 81);
	assert_true(url.has_host && url.special && !url.opaque_path);
	expect_part(sk_url_hostname, &url, "host.test");
	expect_part(sk_url_pathname, &url, "/p/q");
	expect_part(sk_url_search, &url, "?x=1");
	sk_url_fini(&url);
}

SK_TEST(offsets_without_credentials_meet_after_the_slashes)
{
	struct sk_url url = parse("http://h", NULL);

	assert_string_equal(url.href, "http://h/");
	assert_int_equal(url.username_end, 7);
	assert_int_equal(url.host_start, 7);
	assert_int_equal(url.host_end, 8);
	assert_int_equal(url.path_start, 8);
	assert_int_equal(url.search_start, SK_URL_NONE);
	assert_int_equal(url.hash_start, SK_URL_NONE);
	assert_int_equal(url.port, -1);
	sk_url_fini(&url);
}

SK_TEST(a_null_host_lies_at_the_end_of_the_scheme)
{
	struct sk_url url = parse("web+demo:/.//not-a-host/", NULL);

	assert_string_equal(url.href, "web+demo:/.//not-a-host/");
	assert_false(url.has_host);
	assert_int_equal(url.host_start, 9);
	assert_int_equal(url.host_end, 9);
	assert_int_equal(url.path_start, 11);
	expect_part(sk_url_hostname, &url, "");
	expect_part(sk_url_pathname, &url, "//not-a-host/");
	sk_url_fini(&url);
}

SK_TEST(an_empty_query_is_kept_but_not_shown)
{
	struct sk_url url = parse("http://h/?#", NULL);

	assert_string_equal(url.href, "http://h/?#");
	assert_int_equal(url.search_start, 9);
	assert_int_equal(url.hash_start, 10);
	expect_part(sk_url_search, &url, "");
	sk_url_fini(&url);
}

/* --- parsing --- */

SK_TEST(spellings_are_normalised)
{
	static const struct row rows[] = {
		{ "HTTP://EXAMPLE.com:80/", NULL, "http://example.com/" },
		{ "https://h:443", NULL, "https://h/" },
		{ "http://h:0080/", NULL, "http://h/" },
		{ "http://h:/", NULL, "http://h/" },
		{ "http://h:00081", NULL, "http://h:81/" },
		{ "  http://h/\x1f", NULL, "http://h/" },
		{ "ht\ntp://h\t/a\rb", NULL, "http://h/ab" },
		{ "http:h", NULL, "http://h/" },
		{ "http:\\\\h\\p", NULL, "http://h/p" },
		{ "http:////h//p", NULL, "http://h//p" },
		{ "http://h/a/./b/../c", NULL, "http://h/a/c" },
		{ "http://h/%2e%2E/.%2e/x/%2e", NULL, "http://h/x/" },
		{ "http://h/..", NULL, "http://h/" },
		{ "http://h/a/..?x", NULL, "http://h/?x" },
		{ "http://h/%2f%5c", NULL, "http://h/%2f%5c" },
		{ "http://h/ \"<>^`{}", NULL,
		  "http://h/%20%22%3C%3E%5E%60%7B%7D" },
		{ "http://h/?q='\"<> #` <>\"", NULL,
		  "http://h/?q=%27%22%3C%3E%20#%60%20%3C%3E%22" },
		{ "foo://h/?'", NULL, "foo://h/?'" },
		{ "http://h/\xc3\xa9?\xc3\xa9#\xc3\xa9", NULL,
		  "http://h/%C3%A9?%C3%A9#%C3%A9" },
		{ "http://h/\xff\xe2\x82", NULL,
		  "http://h/%EF%BF%BD%EF%BF%BD" },
		{ "http://h/\xe2\x82x", NULL, "http://h/%EF%BF%BDx" },
		{ "http://h/\xed\xa0\x80", NULL,
		  "http://h/%EF%BF%BD%EF%BF%BD%EF%BF%BD" },
		{ "http://u@h/", NULL, "http://u@h/" },
		{ "http://u:@h/", NULL, "http://u@h/" },
		{ "http://:p@h/", NULL, "http://:p@h/" },
		{ "http://:@h/", NULL, "http://h/" },
		{ "http://@h/", NULL, "http://h/" },
		{ "http://a@b:c@d@h/", NULL, "http://a%40b:c%40d@h/" },
		{ "http://user@evil.test/@x", NULL,
		  "http://user@evil.test/@x" },
		{ "mailto:a b@c", NULL, "mailto:a b@c" },
		{ "foo:a ?q", NULL, "foo:a%20?q" },
		{ "foo:a  #q", NULL, "foo:a %20#q" },
		{ "foo:/a/../..//b", NULL, "foo:/.//b" },
		{ "foo:///p", NULL, "foo:///p" },
		{ "foo://H/%41\\", NULL, "foo://H/%41\\" },
		{ "foo://\xc3\xa9/", NULL, "foo://%C3%A9/" },
		{ "javascript:alert(1)", NULL, "javascript:alert(1)" },
	};

	EXPECT_ROWS(rows);
}

SK_TEST(relative_urls_are_resolved)
{
	static const char base[] = "http://u:p@h:81/a/b?q#f";
	static const struct row rows[] = {
		{ "", base, "http://u:p@h:81/a/b?q" },
		{ "#x", base, "http://u:p@h:81/a/b?q#x" },
		{ "?x", base, "http://u:p@h:81/a/b?x" },
		{ "c", base, "http://u:p@h:81/a/c" },
		{ "../..", base, "http://u:p@h:81/" },
		{ "/c", base, "http://u:p@h:81/c" },
		{ "\\c", base, "http://u:p@h:81/c" },
		{ "//c/d", base, "http://c/d" },
		{ "///c/d", base, "http://c/d" },
		{ "http:c", base, "http://u:p@h:81/a/c" },
		{ "http:/c", base, "http://u:p@h:81/c" },
		{ "http://c", base, "http://c/" },
		{ "https:c", base, "https://c/" },
		{ "c:d", base, "c:d" },
		{ "#x", "mailto:a?b", "mailto:a?b#x" },
		{ "..", "foo:/a/b/c", "foo:/a/" },
		{ "..//x", "foo:/a", "foo:/.//x" },
		{ "x", "foo:/.//a/b", "foo:/.//a/x" },
		{ "/x", "foo:/.//a/b", "foo:/x" },
		{ "//x", "foo:/a", "foo://x" },
	};
	struct sk_url opaque = parse("mailto:a", NULL), url = { 0 };

	EXPECT_ROWS(rows);
	assert_int_equal(sk_url_parse(&url, "x", 1, &opaque), -EINVAL);
	assert_int_equal(sk_url_parse(&url, "", 0, &opaque), -EINVAL);
	sk_url_fini(&opaque);
}

SK_TEST(file_urls_have_their_own_rules)
{
	static const struct row rows[] = {
		{ "file:", NULL, "file:///" },
		{ "file:a", NULL, "file:///a" },
		{ "file:///C|/x", NULL, "file:///C:/x" },
		{ "file://C|/x", NULL, "file:///C:/x" },
		{ "file:C:/..", NULL, "file:///C:/" },
		{ "file:///C:/../..", NULL, "file:///C:/" },
		{ "file://localhost/x", NULL, "file:///x" },
		{ "file://LOCALHOST/x", NULL, "file:///x" },
		{ "file://Host/x", NULL, "file://host/x" },
		{ "file:\\\\host\\x", NULL, "file://host/x" },
		{ "/x", "file:///C:/d/e", "file:///C:/x" },
		{ "/D:/x", "file:///C:/d/e", "file:///D:/x" },
		{ "D|/x", "file:///C:/d/e", "file:///D:/x" },
		{ "..", "file:///C:/d", "file:///C:/" },
		{ "//s/x", "file:///C:/d", "file://s/x" },
		{ "?q", "file://s/x#h", "file://s/x?q" },
		{ "file:y", "file://s/x/z", "file://s/x/y" },
	};

	EXPECT_ROWS(rows);
	expect_failure("file://h:80/");
	expect_failure("file://u@h/");
}

SK_TEST(bad_urls_fail)
{
	static const char *const rows[] = {
		"",
		"x",
		"/x",
		"//h",
		"http:",
		"http://",
		"http:///",
		"http://:80/",
		"http://u@",
		"http://u@/",
		"http://@:80/",
		"http://h:65536/",
		"http://h:99999999999999999999/",
		"http://h:8a/",
		"http://h:-1/",
		"http://h:80:81/",
		"http://a b/",
		"http://a<b/",
		"http://a^b/",
		"http://a|b/",
		"http://a%/",
		"http://a%00b/",
		"http://a%7fb/",
		"http://a%2fb/",
		"http://a%40b/",
		"http://[::1/",
		"http://[::1]x/",
		"http://]/",
		"1http://h/",
		"-://h/",
		"foo://a b/",
		"foo://[x]/",
		"foo://h:x/",
		"foo://:80/",
		"http://\xc2\xad/",
		"http://%C2%AD/",
		"http://xn--/",
		"http://\xef\xbf\xbd/",
		"http://%ff/",
		"http://a.\xef\xbc\x85/",
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_failure(rows[i]);
}

/* --- hosts --- */

SK_TEST(an_ipv4_address_has_one_spelling)
{
	static const char *const same[] = {
		"http://127.0.0.1/",
		"http://2130706433/",
		"http://0x7f000001/",
		"http://0x7F.1/",
		"http://0177.0.0.01/",
		"http://127.1/",
		"http://127.0.1/",
		"http://127.0.0.1./",
		"http://017700000001/",
		"http://0x7f.0.0.0x1/",
		"http://%31%32%37.0.0.1/",
		"http://127\xe3\x80\x82\x30.0.1/",
		"http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.1/",
	};
	static const char *const bad[] = {
		"http://256.0.0.1/",   "http://1.2.3.4.5/",
		"http://1.2.3.256/",   "http://4294967296/",
		"http://08.1/",	       "http://1..2/",
		"http://0xg.1.0xz.1/", "http://a.09/",
		"http://1.2.65536/",   "http://99999999999999999999999999/",
	};
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		expect_href(same[i], NULL, "http://127.0.0.1/");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_failure(bad[i]);
	expect_href("http://4294967295/", NULL, "http://255.255.255.255/");
	expect_href("http://0x/", NULL, "http://0.0.0.0/");
	expect_href("http://1.a/", NULL, "http://1.a/");
	expect_href("http://0xg/", NULL, "http://0xg/");
	expect_href("foo://2130706433/", NULL, "foo://2130706433/");
}

SK_TEST(an_ipv6_address_has_one_spelling)
{
	static const struct row rows[] = {
		{ "http://[::]/", NULL, "http://[::]/" },
		{ "http://[0:0:0:0:0:0:0:1]/", NULL, "http://[::1]/" },
		{ "http://[1:0:0:2:0:0:0:3]/", NULL, "http://[1:0:0:2::3]/" },
		{ "http://[1:0:0:2:3:0:0:4]/", NULL, "http://[1::2:3:0:0:4]/" },
		{ "http://[1:2:3:4:5:6:0:8]/", NULL,
		  "http://[1:2:3:4:5:6:0:8]/" },
		{ "http://[1:2:3:4:5:6:7::]/", NULL,
		  "http://[1:2:3:4:5:6:7:0]/" },
		{ "http://[::2:3:4:5:6:7:8]/", NULL,
		  "http://[0:2:3:4:5:6:7:8]/" },
		{ "http://[2001:DB8::FF00:42:8329]/", NULL,
		  "http://[2001:db8::ff00:42:8329]/" },
		{ "http://[::ffff:127.0.0.1]/", NULL,
		  "http://[::ffff:7f00:1]/" },
		{ "foo://[::FFFF:7F00:0001]:80/", NULL,
		  "foo://[::ffff:7f00:1]:80/" },
	};
	static const char *const bad[] = {
		"http://[]/",
		"http://[:]/",
		"http://[:::]/",
		"http://[1::2::3]/",
		"http://[1:2]/",
		"http://[12345::]/",
		"http://[1:2:3:4:5:6:7:8:9]/",
		"http://[::1%25eth0]/",
		"http://[g::]/",
		"http://[1:]/",
		"http://[::1.2.3]/",
		"http://[::1.2.3.256]/",
		"http://[::01.2.3.4]/",
		"http://[::1.2.3.4.5]/",
		"http://[1:2:3:4:5:6:7:1.2.3.4]/",
		"http://[::.1.2.3]/",
	};
	size_t i;

	EXPECT_ROWS(rows);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_failure(bad[i]);
}

SK_TEST(domains_are_mapped_by_uts_46)
{
	static const struct row rows[] = {
		{ "http://B\xc3\x9c"
		  "CHER.example/",
		  NULL, "http://xn--bcher-kva.example/" },
		{ "http://b%C3%BCcher.example/", NULL,
		  "http://xn--bcher-kva.example/" },
		{ "http://fa\xc3\x9f.de/", NULL, "http://xn--fa-hia.de/" },
		{ "http://FA\xe1\xba\x9e.de/", NULL, "http://xn--fa-hia.de/" },
		{ "http://XN--BCHER-KVA/", NULL, "http://xn--bcher-kva/" },
		{ "http://\xef\xbc\xa7\xef\xbc\xaf/", NULL, "http://go/" },
		{ "http://a\xc2\xad"
		  "b/",
		  NULL, "http://ab/" },
		{ "http://-a-.ab--cd/", NULL, "http://-a-.ab--cd/" },
		{ "http://a..b/", NULL, "http://a..b/" },
		{ "http://a_b~!$&'()*+,;=/", NULL, "http://a_b~!$&'()*+,;=/" },
	};
	static const char *const bad[] = {
		"http://xn--a/",
		"http://xn--a-/",
		"http://xn--xn---epa/",
		"http://\xcc\x81\x61/",
		"http://a\xe2\x80\x8c\x62/",
		"http://\xd7\x90\x61/",
		"http://a.xn--0/",
	};
	size_t i;

	EXPECT_ROWS(rows);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_failure(bad[i]);
}

SK_TEST(long_labels_pass)
{
	char input[3000] = "http://";

	memset(input + 7, 'a', 2000);
	strcat(input, "/");
	expect_href(input, NULL, input);
}

/* --- setters --- */

static void expect_set(const char *input, enum sk_url_part part,
		       const char *value, const char *href)
{
	struct sk_url url = parse(input, NULL);
	int changed = strcmp(url.href, href) != 0;
	int result = sk_url_set(&url, part, value, strlen(value));

	assert_string_equal(url.href, href);
	if (changed)
		assert_int_equal(result, 0);
	sk_url_fini(&url);
}

SK_TEST(setters_change_their_part)
{
	static const struct {
		const char *input;
		enum sk_url_part part;
		const char *value;
		const char *href;
	} rows[] = {
		{ "http://h:443/", SK_URL_PROTOCOL, "https", "https://h/" },
		{ "http://h/", SK_URL_PROTOCOL, "wss:x", "wss://h/" },
		{ "foo://h/", SK_URL_PROTOCOL, "bar", "bar://h/" },
		{ "http://h/", SK_URL_USERNAME, "a b:", "http://a%20b%3A@h/" },
		{ "http://u:p@h/", SK_URL_USERNAME, "", "http://:p@h/" },
		{ "http://u:p@h/", SK_URL_PASSWORD, "", "http://u@h/" },
		{ "http://h/", SK_URL_PASSWORD, "p", "http://:p@h/" },
		{ "http://h:1/p", SK_URL_HOST, "x:2/y", "http://x:2/p" },
		{ "http://h:1/p", SK_URL_HOST, "x:", "http://x:1/p" },
		{ "http://h:1/p", SK_URL_HOST, "x:99999", "http://x:1/p" },
		{ "http://h:1/p", SK_URL_HOSTNAME, "0x7f.1",
		  "http://127.0.0.1:1/p" },
		{ "foo:/p", SK_URL_HOST, "x", "foo://x/p" },
		{ "foo:/.//p", SK_URL_HOST, "x", "foo://x//p" },
		{ "foo://h/p", SK_URL_HOST, "", "foo:///p" },
		{ "file:///p", SK_URL_HOST, "x", "file://x/p" },
		{ "file://x/p", SK_URL_HOST, "localhost", "file:///p" },
		{ "http://h:1/", SK_URL_PORT, "", "http://h/" },
		{ "http://h/", SK_URL_PORT, "81x", "http://h:81/" },
		{ "http://h:1/", SK_URL_PORT, "80", "http://h/" },
		{ "http://h/a?q", SK_URL_PATHNAME, "b/../c?#",
		  "http://h/c%3F%23?q" },
		{ "http://h/a", SK_URL_PATHNAME, "", "http://h/" },
		{ "foo://h/a", SK_URL_PATHNAME, "", "foo://h" },
		{ "foo:/a", SK_URL_PATHNAME, "//b", "foo:/.//b" },
		{ "http://h/", SK_URL_SEARCH, "?a#b", "http://h/?a%23b" },
		{ "http://h/?x", SK_URL_SEARCH, "", "http://h/" },
		{ "http://h/?x", SK_URL_SEARCH, "?", "http://h/?" },
		{ "http://h/", SK_URL_HASH, "##", "http://h/##" },
		{ "http://h/#x", SK_URL_HASH, "", "http://h/" },
		{ "http://h/", SK_URL_HREF, "foo:bar", "foo:bar" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_set(rows[i].input, rows[i].part, rows[i].value,
			   rows[i].href);
}

static void expect_ignored(const char *href, enum sk_url_part part,
			   const char *value)
{
	struct sk_url url = parse(href, NULL);

	assert_int_equal(sk_url_set(&url, part, value, strlen(value)), 1);
	assert_string_equal(url.href, href);
	sk_url_fini(&url);
}

SK_TEST(setters_ignore_what_does_not_fit)
{
	expect_ignored("http://h/", SK_URL_PROTOCOL, "foo");
	expect_ignored("foo://h/", SK_URL_PROTOCOL, "http");
	expect_ignored("http://u@h/", SK_URL_PROTOCOL, "file");
	expect_ignored("file:///x", SK_URL_PROTOCOL, "http");
	expect_ignored("http://h/", SK_URL_PROTOCOL, "1");
	expect_ignored("http://h/", SK_URL_PROTOCOL, "ht tp");
	expect_ignored("mailto:a", SK_URL_USERNAME, "u");
	expect_ignored("file:///", SK_URL_PASSWORD, "p");
	expect_ignored("file:///", SK_URL_PORT, "1");
	expect_ignored("http://h/", SK_URL_PORT, "x");
	expect_ignored("http://h/", SK_URL_PORT, "65536");
	expect_ignored("http://h/", SK_URL_HOST, "");
	expect_ignored("http://h/", SK_URL_HOST, ":80");
	expect_ignored("http://h/", SK_URL_HOST, "a b");
	expect_ignored("http://h/", SK_URL_HOSTNAME, "x:1");
	expect_ignored("foo://u@h/", SK_URL_HOST, "");
	expect_ignored("mailto:a", SK_URL_HOST, "h");
	expect_ignored("mailto:a", SK_URL_PATHNAME, "b");
}

SK_TEST(a_bad_href_leaves_the_url_alone)
{
	struct sk_url url = parse("http://h/", NULL);

	assert_int_equal(sk_url_set(&url, SK_URL_HREF, "x", 1), -EINVAL);
	assert_string_equal(url.href, "http://h/");
	sk_url_fini(&url);
}

SK_TEST(a_setter_takes_a_piece_of_its_own_url)
{
	struct sk_url url = parse("http://h/path", NULL);

	assert_int_equal(sk_url_set(&url, SK_URL_HOSTNAME, url.href + 9, 4), 0);
	assert_string_equal(url.href, "http://path/path");
	sk_url_fini(&url);
}

/* --- the rest --- */

static void expect_origin(const char *input, const char *wanted)
{
	struct sk_url url = parse(input, NULL);
	char *origin = sk_url_origin(&url);

	assert_string_equal(origin, wanted);
	free(origin);
	sk_url_fini(&url);
}

SK_TEST(origins_are_serialised)
{
	expect_origin("http://u:p@h:81/x", "http://h:81");
	expect_origin("https://h:443/x", "https://h");
	expect_origin("ws://[::1]/", "ws://[::1]");
	expect_origin("file:///x", "null");
	expect_origin("foo://h/", "null");
	expect_origin("blob:https://u@h:9/x", "https://h:9");
	expect_origin("blob:ws://h/", "null");
	expect_origin("blob:blob:https://h/", "null");
	expect_origin("blob:x", "null");
}

SK_TEST(default_ports_belong_to_special_schemes)
{
	assert_int_equal(sk_url_default_port("http", 4), 80);
	assert_int_equal(sk_url_default_port("https", 5), 443);
	assert_int_equal(sk_url_default_port("ws", 2), 80);
	assert_int_equal(sk_url_default_port("wss", 3), 443);
	assert_int_equal(sk_url_default_port("ftp", 3), 21);
	assert_int_equal(sk_url_default_port("file", 4), -1);
	assert_int_equal(sk_url_default_port("gopher", 6), -1);
	assert_int_equal(sk_url_default_port("", 0), -1);
}

SK_TEST(percent_decoding_keeps_malformed_escapes)
{
	char text[] = "%41%4a%zz%4%%25%00", out[sizeof(text)];
	size_t length = sk_percent_decode(out, text, strlen(text));

	assert_int_equal(length, 10);
	assert_memory_equal(out, "AJ%zz%4%%\0", 10);
	assert_int_equal(sk_percent_decode(text, text, strlen(text)), 10);
	assert_memory_equal(text, "AJ%zz%4%%\0", 10);
}

SK_TEST(fini_of_a_zeroed_url_is_safe)
{
	struct sk_url url = { 0 };

	sk_url_fini(&url);
	sk_url_fini(&url);
}
