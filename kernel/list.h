/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intrusive, circular, doubly linked lists. An unlinked node points at itself.
 */
#ifndef SK_LIST_H
#define SK_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct sk_list {
	struct sk_list *next, *prev;
};

#define SK_CONTAINER(pointer, type, member)                                    \
	((type *)((char *)(pointer)-offsetof(type, member)))

/* `node` may be unlinked inside the loop. */
#define SK_LIST_EACH(node, head)                                               \
	for (struct sk_list *node = (head)->next, *node##_next = node->next;   \
	     node != (head); node = node##_next, node##_next = node->next)

static inline void sk_list_init(struct sk_list *l)
{
	l->next = l->prev = l;
}

static inline bool sk_list_empty(const struct sk_list *l)
{
	return l->next == l;
}

/* At the end of the list whose head is `head`. */
static inline void sk_list_add(struct sk_list *head, struct sk_list *node)
{
	node->prev = head->prev;
	node->next = head;
	head->prev->next = node;
	head->prev = node;
}

static inline void sk_list_remove(struct sk_list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	sk_list_init(node);
}

#endif
