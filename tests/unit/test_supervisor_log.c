/* SPDX-License-Identifier: BSD-2-Clause */
// link: supervisor/log.c supervisor/loop.c supervisor/text.c
#include "sk_test.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "supervisor/log.h"

/* Puts `out` in the place of stdout and stderr, and opens a log on it. */
static void open_log(struct sk_log *log, struct sk_loop *loop, int out,
		     int saved[2])
{
	fflush(stdout);
	saved[0] = dup(1);
	saved[1] = dup(2);
	dup2(out, 1);
	dup2(out, 2);
	assert_int_equal(sk_loop_init(loop), 0);
	assert_int_equal(sk_log_init(log, loop, SK_LOG_TEXT, 0), 0);
}

static void close_log(struct sk_log *log, struct sk_loop *loop, int saved[2])
{
	sk_log_fini(log, 0);
	sk_loop_fini(loop);
	dup2(saved[0], 1);
	dup2(saved[1], 2);
	close(saved[0]);
	close(saved[1]);
}

static void say_many(struct sk_log *log, int count)
{
	int i;

	for (i = 0; i < count; i++) {
		sk_log_say(log, SK_LEVEL_INFO, "GET /", 1, "entry %d %0900d", i,
			   0);
		sk_log_flush(log);
	}
}

/* Reads lines as they come; checks that each is whole. The number of entries,
 * and in `*dropped` the number that the log says were dropped. */
static int read_lines(struct sk_log *log, struct sk_loop *loop, int in,
		      unsigned *dropped)
{
	static char text[4 * 1024 * 1024];
	size_t used = 0;
	int idle = 0, lines = 0;
	char *at, *end;
	ssize_t n;

	*dropped = 0;
	fcntl(in, F_SETFL, O_NONBLOCK);
	while (idle < 20) {
		n = read(in, text + used, sizeof(text) - used - 1);
		if (n > 0)
			used += (size_t)n;
		idle = n > 0 ? 0 : idle + 1;
		sk_loop_step(loop, 5);
		sk_log_flush(log);
	}
	text[used] = 0;
	for (at = text; (end = strchr(at, '\n')); at = end + 1) {
		*end = 0;
		assert_memory_equal(at, "20", 2);
		if (strstr(at, "GET /  entry"))
			lines++;
		else
			assert_int_equal(sscanf(strstr(at, "supervisor"),
						"supervisor  %u entries",
						dropped),
					 1);
	}
	assert_int_equal(*at, 0);
	return lines;
}

static void reader_that_waits(int in, int out)
{
	struct sk_loop loop;
	struct sk_log log;
	unsigned dropped;
	int saved[2], lines;

	open_log(&log, &loop, out, saved);
	say_many(&log, 1000);
	lines = read_lines(&log, &loop, in, &dropped);
	close_log(&log, &loop, saved);
	assert_true(lines > 200);
	assert_true(dropped > 0);
	assert_int_equal(lines + (int)dropped, 1000);
}

SK_TEST(log_never_waits_for_a_full_pipe)
{
	int pair[2];

	assert_int_equal(pipe(pair), 0);
	reader_that_waits(pair[0], pair[1]);
	/* The pipe of others is still one that blocks. */
	assert_false(fcntl(pair[1], F_GETFL) & O_NONBLOCK);
}

SK_TEST(log_never_waits_for_a_full_socket)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	reader_that_waits(pair[0], pair[1]);
}

SK_TEST(log_survives_a_reader_that_goes)
{
	struct sk_loop loop;
	struct sk_log log;
	int pair[2], saved[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(pair), 0);
	open_log(&log, &loop, pair[1], saved);
	close(pair[0]);
	say_many(&log, 1000);
	assert_int_equal(log.out.used, 0);
	close_log(&log, &loop, saved);
}

SK_TEST(log_to_a_file_keeps_what_others_append)
{
	char path[] = "/tmp/selkie-log-XXXXXX", text[512] = "";
	struct sk_loop loop;
	struct sk_log log;
	int fd = mkstemp(path), saved[2];

	open_log(&log, &loop, fd, saved);
	sk_log_say(&log, SK_LEVEL_INFO, "GET /", 1, "one");
	sk_log_flush(&log);
	assert_int_equal(write(fd, "other\n", 6), 6);
	sk_log_say(&log, SK_LEVEL_ERROR, "GET /", 1, "two");
	sk_log_flush(&log);
	close_log(&log, &loop, saved);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	unlink(path);
	assert_non_null(strstr(text, "one\nother\n2"));
	assert_non_null(strstr(text, "two\n"));
}

SK_TEST(levels_go_to_their_streams)
{
	char out[512] = "", err[512] = "";
	struct sk_loop loop;
	struct sk_log log;
	int one[2], two[2], saved[2];

	assert_int_equal(pipe(one), 0);
	assert_int_equal(pipe(two), 0);
	open_log(&log, &loop, one[1], saved);
	dup2(two[1], 2);
	sk_log_fini(&log, 0);
	assert_int_equal(sk_log_init(&log, &loop, SK_LOG_JSON, 0), 0);
	sk_log_say(&log, SK_LEVEL_DEBUG, "supervisor", 1, "not shown");
	sk_log_say(&log, SK_LEVEL_INFO, "supervisor", 1, "plain");
	sk_log_say(&log, SK_LEVEL_WARN, "supervisor", 1, "warning");
	close_log(&log, &loop, saved);
	assert_true(read(one[0], out, sizeof(out) - 1) > 0);
	assert_true(read(two[0], err, sizeof(err) - 1) > 0);
	assert_non_null(strstr(out, "\"level\":\"info\""));
	assert_null(strstr(out, "not shown"));
	assert_null(strstr(out, "warning"));
	assert_non_null(strstr(err, "\"message\":\"warning\""));
}

SK_TEST(bucket_gives_a_burst_and_then_its_rate)
{
	struct sk_bucket bucket;
	int i, taken = 0;

	sk_bucket_init(&bucket, 0);
	for (i = 0; i < 5000; i++)
		taken += sk_bucket_take(&bucket, 0, 10);
	assert_int_equal(taken, SK_BUCKET_BURST);
	assert_int_equal(bucket.dropped, 5000 - SK_BUCKET_BURST);
	for (i = 0, taken = 0; i < 5000; i++)
		taken += sk_bucket_take(&bucket, 500, 10);
	assert_int_equal(taken, SK_BUCKET_RATE / 2);
	/* It never holds more than a burst, and long entries cost more. */
	for (i = 0, taken = 0; i < 5000; i++)
		taken += sk_bucket_take(&bucket, 1000000, 48 * 1024);
	assert_int_equal(taken, SK_BUCKET_BURST / 193);
}
