/* SPDX-License-Identifier: BSD-2-Clause */
#include "sk_test.h"

#include "match/url_pattern.h"

struct row {
	const char *pattern;
	const char *url;
	int verdict;
};

static const struct row rows[] = {
#include "url_pattern_rows.h"
};

static int verdict(const char *pattern_text, const char *url_text)
{
	struct sk_url_pattern *pattern;
	struct sk_url url;
	char error[200];
	int matches;

	if (sk_url_pattern_compile(&pattern, pattern_text, strlen(pattern_text),
				   error, sizeof(error)))
		return -1;
	if (sk_url_parse(&url, url_text, strlen(url_text), NULL)) {
		sk_url_pattern_free(pattern);
		return 0;
	}
	matches = sk_url_pattern_match(pattern, &url);
	sk_url_fini(&url);
	sk_url_pattern_free(pattern);
	return matches;
}

SK_TEST(every_row_of_the_table_has_its_verdict)
{
	size_t i, bad = 0;
	int got;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		got = verdict(rows[i].pattern, rows[i].url);
		if (got == rows[i].verdict)
			continue;
		print_error("%s  %s: %d, not %d\n", rows[i].pattern,
			    rows[i].url, got, rows[i].verdict);
		bad++;
	}
	assert_int_equal(bad, 0);
	assert_true(sizeof(rows) / sizeof(rows[0]) >= 200);
}

static void refuses(const char *text, const char *why)
{
	struct sk_url_pattern *pattern = NULL;
	char error[200] = "";

	assert_int_equal(sk_url_pattern_compile(&pattern, text, strlen(text),
						error, sizeof(error)),
			 -EINVAL);
	if (!strstr(error, why))
		print_error("%s: %s\n", text, error);
	assert_non_null(strstr(error, why));
}

SK_TEST(bad_patterns_are_refused_with_a_reason)
{
	refuses("", "http://");
	refuses("*", "http://");
	refuses("ftp://x.test/", "http://");
	refuses("http:/x.test/", "http://");
	refuses("http:///a", "no host");
	refuses("http://u@x.test/", "user name");
	refuses("http://x.test/?a", "query");
	refuses("http://x.test/#a", "query");
	refuses("http://x.test:99999/", "port");
	refuses("http://x.test:/", "port");
	refuses("http://x.test:0/", "port");
	refuses("http://x.test:8a/", "port");
	refuses("http://x.test/***", "in a row");
	refuses("http://a.**.test/", "first");
	refuses("http://a**.test/", "`*`");
	refuses("http://x .test/", "spaces");
	refuses("http://x.test\\a/", "backslashes");
	refuses("http://x.test/a\nb", "control");
	refuses("http://x.test/a%2Fb", "encoded slash");
	refuses("http://x.test/a%00", "encoded slash");
	refuses("http://[::1/", "not valid");
	refuses("http://1.2.3.4.5/", "not valid");
}

static int is_private(const char *text)
{
	struct sk_url_pattern *pattern;
	char error[200];
	int yes;

	assert_int_equal(sk_url_pattern_compile(&pattern, text, strlen(text),
						error, sizeof(error)),
			 0);
	yes = sk_url_pattern_is_private(pattern);
	sk_url_pattern_free(pattern);
	return yes;
}

SK_TEST(only_hosts_that_are_private_by_themselves_opt_in)
{
	assert_int_equal(is_private("http://localhost/"), 1);
	assert_int_equal(is_private("http://LOCALHOST:*/**"), 1);
	assert_int_equal(is_private("http://127.0.0.1/"), 1);
	assert_int_equal(is_private("http://2130706433/"), 1);
	assert_int_equal(is_private("http://10.1.2.3/"), 1);
	assert_int_equal(is_private("http://169.254.169.254/"), 1);
	assert_int_equal(is_private("http://[::1]/"), 1);
	assert_int_equal(is_private("http://[fd00::1]/"), 1);
	assert_int_equal(is_private("http://[::ffff:10.0.0.1]/"), 1);
	assert_int_equal(is_private("http://db/"), 1);
	assert_int_equal(is_private("http://printer.local/"), 1);
	assert_int_equal(is_private("http://*.internal/"), 1);
	assert_int_equal(is_private("http://x.test/"), 0);
	assert_int_equal(is_private("http://8.8.8.8/"), 0);
	assert_int_equal(is_private("http://[2606:4700::1]/"), 0);
	assert_int_equal(is_private("http://*/"), 0);
	assert_int_equal(is_private("http://**/"), 0);
	assert_int_equal(is_private("http://local.test/"), 0);
	assert_int_equal(is_private("http://notlocalhost.test/"), 0);
}

static unsigned warnings(const char *text)
{
	struct sk_url_pattern *pattern;
	char error[200];
	unsigned bits;

	assert_int_equal(sk_url_pattern_compile(&pattern, text, strlen(text),
						error, sizeof(error)),
			 0);
	bits = sk_url_pattern_warnings(pattern);
	sk_url_pattern_free(pattern);
	return bits;
}

SK_TEST(warnings_name_what_seems_wider_or_emptier_than_meant)
{
	assert_int_equal(warnings("https://api.x.test/**"), 0);
	assert_int_equal(warnings("http://localhost/**"), 0);
	assert_int_equal(warnings("http://x.test/"), SK_WARN_PLAIN_HTTP);
	assert_int_equal(warnings("https://*.x.test/"), SK_WARN_WIDE_HOST);
	assert_int_equal(warnings("https://x.test/a/../b"), SK_WARN_NO_MATCH);
	assert_int_equal(warnings("https://x.test/%2e/b"), SK_WARN_NO_MATCH);
}

SK_TEST(hostile_patterns_take_bounded_time)
{
	char pattern[512], url[9000];
	size_t n;

	n = (size_t)sprintf(pattern, "http://x.test/");
	while (n < 400)
		n += (size_t)sprintf(pattern + n, "*a");
	n = (size_t)sprintf(url, "http://x.test/");
	memset(url + n, 'a', 8000);
	strcpy(url + n + 8000, "b");
	assert_int_equal(verdict(pattern, url), 0);
	n = (size_t)sprintf(pattern, "http://x.test/");
	while (n < 400)
		n += (size_t)sprintf(pattern + n, "**a");
	assert_int_equal(verdict(pattern, url), 0);
}
