/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
// tsan
/* Scenarios of several processes, in many orders: tests/kernel/explore.h. */
#include "sk_test.h"
#include "tests/kernel/explore.h"

#define SEEDS	  400
#define FREE_RUNS 30
#define BUFFER	  8192
#define FDS	  512
#define WORD	  600

static void both_ways(actor_function *first, void (*check)(struct world *w))
{
	explore_many(first, check, SEEDS, true);
	explore_many(first, check, FREE_RUNS, false);
}

static void make_pipe(struct actor *a, uint64_t fds[2])
{
	EXPECT_EQUAL(X(a, pipe2, FDS, 0), 0);
	fds[0] = (uint64_t)actor_word(a, FDS);
	fds[1] = (uint64_t)actor_word(a, FDS + 4);
}

static void wait_for_all(struct actor *a)
{
	while (X(a, wait4, (uint64_t)-1, WORD, 0, 0) > 0)
		;
}

/* A reader that closes while the writer writes: EPIPE, and all end. */
static void write_until_closed(struct actor *a)
{
	int64_t result;

	actor_catch(a, SK_SIGPIPE, 0);
	X(a, close, 0);
	do
		result = X(a, write, 1, BUFFER, 40000);
	while (result > 0);
	EXPECT_EQUAL(result, -SK_EPIPE);
	EXPECT(a->handled & SK_SIG_BIT(SK_SIGPIPE));
	actor_note(a, 0, 1);
}

static void close_while_written(struct actor *a)
{
	uint64_t fds[2];

	make_pipe(a, fds);
	actor_fork(a, write_until_closed, 0);
	X(a, close, fds[1]);
	EXPECT(X(a, read, fds[0], BUFFER, 50000) > 0);
	X(a, close, fds[0]);
	wait_for_all(a);
}

static void one_note(struct world *w)
{
	assert_int_equal(w->notes[0], 1);
}

SK_TEST(a_pipe_closed_while_it_is_written_ends_the_writer)
{
	both_ways(close_while_written, one_note);
}

/* A byte goes to and fro. */
static void echo(struct actor *a)
{
	X(a, close, 1);
	X(a, close, 2);
	while (X(a, read, 0, BUFFER, 1) == 1)
		X(a, write, 3, BUFFER, 1);
}

static void ping(struct actor *a)
{
	uint64_t there[2], back[2];

	make_pipe(a, there);
	make_pipe(a, back);
	actor_fork(a, echo, 0);
	X(a, close, 0);
	X(a, close, 3);
	for (int i = 0; i < 10; i++) {
		EXPECT_EQUAL(X(a, write, 1, BUFFER, 1), 1);
		EXPECT_EQUAL(X(a, read, 2, BUFFER, 1), 1);
	}
	X(a, close, 1);
	wait_for_all(a);
}

SK_TEST(a_byte_goes_to_and_fro)
{
	both_ways(ping, NULL);
}

/* Whole records from two writers, never mixed. */
static void write_records(struct actor *a)
{
	memset(a->memory + BUFFER, 'a' + (int)a->arg, 3000);
	X(a, close, 0);
	for (int i = 0; i < 12; i++)
		EXPECT_EQUAL(X(a, write, 1, BUFFER, 3000), 3000);
}

static void read_records(struct actor *a)
{
	uint64_t fds[2];
	int64_t part;
	int records = 0;

	make_pipe(a, fds);
	actor_fork(a, write_records, 0);
	actor_fork(a, write_records, 1);
	X(a, close, 1);
	for (;; records++) {
		uint64_t got = 0;

		while (got < 3000 &&
		       (part = X(a, read, 0, BUFFER + got, 3000 - got)) > 0)
			got += (uint64_t)part;
		if (!got)
			break;
		EXPECT_EQUAL(got, 3000);
		EXPECT(!memcmp(a->memory + BUFFER, a->memory + BUFFER + 1,
			       2999));
	}
	EXPECT_EQUAL(records, 24);
	wait_for_all(a);
}

SK_TEST(records_of_two_writers_are_not_torn)
{
	both_ways(read_records, NULL);
}

/* A child is killed while its parent waits for it. */
static void sleep_long(struct actor *a)
{
	memset(a->memory + BUFFER, 0, 8);
	X(a, rt_sigsuspend, BUFFER, 8);
}

static void kill_arg(struct actor *a)
{
	EXPECT_EQUAL(X(a, kill, (uint64_t)a->arg, SK_SIGKILL), 0);
}

static void wait_while_killed(struct actor *a)
{
	int64_t child = actor_fork(a, sleep_long, 0);

	actor_fork(a, kill_arg, child);
	EXPECT_EQUAL(X(a, wait4, (uint64_t)child, WORD, 0, 0), child);
	EXPECT_EQUAL(actor_word(a, WORD), SK_SIGKILL);
	wait_for_all(a);
}

SK_TEST(a_child_killed_while_its_parent_waits_is_reported)
{
	both_ways(wait_while_killed, NULL);
}

/* An exec that meets a signal: the old handler or the new default. */
static void exec_program(struct actor *a)
{
	int64_t result;

	actor_catch(a, SK_SIGTERM, 0);
	X(a, write, 1, BUFFER, 1);
	result = actor_exec(a, "/prog");
	EXPECT_EQUAL(result, 0);
	if (!a->handled)
		sleep_long(a);
	X(a, exit_group, 1);
}

static void signal_while_it_execs(struct actor *a)
{
	const int64_t create = SK_O_CREAT | SK_O_WRONLY;
	uint64_t fds[2];
	int64_t child, fd;

	actor_put(a, BUFFER, "\0asm\1\0\0\0", 8);
	fd = X(a, openat, (uint64_t)SK_AT_FDCWD, actor_put(a, WORD, "/prog", 6),
	       (uint64_t)create, 0755);
	X(a, write, (uint64_t)fd, BUFFER, 8);
	X(a, close, (uint64_t)fd);
	make_pipe(a, fds);
	child = actor_fork(a, exec_program, 0);
	X(a, read, fds[0], BUFFER, 1);
	EXPECT_EQUAL(X(a, kill, (uint64_t)child, SK_SIGTERM), 0);
	EXPECT_EQUAL(X(a, wait4, (uint64_t)child, WORD, 0, 0), child);
	/* Handled before, or killed after; never lost. */
	EXPECT(actor_word(a, WORD) == SK_SIGTERM ||
	       actor_word(a, WORD) == 1 << 8);
}

SK_TEST(a_signal_during_an_exec_is_handled_or_ends_it)
{
	both_ways(signal_while_it_execs, NULL);
}

/* The classic of sigsuspend: the signal may come before the wait. */
static void signal_parent(struct actor *a)
{
	X(a, kill, (uint64_t)X(a, getppid), SK_SIGUSR1);
}

static void suspend(struct actor *a)
{
	actor_catch(a, SK_SIGUSR1, SK_SA_RESTART);
	actor_mask(a, SK_SIG_BLOCK, SK_SIG_BIT(SK_SIGUSR1));
	actor_fork(a, signal_parent, 0);
	memset(a->memory + BUFFER, 0, 8);
	EXPECT_EQUAL(X(a, rt_sigsuspend, BUFFER, 8), -SK_EINTR);
	EXPECT(a->handled & SK_SIG_BIT(SK_SIGUSR1));
	wait_for_all(a);
}

SK_TEST(sigsuspend_misses_no_signal)
{
	both_ways(suspend, NULL);
}

/* Many children: each is reported once. */
static void leave_at_once(struct actor *a)
{
	X(a, exit_group, (uint64_t)a->arg);
}

static void wait_for_many(struct actor *a)
{
	int sum = 0, count = 0;

	actor_catch(a, SK_SIGCHLD, SK_SA_RESTART);
	for (int i = 1; i <= 6; i++)
		actor_fork(a, leave_at_once, i);
	while (X(a, wait4, (uint64_t)-1, WORD, 0, 0) > 0) {
		sum += actor_word(a, WORD) >> 8;
		count++;
	}
	EXPECT_EQUAL(count, 6);
	EXPECT_EQUAL(sum, 21);
}

SK_TEST(each_of_many_children_is_reported_once)
{
	both_ways(wait_for_many, NULL);
}

/* Orphans, and parents that die at the same time as their children. */
static void fork_and_leave(struct actor *a)
{
	actor_fork(a, leave_at_once, 0);
	actor_fork(a, leave_at_once, 0);
}

static void leave_orphans(struct actor *a)
{
	actor_fork(a, fork_and_leave, 0);
	actor_fork(a, fork_and_leave, 0);
}

SK_TEST(families_that_end_in_any_order_leave_nothing)
{
	both_ways(leave_orphans, NULL);
}

/* Stop and continue. */
static void count_up(struct actor *a)
{
	for (int i = 0; i < 20; i++)
		X(a, sched_yield);
	for (int i = 0; i < 5; i++)
		X(a, umask, 0);
	X(a, exit_group, 7);
}

static void stop_and_continue(struct actor *a)
{
	int64_t child = actor_fork(a, count_up, 0);
	int32_t status;

	X(a, kill, (uint64_t)child, SK_SIGSTOP);
	EXPECT_EQUAL(X(a, wait4, (uint64_t)child, WORD, SK_WUNTRACED, 0),
		     child);
	status = actor_word(a, WORD);
	if (status == 7 << 8)
		return;
	EXPECT_EQUAL(status, SK_SIGSTOP << 8 | 0x7f);
	X(a, kill, (uint64_t)child, SK_SIGCONT);
	EXPECT_EQUAL(X(a, wait4, (uint64_t)child, WORD, 0, 0), child);
	EXPECT_EQUAL(actor_word(a, WORD), 7 << 8);
}

SK_TEST(a_stopped_child_goes_on_and_ends)
{
	both_ways(stop_and_continue, NULL);
}

/* A poll with and without what it waits for. */
static void write_later(struct actor *a)
{
	const struct sk_abi_timespec some = { 0, 1000000 };

	X(a, nanosleep, actor_put(a, BUFFER, &some, sizeof(some)), 0);
	X(a, write, 1, BUFFER, 1);
}

static void poll_for_it(struct actor *a)
{
	const struct sk_abi_timespec none = { 0, 0 }, minute = { 60, 0 };
	struct sk_abi_pollfd pfd = { .events = SK_POLLIN };
	uint64_t fds[2];

	make_pipe(a, fds);
	actor_put(a, BUFFER, &pfd, sizeof(pfd));
	actor_put(a, BUFFER + 16, &none, sizeof(none));
	EXPECT_EQUAL(X(a, ppoll, BUFFER, 1, BUFFER + 16, 0, 8), 0);
	actor_fork(a, write_later, 0);
	actor_put(a, BUFFER, &pfd, sizeof(pfd));
	actor_put(a, BUFFER + 16, &minute, sizeof(minute));
	EXPECT_EQUAL(X(a, ppoll, BUFFER, 1, BUFFER + 16, 0, 8), 1);
	wait_for_all(a);
}

SK_TEST(a_poll_wakes_for_what_comes_later)
{
	both_ways(poll_for_it, NULL);
}

/* An alarm that interrupts a read. */
static void read_until_alarm(struct actor *a)
{
	const struct sk_abi_itimerval soon = { 0, 0, 0, 2000 };
	int64_t result;
	uint64_t fds[2];

	make_pipe(a, fds);
	actor_catch(a, SK_SIGALRM, 0);
	X(a, setitimer, SK_ITIMER_REAL,
	  actor_put(a, BUFFER, &soon, sizeof(soon)), 0);
	while (!a->handled) {
		result = X(a, read, fds[0], BUFFER, 1);
		EXPECT_EQUAL(result, -SK_EINTR);
	}
}

SK_TEST(an_alarm_ends_a_read)
{
	explore_many(read_until_alarm, NULL, SEEDS, true);
}
