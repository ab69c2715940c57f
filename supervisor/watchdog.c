/* SPDX-License-Identifier: BSD-2-Clause */
/* The watchdog; see watchdog.h. */
#include "supervisor/watchdog.h"

#include <string.h>

void sk_watch_init(struct sk_watch *watch, int64_t now)
{
	memset(watch, 0, sizeof(*watch));
	watch->wall = now;
	watch->idle = now;
}

enum sk_verdict sk_watch_look(struct sk_watch *watch,
			      const struct sk_look *look,
			      const struct sk_limits *limits)
{
	int same = look->turn == watch->turn;

	if (!same || look->inflight)
		watch->idle = look->now;
	if (!same || !look->in_turn || !watch->in_turn) {
		watch->wall = look->now;
		watch->cpu = look->cpu;
	}
	watch->turn = look->turn;
	watch->in_turn = look->in_turn;
	if (look->in_turn && look->cpu - watch->cpu > limits->cpu + SK_GRACE_MS)
		return SK_OVER_CPU;
	if (look->in_turn && look->now - watch->wall > 2 * limits->wall)
		return SK_OVER_WALL;
	if (limits->idle && look->now - watch->idle >= limits->idle)
		return SK_IDLE;
	return SK_FINE;
}
