/* SPDX-License-Identifier: BSD-2-Clause */
/* What a configuration says of the egress; see egress.h. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address/resolve.h"
#include "control/control.h"
#include "supervisor/egress.h"

void sk_egress_args_free(char **args)
{
	size_t i;

	for (i = 0; args && args[i]; i++)
		free(args[i]);
	free(args);
}

static int add(char **args, size_t *n, const char *text)
{
	args[*n] = strdup(text);
	return args[(*n)++] ? 0 : -ENOMEM;
}

static int add_resolve(const json_t *list, char **args, size_t *n, char *error,
		       size_t errsize)
{
	const json_t *item;
	size_t i;
	int err = 0;

	json_array_foreach(list, i, item)
	{
		const char *text = json_string_value(item);

		err = text ? sk_resolve_check(text, error, errsize) : -EINVAL;
		if (!err)
			err = add(args, n, "--resolve");
		if (!err)
			err = add(args, n, text);
		if (err)
			return err;
	}
	return 0;
}

int sk_egress_args(const json_t *from, char ***out, char *error, size_t errsize)
{
	const json_t *resolve = json_object_get(from, "resolve");
	const json_t *ca_file = json_object_get(from, "caFile");
	size_t n = 0;
	char **args = calloc(json_array_size(resolve) * 2 + 4, sizeof(*args));
	int err;

	if (!args)
		return -ENOMEM;
	snprintf(error, errsize, "\"egress\" is not as docs/control.md says");
	err = add_resolve(resolve, args, &n, error, errsize);
	if (!err && ca_file && !json_is_null(ca_file)) {
		err = json_is_string(ca_file) ? 0 : -EINVAL;
		if (!err)
			err = add(args, &n, "--ca-file");
		if (!err)
			err = add(args, &n, json_string_value(ca_file));
	}
	if (!err && json_is_true(json_object_get(from, "audit")))
		err = add(args, &n, "--audit");
	if (err)
		sk_egress_args_free(args);
	else
		*out = args;
	return err;
}

int sk_egress_payload(const char *label, const json_t *route, char **out)
{
	json_t *policy = json_object_get(route, "policy");
	json_t *all;

	*out = NULL;
	if (!json_array_size(json_object_get(policy, "outboundHttp")))
		return 0;
	all = json_pack("{s:s, s:O, s:O}", "route", label, "policy", policy,
			"limits", json_object_get(route, "limits"));
	*out = all ? json_dumps(all, JSON_COMPACT) : NULL;
	json_decref(all);
	if (!*out)
		return -ENOMEM;
	if (strlen(*out) <= SK_MESSAGE_MAX)
		return 0;
	free(*out);
	*out = NULL;
	return -E2BIG;
}
