/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/grants.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match/url_pattern.h"

struct remark {
	unsigned warning;
	const char *text;
};

static const struct remark remarks_known[] = {
	{ SK_WARN_NO_MATCH, "nothing can match this pattern" },
	{ SK_WARN_WIDE_HOST,
	  "a * in the host: whoever can have a name under it is reached" },
	{ SK_WARN_PLAIN_HTTP,
	  "not encrypted, to a public host: others can read and change it" },
};

#define REMARKS (sizeof(remarks_known) / sizeof(*remarks_known))

static const char *pattern_of(const json_t *grant)
{
	return json_string_value(json_is_object(grant)
					 ? json_object_get(grant, "pattern")
					 : grant);
}

int sk_grant_check(const json_t *grant, int http, struct sk_list *remarks,
		   char *error, size_t size)
{
	const char *method =
		json_string_value(json_object_get(grant, "method"));
	const char *text = pattern_of(grant);
	struct sk_url_pattern *pattern;
	char why[200] = "it is not valid";
	unsigned warnings;

	if (!text || !method == !!http) {
		snprintf(error, size, "a grant is not valid");
		return -EINVAL;
	}
	if (sk_url_pattern_compile(&pattern, text, strlen(text), why,
				   sizeof(why))) {
		snprintf(error, size, "pattern %s: %s", text, why);
		return -EINVAL;
	}
	warnings = sk_url_pattern_warnings(pattern);
	sk_url_pattern_free(pattern);
	for (size_t i = 0; i < REMARKS; i++) {
		char *remark;

		if (!(warnings & remarks_known[i].warning))
			continue;
		remark = sk_format("warning: %s: %s", text,
				   remarks_known[i].text);
		sk_list_add(remarks, remark);
		free(remark);
	}
	return 0;
}

/* 1 when an earlier grant has the same pattern. */
static int told(const json_t *grants, size_t before, const char *pattern)
{
	for (size_t i = 0; i < before; i++)
		if (!strcmp(pattern_of(json_array_get(grants, i)), pattern))
			return 1;
	return 0;
}

static void tell_methods(struct sk_text *out, const json_t *grants,
			 size_t first)
{
	const char *pattern = pattern_of(json_array_get(grants, first));
	struct sk_list methods = { 0 };

	for (size_t i = first; i < json_array_size(grants); i++) {
		const json_t *grant = json_array_get(grants, i);
		const char *method =
			json_string_value(json_object_get(grant, "method"));

		if (method && !strcmp(pattern_of(grant), pattern) &&
		    sk_list_add(&methods, method))
			sk_text_printf(out, "%s%s",
				       methods.count > 1 ? "/" : "", method);
	}
	if (methods.count)
		sk_text_puts(out, " ");
	sk_list_fini(&methods);
}

void sk_grants_tell(struct sk_text *out, const json_t *grants)
{
	const json_t *grant;
	size_t i;

	json_array_foreach((json_t *)grants, i, grant)
	{
		const char *pattern = pattern_of(grant);

		if (!pattern || told(grants, i, pattern))
			continue;
		if (out->length)
			sk_text_puts(out, ", ");
		tell_methods(out, grants, i);
		sk_text_puts(out, pattern);
	}
}
