/* SPDX-License-Identifier: BSD-2-Clause */
/* TEMPORARY, not committed */
#include "match/match.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
struct sk_pattern { char *t; size_t n; };
int sk_pattern_compile(struct sk_pattern **out, const char *text, size_t length, char *error, size_t errsize)
{ (void)error; (void)errsize; *out = malloc(sizeof **out); (*out)->t = strndup(text, length); (*out)->n = length; return 0; }
void sk_pattern_free(struct sk_pattern *p) { if (p) free(p->t); free(p); }
int sk_path_init(struct sk_path *p, const char *raw, size_t length)
{ memset(p, 0, sizeof *p); if (!length || raw[0] != '/') return -EINVAL; p->bytes = strndup(raw, length); p->count = (uint32_t)length; return 0; }
void sk_path_fini(struct sk_path *p) { free(p->bytes); }
int sk_pattern_match(const struct sk_pattern *pt, const struct sk_path *path, struct sk_param *params, size_t *count)
{
	const char *a = pt->t, *b = path->bytes;
	*count = 0;
	while (*a) {
		if (*a == ':') {
			params[*count].name = ++a; while (*a && *a != '/') a++;
			params[*count].name_len = (size_t)(a - params[*count].name);
			params[*count].value = b; while (*b && *b != '/') b++;
			params[*count].value_len = (size_t)(b - params[*count].value);
			(*count)++; continue;
		}
		if (a[0] == '*' && a[1] == '*') return 1;
		if (*a++ != *b++) return 0;
	}
	return !*b;
}
