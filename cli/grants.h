/* SPDX-License-Identifier: BSD-2-Clause */
/* What a policy says of URLs: whether it can be used, and how it is told. */
#ifndef SK_CLI_GRANTS_H
#define SK_CLI_GRANTS_H

#include <jansson.h>
#include <stddef.h>

#include "cli/list.h"
#include "cli/text.h"

/* Looks at one grant of "outboundHttp" ({method, pattern}; `http`) or of
 * "outboundWebSocket" (a pattern). 0, with what is worth a look added to
 * `remarks`; or -EINVAL, and `error` says what is wrong. */
int sk_grant_check(const json_t *grant, int http, struct sk_list *remarks,
		   char *error, size_t size);

/* Adds the grants of one kind as words: a pattern that several methods may
 * use stands once, "GET/HEAD https://…". */
void sk_grants_tell(struct sk_text *out, const json_t *grants);

#endif
