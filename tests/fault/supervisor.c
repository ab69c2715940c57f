/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selkie-supervisor as nginx meets it, with a worker program that has been
 * taken over (hostile_worker.c). tests/fault/supervisor.test.mjs runs these.
 */
// link: tests/fault/lib/house.c
#include "tests/unit/sk_test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include "ring/ring.h"
#include "tests/fault/lib/house.h"

#define HOSTILE "build/tests/hostile_worker"
#define QUICK	"\"cpu\":200,\"wall\":500"

/* A house with one route that runs `evil`, and a client. */
static int open_with(struct house *house, const char *evil, const char *limits)
{
	struct house_route route = { .pattern = "/hello",
				     .bundle = evil,
				     .limits = limits };

	house_open(house, HOSTILE, "text");
	house_config(house, &route, 1);
	return house_connect(house, 1);
}

static uint64_t attach(int client, uint32_t route)
{
	struct answer answer;

	client_attach(client, route, 0, 0, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_ATTACHED);
	answer_close(&answer);
	return answer.got.head.proc;
}

static void expect(int client, enum sk_message_type type, uint64_t proc)
{
	struct answer answer;

	assert_true(client_hear(client, &answer));
	assert_int_equal(answer.got.head.type, type);
	assert_int_equal(answer.got.head.proc, proc);
	answer_close(&answer);
}

/* --- attaching --- */

SK_TEST(attach_gives_an_area_and_two_wakes)
{
	struct house house;
	struct sk_area area = { 0 };
	struct answer answer;
	int client;

	client = open_with(&house, "good", NULL);
	client_attach(client, 0, 0, 0, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_ATTACHED);
	assert_int_equal(answer.got.nfds, 3);
	assert_int_equal(sk_area_map(&area, answer.got.fds[0], SK_AREA_GATEWAY),
			 0);
	assert_true(fcntl(answer.got.fds[1], F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(answer.got.fds[2], F_GETFL) & O_NONBLOCK);
	sk_area_unmap(&area);
	answer_close(&answer);
	close(client);
	house_close(&house);
}

SK_TEST(clients_share_the_process_of_a_route)
{
	struct house house;
	int one, two;

	one = open_with(&house, "good", NULL);
	two = house_connect(&house, 1);
	assert_int_equal(attach(one, 0), attach(two, 0));
	assert_int_equal(house_count(&house, "hostile-worker"), 1);
	close(one);
	close(two);
	house_close(&house);
}

SK_TEST(each_index_is_a_process_of_its_own)
{
	struct house_route route = { .pattern = "/n",
				     .bundle = "good",
				     .processes = 3 };
	struct answer answer;
	struct house house;
	uint32_t i;
	int client;

	house_open(&house, HOSTILE, "text");
	house_config(&house, &route, 1);
	client = house_connect(&house, 1);
	for (i = 0; i < 3; i++) {
		client_attach(client, 0, i, 0, &answer);
		assert_int_equal(answer.got.head.type, SK_MSG_ATTACHED);
		assert_int_equal(answer.got.head.index, i);
		answer_close(&answer);
	}
	assert_int_equal(house_count(&house, "hostile-worker"), 3);
	client_attach(client, 0, 3, 0, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_UNAVAILABLE);
	client_attach(client, 7, 0, 0, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_UNAVAILABLE);
	close(client);
	house_close(&house);
}

SK_TEST(route_that_does_not_build_is_unavailable_with_the_reason)
{
	struct house_route routes[] = {
		{ .pattern = "/bad", .error = "bad.js:3: syntax" },
		{ .pattern = "/good", .bundle = "good" },
	};
	struct answer answer;
	struct house house;
	int client;

	house_open(&house, HOSTILE, "text");
	house_config(&house, routes, 2);
	client = house_connect(&house, 1);
	client_attach(client, 0, 0, 0, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_UNAVAILABLE);
	assert_string_equal(answer.text, "bad.js:3: syntax");
	attach(client, 1);
	close(client);
	house_close(&house);
}

SK_TEST(module_that_does_not_load_is_unavailable_and_backs_off)
{
	struct answer first, second;
	struct house house;
	int client;

	client = open_with(&house, "fail", NULL);
	client_attach(client, 0, 0, 0, &first);
	assert_int_equal(first.got.head.type, SK_MSG_UNAVAILABLE);
	assert_non_null(strstr(first.text, "SyntaxError"));
	assert_in_range(first.got.head.value, 1, 100);
	client_attach(client, 0, 0, 0, &second);
	assert_int_equal(second.got.head.type, SK_MSG_UNAVAILABLE);
	assert_in_range(second.got.head.value, 1, 100);
	/* One try, one entry: the terminal's control bytes are spelled out. */
	assert_true(house_log_has(&house, "oh \\x1b[2J no\n      at bundle:1"));
	assert_int_equal(house_log_count(&house, "SyntaxError"), 1);
	close(client);
	house_close(&house);
}

SK_TEST(process_that_dies_at_start_backs_off_longer_each_time)
{
	struct answer answer;
	struct house house;
	int i, client, value, last = 0;

	client = open_with(&house, "die", NULL);
	for (i = 0; i < 4; i++) {
		usleep((unsigned)last * 1000);
		client_attach(client, 0, 0, 0, &answer);
		assert_int_equal(answer.got.head.type, SK_MSG_UNAVAILABLE);
		value = answer.got.head.value;
		assert_true(value > last);
		last = value;
	}
	assert_true(house_log_has(&house, "ended with status 3"));
	assert_int_equal(house_log_count(&house, "in 400 ms"), 1);
	close(client);
	house_close(&house);
}

/* --- the end of processes --- */

SK_TEST(crash_is_told_to_clients_and_logged_with_its_last_words)
{
	struct answer answer;
	struct house house;
	uint64_t proc;
	int client;

	client = open_with(&house, "crash", NULL);
	proc = attach(client, 0);
	assert_true(client_hear(client, &answer));
	assert_int_equal(answer.got.head.type, SK_MSG_GONE);
	assert_int_equal(answer.got.head.proc, proc);
	assert_int_equal(WTERMSIG(answer.got.head.value), SIGSEGV);
	assert_true(house_log_has(&house, "GET /hello  last words"));
	assert_true(house_log_has(&house, "signal 11 (Segmentation fault)"));
	close(client);
	house_close(&house);
}

SK_TEST(first_crash_is_followed_by_a_fresh_process_at_once)
{
	struct house house;
	uint64_t first, second;
	int client;

	client = open_with(&house, "crash", NULL);
	first = attach(client, 0);
	expect(client, SK_MSG_GONE, first);
	second = attach(client, 0);
	assert_true(second > first);
	close(client);
	house_close(&house);
}

SK_TEST(crash_loop_is_braked)
{
	struct answer answer;
	struct house house;
	int client, starts;

	client = open_with(&house, "crash", NULL);
	for (starts = 0; starts < 3; starts++) {
		client_attach(client, 0, 0, 1, &answer);
		assert_int_equal(answer.got.head.type, SK_MSG_ATTACHED);
		answer_close(&answer);
		expect(client, SK_MSG_GONE, answer.got.head.proc);
	}
	client_attach(client, 0, 0, 0, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_UNAVAILABLE);
	assert_in_range(answer.got.head.value, 101, 200);
	close(client);
	house_close(&house);
}

SK_TEST(reload_that_changes_nothing_keeps_the_process)
{
	struct house_route route = { .pattern = "/hello", .bundle = "good" };
	struct house house;
	uint64_t proc;
	int old, new;

	old = open_with(&house, "good", NULL);
	proc = attach(old, 0);
	house_config(&house, &route, 1);
	new = house_connect(&house, 2);
	assert_int_equal(attach(new, 0), proc);
	close(old);
	usleep(100000);
	assert_int_equal(house_count(&house, "hostile-worker"), 1);
	close(new);
	house_close(&house);
}

SK_TEST(changed_route_retires_when_its_last_old_client_leaves)
{
	struct house_route route = { .pattern = "/hello",
				     .bundle = "good\n// changed" };
	struct house house;
	uint64_t before, after;
	int old, new;

	old = open_with(&house, "good", NULL);
	before = attach(old, 0);
	house_config(&house, &route, 1);
	new = house_connect(&house, 2);
	after = attach(new, 0);
	assert_true(after != before);
	assert_int_equal(house_count(&house, "hostile-worker"), 2);
	close(old);
	HOUSE_WAIT(house_count(&house, "hostile-worker") == 1);
	assert_int_equal(house_log_count(&house, "killed"), 0);
	close(new);
	house_close(&house);
}

SK_TEST(idle_process_retires_and_the_next_attach_gets_a_fresh_one)
{
	struct house house;
	uint64_t first;
	int client;

	client = open_with(&house, "good",
			   "\"cpu\":1000,\"wall\":1000,\"idle\":300");
	first = attach(client, 0);
	expect(client, SK_MSG_RETIRE, first);
	/* Before we said RETIRED it lives on, beside the new one. */
	assert_true(attach(client, 0) > first);
	assert_int_equal(house_count(&house, "hostile-worker"), 2);
	client_send(client, SK_MSG_RETIRED, first, 0, 0, "");
	HOUSE_WAIT(house_count(&house, "hostile-worker") < 2);
	close(client);
	house_close(&house);
}

SK_TEST(recycled_process_is_replaced_and_quick_ones_are_braked)
{
	struct answer answer;
	struct house house;
	uint64_t first, second;
	int client;

	client = open_with(&house, "recycle", NULL);
	first = attach(client, 0);
	expect(client, SK_MSG_RETIRE, first);
	client_send(client, SK_MSG_RETIRED, first, 0, 0, "");
	second = attach(client, 0);
	assert_true(second > first);
	expect(client, SK_MSG_RETIRE, second);
	client_attach(client, 0, 0, 0, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_UNAVAILABLE);
	assert_true(house_log_has(&house, "fresh process: too fat"));
	close(client);
	house_close(&house);
}

SK_TEST(process_that_ignores_stop_is_killed)
{
	struct house_route other = { .pattern = "/other", .bundle = "good" };
	struct house house;
	int client;

	client = open_with(&house, "ignore_stop", NULL);
	attach(client, 0);
	house_config(&house, &other, 1);
	close(client);
	client = house_connect(&house, 2);
	assert_true(house_log_has(&house, "killed: it did not stop"));
	HOUSE_WAIT(house_count(&house, "hostile-worker") == 0);
	close(client);
	house_close(&house);
}

/* --- the watchdog --- */

SK_TEST(turn_over_twice_its_cpu_limit_is_killed)
{
	struct house house;
	uint64_t proc;
	int client;

	client = open_with(&house, "spin", "\"cpu\":100,\"wall\":30000");
	proc = attach(client, 0);
	expect(client, SK_MSG_GONE, proc);
	assert_true(house_log_has(&house, "ms of CPU time"));
	close(client);
	house_close(&house);
}

SK_TEST(turn_over_twice_its_wall_limit_is_killed)
{
	struct house house;
	uint64_t proc;
	int client;

	client = open_with(&house, "hang", QUICK);
	proc = attach(client, 0);
	expect(client, SK_MSG_GONE, proc);
	assert_true(house_log_has(&house, "killed: a turn took"));
	close(client);
	house_close(&house);
}

SK_TEST(process_called_stuck_or_hostile_is_killed)
{
	struct house house;
	uint64_t proc;
	int client;

	client = open_with(&house, "ignore_stop", NULL);
	proc = attach(client, 0);
	client_send(client, SK_MSG_STUCK, proc, 0, 0, "");
	expect(client, SK_MSG_GONE, proc);
	proc = attach(client, 0);
	client_send(client, SK_MSG_HOSTILE, proc, 0, 0, "bad length");
	expect(client, SK_MSG_GONE, proc);
	assert_true(house_log_has(&house, "broke the ring protocol: bad leng"));
	close(client);
	house_close(&house);
}

SK_TEST(client_cannot_end_a_process_that_it_is_not_attached_to)
{
	struct house house;
	uint64_t proc;
	int one, two;

	one = open_with(&house, "good", NULL);
	two = house_connect(&house, 1);
	proc = attach(one, 0);
	client_send(two, SK_MSG_HOSTILE, proc, 0, 0, "lie");
	client_send(two, SK_MSG_STUCK, proc, 0, 0, "");
	assert_int_equal(attach(two, 0), proc);
	close(one);
	close(two);
	house_close(&house);
}

/* --- hostile worker processes --- */

static void expect_killed(const char *evil)
{
	struct house house;
	uint64_t proc;
	int client;

	client = open_with(&house, evil, NULL);
	proc = attach(client, 0);
	expect(client, SK_MSG_GONE, proc);
	assert_true(house_log_has(&house, "no right to send"));
	close(client);
	house_close(&house);
}

SK_TEST(worker_that_speaks_as_nginx_is_killed)
{
	expect_killed("speak_as_nginx");
}

SK_TEST(worker_that_is_ready_twice_is_killed)
{
	expect_killed("ready_twice");
}

SK_TEST(worker_that_sends_half_a_message_is_killed)
{
	expect_killed("short_message");
}

SK_TEST(worker_that_sends_too_many_descriptors_is_killed)
{
	expect_killed("many_descriptors");
}

SK_TEST(worker_that_closes_its_control_socket_is_killed)
{
	struct house house;
	uint64_t proc;
	int client;

	client = open_with(&house, "close_control", NULL);
	proc = attach(client, 0);
	expect(client, SK_MSG_GONE, proc);
	close(client);
	house_close(&house);
}

SK_TEST(descriptors_from_a_worker_are_not_kept)
{
	struct house house;
	int client, before, after;

	client = open_with(&house, "give_descriptors", NULL);
	attach(client, 0);
	before = house_descriptors(house_pid(&house, "selkie-super"));
	HOUSE_WAIT(house_log_count(&house, "all given"));
	after = house_descriptors(house_pid(&house, "selkie-super"));
	assert_in_range(after, before - 8, before + 8);
	close(client);
	house_close(&house);
}

SK_TEST(status_page_cannot_be_cut_off)
{
	struct house house;
	int client;

	client = open_with(&house, "cut_page", NULL);
	attach(client, 0);
	assert_true(house_log_has(&house, "page not cut"));
	close(client);
	house_close(&house);
}

SK_TEST(log_entry_cannot_be_forged_and_terminal_not_driven)
{
	struct house house;
	int client;

	client = open_with(&house, "forge_log", NULL);
	attach(client, 0);
	assert_true(house_log_has(&house,
				  "one\n    2026-01-01T00:00:00.000Z error  "
				  "GET /  forged\\x0d\\x1b]0;title\\x07"
				  "\\x9b31m\\xff end\n2"));
	assert_true(house_log_has(&house, "error  GET /hello  level out of"));
	close(client);
	house_close(&house);
}

SK_TEST(flood_of_log_entries_is_cut_and_counted)
{
	struct house house;
	uint64_t proc;
	int client;

	client = open_with(&house, "flood_log", NULL);
	proc = attach(client, 0);
	expect(client, SK_MSG_RETIRE, proc);
	client_send(client, SK_MSG_RETIRED, proc, 0, 0, "");
	assert_true(house_log_has(&house, "log entries dropped"));
	assert_true(house_log_count(&house, "flood flood") < 30000);
	close(client);
	house_close(&house);
}

SK_TEST(endless_flood_costs_the_flooder_and_others_are_served)
{
	struct house_route routes[] = {
		{ .pattern = "/flood", .bundle = "flood_for_ever" },
		{ .pattern = "/good", .bundle = "good" },
	};
	struct house house;
	uint64_t proc;
	int client;

	house_open(&house, HOSTILE, "text");
	house_config(&house, routes, 2);
	client = house_connect(&house, 1);
	proc = attach(client, 0);
	assert_true(house_log_has(&house, "GET /flood"));
	attach(client, 1);
	client_send(client, SK_MSG_STUCK, proc, 0, 0, "");
	expect(client, SK_MSG_GONE, proc);
	close(client);
	house_close(&house);
}

SK_TEST(what_a_worker_writes_to_stderr_is_logged_and_tamed)
{
	struct house house;
	int client;

	client = open_with(&house, "write_stderr", NULL);
	attach(client, 0);
	assert_true(house_log_has(&house,
				  "warn   selkie-worker  raw \\x1b[31m words"));
	close(client);
	house_close(&house);
}

SK_TEST(worker_program_that_is_missing_is_named_in_the_log)
{
	struct house_route route = { .pattern = "/", .bundle = "good" };
	struct answer answer;
	struct house house;
	int client;

	house_open(&house, "/nowhere/selkie-worker", "text");
	house_config(&house, &route, 1);
	client = house_connect(&house, 1);
	client_attach(client, 0, 0, 0, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_UNAVAILABLE);
	assert_true(house_log_has(&house, "cannot run /nowhere/selkie-worker"));
	close(client);
	house_close(&house);
}

/* --- the door --- */

SK_TEST(bad_configurations_are_refused_and_the_service_goes_on)
{
	static const char *const bad[] = {
		"",
		"[",
		"null",
		"[]",
		"{}",
		"{\"version\":2,\"apps\":[]}",
		"{\"version\":1,\"apps\":7}",
		"{\"version\":1,\"apps\":[7]}",
		"{\"version\":1,\"apps\":[{\"app\":\"/a\",\"routes\":[{}]}]}",
		"{\"version\":1,\"apps\":[{\"app\":\"/a\",\"routes\":[{"
		"\"method\":\"GET\",\"pattern\":\"/\",\"worker\":\"/w\","
		"\"bundle\":\"/b\",\"identity\":\"i\",\"limits\":{},"
		"\"processes\":100000}]}]}",
		"{\"version\":1,\"apps\":[{\"app\":\"/a\",\"routes\":[{"
		"\"method\":\"GET\",\"pattern\":\"/\",\"worker\":\"/w\","
		"\"bundle\":\"/b\",\"identity\":\"i\","
		"\"limits\":{\"cpu\":-1}}]}]}",
	};
	struct house house;
	size_t i;
	int client;

	client = open_with(&house, "good", NULL);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		house_config_raw(&house, bad[i], strlen(bad[i]),
				 F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW);
	HOUSE_WAIT(house_log_count(&house, "is wrong") == (int)i);
	house_config_raw(&house, "{\"version\":1,\"apps\":[]}", 23, 0);
	assert_true(house_log_has(&house, "it is not sealed"));
	attach(client, 0);
	close(client);
	house_close(&house);
}

SK_TEST(client_of_an_unknown_generation_is_refused)
{
	struct answer answer;
	struct house house;
	int client, other;

	client = open_with(&house, "good", NULL);
	other = house_connect(&house, 99);
	assert_int_equal(client_hear(other, &answer), 0);
	attach(client, 0);
	close(other);
	close(client);
	house_close(&house);
}

SK_TEST(configuration_from_another_user_is_refused)
{
	struct house house;
	int client;
	pid_t pid;

	if (geteuid() != 0)
		skip();
	client = open_with(&house, "good", NULL);
	attach(client, 0);
	pid = fork();
	if (pid == 0) {
		if (setuid(65534))
			_exit(1);
		house_config(&house, NULL, 0);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	assert_true(house_log_has(&house, "from another user"));
	close(client);
	house_close(&house);
}

SK_TEST(cleaned_cache_does_not_break_a_restart)
{
	struct house house;
	uint64_t first;
	char path[128];
	pid_t pid;
	int client;

	client = open_with(&house, "good", NULL);
	first = attach(client, 0);
	snprintf(path, sizeof(path), "rm -f %s/*.js", house.dir);
	assert_int_equal(system(path), 0);
	pid = house_pid(&house, "hostile-worker");
	kill(pid, SIGKILL);
	expect(client, SK_MSG_GONE, first);
	attach(client, 0);
	/* The store has it even when the supervisor itself dies. */
	kill(house_pid(&house, "selkie-super"), SIGKILL);
	close(client);
	HOUSE_WAIT(house_log_count(&house, "supervisor died"));
	client = house_connect(&house, 1);
	attach(client, 0);
	close(client);
	house_close(&house);
}

/* --- robustness --- */

SK_TEST(killed_supervisor_comes_back_with_its_configuration)
{
	struct answer answer;
	struct house house;
	uint64_t proc;
	int i, client;

	client = open_with(&house, "good", NULL);
	proc = attach(client, 0);
	for (i = 0; i < 3; i++) {
		HOUSE_WAIT(house_count(&house, "selkie-super") == 1);
		kill(house_pid(&house, "selkie-super"), SIGKILL);
		assert_int_equal(client_hear(client, &answer), 0);
		close(client);
		client = house_connect(&house, 1);
		assert_true(attach(client, 0) > proc);
	}
	/* No process of a former supervisor is left. */
	HOUSE_WAIT(house_count(&house, "hostile-worker") == 1);
	HOUSE_WAIT(house_count(&house, "hostile-zygote") == 1);
	close(client);
	house_close(&house);
}

SK_TEST(killed_watcher_is_started_again)
{
	struct house house;
	uint64_t proc;
	int i, client;

	client = open_with(&house, "good", NULL);
	proc = attach(client, 0);
	for (i = 1; i <= 3; i++) {
		HOUSE_WAIT(house_count(&house, "selkie-watcher") == 1);
		kill(house_pid(&house, "selkie-watcher"), SIGKILL);
		HOUSE_WAIT(house_log_count(&house, "watcher died") == i);
	}
	HOUSE_WAIT(house_count(&house, "selkie-watcher") == 1);
	assert_int_equal(attach(client, 0), proc);
	/* The new watcher watches: */
	kill(house_pid(&house, "selkie-super"), SIGKILL);
	close(client);
	HOUSE_WAIT(house_log_count(&house, "supervisor died"));
	client = house_connect(&house, 1);
	assert_true(attach(client, 0) > proc);
	close(client);
	house_close(&house);
}

SK_TEST(killed_zygote_is_started_again_and_its_processes_live_on)
{
	struct house_route routes[] = {
		{ .pattern = "/a", .bundle = "good" },
		{ .pattern = "/b", .bundle = "crash" },
	};
	struct answer answer;
	struct house house;
	uint64_t proc;
	int client;

	house_open(&house, HOSTILE, "text");
	house_config(&house, routes, 2);
	client = house_connect(&house, 1);
	proc = attach(client, 0);
	kill(house_pid(&house, "hostile-zygote"), SIGKILL);
	attach(client, 1);
	/* The orphan still runs, and its end is seen without the zygote. */
	assert_true(client_hear(client, &answer));
	assert_int_equal(answer.got.head.type, SK_MSG_GONE);
	assert_int_equal(attach(client, 0), proc);
	assert_true(house_log_has(&house, "zygote ended with signal 9"));
	close(client);
	house_close(&house);
}

SK_TEST(zygote_that_does_not_answer_is_replaced)
{
	const char *tier = getenv("SELKIE_TIER");
	struct answer answer;
	struct house house;
	int client;

	/* It takes SK_START_MS. */
	if (!tier || strcmp(tier, "full"))
		skip();

	client = open_with(&house, "good", NULL);
	attach(client, 0);
	kill(house_pid(&house, "hostile-zygote"), SIGSTOP);
	kill(house_pid(&house, "hostile-worker"), SIGKILL);
	assert_true(client_hear(client, &answer));
	assert_int_equal(answer.got.head.type, SK_MSG_GONE);
	client_send(client, SK_MSG_ATTACH, 0, 0, 0, "");
	assert_true(house_log_has(&house, "the zygote does not answer"));
	assert_true(client_hear(client, &answer));
	assert_int_equal(answer.got.head.type, SK_MSG_UNAVAILABLE);
	client_attach(client, 0, 0, 1, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_ATTACHED);
	answer_close(&answer);
	close(client);
	house_close(&house);
}

SK_TEST(end_of_an_orphan_is_told_with_its_status)
{
	struct answer answer;
	struct house house;
	pid_t worker;
	int client;

	client = open_with(&house, "good", NULL);
	attach(client, 0);
	worker = house_pid(&house, "hostile-worker");
	kill(house_pid(&house, "hostile-zygote"), SIGKILL);
	HOUSE_WAIT(house_log_count(&house, "zygote ended"));
	kill(worker, SIGTERM);
	assert_true(client_hear(client, &answer));
	assert_int_equal(answer.got.head.type, SK_MSG_GONE);
	assert_int_equal(WTERMSIG(answer.got.head.value), SIGTERM);
	close(client);
	house_close(&house);
}

SK_TEST(sigterm_to_either_drains)
{
	struct house house;
	int client;

	client = open_with(&house, "good", NULL);
	attach(client, 0);
	kill(house.pid, SIGTERM);
	HOUSE_WAIT(house_count(&house, NULL) == 0);
	close(client);
	house_close(&house);
	client = open_with(&house, "good", NULL);
	attach(client, 0);
	kill(house_pid(&house, "selkie-super"), SIGTERM);
	HOUSE_WAIT(house_count(&house, NULL) == 0);
	close(client);
	house_close(&house);
}

SK_TEST(signals_of_the_terminal_are_ignored)
{
	struct house house;
	int client;

	client = open_with(&house, "good", NULL);
	attach(client, 0);
	kill(house.pid, SIGINT);
	kill(house.pid, SIGHUP);
	kill(house_pid(&house, "selkie-super"), SIGINT);
	kill(house_pid(&house, "selkie-super"), SIGHUP);
	usleep(100000);
	attach(client, 0);
	assert_int_equal(house_count(&house, "selkie-super"), 1);
	close(client);
	house_close(&house);
}

/* --- hygiene --- */

SK_TEST(thousand_lives_leak_no_descriptor)
{
	struct answer answer;
	struct house house;
	int i, client, before = 0, after;

	client = open_with(&house, "good", NULL);
	for (i = 0; i < 1000; i++) {
		client_attach(client, 0, 0, 0, &answer);
		if (answer.got.head.type == SK_MSG_UNAVAILABLE) {
			/* Backing off: another client's route would do, but a
			 * reload with another bundle is a life too. */
			char text[64];
			struct house_route route = { .pattern = "/hello" };

			snprintf(text, sizeof(text), "good\n// %d", i);
			route.bundle = text;
			house_config(&house, &route, 1);
			close(client);
			client = house_connect(&house, house.generation);
			continue;
		}
		answer_close(&answer);
		client_send(client, SK_MSG_HOSTILE, answer.got.head.proc, 0, 0,
			    "test");
		expect(client, SK_MSG_GONE, answer.got.head.proc);
		if (i < 10)
			before = house_descriptors(
				house_pid(&house, "selkie-super"));
	}
	usleep(500000);
	after = house_descriptors(house_pid(&house, "selkie-super"));
	assert_in_range(after, before - 4, before + 4);
	close(client);
	house_close(&house);
}

SK_TEST(thousand_reloads_leak_no_descriptor)
{
	struct house_route route = { .pattern = "/hello", .bundle = "good" };
	struct house house;
	int i, client, before, after;
	uint64_t proc;

	client = open_with(&house, "good", NULL);
	proc = attach(client, 0);
	before = house_descriptors(house_pid(&house, "selkie-super"));
	for (i = 0; i < 1000; i++) {
		house_config(&house, &route, 1);
		if (i % 50)
			continue;
		close(client);
		client = house_connect(&house, house.generation);
		assert_int_equal(attach(client, 0), proc);
	}
	close(client);
	client = house_connect(&house, house.generation);
	assert_int_equal(attach(client, 0), proc);
	after = house_descriptors(house_pid(&house, "selkie-super"));
	assert_in_range(after, before - 2, before + 2);
	close(client);
	house_close(&house);
}
