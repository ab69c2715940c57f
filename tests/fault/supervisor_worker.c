/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selkie-supervisor with the real selkie-worker: requests go through an area,
 * as from an nginx worker. tests/fault/supervisor.test.mjs runs these.
 */
// link: tests/fault/lib/house.c
#include "tests/unit/sk_test.h"

#include <poll.h>
#include <signal.h>

#include "ring/frame.h"
#include "ring/ring.h"
#include "tests/fault/lib/house.h"

#define WORKER "build/libexec/selkie/selkie-worker"
#define BUNDLE(body)                                                           \
	"(async function (register) { register({ default: " body " }); })"
#define HELLO                                                                  \
	BUNDLE("() => 'hello ' + (globalThis.n = (globalThis.n ?? 0) + 1)")

static int open_with(struct house *house, const char *bundle,
		     const char *limits)
{
	struct house_route route = { .pattern = "/hello",
				     .bundle = bundle,
				     .limits = limits };

	house_open(house, WORKER, "text");
	house_config(house, &route, 1);
	return house_connect(house, 1);
}

/* Attaches and maps the area. */
static void attach(int client, uint32_t route, struct answer *answer,
		   struct sk_area *area)
{
	client_attach(client, route, 0, 0, answer);
	if (answer->got.head.type != SK_MSG_ATTACHED)
		fail_msg("unavailable: %s", answer->text);
	assert_int_equal(sk_area_map(area, answer->got.fds[0], SK_AREA_GATEWAY),
			 0);
}

static void detach(struct answer *answer, struct sk_area *area)
{
	sk_area_unmap(area);
	answer_close(answer);
}

static void wake(int fd)
{
	uint64_t one = 1;

	assert_int_equal(write(fd, &one, sizeof(one)), sizeof(one));
}

/* GET /hello in `slot`. */
static void ask(struct sk_area *area, struct answer *answer, uint32_t slot)
{
	static const char strings[] = "GET/hellotest.host127.0.0.1";
	struct sk_request_head head = {
		.method_len = 3, .target_len = 6, .host_len = 9, .remote_len = 9
	};
	unsigned char frame[sizeof(head) + sizeof(strings) - 1];

	memcpy(frame, &head, sizeof(head));
	memcpy(frame + sizeof(head), strings, sizeof(strings) - 1);
	assert_int_equal(sk_ring_push(&area->out, SK_FRAME_REQUEST,
				      SK_FRAME_END, slot, 1, frame,
				      sizeof(frame)),
			 0);
	if (sk_ring_publish(&area->out))
		wake(answer->got.fds[1]);
}

/* Waits for the RESPONSE and copies its body. */
static uint32_t reply(struct sk_area *area, struct answer *answer, char *body,
		      size_t size)
{
	struct pollfd sleep = { .fd = answer->got.fds[2], .events = POLLIN };
	struct sk_response_head head;
	struct sk_bytes name, value;
	struct sk_cursor cursor;
	struct sk_frame frame;
	uint32_t i;

	while (sk_ring_peek(&area->in, &frame) == 0) {
		uint64_t count;

		if (!sk_ring_sleep(&area->in))
			continue;
		assert_int_equal(poll(&sleep, 1, 20000), 1);
		(void)!read(sleep.fd, &count, sizeof(count));
		sk_ring_awake(&area->in);
	}
	assert_int_equal(frame.type, SK_FRAME_RESPONSE);
	cursor.at = frame.data;
	cursor.end = frame.data + frame.length;
	assert_int_equal(sk_cursor_copy(&cursor, &head, sizeof(head)), 0);
	for (i = 0; i < head.headers; i++)
		assert_int_equal(sk_cursor_pair(&cursor, &name, &value), 0);
	snprintf(body, size, "%.*s", (int)(cursor.end - cursor.at),
		 (const char *)cursor.at);
	sk_ring_pop(&area->in, &frame);
	if (sk_ring_release(&area->in))
		wake(answer->got.fds[1]);
	return head.status;
}

static void expect_body(struct sk_area *area, struct answer *answer,
			const char *expected)
{
	char body[256];

	ask(area, answer, 0);
	assert_int_equal(reply(area, answer, body, sizeof(body)), 200);
	assert_string_equal(body, expected);
}

SK_TEST(request_through_an_area_is_answered)
{
	struct sk_area area;
	struct answer answer;
	struct house house;
	int client;

	client = open_with(&house, HELLO, NULL);
	attach(client, 0, &answer, &area);
	expect_body(&area, &answer, "hello 1");
	expect_body(&area, &answer, "hello 2");
	detach(&answer, &area);
	close(client);
	house_close(&house);
}

SK_TEST(two_nginx_workers_reach_the_same_module_state)
{
	struct sk_area area[2];
	struct answer answer[2];
	struct house house;
	int one, two;

	one = open_with(&house, HELLO, NULL);
	two = house_connect(&house, 1);
	attach(one, 0, &answer[0], &area[0]);
	attach(two, 0, &answer[1], &area[1]);
	expect_body(&area[0], &answer[0], "hello 1");
	expect_body(&area[1], &answer[1], "hello 2");
	/* One leaves; the other goes on, and a third takes its area id. */
	detach(&answer[0], &area[0]);
	close(one);
	one = house_connect(&house, 1);
	attach(one, 0, &answer[0], &area[0]);
	expect_body(&area[0], &answer[0], "hello 3");
	expect_body(&area[1], &answer[1], "hello 4");
	detach(&answer[0], &area[0]);
	detach(&answer[1], &area[1]);
	close(one);
	close(two);
	house_close(&house);
}

SK_TEST(many_nginx_workers_come_and_go)
{
	struct sk_area area;
	struct answer answer;
	struct house house;
	char expected[32];
	int i, client;

	client = open_with(&house, HELLO, NULL);
	for (i = 1; i <= 200; i++) {
		attach(client, 0, &answer, &area);
		snprintf(expected, sizeof(expected), "hello %d", i);
		expect_body(&area, &answer, expected);
		detach(&answer, &area);
		close(client);
		client = house_connect(&house, 1);
	}
	close(client);
	house_close(&house);
}

SK_TEST(killed_process_is_gone_and_the_next_one_starts_afresh)
{
	struct sk_area area;
	struct answer answer;
	struct house house;
	uint64_t first;
	int client;

	client = open_with(&house, HELLO, NULL);
	attach(client, 0, &answer, &area);
	expect_body(&area, &answer, "hello 1");
	first = answer.got.head.proc;
	kill(house_pid(&house, "selkie-worker"), SIGKILL);
	detach(&answer, &area);
	assert_true(client_hear(client, &answer));
	assert_int_equal(answer.got.head.type, SK_MSG_GONE);
	assert_int_equal(answer.got.head.proc, first);
	assert_int_equal(WTERMSIG(answer.got.head.value), SIGKILL);
	attach(client, 0, &answer, &area);
	expect_body(&area, &answer, "hello 1");
	detach(&answer, &area);
	close(client);
	house_close(&house);
}

SK_TEST(module_that_throws_is_unavailable_with_its_message)
{
	struct answer answer;
	struct house house;
	int client;

	client = open_with(&house,
			   "(async function (register) {"
			   " throw new Error('no such luck'); })",
			   NULL);
	client_attach(client, 0, 0, 0, &answer);
	assert_int_equal(answer.got.head.type, SK_MSG_UNAVAILABLE);
	assert_non_null(strstr(answer.text, "no such luck"));
	assert_true(house_log_has(&house, "no such luck"));
	close(client);
	house_close(&house);
}

SK_TEST(console_goes_to_the_log_under_the_route)
{
	struct sk_area area;
	struct answer answer;
	struct house house;
	int client;

	client = open_with(&house,
			   BUNDLE("() => { console.error('a\\x1b[2Jb\\nc');"
				  " return ''; }"),
			   NULL);
	attach(client, 0, &answer, &area);
	expect_body(&area, &answer, "");
	assert_true(
		house_log_has(&house, "error  GET /hello  a\\x1b[2Jb\n    c"));
	detach(&answer, &area);
	close(client);
	house_close(&house);
}

SK_TEST(endless_loop_in_webassembly_is_killed_by_the_watchdog)
{
	/* (module (func (export "f") (loop br 0))) */
	static const char bundle[] = BUNDLE(
		"() => { new WebAssembly.Instance(new WebAssembly.Module("
		"new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,"
		"1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11]))).exports.f(); }");
	struct sk_area area;
	struct answer answer;
	struct house house;
	int client;

	client = open_with(&house, bundle, "\"cpu\":200,\"wall\":20000");
	attach(client, 0, &answer, &area);
	ask(&area, &answer, 0);
	detach(&answer, &area);
	assert_true(client_hear(client, &answer));
	assert_int_equal(answer.got.head.type, SK_MSG_GONE);
	assert_true(house_log_has(&house, "ms of CPU time"));
	close(client);
	house_close(&house);
}

SK_TEST(changed_bundle_serves_new_clients_while_old_ones_finish)
{
	struct house_route route = { .pattern = "/hello",
				     .bundle = BUNDLE("() => 'new'") };
	struct sk_area old_area, new_area;
	struct answer old_answer, new_answer;
	struct house house;
	int old, new;

	old = open_with(&house, BUNDLE("() => 'old'"), NULL);
	attach(old, 0, &old_answer, &old_area);
	expect_body(&old_area, &old_answer, "old");
	house_config(&house, &route, 1);
	new = house_connect(&house, 2);
	attach(new, 0, &new_answer, &new_area);
	expect_body(&new_area, &new_answer, "new");
	expect_body(&old_area, &old_answer, "old");
	detach(&old_answer, &old_area);
	close(old);
	/* The zygote bears the same name until it names its children. */
	HOUSE_WAIT(house_log_count(&house, "ended with status 0") == 1);
	expect_body(&new_area, &new_answer, "new");
	detach(&new_answer, &new_area);
	close(new);
	house_close(&house);
}

SK_TEST(requests_go_on_after_the_supervisor_was_killed)
{
	struct sk_area area;
	struct answer answer;
	struct house house;
	int client;

	client = open_with(&house, HELLO, NULL);
	attach(client, 0, &answer, &area);
	expect_body(&area, &answer, "hello 1");
	detach(&answer, &area);
	kill(house_pid(&house, "selkie-super"), SIGKILL);
	assert_int_equal(client_hear(client, &answer), 0);
	close(client);
	client = house_connect(&house, 1);
	attach(client, 0, &answer, &area);
	expect_body(&area, &answer, "hello 1");
	detach(&answer, &area);
	close(client);
	house_close(&house);
}

SK_TEST(hundred_lives_of_real_processes_leak_no_descriptor)
{
	struct answer answer;
	struct house house;
	char text[256];
	int i, client = -1, before = 0, after;
	struct house_route route = { .pattern = "/hello", .bundle = text };

	house_open(&house, WORKER, "text");
	for (i = 0; i < 100; i++) {
		snprintf(text, sizeof(text), "%s // %d", HELLO, i);
		house_config(&house, &route, 1);
		if (client >= 0)
			close(client);
		client = house_connect(&house, house.generation);
		client_attach(client, 0, 0, 0, &answer);
		assert_int_equal(answer.got.head.type, SK_MSG_ATTACHED);
		answer_close(&answer);
		if (i == 10)
			before = house_descriptors(
				house_pid(&house, "selkie-super"));
	}
	HOUSE_WAIT(house_log_count(&house, "ended with status 0") == 99);
	after = house_descriptors(house_pid(&house, "selkie-super"));
	assert_in_range(after, before - 12, before + 2);
	close(client);
	house_close(&house);
}
