/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
#include "sk_test.h"
#include "tests/kernel/rig.h"

SK_TEST(a_child_has_a_pid_of_its_own)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	assert_int_equal(RIG(r->init, getpid), 1);
	assert_int_equal(RIG(t, getpid), 2);
	assert_int_equal(RIG(t, gettid), 2);
	rig_free(r);
}

SK_TEST(a_call_that_is_none_is_enosys)
{
	struct rig *r = rig_new();

	assert_int_equal(rig_call(r->init, 1023, (uint64_t[6]){ 0 }),
			 -SK_ENOSYS);
	assert_int_equal(rig_call(r->init, 4000000, (uint64_t[6]){ 0 }),
			 -SK_ENOSYS);
	rig_free(r);
}

SK_TEST(exit_leaves_the_program)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	assert_int_equal(RIG(t, exit_group, 3), RIG_EXITED);
	rig_end(t);
	rig_free(r);
}

static void fork_twice(uint32_t fail_at)
{
	struct rig *r = rig_new_with(NULL, fail_at);
	struct sk_task *t;

	if (!r)
		return;
	t = rig_fork(r, r->init);
	if (t)
		rig_fork(r, t);
	rig_free(r);
}

SK_TEST(fork_without_memory_leaves_nothing_behind)
{
	rig_sweep(fork_twice);
}
