/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/list.h"

#include <stdlib.h>
#include <string.h>

#include "cli/text.h"

/* The place of `item`, or where it belongs. */
static size_t find(const struct sk_list *list, const char *item, int *found)
{
	size_t low = 0;
	size_t high = list->count;

	*found = 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(list->items[middle], item);

		if (order == 0) {
			*found = 1;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int sk_list_add(struct sk_list *list, const char *item)
{
	int found;
	size_t at = find(list, item, &found);

	if (found)
		return 0;
	list->items =
		sk_resize(list->items, list->count + 1, sizeof(*list->items));
	memmove(list->items + at + 1, list->items + at,
		(list->count - at) * sizeof(*list->items));
	list->items[at] = sk_copy(item);
	list->count++;
	return 1;
}

void sk_list_add_all(struct sk_list *list, const struct sk_list *other)
{
	for (size_t i = 0; i < other->count; i++)
		sk_list_add(list, other->items[i]);
}

int sk_list_has(const struct sk_list *list, const char *item)
{
	int found;

	find(list, item, &found);
	return found;
}

void sk_list_fini(struct sk_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	memset(list, 0, sizeof(*list));
}
