/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
// wasm
#include "sk_test.h"
#include "tests/kernel/rig.h"

#define HANDLER 1000

static uint64_t pid_of(struct sk_task *t)
{
	return (uint64_t)sk_task_pid(t);
}

static void handle(struct sk_task *t, int signo, uint32_t flags, uint64_t mask)
{
	const struct sk_abi_sigaction action = {
		.handler = HANDLER + (uint32_t)signo,
		.flags = flags,
		.mask = { (uint32_t)mask, (uint32_t)(mask >> 32) },
	};

	assert_int_equal(RIG(t, rt_sigaction, (uint64_t)signo,
			     rig_put(t, &action, sizeof(action)), 0, 8),
			 0);
}

static void set_action(struct sk_task *t, int signo, sk_user handler)
{
	const struct sk_abi_sigaction action = { .handler = handler };

	assert_int_equal(RIG(t, rt_sigaction, (uint64_t)signo,
			     rig_put(t, &action, sizeof(action)), 0, 8),
			 0);
}

static int64_t mask(struct sk_task *t, int how, uint64_t set)
{
	return RIG(t, rt_sigprocmask, (uint64_t)how,
		   rig_put(t, &set, sizeof(set)), 0, 8);
}

static uint64_t blocked(struct sk_task *t)
{
	sk_user at = rig_room(t, 8);

	RIG(t, rt_sigprocmask, 0, 0, at, 8);
	return *(uint64_t *)rig_at(t, at);
}

static int64_t restore(struct sk_task *t, const struct sk_abi_sigframe *f)
{
	return RIG(t, rt_sigreturn, f->mask[0] | (uint64_t)f->mask[1] << 32);
}

static int64_t suspend(struct sk_task *t, uint64_t set)
{
	return RIG(t, rt_sigsuspend, rig_put(t, &set, sizeof(set)), 8);
}

SK_TEST(raise_tells_at_once_that_a_signal_waits)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_abi_sigframe frame;

	handle(t, SK_SIGUSR1, SK_SA_SIGINFO, SK_SIG_BIT(SK_SIGUSR2));
	assert_int_equal(RIG(t, tkill, pid_of(t), SK_SIGUSR1), 0);
	assert_true(rig_signalled(t));
	assert_int_equal(rig_next_signal(t, &frame), 1);
	assert_int_equal(frame.signo, SK_SIGUSR1);
	assert_int_equal(frame.handler, HANDLER + SK_SIGUSR1);
	assert_int_equal(frame.flags, SK_SA_SIGINFO);
	assert_int_equal(frame.info.code, SK_SI_TKILL);
	assert_int_equal(frame.info.pid, sk_task_pid(t));
	assert_int_equal(blocked(t),
			 SK_SIG_BIT(SK_SIGUSR1) | SK_SIG_BIT(SK_SIGUSR2));
	assert_int_equal(rig_next_signal(t, &frame), 0);
	restore(t, &frame);
	assert_int_equal(blocked(t), 0);
	assert_false(rig_signalled(t));
	rig_free(r);
}

SK_TEST(the_default_of_a_fatal_signal_ends_the_process)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	sk_user at = rig_room(r->init, 4);

	assert_int_equal(RIG(t, kill, pid_of(t), SK_SIGTERM), RIG_EXITED);
	assert_int_equal(RIG(r->init, wait4, 2, at, 0, 0), 2);
	assert_int_equal(*(int32_t *)rig_at(r->init, at), SK_SIGTERM);
	rig_free(r);
}

SK_TEST(ignored_signals_vanish)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	set_action(t, SK_SIGTERM, SK_SIG_IGN);
	assert_int_equal(RIG(t, kill, pid_of(t), SK_SIGTERM), 0);
	assert_int_equal(RIG(t, kill, pid_of(t), SK_SIGCHLD), 0);
	assert_false(rig_signalled(t));
	rig_free(r);
}

SK_TEST(a_blocked_signal_is_pending_until_unblocked)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_abi_sigframe frame;
	sk_user at = rig_room(t, 8);

	handle(t, SK_SIGUSR1, 0, 0);
	mask(t, SK_SIG_BLOCK, SK_SIG_BIT(SK_SIGUSR1));
	RIG(t, kill, pid_of(t), SK_SIGUSR1);
	assert_false(rig_signalled(t));
	RIG(t, rt_sigpending, at, 8);
	assert_int_equal(*(uint64_t *)rig_at(t, at), SK_SIG_BIT(SK_SIGUSR1));
	mask(t, SK_SIG_UNBLOCK, SK_SIG_BIT(SK_SIGUSR1));
	assert_true(rig_signalled(t));
	assert_int_equal(rig_next_signal(t, &frame), 1);
	rig_free(r);
}

SK_TEST(unblocking_a_pending_fatal_signal_ends_the_process)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	mask(t, SK_SIG_BLOCK, SK_SIG_BIT(SK_SIGINT));
	RIG(t, kill, pid_of(t), SK_SIGINT);
	assert_int_equal(mask(t, SK_SIG_SETMASK, 0), RIG_EXITED);
	rig_free(r);
}

SK_TEST(ignoring_a_pending_signal_discards_it)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	mask(t, SK_SIG_BLOCK, SK_SIG_BIT(SK_SIGINT));
	RIG(t, kill, pid_of(t), SK_SIGINT);
	set_action(t, SK_SIGINT, SK_SIG_IGN);
	set_action(t, SK_SIGINT, SK_SIG_DFL);
	assert_int_equal(mask(t, SK_SIG_SETMASK, 0), 0);
	rig_free(r);
}

SK_TEST(kill_and_stop_can_neither_be_caught_nor_blocked)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	const struct sk_abi_sigaction action = { .handler = SK_SIG_IGN };
	sk_user at = rig_put(t, &action, sizeof(action));

	assert_int_equal(RIG(t, rt_sigaction, SK_SIGKILL, at, 0, 8),
			 -SK_EINVAL);
	assert_int_equal(RIG(t, rt_sigaction, SK_SIGSTOP, at, 0, 8),
			 -SK_EINVAL);
	assert_int_equal(RIG(t, rt_sigaction, SK_SIGKILL, 0, at, 8), 0);
	mask(t, SK_SIG_SETMASK, UINT64_MAX);
	assert_int_equal(
		blocked(t) & (SK_SIG_BIT(SK_SIGKILL) | SK_SIG_BIT(SK_SIGSTOP)),
		0);
	rig_free(r);
}

SK_TEST(an_interrupted_wait_is_restarted_or_not_as_the_action_says)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_abi_sigframe frame;

	rig_fork(r, t);
	for (int restart = 0; restart < 2; restart++) {
		handle(t, SK_SIGUSR1, restart ? SK_SA_RESTART : 0, 0);
		assert_int_equal(RIG(t, wait4, 3, 0, 0, 0), RIG_PARKED);
		RIG(r->init, kill, pid_of(t), SK_SIGUSR1);
		assert_true(rig_woken(t));
		assert_int_equal(rig_again(t),
				 restart ? -SK_ERESTART : -SK_EINTR);
		assert_true(rig_signalled(t));
		assert_int_equal(rig_next_signal(t, &frame), 1);
		restore(t, &frame);
	}
	rig_free(r);
}

SK_TEST(sigsuspend_takes_its_mask_for_the_wait_only)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_abi_sigframe frame;

	handle(t, SK_SIGUSR1, SK_SA_RESTART, 0);
	mask(t, SK_SIG_BLOCK, SK_SIG_BIT(SK_SIGUSR1));
	RIG(t, kill, pid_of(t), SK_SIGUSR1);
	assert_int_equal(suspend(t, 0), -SK_EINTR);
	assert_int_equal(rig_next_signal(t, &frame), 1);
	assert_int_equal(frame.mask[0], SK_SIG_BIT(SK_SIGUSR1));
	restore(t, &frame);
	assert_int_equal(blocked(t), SK_SIG_BIT(SK_SIGUSR1));

	assert_int_equal(suspend(t, 0), RIG_PARKED);
	RIG(r->init, kill, pid_of(t), SK_SIGCHLD);
	assert_int_equal(rig_again(t), RIG_PARKED);
	RIG(r->init, kill, pid_of(t), SK_SIGUSR1);
	assert_int_equal(rig_again(t), -SK_EINTR);
	rig_free(r);
}

SK_TEST(real_time_signals_queue_in_order_with_their_values)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_abi_sigframe frame;
	struct sk_abi_siginfo info = { .code = SK_SI_QUEUE };

	handle(t, 40, SK_SA_SIGINFO, 0);
	handle(t, 41, SK_SA_SIGINFO, 0);
	mask(t, SK_SIG_BLOCK, SK_SIG_BIT(40) | SK_SIG_BIT(41));
	for (int i = 0; i < 3; i++) {
		info.pid = sk_task_pid(t);
		info.value = 100 + i;
		assert_int_equal(RIG(t, rt_sigqueueinfo, pid_of(t),
				     i == 0 ? 41 : 40,
				     rig_put(t, &info, sizeof(info))),
				 0);
	}
	mask(t, SK_SIG_SETMASK, 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rig_next_signal(t, &frame), 1);
		assert_int_equal(frame.signo, i < 2 ? 40 : 41);
		assert_int_equal(frame.info.value, 100 + (i + 1) % 3);
		restore(t, &frame);
	}
	assert_int_equal(rig_next_signal(t, &frame), 0);
	rig_free(r);
}

SK_TEST(sigtimedwait_takes_waits_and_times_out)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	const uint64_t set = SK_SIG_BIT(SK_SIGUSR1);
	const struct sk_abi_timespec second = { 1, 0 };
	sk_user at = rig_put(t, &set, 8);
	sk_user time = rig_put(t, &second, sizeof(second));
	sk_user info = rig_room(t, sizeof(struct sk_abi_siginfo));

	mask(t, SK_SIG_BLOCK, set);
	RIG(t, kill, pid_of(t), SK_SIGUSR1);
	assert_int_equal(RIG(t, rt_sigtimedwait, at, info, time, 8),
			 SK_SIGUSR1);
	assert_int_equal(((struct sk_abi_siginfo *)rig_at(t, info))->pid,
			 sk_task_pid(t));
	assert_int_equal(RIG(t, rt_sigtimedwait, at, 0, time, 8), RIG_PARKED);
	RIG(r->init, kill, pid_of(t), SK_SIGUSR1);
	assert_int_equal(rig_again(t), SK_SIGUSR1);
	assert_int_equal(RIG(t, rt_sigtimedwait, at, 0, time, 8), RIG_PARKED);
	rig_sleep(r, 1000000000);
	assert_int_equal(rig_again(t), -SK_EAGAIN);
	rig_free(r);
}

SK_TEST(resethand_is_for_one_signal)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_abi_sigframe frame;

	handle(t, SK_SIGUSR1, SK_SA_RESETHAND | SK_SA_NODEFER, 0);
	RIG(t, kill, pid_of(t), SK_SIGUSR1);
	assert_int_equal(rig_next_signal(t, &frame), 1);
	assert_int_equal(blocked(t), 0);
	assert_int_equal(RIG(t, kill, pid_of(t), SK_SIGUSR1), RIG_EXITED);
	rig_free(r);
}

SK_TEST(a_stop_signal_takes_a_pending_cont_away_and_back)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	sk_user at = rig_room(t, 8);

	mask(t, SK_SIG_BLOCK, SK_SIG_BIT(SK_SIGCONT) | SK_SIG_BIT(SK_SIGTSTP));
	RIG(t, kill, pid_of(t), SK_SIGCONT);
	RIG(t, kill, pid_of(t), SK_SIGTSTP);
	RIG(t, rt_sigpending, at, 8);
	assert_int_equal(*(uint64_t *)rig_at(t, at), SK_SIG_BIT(SK_SIGTSTP));
	RIG(t, kill, pid_of(t), SK_SIGCONT);
	RIG(t, rt_sigpending, at, 8);
	assert_int_equal(*(uint64_t *)rig_at(t, at), SK_SIG_BIT(SK_SIGCONT));
	rig_free(r);
}

SK_TEST(tstp_does_not_stop_an_orphaned_group)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init), *child;

	RIG(t, setsid);
	assert_int_equal(RIG(t, kill, pid_of(t), SK_SIGTSTP), 0);
	assert_false(rig_signalled(t));
	child = rig_fork(r, t);
	RIG(child, setpgid, 0, 0);
	RIG(child, kill, pid_of(child), SK_SIGTSTP);
	assert_true(rig_signalled(child));
	/* The leader goes: what it leaves stopped is hung up. */
	RIG(t, exit_group, 0);
	assert_int_equal(RIG(child, umask, 0), RIG_EXITED);
	rig_free(r);
}

SK_TEST(process_1_hears_no_signal)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	assert_int_equal(RIG(t, kill, 1, SK_SIGKILL), 0);
	assert_int_equal(RIG(r->init, getpid), 1);
	assert_int_equal(sk_kernel_kill(r->k, 1, SK_SIGTERM), 0);
	assert_int_equal(sk_kernel_kill(r->k, 99, SK_SIGTERM), -SK_ESRCH);
	assert_int_equal(sk_kernel_kill(r->k, 2, 65), -SK_EINVAL);
	rig_free(r);
}

SK_TEST(a_kill_of_ones_own_group_is_none_of_all)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init), *other;

	other = rig_fork(r, r->init);
	RIG(other, setpgid, 0, 0);
	handle(t, SK_SIGUSR1, 0, 0);
	assert_int_equal(RIG(t, kill, 0, SK_SIGUSR1), 0);
	assert_true(rig_signalled(t));
	assert_int_equal(RIG(other, umask, 0), 022);
	assert_int_equal(RIG(t, kill, (uint64_t)-1, SK_SIGUSR1), 0);
	assert_int_equal(RIG(other, umask, 0), RIG_EXITED);
	rig_free(r);
}

SK_TEST(kill_of_a_group_reaches_all_of_it_and_no_other)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_task *one, *two, *other;

	RIG(t, setpgid, 0, 0);
	one = rig_fork(r, t);
	two = rig_fork(r, t);
	other = rig_fork(r, t);
	RIG(other, setpgid, 0, 0);
	set_action(t, SK_SIGTERM, SK_SIG_IGN);
	assert_int_equal(RIG(t, kill, 0, SK_SIGTERM), 0);
	assert_int_equal(RIG(one, umask, 0), RIG_EXITED);
	assert_int_equal(RIG(two, umask, 0), RIG_EXITED);
	assert_int_equal(RIG(other, umask, 0), 022);
	assert_int_equal(RIG(t, kill, (uint64_t)-77, SK_SIGTERM), -SK_ESRCH);
	assert_int_equal(RIG(t, kill, pid_of(other), 65), -SK_EINVAL);
	rig_free(r);
}

SK_TEST(a_trap_runs_a_handler_or_ends_the_process)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_abi_sigframe frame;

	handle(t, SK_SIGSEGV, SK_SA_SIGINFO, 0);
	assert_int_equal(sk_trap(t, SK_SIGSEGV, 1, 0x1234), 0);
	assert_int_equal(rig_next_signal(t, &frame), 1);
	assert_int_equal(frame.info.addr, 0x1234);
	/* In its handler it is blocked: the next one is the end. */
	assert_int_equal(sk_trap(t, SK_SIGSEGV, 1, 0), SK_CALL_EXIT);
	rig_free(r);
}

SK_TEST(a_signal_frame_outside_of_the_memory_ends_the_process)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	handle(t, SK_SIGUSR1, 0, 0);
	RIG(t, kill, pid_of(t), SK_SIGUSR1);
	assert_int_equal(sk_next_signal(t, RIG_MEMORY - 4), SK_CALL_EXIT);
	rig_free(r);
}

static void signals(uint32_t fail_at)
{
	struct rig *r = rig_new_with(NULL, fail_at);
	struct sk_abi_siginfo info = { .code = SK_SI_QUEUE };
	struct sk_abi_sigframe frame;
	struct sk_task *t;
	int64_t result;

	if (!r)
		return;
	t = rig_fork(r, r->init);
	if (!t) {
		rig_free(r);
		return;
	}
	handle(t, 40, SK_SA_SIGINFO, 0);
	handle(t, SK_SIGUSR1, 0, 0);
	result = RIG(t, rt_sigqueueinfo, pid_of(t), 40,
		     rig_put(t, &info, sizeof(info)));
	assert_true(result == 0 || result == -SK_EAGAIN);
	assert_int_equal(RIG(t, kill, pid_of(t), SK_SIGUSR1), 0);
	assert_int_equal(rig_next_signal(t, &frame), 1);
	assert_int_equal(frame.signo, SK_SIGUSR1);
	rig_free(r);
}

SK_TEST(signals_without_memory_lose_at_most_their_info)
{
	rig_sweep(signals);
}
