/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
#include "sk_test.h"
#include "tests/kernel/rig.h"

#define ALL ((uint64_t)-1)

static int32_t word(struct sk_task *t, sk_user at)
{
	return *(int32_t *)rig_at(t, at);
}

/* A child that has called exit, and whose thread is gone. */
static int32_t exited_child(struct rig *r, struct sk_task *t, int status)
{
	struct sk_task *child = rig_fork(r, t);
	int32_t pid = sk_task_pid(child);

	assert_int_equal(RIG(child, exit_group, (uint64_t)status), RIG_EXITED);
	rig_end(child);
	return pid;
}

SK_TEST(a_child_has_a_pid_of_its_own)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	assert_int_equal(RIG(r->init, getpid), 1);
	assert_int_equal(RIG(t, getpid), 2);
	assert_int_equal(RIG(t, gettid), 2);
	assert_int_equal(RIG(t, getppid), 1);
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

SK_TEST(wait_gives_the_pid_and_the_status)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	sk_user at = rig_room(t, 4);
	int32_t pid = exited_child(r, t, 3);

	assert_int_equal(RIG(t, wait4, ALL, at, 0, 0), pid);
	assert_int_equal(word(t, at), 3 << 8);
	assert_int_equal(RIG(t, wait4, ALL, at, 0, 0), -SK_ECHILD);
	rig_free(r);
}

SK_TEST(wait_parks_until_a_child_ends)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_task *child = rig_fork(r, t);
	sk_user at = rig_room(t, 4);

	assert_int_equal(RIG(t, wait4, ALL, at, SK_WNOHANG, 0), 0);
	assert_int_equal(RIG(t, wait4, ALL, at, 0, 0), RIG_PARKED);
	assert_int_equal(rig_again(t), RIG_PARKED);
	RIG(child, exit_group, 0x1ff);
	assert_true(rig_woken(t));
	assert_int_equal(rig_again(t), 3);
	assert_int_equal(word(t, at), 0xff00);
	rig_free(r);
}

SK_TEST(wait_picks_by_pid_and_by_group)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_task *one = rig_fork(r, t), *two = rig_fork(r, t);

	assert_int_equal(RIG(two, setpgid, 0, 0), 0);
	RIG(one, exit_group, 0);
	RIG(two, exit_group, 0);
	assert_int_equal(RIG(t, wait4, 77, 0, 0, 0), -SK_ECHILD);
	assert_int_equal(RIG(t, wait4, (uint64_t)-sk_task_pid(two), 0, 0, 0),
			 sk_task_pid(two));
	assert_int_equal(RIG(t, wait4, 0, 0, 0, 0), sk_task_pid(one));
	rig_free(r);
}

SK_TEST(waitid_with_nowait_leaves_the_zombie)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	sk_user at = rig_room(t, sizeof(struct sk_abi_siginfo));
	struct sk_abi_siginfo *info = rig_at(t, at);
	int32_t pid = exited_child(r, t, 5);

	for (int i = 0; i < 2; i++) {
		memset(info, 0xff, sizeof(*info));
		assert_int_equal(RIG(t, waitid, SK_P_ALL, 0, at,
				     SK_WEXITED | (i ? 0 : SK_WNOWAIT)),
				 0);
		assert_int_equal(info->signo, SK_SIGCHLD);
		assert_int_equal(info->code, SK_CLD_EXITED);
		assert_int_equal(info->pid, pid);
		assert_int_equal(info->status, 5);
	}
	assert_int_equal(RIG(t, waitid, SK_P_ALL, 0, at, SK_WEXITED),
			 -SK_ECHILD);
	rig_free(r);
}

SK_TEST(waitid_without_events_is_einval)
{
	struct rig *r = rig_new();

	assert_int_equal(RIG(r->init, waitid, SK_P_ALL, 0, 0, SK_WNOHANG),
			 -SK_EINVAL);
	assert_int_equal(RIG(r->init, waitid, 9, 0, 0, SK_WEXITED), -SK_EINVAL);
	assert_int_equal(RIG(r->init, wait4, ALL, 0, 0x10000, 0), -SK_EINVAL);
	rig_free(r);
}

SK_TEST(a_stopped_and_continued_child_is_reported_once)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_task *child = rig_fork(r, t);
	int32_t pid = sk_task_pid(child);
	sk_user at = rig_room(t, 4);

	assert_int_equal(RIG(t, kill, (uint64_t)pid, SK_SIGSTOP), 0);
	assert_int_equal(RIG(t, wait4, ALL, at, SK_WNOHANG, 0), 0);
	assert_int_equal(RIG(t, wait4, ALL, at, SK_WUNTRACED, 0), pid);
	assert_int_equal(word(t, at), SK_SIGSTOP << 8 | 0x7f);
	assert_int_equal(RIG(t, wait4, ALL, at, SK_WUNTRACED | SK_WNOHANG, 0),
			 0);
	RIG(t, kill, (uint64_t)pid, SK_SIGCONT);
	assert_int_equal(RIG(t, wait4, ALL, at, SK_WCONTINUED | SK_WNOHANG, 0),
			 pid);
	assert_int_equal(word(t, at), 0xffff);
	rig_free(r);
}

SK_TEST(a_stopped_process_makes_no_call)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	RIG(r->init, kill, (uint64_t)sk_task_pid(t), SK_SIGSTOP);
	assert_int_equal(RIG(t, umask, 077), RIG_PARKED);
	assert_int_equal(rig_again(t), RIG_PARKED);
	RIG(r->init, kill, (uint64_t)sk_task_pid(t), SK_SIGCONT);
	assert_int_equal(rig_again(t), 022);
	rig_free(r);
}

SK_TEST(a_child_killed_while_it_waits_is_waited_for)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_task *child = rig_fork(r, t);
	sk_user at = rig_room(t, 4), set = rig_room(t, 8);

	assert_int_equal(RIG(child, rt_sigsuspend, set, 8), RIG_PARKED);
	assert_int_equal(RIG(t, kill, 3, SK_SIGKILL), 0);
	assert_int_equal(rig_again(child), RIG_EXITED);
	assert_int_equal(RIG(t, wait4, ALL, at, 0, 0), 3);
	assert_int_equal(word(t, at), SK_SIGKILL);
	rig_free(r);
}

SK_TEST(an_orphan_goes_to_process_1_and_by_itself)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_task *child = rig_fork(r, t);
	struct sk_kernel_usage usage;

	RIG(t, exit_group, 0);
	rig_end(t);
	assert_int_equal(RIG(child, getppid), 1);
	assert_int_equal(RIG(r->init, wait4, ALL, 0, 0, 0), 2);
	assert_int_equal(RIG(r->init, wait4, ALL, 0, SK_WNOHANG, 0),
			 -SK_ECHILD);
	RIG(child, exit_group, 0);
	rig_end(child);
	sk_kernel_usage(r->k, &usage);
	assert_int_equal(usage.processes, 1);
	rig_free(r);
}

SK_TEST(an_ignored_sigchld_reaps_by_itself)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init), *child;
	const struct sk_abi_sigaction ignore = { .handler = SK_SIG_IGN };

	RIG(t, rt_sigaction, SK_SIGCHLD, rig_put(t, &ignore, sizeof(ignore)), 0,
	    8);
	child = rig_fork(r, t);
	assert_int_equal(RIG(t, wait4, ALL, 0, 0, 0), RIG_PARKED);
	RIG(child, exit_group, 0);
	assert_int_equal(rig_again(t), -SK_ECHILD);
	rig_free(r);
}

SK_TEST(a_process_that_nobody_waits_for_stays_a_zombie)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	int32_t pid = exited_child(r, t, 0);

	assert_int_equal(RIG(t, kill, (uint64_t)pid, 0), 0);
	assert_int_equal(RIG(t, kill, (uint64_t)pid, SK_SIGKILL), 0);
	RIG(t, wait4, ALL, 0, 0, 0);
	assert_int_equal(RIG(t, kill, (uint64_t)pid, 0), -SK_ESRCH);
	rig_free(r);
}

SK_TEST(a_child_inherits_mask_groups_and_limits)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init), *child;

	RIG(t, umask, 077);
	RIG(t, setsid);
	RIG(t, setpriority, 0, 0, 5);
	child = rig_fork(r, t);
	assert_int_equal(RIG(child, umask, 0), 077);
	assert_int_equal(RIG(child, getsid, 0), 2);
	assert_int_equal(RIG(child, getpgid, 0), 2);
	assert_int_equal(RIG(child, getpriority, 0, 0), 15);
	rig_free(r);
}

SK_TEST(more_processes_than_the_kernel_holds_is_eagain)
{
	struct sk_config limits = { .max_processes = 3 };
	struct rig *r = rig_new_with(&limits, 0);
	struct sk_task *child;

	assert_non_null(rig_fork(r, r->init));
	assert_non_null(rig_fork(r, r->init));
	assert_int_equal(sk_fork(r->init, &child), -SK_EAGAIN);
	rig_free(r);
}

SK_TEST(ten_thousand_processes_leave_nothing)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_kernel_usage before, after;

	sk_kernel_usage(r->k, &before);
	for (int i = 0; i < 10000; i++) {
		struct sk_task *child;

		assert_true(sk_fork(t, &child) > 0);
		assert_int_equal(sk_call(child, SK_SYS_exit_group,
					 (const uint64_t[6]){ 0 }),
				 SK_CALL_EXIT);
		sk_task_end(child);
		assert_true(RIG(t, wait4, ALL, 0, 0, 0) > 0);
	}
	sk_kernel_usage(r->k, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	rig_free(r);
}

static void fork_and_wait(uint32_t fail_at)
{
	struct rig *r = rig_new_with(NULL, fail_at);
	struct sk_task *t, *child;

	if (!r)
		return;
	t = rig_fork(r, r->init);
	child = t ? rig_fork(r, t) : NULL;
	if (child) {
		assert_int_equal(RIG(t, wait4, ALL, 0, 0, 0), RIG_PARKED);
		RIG(child, exit_group, 0);
		assert_int_equal(rig_again(t), 3);
	}
	rig_free(r);
}

SK_TEST(fork_without_memory_leaves_nothing_behind)
{
	rig_sweep(fork_and_wait);
}
