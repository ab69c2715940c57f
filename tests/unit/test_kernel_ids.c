/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
// wasm
#include "sk_test.h"
#include "tests/kernel/rig.h"

#define SAME UINT32_MAX

static struct rig *as_user(uint32_t uid)
{
	const struct sk_config config = { .uid = uid, .gid = uid };

	return rig_new_with(&config, 0);
}

SK_TEST(setsid_makes_a_session_unless_one_leads_a_group)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init), *child;

	assert_int_equal(RIG(t, setsid), 2);
	assert_int_equal(RIG(t, getsid, 0), 2);
	assert_int_equal(RIG(t, setsid), -SK_EPERM);
	child = rig_fork(r, t);
	assert_int_equal(RIG(child, getsid, 0), 2);
	assert_int_equal(RIG(child, setpgid, 0, 0), 0);
	assert_int_equal(RIG(child, setsid), -SK_EPERM);
	assert_int_equal(RIG(t, getpgid, 3), 3);
	assert_int_equal(RIG(t, getpgid, 77), -SK_ESRCH);
	rig_free(r);
}

SK_TEST(setpgid_keeps_to_its_session_and_children)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_task *one = rig_fork(r, t), *two = rig_fork(r, t);

	RIG(two, setsid);
	assert_int_equal(RIG(t, setpgid, 4, 0), -SK_EPERM);
	assert_int_equal(RIG(one, setpgid, 2, 0), -SK_ESRCH);
	assert_int_equal(RIG(t, setpgid, 3, 77), -SK_EPERM);
	assert_int_equal(RIG(t, setpgid, 3, (uint64_t)-1), -SK_EINVAL);
	assert_int_equal(RIG(t, setpgid, 3, 3), 0);
	assert_int_equal(RIG(t, setpgid, 0, 3), 0);
	assert_int_equal(RIG(two, setpgid, 0, 0), -SK_EPERM);
	rig_free(r);
}

SK_TEST(only_root_takes_the_ids_of_others)
{
	struct rig *r = as_user(0);
	struct sk_task *t = rig_fork(r, r->init);
	sk_user at = rig_room(t, 12);
	const uint32_t *ids = rig_at(t, at);

	assert_int_equal(RIG(t, setresuid, 10, 20, 30), 0);
	RIG(t, getresuid, at, at + 4, at + 8);
	assert_int_equal(ids[0], 10);
	assert_int_equal(ids[1], 20);
	assert_int_equal(ids[2], 30);
	assert_int_equal(RIG(t, setuid, 0), -SK_EPERM);
	assert_int_equal(RIG(t, setuid, 30), 0);
	assert_int_equal(RIG(t, geteuid), 30);
	assert_int_equal(RIG(t, setreuid, SAME, 10), 0);
	assert_int_equal(RIG(t, setreuid, 0, SAME), -SK_EPERM);
	rig_free(r);
}

SK_TEST(one_may_not_signal_the_processes_of_others)
{
	struct rig *r = as_user(0);
	struct sk_task *t = rig_fork(r, r->init), *root = rig_fork(r, t);

	RIG(t, setuid, 1000);
	assert_int_equal(RIG(t, kill, (uint64_t)sk_task_pid(root), 0),
			 -SK_EPERM);
	assert_int_equal(RIG(t, kill, 1, 0), -SK_EPERM);
	assert_int_equal(RIG(root, kill, (uint64_t)sk_task_pid(t), 0), 0);
	rig_free(r);
}

SK_TEST(groups_are_kept)
{
	struct rig *r = as_user(0);
	struct sk_task *t = rig_fork(r, r->init);
	const uint32_t groups[2] = { 7, 8 };
	sk_user at = rig_put(t, groups, 8);

	assert_int_equal(RIG(t, setgroups, 2, at), 0);
	assert_int_equal(RIG(t, getgroups, 0, 0), 2);
	assert_int_equal(RIG(t, getgroups, 1, at), -SK_EINVAL);
	assert_int_equal(RIG(t, getgroups, 8, at), 2);
	assert_int_equal(RIG(t, setgroups, 33, at), -SK_EINVAL);
	RIG(t, setuid, 1);
	assert_int_equal(RIG(t, setgroups, 0, 0), -SK_EPERM);
	rig_free(r);
}

SK_TEST(a_limit_is_lowered_by_all_and_raised_by_root)
{
	struct rig *r = as_user(1000);
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_abi_rlimit limit = { 10, 20 };
	sk_user at = rig_put(t, &limit, sizeof(limit));
	struct sk_abi_rlimit *now = rig_at(t, at);

	assert_int_equal(RIG(t, prlimit64, 0, SK_RLIMIT_FSIZE, at, 0), 0);
	now->cur = 30;
	assert_int_equal(RIG(t, prlimit64, 0, SK_RLIMIT_FSIZE, at, 0),
			 -SK_EINVAL);
	now->max = 30;
	assert_int_equal(RIG(t, prlimit64, 0, SK_RLIMIT_FSIZE, at, 0),
			 -SK_EPERM);
	assert_int_equal(RIG(t, getrlimit, SK_RLIMIT_FSIZE, at), 0);
	assert_int_equal(now->cur, 10);
	assert_int_equal(now->max, 20);
	assert_int_equal(RIG(t, prlimit64, 0, 16, at, 0), -SK_EINVAL);
	rig_free(r);
}

SK_TEST(a_limit_on_processes_stops_a_users_forks)
{
	struct rig *r = as_user(1000);
	struct sk_task *t = rig_fork(r, r->init);
	const struct sk_abi_rlimit limit = { 3, 3 };

	RIG(t, setrlimit, SK_RLIMIT_NPROC, rig_put(t, &limit, sizeof(limit)));
	assert_non_null(rig_fork(r, t));
	assert_null(rig_fork(r, t));
	rig_free(r);
}

SK_TEST(a_nice_value_goes_up_for_all_and_down_for_root)
{
	struct rig *r = as_user(1000);
	struct sk_task *t = rig_fork(r, r->init);

	assert_int_equal(RIG(t, getpriority, 0, 0), 20);
	assert_int_equal(RIG(t, setpriority, 0, 0, 100), 0);
	assert_int_equal(RIG(t, getpriority, 0, 0), 1);
	assert_int_equal(RIG(t, setpriority, 0, 0, 0), -SK_EACCES);
	assert_int_equal(RIG(t, getpriority, 0, 99), -SK_ESRCH);
	assert_int_equal(RIG(t, getpriority, 3, 0), -SK_EINVAL);
	rig_free(r);
}

SK_TEST(uname_and_sysinfo_describe_the_kernel)
{
	const struct sk_config config = { .hostname = "reef" };
	struct rig *r = rig_new_with(&config, 0);
	struct sk_task *t = rig_fork(r, r->init);
	sk_user at = rig_room(t, sizeof(struct sk_abi_utsname));
	const struct sk_abi_utsname *name = rig_at(t, at);
	const struct sk_abi_sysinfo *info;

	assert_int_equal(RIG(t, uname, at), 0);
	assert_string_equal(name->nodename, "reef");
	assert_string_equal(name->machine, "wasm32");
	assert_int_equal(RIG(t, sethostname, rig_str(t, "kelp"), 4), 0);
	RIG(t, uname, at);
	assert_string_equal(name->nodename, "kelp");
	info = rig_at(t, at = rig_room(t, sizeof(*info)));
	assert_int_equal(RIG(t, sysinfo, at), 0);
	assert_int_equal(info->procs, 2);
	rig_free(r);
}

SK_TEST(getrandom_fills_what_it_says)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	sk_user at = rig_room(t, 1000);
	const uint8_t *bytes = rig_at(t, at);

	assert_int_equal(RIG(t, getrandom, at, 999, 0), 999);
	assert_memory_not_equal(bytes, bytes + 500, 499);
	assert_int_equal(bytes[999], 0);
	assert_int_equal(RIG(t, getrandom, at, 9, 8), -SK_EINVAL);
	assert_int_equal(RIG(t, getrandom, RIG_MEMORY, 9, 0), -SK_EFAULT);
	rig_free(r);
}

SK_TEST(a_futex_waits_while_its_word_is_as_it_was)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	const struct sk_abi_timespec second = { 1, 0 };
	sk_user word = rig_room(t, 4), time = rig_put(t, &second, 16);

	assert_int_equal(RIG(t, futex, word, 0, 1, 0), -SK_EAGAIN);
	assert_int_equal(RIG(t, futex, word + 1, 0, 0, 0), -SK_EINVAL);
	assert_int_equal(RIG(t, futex, word, 1, 9, 0), 0);
	assert_int_equal(RIG(t, futex, word, 128, 0, time), RIG_PARKED);
	rig_sleep(r, 1000000000);
	assert_int_equal(rig_again(t), -SK_ETIMEDOUT);
	rig_free(r);
}

SK_TEST(the_scheduler_answers_what_it_was_told)
{
	struct rig *r = as_user(0);
	struct sk_task *t = rig_fork(r, r->init);
	const int32_t priority = 5;
	sk_user at = rig_put(t, &priority, 4);

	assert_int_equal(RIG(t, sched_getscheduler, 0), 0);
	assert_int_equal(RIG(t, sched_setscheduler, 0, 0, at), -SK_EINVAL);
	assert_int_equal(RIG(t, sched_setscheduler, 0, 1, at), 0);
	assert_int_equal(RIG(t, sched_getscheduler, 0), 1);
	RIG(t, sched_getparam, 0, at);
	assert_int_equal(*(int32_t *)rig_at(t, at), 5);
	assert_int_equal(RIG(t, sched_get_priority_max, 1), 99);
	assert_int_equal(RIG(t, sched_get_priority_min, 4), -SK_EINVAL);
	assert_int_equal(RIG(t, sched_getparam, 99, at), -SK_ESRCH);
	rig_free(r);
}
