/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
#include "sk_test.h"
#include "tests/kernel/rig.h"

#define MS INT64_C(1000000)
#define ICANON 2u
#define ECHO 010u
#define VTIME 5
#define VMIN 6

/* A master held by process 1, and a session leader at the slave. */
struct world {
	struct rig *r;
	struct sk_task *host, *sh;
	int64_t master, slave;
	int32_t index;
};

static int64_t open_path(struct sk_task *t, const char *path, uint32_t flags)
{
	return RIG(t, openat, (uint64_t)SK_AT_FDCWD, rig_str(t, path), flags);
}

static int64_t unlock(struct sk_task *t, int64_t master)
{
	return RIG(t, ioctl, master, SK_TIOCSPTLCK, rig_room(t, 4));
}

static struct world world_new(void)
{
	struct world w = { .r = rig_new() };
	char path[32];
	sk_user at;

	w.host = w.r->init;
	assert_int_equal(RIG(w.host, mkdirat, (uint64_t)SK_AT_FDCWD,
			     rig_str(w.host, "/dev"), 0755),
			 0);
	assert_int_equal(sk_mount(w.host, "devfs", "", "/dev", 0, -1), 0);
	w.master = open_path(w.host, "/dev/ptmx", SK_O_RDWR | SK_O_NONBLOCK);
	assert_true(w.master >= 0);
	at = rig_room(w.host, 4);
	assert_int_equal(RIG(w.host, ioctl, w.master, SK_TIOCGPTN, at), 0);
	w.index = *(int32_t *)rig_at(w.host, at);
	sprintf(path, "/dev/pts/%d", w.index);
	w.sh = rig_fork(w.r, w.host);
	assert_true(RIG(w.sh, setsid) > 0);
	assert_int_equal(open_path(w.sh, path, SK_O_RDWR), -SK_EIO);
	assert_int_equal(unlock(w.host, w.master), 0);
	w.slave = open_path(w.sh, path, SK_O_RDWR);
	assert_true(w.slave >= 0);
	RIG(w.sh, close, w.master);
	return w;
}

static void type(struct world *w, const char *s)
{
	int64_t size = (int64_t)strlen(s);

	assert_int_equal(RIG(w->host, write, w->master, rig_str(w->host, s),
			     size),
			 size);
}

/* What the screen got since the last time. */
static const char *shown(struct world *w)
{
	sk_user at = rig_room(w->host, 8192);
	int64_t n = RIG(w->host, read, w->master, at, 8191);
	char *s = rig_at(w->host, at);

	s[n > 0 ? n : 0] = 0;
	return s;
}

static const char *read_all(struct sk_task *t, int64_t fd)
{
	sk_user at = rig_room(t, 4096);
	int64_t n = RIG(t, read, fd, at, 4095);
	char *s = rig_at(t, at);

	if (n == RIG_PARKED)
		return "(waits)";
	s[n > 0 ? n : 0] = 0;
	return n < 0 ? "(error)" : s;
}

/* Changes lflag, MIN and TIME. */
static void set_mode(struct world *w, uint32_t off, uint8_t min, uint8_t time)
{
	struct sk_abi_termios *tio;
	sk_user at = rig_room(w->sh, sizeof(*tio));

	assert_int_equal(RIG(w->sh, ioctl, w->slave, SK_TCGETS, at), 0);
	tio = rig_at(w->sh, at);
	tio->lflag &= ~off;
	tio->cc[VMIN] = min;
	tio->cc[VTIME] = time;
	assert_int_equal(RIG(w->sh, ioctl, w->slave, SK_TCSETS, at), 0);
}

SK_TEST(a_line_is_read_when_it_is_whole)
{
	struct world w = world_new();
	sk_user at = rig_room(w.sh, 64);

	type(&w, "ab");
	assert_int_equal(RIG(w.sh, read, w.slave, at, 64), RIG_PARKED);
	assert_string_equal(shown(&w), "ab");
	type(&w, "c\r");
	assert_string_equal(shown(&w), "c\r\n");
	assert_int_equal(rig_again(w.sh), 4);
	assert_memory_equal(rig_at(w.sh, at), "abc\n", 4);
	type(&w, "one\ntwo\n");
	assert_int_equal(RIG(w.sh, read, w.slave, at, 2), 2);
	assert_string_equal(read_all(w.sh, w.slave), "e\n");
	assert_string_equal(read_all(w.sh, w.slave), "two\n");
	rig_free(w.r);
}

SK_TEST(erase_word_and_kill_edit_the_line_and_its_picture)
{
	struct world w = world_new();

	type(&w, "abx\177c\n");
	assert_string_equal(shown(&w), "abx\b \bc\r\n");
	assert_string_equal(read_all(w.sh, w.slave), "abc\n");
	type(&w, "one two\027X\n");
	assert_string_equal(read_all(w.sh, w.slave), "one X\n");
	shown(&w);
	type(&w, "abc\025z\n");
	assert_string_equal(shown(&w), "abc\b \b\b \b\b \bz\r\n");
	assert_string_equal(read_all(w.sh, w.slave), "z\n");
	/* A control character takes two columns, ^V makes it one. */
	type(&w, "\026\003\177\n");
	assert_string_equal(shown(&w), "^\b^C\b \b\b \b\r\n");
	assert_string_equal(read_all(w.sh, w.slave), "\n");
	rig_free(w.r);
}

SK_TEST(end_of_file_gives_what_was_typed_and_then_nothing)
{
	struct world w = world_new();
	sk_user at = rig_room(w.sh, 8);

	type(&w, "ab\004");
	assert_int_equal(RIG(w.sh, read, w.slave, at, 2), 2);
	assert_string_equal(read_all(w.sh, w.slave), "(waits)");
	type(&w, "\004");
	assert_int_equal(rig_again(w.sh), 0);
	assert_string_equal(shown(&w), "ab");
	rig_free(w.r);
}

SK_TEST(output_gets_carriage_returns)
{
	struct world w = world_new();

	RIG(w.sh, write, w.slave, rig_str(w.sh, "a\nb\n"), 4);
	assert_string_equal(shown(&w), "a\r\nb\r\n");
	rig_free(w.r);
}

SK_TEST(raw_reads_keep_min_and_time)
{
	struct world w = world_new();
	sk_user at = rig_room(w.sh, 16);

	set_mode(&w, ICANON | ECHO, 3, 0);
	assert_int_equal(RIG(w.sh, read, w.slave, at, 16), RIG_PARKED);
	type(&w, "a\r");
	assert_int_equal(rig_again(w.sh), RIG_PARKED);
	type(&w, "b");
	assert_int_equal(rig_again(w.sh), 3);
	assert_memory_equal(rig_at(w.sh, at), "a\nb", 3);
	set_mode(&w, 0, 0, 0);
	assert_int_equal(RIG(w.sh, read, w.slave, at, 16), 0);
	set_mode(&w, 0, 0, 2);
	assert_int_equal(RIG(w.sh, read, w.slave, at, 16), RIG_PARKED);
	rig_sleep(w.r, 200 * MS);
	assert_int_equal(rig_again(w.sh), 0);
	set_mode(&w, 0, 5, 1);
	assert_int_equal(RIG(w.sh, read, w.slave, at, 16), RIG_PARKED);
	rig_sleep(w.r, 1000 * MS);
	assert_int_equal(rig_again(w.sh), RIG_PARKED);
	type(&w, "x");
	assert_int_equal(rig_again(w.sh), RIG_PARKED);
	rig_sleep(w.r, 60 * MS);
	type(&w, "y");
	assert_int_equal(rig_again(w.sh), RIG_PARKED);
	rig_sleep(w.r, 60 * MS);
	assert_int_equal(rig_again(w.sh), RIG_PARKED);
	rig_sleep(w.r, 40 * MS);
	assert_int_equal(rig_again(w.sh), 2);
	rig_free(w.r);
}

SK_TEST(interrupt_goes_to_the_foreground_group)
{
	struct world w = world_new();
	struct sk_task *job = rig_fork(w.r, w.sh), *back = rig_fork(w.r, w.sh);
	int32_t group = sk_task_pid(job);

	assert_int_equal(RIG(w.sh, setpgid, group, group), 0);
	assert_int_equal(RIG(w.sh, ioctl, w.slave, SK_TIOCSPGRP,
			     rig_put(w.sh, &group, 4)),
			 0);
	type(&w, "half\003");
	assert_string_equal(shown(&w), "^C");
	assert_int_equal(RIG(job, getppid), RIG_EXITED);
	assert_true(RIG(back, getppid) > 0);
	rig_free(w.r);
}

SK_TEST(a_background_read_stops_the_group)
{
	struct world w = world_new();
	struct sk_task *job = rig_fork(w.r, w.sh);
	int32_t group = sk_task_pid(job), status;
	sk_user at = rig_room(w.sh, 4);

	assert_int_equal(RIG(w.sh, setpgid, group, group), 0);
	assert_int_equal(RIG(job, read, w.slave, rig_room(job, 8), 8),
			 -SK_ERESTART);
	assert_int_equal(RIG(w.sh, wait4, group, at, SK_WUNTRACED), group);
	status = *(int32_t *)rig_at(w.sh, at);
	assert_int_equal(status, SK_SIGTTIN << 8 | 0x7f);
	/* Writing is allowed, setting is not. */
	rig_free(w.r);
}

SK_TEST(stop_and_continue_by_the_terminal)
{
	struct world w = world_new();
	struct sk_task *job = rig_fork(w.r, w.sh);
	int32_t group = sk_task_pid(job);
	sk_user at = rig_room(job, 8);

	RIG(w.sh, setpgid, group, group);
	RIG(w.sh, ioctl, w.slave, SK_TIOCSPGRP, rig_put(w.sh, &group, 4));
	assert_int_equal(RIG(job, read, w.slave, at, 8), RIG_PARKED);
	type(&w, "\032");
	assert_string_equal(shown(&w), "^Z");
	assert_int_equal(RIG(w.sh, wait4, group, 0, SK_WUNTRACED), group);
	sk_kernel_kill(w.r->k, group, SK_SIGCONT);
	type(&w, "x\n");
	if (rig_of(job)->parked)
		assert_int_equal(rig_again(job), 2);
	rig_free(w.r);
}

SK_TEST(a_new_size_is_told_once)
{
	struct world w = world_new();
	struct sk_abi_winsize size = { 50, 132, 0, 0 };
	struct sk_abi_sigaction handle = { .handler = 9,
					   .flags = SK_SA_RESTART };
	struct sk_abi_sigframe frame;
	sk_user at = rig_room(w.sh, 8);

	RIG(w.sh, rt_sigaction, SK_SIGWINCH,
	    rig_put(w.sh, &handle, sizeof(handle)), 0, 8);
	assert_int_equal(RIG(w.sh, read, w.slave, at, 8), RIG_PARKED);
	assert_int_equal(RIG(w.host, ioctl, w.master, SK_TIOCSWINSZ,
			     rig_put(w.host, &size, sizeof(size))),
			 0);
	assert_int_equal(rig_again(w.sh), -SK_ERESTART);
	assert_int_equal(rig_next_signal(w.sh, &frame), 1);
	assert_int_equal(frame.signo, SK_SIGWINCH);
	assert_int_equal(RIG(w.sh, ioctl, w.slave, SK_TIOCGWINSZ, at), 0);
	assert_memory_equal(rig_at(w.sh, at), &size, sizeof(size));
	RIG(w.host, ioctl, w.master, SK_TIOCSWINSZ,
	    rig_put(w.host, &size, sizeof(size)));
	assert_int_equal(rig_next_signal(w.sh, &frame), 0);
	rig_free(w.r);
}

SK_TEST(a_master_that_goes_hangs_up)
{
	struct world w = world_new();
	struct sk_abi_sigaction handle = { .handler = 9 };
	struct sk_abi_sigframe frame;
	sk_user at = rig_room(w.sh, 8);

	RIG(w.sh, rt_sigaction, SK_SIGHUP,
	    rig_put(w.sh, &handle, sizeof(handle)), 0, 8);
	assert_int_equal(RIG(w.host, close, w.master), 0);
	assert_int_equal(rig_next_signal(w.sh, &frame), 1);
	assert_int_equal(frame.signo, SK_SIGHUP);
	assert_int_equal(RIG(w.sh, read, w.slave, at, 8), 0);
	assert_int_equal(RIG(w.sh, write, w.slave, at, 8), -SK_EIO);
	assert_int_equal(open_path(w.sh, "/dev/tty", SK_O_RDWR), -SK_ENXIO);
	rig_free(w.r);
}

SK_TEST(the_end_of_the_leader_hangs_up)
{
	struct world w = world_new();
	struct sk_task *job = rig_fork(w.r, w.sh);
	int32_t group = sk_task_pid(job);

	RIG(w.sh, setpgid, group, group);
	RIG(w.sh, ioctl, w.slave, SK_TIOCSPGRP, rig_put(w.sh, &group, 4));
	assert_true(open_path(job, "/dev/tty", SK_O_RDWR) >= 0);
	assert_int_equal(RIG(w.sh, exit_group, 0), RIG_EXITED);
	assert_int_equal(RIG(job, getppid), RIG_EXITED);
	rig_end(job);
	assert_int_equal(RIG(w.host, read, w.master, rig_room(w.host, 8), 8),
			 -SK_EIO);
	rig_free(w.r);
}

SK_TEST(flow_control_holds_the_screen)
{
	struct world w = world_new();
	sk_user at = rig_str(w.sh, "hello");

	type(&w, "\023");
	assert_int_equal(RIG(w.sh, write, w.slave, at, 5), RIG_PARKED);
	assert_string_equal(shown(&w), "");
	type(&w, "\021");
	assert_int_equal(rig_again(w.sh), 5);
	assert_string_equal(shown(&w), "hello");
	rig_free(w.r);
}

SK_TEST(a_writer_waits_for_the_screen)
{
	struct world w = world_new();
	sk_user at = rig_room(w.sh, 40000);
	int64_t got = 0;

	memset(rig_at(w.sh, at), 'x', 40000);
	assert_int_equal(RIG(w.sh, write, w.slave, at, 40000), RIG_PARKED);
	while (rig_of(w.sh)->parked || got < 40000) {
		int64_t n = (int64_t)strlen(shown(&w));

		assert_true(n > 0);
		got += n;
		if (rig_of(w.sh)->parked && rig_woken(w.sh))
			rig_again(w.sh);
	}
	assert_int_equal(got, 40000);
	rig_free(w.r);
}

static void open_a_pty(uint32_t fail_at)
{
	struct rig *r = rig_new_with(NULL, fail_at);
	struct sk_task *t = r ? rig_fork(r, r->init) : NULL;
	int64_t master;

	if (t) {
		RIG(t, mkdirat, (uint64_t)SK_AT_FDCWD, rig_str(t, "/dev"),
		    0755);
		sk_mount(t, "devfs", "", "/dev", 0, -1);
		master = open_path(t, "/dev/ptmx", SK_O_RDWR | SK_O_NONBLOCK);
		if (master >= 0) {
			unlock(t, master);
			open_path(t, "/dev/pts/0", SK_O_RDWR);
			RIG(t, write, master, rig_str(t, "x\n"), 2);
		}
	}
	if (r)
		rig_free(r);
}

SK_TEST(ptys_without_memory_leave_nothing_behind)
{
	rig_sweep(open_a_pty);
}
