/* SPDX-License-Identifier: BSD-2-Clause */
/* A sorted set of strings (paths, mostly). Safe when zeroed. */
#ifndef SK_CLI_LIST_H
#define SK_CLI_LIST_H

#include <stddef.h>

struct sk_list {
	char **items;
	size_t count;
};

/* Adds a copy of `item`. 1: added, 0: it was there. */
int sk_list_add(struct sk_list *list, const char *item);
void sk_list_add_all(struct sk_list *list, const struct sk_list *other);
int sk_list_has(const struct sk_list *list, const char *item);
void sk_list_fini(struct sk_list *list);

#endif
