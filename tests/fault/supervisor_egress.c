/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The supervisor and the egress: who gets an area, what becomes of a process
 * that abuses it, and of the egress itself.
 * tests/fault/supervisor.test.mjs runs these.
 */
// link: tests/fault/lib/house.c
#include "tests/unit/sk_test.h"

#include <fcntl.h>
#include <signal.h>

#include "tests/fault/lib/house.h"

#define HOSTILE "build/tests/hostile_worker"
#define EGRESS	"selkie-egress"
#define GRANT                                                                  \
	"{\"outboundHttp\":[{\"method\":\"GET\",\"pattern\":"                  \
	"\"http://127.0.0.1:1/**\"}]}"

static struct house house;
static struct answer answer;

static int open_with(const char *evil, const char *policy)
{
	struct house_route route = { .pattern = "/hello",
				     .bundle = evil,
				     .policy = policy };

	house_open(&house, HOSTILE, "text");
	house_config(&house, &route, 1);
	return house_connect(&house, 1);
}

static void attach(int client)
{
	client_attach(client, 0, 0, 1, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_ATTACHED);
	answer_close(&answer);
}

static void close_all(int client)
{
	close(client);
	house_close(&house);
}

SK_TEST(route_without_grants_starts_no_egress)
{
	int client = open_with("good", NULL);

	attach(client);
	assert_int_equal(house_count(&house, EGRESS), 0);
	close_all(client);
}

SK_TEST(route_with_grants_has_an_egress_before_it_is_ready)
{
	int client = open_with("egress_good", GRANT);

	assert_int_equal(house_count(&house, EGRESS), 0);
	attach(client);
	assert_int_equal(house_count(&house, EGRESS), 1);
	assert_true(house_log_has(&house, "GET /hello  an egress"));
	assert_int_equal(house_log_count(&house, "no egress"), 0);
	close_all(client);
}

static void expect_killed(const char *evil)
{
	int client = open_with(evil, GRANT);

	client_attach(client, 0, 0, 0, &answer);
	if (answer.got.head.type == SK_MSG_ATTACHED) {
		answer_close(&answer);
		assert_true(client_hear(client, &answer));
		assert_int_equal(answer.got.head.type, SK_MSG_GONE);
	}
	assert_true(house_log_has(
		&house, "GET /hello  killed: egress: protocol error"));
	assert_int_equal(house_count(&house, EGRESS), 1);
	close_all(client);
}

SK_TEST(frame_of_no_known_type_kills_its_process_alone)
{
	expect_killed("egress_nonsense");
}

SK_TEST(forged_index_kills_its_process_alone)
{
	expect_killed("egress_forge_index");
}

SK_TEST(lengths_that_are_lies_kill_their_process_alone)
{
	expect_killed("egress_lies");
}

SK_TEST(slot_out_of_range_kills_its_process_alone)
{
	expect_killed("egress_slot");
}

SK_TEST(killed_egress_is_started_again_and_areas_are_made_anew)
{
	int client = open_with("egress_good", GRANT);
	pid_t first;

	attach(client);
	first = house_pid(&house, EGRESS);
	kill(first, SIGKILL);
	HOUSE_WAIT(house_log_count(&house, "GET /hello  an egress") == 2);
	assert_true(house_pid(&house, EGRESS) != first);
	assert_true(
		house_log_has(&house, "selkie-egress  ended with signal 9"));
	attach(client);
	close_all(client);
}

SK_TEST(egress_that_dies_again_and_again_is_braked)
{
	int client = open_with("egress_good", GRANT), i;
	pid_t pid;

	attach(client);
	for (i = 0; i < 4; i++) {
		HOUSE_WAIT((pid = house_pid(&house, EGRESS)) != 0);
		kill(pid, SIGKILL);
		HOUSE_WAIT(house_log_count(&house, "ended with signal 9") > i);
	}
	assert_true(house_log_has(&house, "the next start is in 200 ms"));
	assert_true(house_log_has(&house, "GET /hello  no egress"));
	close_all(client);
}

SK_TEST(processes_live_without_an_egress_that_cannot_start)
{
	int client;

	house_egress = "/nonexistent/selkie-egress";
	client = open_with("egress_good", GRANT);
	attach(client);
	assert_true(house_log_has(&house, "GET /hello  no egress"));
	assert_true(house_log_has(&house, "cannot run /nonexistent"));
	close_all(client);
}

/* The command line of the egress, its words divided by spaces. */
static void command_line(char *text, size_t size)
{
	char path[64];
	ssize_t n, i;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline",
		 house_pid(&house, EGRESS));
	fd = open(path, O_RDONLY);
	n = fd < 0 ? 0 : read(fd, text, size - 1);
	for (i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	text[n > 0 ? n : 0] = 0;
	close(fd);
}

static int has_option(const char *option)
{
	char text[1024];

	command_line(text, sizeof(text));
	return strstr(text, option) != NULL;
}

SK_TEST(changed_options_start_another_egress)
{
	struct house_route route = { .pattern = "/hello",
				     .bundle = "egress_good",
				     .policy = GRANT };
	int client = open_with("egress_good", GRANT);
	pid_t first;

	attach(client);
	first = house_pid(&house, EGRESS);
	assert_false(has_option("--audit"));
	house_config(&house, &route, 1);
	attach(client);
	assert_int_equal(house_pid(&house, EGRESS), first);
	house.egress = "{\"resolve\":[\"a.test:80:127.0.0.1\"],\"audit\":true}";
	house_config(&house, &route, 1);
	HOUSE_WAIT(has_option("--resolve a.test:80:127.0.0.1 --audit"));
	HOUSE_WAIT(house_log_count(&house, "GET /hello  an egress") == 2);
	assert_int_equal(house_log_count(&house, "ended with"), 0);
	close_all(client);
}

SK_TEST(options_outlive_the_supervisor)
{
	struct house_route route = { .pattern = "/hello",
				     .bundle = "egress_good",
				     .policy = GRANT };
	int client;

	house_open(&house, HOSTILE, "text");
	house.egress = "{\"resolve\":[\"a.test:80:127.0.0.1\"]}";
	house_config(&house, &route, 1);
	client = house_connect(&house, 1);
	attach(client);
	kill(house_pid(&house, "selkie-super"), SIGKILL);
	assert_int_equal(client_hear(client, &answer), 0);
	close(client);
	client = house_connect(&house, 1);
	attach(client);
	HOUSE_WAIT(house_count(&house, EGRESS) == 1);
	HOUSE_WAIT(has_option("--resolve a.test:80:127.0.0.1"));
	close_all(client);
}
