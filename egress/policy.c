/* SPDX-License-Identifier: BSD-2-Clause */
#include "egress/policy.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match/url_pattern.h"

#define WALL_USUAL 30000u
#define WALL_MOST  (7u * 24u * 3600u * 1000u)

struct rule {
	char *method;
	struct sk_url_pattern *pattern;
};

struct policy {
	struct rule *rules;
	size_t count;
	int allow_private;
	uint32_t wall;
};

static int add_rule(struct policy *policy, json_t *item, char *error,
		    size_t errsize)
{
	const char *method = json_string_value(json_object_get(item, "method"));
	json_t *text = json_object_get(item, "pattern");
	struct rule *rule = &policy->rules[policy->count];
	int err;

	if (!method || !json_is_string(text)) {
		snprintf(error, errsize, "a rule has no method or pattern");
		return -EINVAL;
	}
	rule->method = strdup(method);
	if (!rule->method)
		return -ENOMEM;
	err = sk_url_pattern_compile(&rule->pattern, json_string_value(text),
				     json_string_length(text), error, errsize);
	if (err) {
		free(rule->method);
		return err;
	}
	policy->count++;
	return 0;
}

static int add_rules(struct policy *policy, json_t *list, char *error,
		     size_t errsize)
{
	json_t *item;
	size_t i;
	int err;

	if (!json_is_array(list))
		return 0;
	policy->rules =
		calloc(json_array_size(list) + 1, sizeof(*policy->rules));
	if (!policy->rules)
		return -ENOMEM;
	json_array_foreach(list, i, item)
	{
		err = add_rule(policy, item, error, errsize);
		if (err)
			return err;
	}
	return 0;
}

static uint32_t read_wall(const json_t *limits)
{
	const json_t *wall = json_object_get(limits, "wall");
	json_int_t ms = json_integer_value(wall);

	if (!json_is_integer(wall) || ms <= 0)
		return WALL_USUAL;
	return ms > WALL_MOST ? WALL_MOST : (uint32_t)ms;
}

uint32_t policy_wall(const struct policy *policy)
{
	return policy->wall;
}

int policy_parse(struct policy **out, const char *json, size_t length,
		 char *error, size_t errsize)
{
	json_error_t where;
	json_t *root, *grants;
	struct policy *policy = NULL;
	int err = -EINVAL;

	root = json_loadb(json, length, 0, &where);
	if (!root) {
		snprintf(error, errsize, "policy: %s", where.text);
		return -EINVAL;
	}
	grants = json_object_get(root, "policy");
	policy = calloc(1, sizeof(*policy));
	if (!policy) {
		err = -ENOMEM;
		goto fail;
	}
	policy->allow_private =
		json_is_true(json_object_get(grants, "outboundPrivate"));
	policy->wall = read_wall(json_object_get(root, "limits"));
	err = add_rules(policy, json_object_get(grants, "outboundHttp"), error,
			errsize);
	if (err)
		goto fail;
	json_decref(root);
	*out = policy;
	return 0;
fail:
	json_decref(root);
	policy_free(policy);
	return err;
}

void policy_free(struct policy *policy)
{
	size_t i;

	if (!policy)
		return;
	for (i = 0; i < policy->count; i++) {
		free(policy->rules[i].method);
		sk_url_pattern_free(policy->rules[i].pattern);
	}
	free(policy->rules);
	free(policy);
}

enum policy_verdict policy_check(const struct policy *policy,
				 const char *method, size_t method_len,
				 const struct sk_url *url)
{
	enum policy_verdict verdict = POLICY_REFUSED;
	const struct rule *rule;
	size_t i;

	for (i = 0; i < policy->count; i++) {
		rule = &policy->rules[i];
		if (strlen(rule->method) != method_len ||
		    memcmp(rule->method, method, method_len) != 0 ||
		    !sk_url_pattern_match(rule->pattern, url))
			continue;
		if (policy->allow_private ||
		    sk_url_pattern_is_private(rule->pattern))
			return POLICY_ANY;
		verdict = POLICY_PUBLIC;
	}
	return verdict;
}
