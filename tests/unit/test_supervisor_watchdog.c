/* SPDX-License-Identifier: BSD-2-Clause */
// link: supervisor/watchdog.c
#include "sk_test.h"

#include "supervisor/watchdog.h"

static const struct sk_limits limits = { .cpu = 1000,
					 .wall = 30000,
					 .idle = 5000 };

static enum sk_verdict look(struct sk_watch *watch, uint64_t turn,
			    uint32_t in_turn, uint32_t inflight, int64_t now,
			    int64_t cpu)
{
	struct sk_look look = { turn, in_turn, inflight, now, cpu };

	return sk_watch_look(watch, &look, &limits);
}

SK_TEST(turn_is_over_cpu_at_the_limit_and_a_grace)
{
	struct sk_watch watch;

	sk_watch_init(&watch, 0);
	assert_int_equal(look(&watch, 1, 1, 1, 250, 7000), SK_FINE);
	assert_int_equal(look(&watch, 1, 1, 1, 500, 8750), SK_FINE);
	assert_int_equal(look(&watch, 1, 1, 1, 750, 8751), SK_OVER_CPU);
}

SK_TEST(turns_that_move_are_never_over)
{
	struct sk_watch watch;
	int i;

	sk_watch_init(&watch, 0);
	for (i = 1; i < 1000; i++)
		assert_int_equal(
			look(&watch, (uint64_t)i, 1, 1, i * 2500, i * 2500),
			SK_FINE);
}

SK_TEST(turn_that_waits_is_over_at_twice_the_wall_limit)
{
	struct sk_watch watch;

	sk_watch_init(&watch, 0);
	assert_int_equal(look(&watch, 9, 1, 1, 1000, 0), SK_FINE);
	assert_int_equal(look(&watch, 9, 1, 1, 61000, 0), SK_FINE);
	assert_int_equal(look(&watch, 9, 1, 1, 61001, 0), SK_OVER_WALL);
}

SK_TEST(sleep_between_turns_is_not_part_of_a_turn)
{
	struct sk_watch watch;

	sk_watch_init(&watch, 0);
	assert_int_equal(look(&watch, 1, 0, 1, 100000, 0), SK_FINE);
	/* It woke up; the counter does not move before the turn's end. */
	assert_int_equal(look(&watch, 1, 1, 1, 100250, 50), SK_FINE);
	assert_int_equal(look(&watch, 1, 1, 1, 100500, 300), SK_FINE);
}

SK_TEST(process_without_requests_is_idle_in_time)
{
	struct sk_watch watch;

	sk_watch_init(&watch, 0);
	assert_int_equal(look(&watch, 1, 0, 0, 1000, 0), SK_FINE);
	assert_int_equal(look(&watch, 1, 0, 0, 5999, 0), SK_FINE);
	assert_int_equal(look(&watch, 1, 0, 0, 6000, 0), SK_IDLE);
}

SK_TEST(request_in_flight_keeps_a_process_from_being_idle)
{
	struct sk_watch watch;

	sk_watch_init(&watch, 0);
	assert_int_equal(look(&watch, 1, 0, 1, 20000, 0), SK_FINE);
	assert_int_equal(look(&watch, 1, 0, 0, 24999, 0), SK_FINE);
	assert_int_equal(look(&watch, 1, 0, 0, 25000, 0), SK_IDLE);
}

SK_TEST(idle_limit_of_zero_is_for_ever)
{
	struct sk_limits forever = { .cpu = 1000, .wall = 30000 };
	struct sk_look look = { 0, 0, 0, INT64_C(1) << 40, 0 };
	struct sk_watch watch;

	sk_watch_init(&watch, 0);
	assert_int_equal(sk_watch_look(&watch, &look, &forever), SK_FINE);
}
