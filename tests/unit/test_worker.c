// SPDX-License-Identifier: BSD-2-Clause
/* The real selkie-worker, from its zygote to its ring. */
// link: tests/unit/worker_rig.c
#include "sk_test.h"

#include "tests/unit/worker_rig.h"

#include <stdatomic.h>

static struct rig rig;

static void start(const char *module, const char *limits)
{
	rig_open(&rig);
	rig_spawn(&rig, module, limits);
	if (rig.verdict != SK_MSG_READY)
		fail_msg("%s", rig.text);
}

/* One request; the reply is the caller's. */
static void ask(struct rig_reply *reply, const char *target)
{
	static uint32_t serial;

	memset(reply, 0, sizeof(*reply));
	serial++;
	rig_request(&rig, 1, serial, "GET", target, 0);
	assert_int_equal(rig_take(&rig, 1, serial, reply, 0, 1), 1);
}

static void expect_stop(const char *module, const char *text)
{
	struct rig_reply reply;

	start(module, "{\"memory\": 67108864, \"cpu\": 300}");
	ask(&reply, "/bad");
	assert_int_equal(reply.status, 503);
	assert_string_equal((char *)reply.body, text);
	rig_reply_free(&reply);
	rig_expect(&rig, 2, 9, "/good", "good");
	rig_close(&rig);
}

#define BAD_OR_GOOD(code)                                                      \
	"(r) => { if (r.url.endsWith('/good')) return 'good'; " code " }"

SK_TEST(string_result_is_plain_text)
{
	struct rig_reply reply;

	start("() => 'Hello \\u20ac \\ud800!'", NULL);
	ask(&reply, "/");
	assert_int_equal(reply.status, 200);
	assert_int_equal(reply.announced, 14);
	assert_string_equal((char *)reply.body,
			    "Hello \xe2\x82\xac \xef\xbf\xbd!");
	assert_string_equal(reply.headers,
			    "content-type: text/plain;charset=UTF-8\n");
	rig_reply_free(&reply);
	rig_close(&rig);
}

SK_TEST(handler_reads_method_url_header_and_params)
{
	struct rig_reply reply;

	start("(r, c) => [r.method, r.url, r.headers.get('X-One'), "
	      "r.headers.get('x-two'), r.headers.get('none'), "
	      "c.params.name, c.query.get('q')]",
	      NULL);
	ask(&reply, "/a/./b/../c?q=1%20x");
	assert_string_equal((char *)reply.body,
			    "[\"GET\",\"http://example.test:8080/a/c?q=1%20x\","
			    "\"first, second\",\"\xc3\xa9\",null,"
			    "\"v\xc3\xa9\",\"1 x\"]");
	rig_reply_free(&reply);
	rig_close(&rig);
}

SK_TEST(many_requests_are_answered_in_one_batch)
{
	uint32_t i;

	start("(r) => r.url.slice(-4)", NULL);
	for (i = 0; i < 1000; i++) {
		char target[32];

		snprintf(target, sizeof(target), "/%04u", i);
		rig_request(&rig, i, i + 7, "GET", target, 0);
	}
	for (i = 0; i < 1000; i++) {
		struct rig_reply reply = { 0 };
		char want[8];

		snprintf(want, sizeof(want), "%04u", i);
		assert_int_equal(rig_take(&rig, i, i + 7, &reply, 0, 1), 1);
		assert_string_equal((char *)reply.body, want);
		rig_reply_free(&reply);
	}
	rig_close(&rig);
}

SK_TEST(echo_streams_with_credit_both_ways)
{
	enum { TOTAL = 8 << 20, PIECE = 16384 };
	struct rig_reply reply = { 0 };
	static unsigned char piece[PIECE];
	size_t sent = 0, i;

	start("(r) => new Response(r.body)", NULL);
	rig_request(&rig, 3, 4, "POST", "/echo", 1);
	while (sent < TOTAL) {
		/* Never more than the window on its way. */
		if (sent + PIECE > reply.request_credit + SK_WINDOW) {
			rig_take(&rig, 3, 4, &reply,
				 reply.length + reply.request_credit + 1, 1);
			continue;
		}
		for (i = 0; i < PIECE; i++)
			piece[i] = (unsigned char)((sent + i) * 31 >> 3);
		rig_push(&rig, SK_FRAME_BODY, 0, 3, 4, piece, PIECE);
		sent += PIECE;
	}
	rig_push(&rig, SK_FRAME_BODY, SK_FRAME_END, 3, 4, NULL, 0);
	assert_int_equal(rig_take(&rig, 3, 4, &reply, 0, 1), 1);
	assert_int_equal(reply.length, TOTAL);
	for (i = 0; i < TOTAL; i++)
		if (reply.body[i] != (unsigned char)(i * 31 >> 3))
			fail_msg("byte %zu differs", i);
	rig_reply_free(&reply);
	rig_close(&rig);
}

SK_TEST(body_that_nobody_reads_gets_no_credit)
{
	struct rig_reply reply = { 0 };
	static unsigned char window[SK_WINDOW];

	start("async (r) => { await new Promise((f) => setTimeout(f, 200)); "
	      "return 'late'; }",
	      NULL);
	rig_request(&rig, 1, 1, "POST", "/", 1);
	rig_push(&rig, SK_FRAME_BODY, 0, 1, 1, window, SK_WINDOW);
	assert_int_equal(rig_take(&rig, 1, 1, &reply, 0, 1), 1);
	assert_int_equal(reply.request_credit, 0);
	assert_string_equal((char *)reply.body, "late");
	rig_reply_free(&reply);
	rig_close(&rig);
}

SK_TEST(big_string_goes_out_piece_by_piece)
{
	struct rig_reply reply = { 0 };
	uint32_t credit = SK_WINDOW;

	start("(r) => r.url.endsWith('/big') ? 'x'.repeat(1000000) : 'small'",
	      NULL);
	rig_request(&rig, 1, 1, "GET", "/big", 0);
	assert_int_equal(rig_take(&rig, 1, 1, &reply, SK_WINDOW, 0), 0);
	assert_int_equal(reply.length, SK_WINDOW);
	assert_int_equal(reply.announced, 1000000);
	/* Without credit nothing comes, and others are served. */
	assert_int_equal(rig_quiet(&rig, 100), 1);
	rig_expect(&rig, 2, 1, "/other", "small");
	rig_push(&rig, SK_FRAME_CREDIT, 0, 1, 1, &credit, sizeof(credit));
	assert_int_equal(rig_take(&rig, 1, 1, &reply, 0, 1), 1);
	assert_int_equal(reply.length, 1000000);
	rig_reply_free(&reply);
	rig_close(&rig);
}

SK_TEST(view_is_sent_without_the_rest_of_its_buffer)
{
	struct rig_reply reply;

	start("() => new Uint8Array(new ArrayBuffer(1 << 20), 100, 16).fill(7)",
	      NULL);
	ask(&reply, "/");
	assert_int_equal(reply.length, 16);
	assert_int_equal(reply.body[0], 7);
	rig_reply_free(&reply);
	rig_close(&rig);
}

SK_TEST(abort_reaches_the_handler_and_frees_the_slot)
{
	uint32_t reason = SK_ABORT_CLIENT;

	start("(r) => { if (r.url.endsWith('/state')) return String("
	      "globalThis.seen); r.signal.addEventListener('abort', () => { "
	      "globalThis.seen = 'aborted'; }); return new Promise(() => {}); "
	      "}",
	      NULL);
	rig_request(&rig, 1, 1, "GET", "/wait", 0);
	rig_push(&rig, SK_FRAME_ABORT, 0, 1, 1, &reason, sizeof(reason));
	rig_expect(&rig, 1, 2, "/state", "aborted");
	assert_int_equal(atomic_load(&rig.page->inflight), 0);
	rig_close(&rig);
}

SK_TEST(late_frames_of_an_ended_request_are_dropped)
{
	uint32_t credit = 5;

	start("() => 'ok'", NULL);
	rig_expect(&rig, 1, 1, "/", "ok");
	rig_push(&rig, SK_FRAME_CREDIT, 0, 1, 1, &credit, sizeof(credit));
	rig_push(&rig, SK_FRAME_BODY, SK_FRAME_END, 1, 1, "late", 4);
	rig_push(&rig, SK_FRAME_ABORT, 0, 9000, 1, &credit, sizeof(credit));
	rig_expect(&rig, 1, 2, "/", "ok");
	rig_close(&rig);
}

SK_TEST(throw_is_500_and_its_reason_is_logged)
{
	struct rig_reply reply;

	start("() => { throw new Error('the reason'); }", NULL);
	ask(&reply, "/");
	assert_int_equal(reply.status, 500);
	assert_string_equal((char *)reply.body, "Internal Server Error\n");
	rig_listen(&rig, 0);
	assert_non_null(strstr(rig.log, "the reason"));
	rig_reply_free(&reply);
	rig_close(&rig);
}

SK_TEST(module_that_throws_fails_with_its_reason)
{
	rig_open(&rig);
	rig_spawn(&rig, "(() => { throw new Error('no luck'); })()", NULL);
	assert_int_equal(rig.verdict, SK_MSG_FAILED);
	assert_non_null(strstr(rig.text, "no luck"));
	rig_listen(&rig, 1);
	assert_true(WIFEXITED(rig.exit_status));
	assert_int_equal(WEXITSTATUS(rig.exit_status), 1);
	rig_close(&rig);
}

SK_TEST(top_level_await_and_timers_work_while_loading)
{
	start("await new Promise((f) => setTimeout(() => f(() => 'up'), 30))",
	      NULL);
	rig_expect(&rig, 1, 1, "/", "up");
	rig_close(&rig);
}

SK_TEST(endless_loop_is_over_the_cpu_limit)
{
	expect_stop(BAD_OR_GOOD("for (;;);"), "route over its limit: cpu\n");
}

SK_TEST(endless_microtasks_are_over_the_cpu_limit)
{
	expect_stop("async (r) => { if (r.url.endsWith('/good')) return "
		    "'good'; for (;;) await null; }",
		    "route over its limit: cpu\n");
}

SK_TEST(compiled_loop_is_ended_again_and_again)
{
	struct rig_reply reply;
	int i;

	start(BAD_OR_GOOD("for (;;) Math.random();"),
	      "{\"memory\": 67108864, \"cpu\": 50}");
	for (i = 0; i < 8; i++) {
		ask(&reply, i % 2 ? "/good" : "/bad");
		assert_int_equal(reply.status, i % 2 ? 200 : 503);
		rig_reply_free(&reply);
	}
	rig_close(&rig);
}

SK_TEST(loop_that_catches_everything_is_over_the_cpu_limit)
{
	expect_stop(BAD_OR_GOOD("for (;;) { try { for (;;); } catch {} finally "
				"{ continue; } }"),
		    "route over its limit: cpu\n");
}

SK_TEST(endless_loop_in_a_timer_is_over_the_cpu_limit)
{
	expect_stop("async (r) => { if (r.url.endsWith('/good')) return "
		    "'good'; await new Promise((f) => setTimeout(f, 5)); "
		    "for (;;); }",
		    "route over its limit: cpu\n");
}

SK_TEST(array_bomb_is_over_the_memory_limit)
{
	expect_stop(BAD_OR_GOOD("const a = []; for (;;) a.push(new Array(100)"
				".fill(1));"),
		    "route over its limit: memory\n");
}

SK_TEST(buffer_bomb_is_over_the_memory_limit)
{
	expect_stop(BAD_OR_GOOD("const a = []; for (;;) a.push(new Uint8Array("
				"1e6).fill(1));"),
		    "route over its limit: memory\n");
}

SK_TEST(garbage_is_not_taken_for_memory_in_use)
{
	struct rig_reply reply;

	start("() => { let n = 0; for (let i = 0; i < 2000; i++) n += new "
	      "Uint8Array(1e6).fill(1)[5]; return String(n); }",
	      "{\"memory\": 67108864, \"cpu\": 10000}");
	ask(&reply, "/");
	assert_int_equal(reply.status, 200);
	assert_string_equal((char *)reply.body, "2000");
	rig_reply_free(&reply);
	rig_close(&rig);
}

SK_TEST(recursion_bomb_is_an_error_of_its_request)
{
	struct rig_reply reply;

	start(BAD_OR_GOOD("const f = () => f() + 1; return f();"), NULL);
	ask(&reply, "/bad");
	assert_int_equal(reply.status, 500);
	rig_reply_free(&reply);
	rig_expect(&rig, 2, 9, "/good", "good");
	rig_close(&rig);
}

SK_TEST(regular_expression_bomb_ends)
{
	struct rig_reply reply;

	start(BAD_OR_GOOD("return String(/(a+)+$/.test('a'.repeat(40) + 'b'))"),
	      "{\"memory\": 67108864, \"cpu\": 300}");
	ask(&reply, "/bad");
	assert_true(reply.status == 200 || reply.status == 503);
	rig_reply_free(&reply);
	rig_expect(&rig, 2, 9, "/good", "good");
	rig_close(&rig);
}

SK_TEST(others_in_flight_survive_a_stop)
{
	struct rig_reply slow = { 0 }, bad = { 0 }, went = { 0 };

	start("async (r) => { if (r.url.endsWith('/bad')) for (;;); "
	      "if (r.url.endsWith('/go')) { globalThis.go(); return 'went'; } "
	      "await new Promise((f) => { globalThis.go = f; }); "
	      "return 'slow'; }",
	      "{\"memory\": 67108864, \"cpu\": 300}");
	rig_request(&rig, 1, 1, "GET", "/slow", 0);
	rig_request(&rig, 2, 1, "GET", "/bad", 0);
	assert_int_equal(rig_take(&rig, 2, 1, &bad, 0, 1), 1);
	assert_int_equal(bad.status, 503);
	rig_request(&rig, 3, 1, "GET", "/go", 0);
	assert_int_equal(rig_take(&rig, 3, 1, &went, 0, 1), 1);
	assert_string_equal((char *)went.body, "went");
	assert_int_equal(rig_take(&rig, 1, 1, &slow, 0, 1), 1);
	assert_string_equal((char *)slow.body, "slow");
	rig_reply_free(&bad);
	rig_reply_free(&slow);
	rig_reply_free(&went);
	rig_close(&rig);
}

SK_TEST(stop_ends_an_idle_process_with_status_0)
{
	struct sk_message stop = { .type = SK_MSG_STOP };

	start("() => 'ok'", NULL);
	rig_expect(&rig, 1, 1, "/", "ok");
	assert_int_equal(sk_message_send(rig.control, &stop, NULL, 0, NULL, 0),
			 0);
	rig_listen(&rig, 1);
	assert_true(WIFEXITED(rig.exit_status));
	assert_int_equal(WEXITSTATUS(rig.exit_status), 0);
	rig_close(&rig);
}

SK_TEST(area_can_go_and_come_again)
{
	struct sk_message gone = { .type = SK_MSG_AREA_GONE, .value = 5 };
	struct sk_message back = { .type = SK_MSG_AREA, .value = 5 };
	int fds[2];

	start("(r) => r.url.endsWith('/hang') ? new Promise(() => {}) : 'ok'",
	      NULL);
	rig_request(&rig, 1, 1, "GET", "/hang", 0);
	assert_int_equal(rig_quiet(&rig, 50), 1);
	assert_int_equal(sk_message_send(rig.control, &gone, NULL, 0, NULL, 0),
			 0);
	sk_area_unmap(&rig.area);
	fds[0] = sk_area_create();
	fds[1] = rig.wake;
	assert_int_equal(sk_area_map(&rig.area, fds[0], SK_AREA_GATEWAY), 0);
	assert_int_equal(sk_message_send(rig.control, &back, NULL, 0, fds, 2),
			 0);
	rig_expect(&rig, 1, 1, "/", "ok");
	assert_int_equal(atomic_load(&rig.page->inflight), 0);
	rig_close(&rig);
}

SK_TEST(unhandled_rejection_is_logged_and_the_process_lives)
{
	start("() => { Promise.reject(new Error('nobody awaits')); return "
	      "'ok'; }",
	      NULL);
	rig_expect(&rig, 1, 1, "/", "ok");
	rig_expect(&rig, 1, 2, "/", "ok");
	rig_listen(&rig, 0);
	assert_non_null(strstr(rig.log, "nobody awaits"));
	rig_close(&rig);
}

SK_TEST(asynchronous_webassembly_works)
{
	start("async () => { const m = await WebAssembly.instantiate("
	      "new Uint8Array([0,97,115,109,1,0,0,0,1,5,1,96,0,1,127,3,2,1,0,"
	      "7,5,1,1,102,0,0,10,6,1,4,0,65,42,11])); "
	      "return String(m.instance.exports.f()); }",
	      NULL);
	rig_expect(&rig, 1, 1, "/", "42");
	rig_close(&rig);
}
