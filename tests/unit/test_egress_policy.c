/* SPDX-License-Identifier: BSD-2-Clause */
/* From the supervisor's JSON to a verdict. */
// link: egress/policy.c
#include "sk_test.h"

#include "egress/policy.h"

static struct policy *parse(const char *json)
{
	struct policy *policy = NULL;
	char error[200];

	assert_int_equal(
		policy_parse(&policy, json, strlen(json), error, sizeof(error)),
		0);
	return policy;
}

static enum policy_verdict check(struct policy *policy, const char *method,
				 const char *text)
{
	enum policy_verdict verdict;
	struct sk_url url;

	memset(&url, 0, sizeof(url));
	assert_int_equal(sk_url_parse(&url, text, strlen(text), NULL), 0);
	verdict = policy_check(policy, method, strlen(method), &url);
	sk_url_fini(&url);
	return verdict;
}

SK_TEST(only_what_a_rule_names_is_allowed)
{
	struct policy *policy = parse(
		"{\"policy\":{\"outboundHttp\":["
		"{\"method\":\"GET\",\"pattern\":\"https://a.test/x/*\"}]}}");

	assert_int_equal(check(policy, "GET", "https://a.test/x/y"),
			 POLICY_PUBLIC);
	assert_int_equal(check(policy, "POST", "https://a.test/x/y"),
			 POLICY_REFUSED);
	assert_int_equal(check(policy, "get", "https://a.test/x/y"),
			 POLICY_REFUSED);
	assert_int_equal(check(policy, "GE", "https://a.test/x/y"),
			 POLICY_REFUSED);
	assert_int_equal(check(policy, "GET", "http://a.test/x/y"),
			 POLICY_REFUSED);
	policy_free(policy);
}

SK_TEST(private_hosts_may_be_at_private_addresses)
{
	struct policy *policy = parse(
		"{\"policy\":{\"outboundHttp\":["
		"{\"method\":\"GET\",\"pattern\":\"http://localhost:1/**\"},"
		"{\"method\":\"GET\",\"pattern\":\"http://a.test/**\"}]}}");

	assert_int_equal(check(policy, "GET", "http://localhost:1/"),
			 POLICY_ANY);
	assert_int_equal(check(policy, "GET", "http://a.test/"), POLICY_PUBLIC);
	policy_free(policy);
}

SK_TEST(wide_pattern_takes_no_right_of_a_narrow_one_away)
{
	struct policy *policy =
		parse("{\"policy\":{\"outboundHttp\":["
		      "{\"method\":\"GET\",\"pattern\":\"http://*/**\"},"
		      "{\"method\":\"GET\",\"pattern\":\"http://wiki/**\"}]}}");

	assert_int_equal(check(policy, "GET", "http://wiki/"), POLICY_ANY);
	policy_free(policy);
}

SK_TEST(private_grant_opens_all_that_is_allowed)
{
	struct policy *policy = parse(
		"{\"policy\":{\"outboundPrivate\":true,\"outboundHttp\":["
		"{\"method\":\"GET\",\"pattern\":\"http://a.test/**\"}]}}");

	assert_int_equal(check(policy, "GET", "http://a.test/"), POLICY_ANY);
	assert_int_equal(check(policy, "GET", "http://b.test/"),
			 POLICY_REFUSED);
	policy_free(policy);
}

SK_TEST(policy_without_rules_refuses_all)
{
	struct policy *policy = parse("{\"route\":\"GET /\"}");

	assert_int_equal(check(policy, "GET", "http://a.test/"),
			 POLICY_REFUSED);
	policy_free(policy);
}

SK_TEST(broken_policy_is_an_error)
{
	static const char *const texts[] = {
		"",
		"{",
		"[1",
		"{\"policy\":{\"outboundHttp\":[1]}}",
		"{\"policy\":{\"outboundHttp\":[{\"method\":\"GET\"}]}}",
		"{\"policy\":{\"outboundHttp\":[{\"method\":\"GET\","
		"\"pattern\":\"nonsense\"}]}}"
	};
	struct policy *policy;
	char error[200];
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(policy_parse(&policy, texts[i],
					      strlen(texts[i]), error,
					      sizeof(error)),
				 -EINVAL);
}
