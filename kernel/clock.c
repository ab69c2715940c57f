/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks, sleeps and interval timers. */
#include "process.h"

static void alarm_fires(struct sk_kernel *k, struct sk_timer *timer)
{
	struct sk_process *p = SK_CONTAINER(timer, struct sk_process, alarm);

	if (p->alarm_interval)
		sk_timer_set(k, timer,
			     sk_now(k, SK_CLOCK_MONOTONIC) + p->alarm_interval);
	sk_signal_send(p, SK_SIGALRM, NULL);
}

void sk_alarm_init(struct sk_process *p)
{
	sk_timer_init(&p->alarm, alarm_fires);
}
