/* SPDX-License-Identifier: BSD-2-Clause */
#include "sandbox/filter.h"

#include <errno.h>

static int add_all(scmp_filter_ctx context, const struct sk__filter *filter)
{
	size_t i;
	int err = 0;

	for (i = 0; i < filter->nallowed && !err; i++)
		err = seccomp_rule_add(context, SCMP_ACT_ALLOW,
				       filter->allowed[i], 0);
	for (i = 0; i < filter->nrefused && !err; i++)
		err = seccomp_rule_add(context,
				       SCMP_ACT_ERRNO(filter->refused[i].error),
				       filter->refused[i].call, 0);
	for (i = 0; i < filter->nrules && !err; i++)
		err = seccomp_rule_add_array(context, filter->rules[i].action,
					     filter->rules[i].call, 1,
					     &filter->rules[i].arg);
	return err;
}

int sk__filter_load(const struct sk__filter *filter)
{
	scmp_filter_ctx context = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int err;

	if (!context)
		return -ENOMEM;
	err = seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!err)
		err = seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!err)
		err = add_all(context, filter);
	if (!err)
		err = seccomp_load(context);
	seccomp_release(context);
	return err;
}
