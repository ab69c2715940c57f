/* SPDX-License-Identifier: BSD-2-Clause */
// link: supervisor/text.c
#include "sk_test.h"

#include "supervisor/text.h"

static const struct timespec when = { 1796068189, 123456789 };

static void expect(enum sk_log_format format, enum sk_level level,
		   const char *route, const char *text, size_t length,
		   const char *expected)
{
	struct sk_entry entry = { level, route, 42, text, length };
	struct sk_buffer out = { 0 };

	sk_text_entry(&out, format, &entry, &when);
	sk_buffer_add(&out, "", 1);
	assert_string_equal(out.data, expected);
	sk_buffer_fini(&out);
}

static void expect_text(const char *text, size_t length, const char *expected)
{
	char whole[512];

	snprintf(whole, sizeof(whole),
		 "2026-11-30T19:49:49.123Z error  GET /  %s\n", expected);
	expect(SK_LOG_TEXT, SK_LEVEL_ERROR, "GET /", text, length, whole);
}

static void expect_json(const char *text, size_t length, const char *expected)
{
	char whole[512];

	snprintf(whole, sizeof(whole),
		 "{\"time\":\"2026-11-30T19:49:49.123Z\",\"level\":\"error\","
		 "\"route\":\"GET /\",\"pid\":42,\"message\":\"%s\"}\n",
		 expected);
	expect(SK_LOG_JSON, SK_LEVEL_ERROR, "GET /", text, length, whole);
}

#define TEXT(string, expected) expect_text(string, sizeof(string) - 1, expected)
#define JSON(string, expected) expect_json(string, sizeof(string) - 1, expected)

SK_TEST(text_entry_has_time_level_route_and_message)
{
	TEXT("hello", "hello");
	expect(SK_LOG_TEXT, SK_LEVEL_LOG, "GET /a", "x", 1,
	       "2026-11-30T19:49:49.123Z log    GET /a  x\n");
}

SK_TEST(text_lines_after_the_first_are_indented)
{
	TEXT("a\nb\n\nc", "a\n    b\n    \n    c");
	TEXT("trailing\n\n", "trailing");
	TEXT("\n", "");
	TEXT("", "");
}

SK_TEST(text_spells_control_characters_out)
{
	TEXT("\x1b[31m\r\b\x07\x7f", "\\x1b[31m\\x0d\\x08\\x07\\x7f");
	TEXT("a\0b", "a\\x00b");
	TEXT("a\tb", "a\tb");
	TEXT("\xc2\x9b"
	     "2J",
	     "\\x9b2J");
	TEXT("\xe2\x80\xae"
	     "evil",
	     "\\u{202e}evil");
	TEXT("\xe2\x80\xa8", "\\u{2028}");
}

SK_TEST(text_keeps_utf8_and_spells_other_bytes_out)
{
	TEXT("gr\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xad", "gr\xc3\xbc\xc3\x9f "
						    "\xf0\x9f\xa6\xad");
	TEXT("\xff\xc3", "\\xff\\xc3");
	TEXT("\xc0\xaf", "\\xc0\\xaf");		 /* overlong */
	TEXT("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* surrogate */
	TEXT("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	TEXT("\xe2\x82", "\\xe2\\x82"); /* cut off */
}

SK_TEST(text_route_cannot_break_the_line)
{
	expect(SK_LOG_TEXT, SK_LEVEL_WARN, "GET /\n\x1b", "m", 1,
	       "2026-11-30T19:49:49.123Z warn   GET /\\x0a\\x1b  m\n");
}

SK_TEST(json_entry_is_one_valid_line)
{
	JSON("hello", "hello");
	JSON("a\nb", "a\\nb");
	JSON("say \"x\\y\"", "say \\\"x\\\\y\\\"");
	JSON("\x1b\0", "\\u001b\\u0000");
	JSON("\xff\xc3\xbc", "\\ufffd\xc3\xbc");
	JSON("\xe2\x80\xa8", "\\u2028");
}

SK_TEST(buffer_grows)
{
	struct sk_buffer buffer = { 0 };
	int i;

	for (i = 0; i < 10000; i++)
		sk_buffer_add(&buffer, "0123456789", 10);
	assert_int_equal(buffer.length, 100000);
	assert_memory_equal(buffer.data + 99990, "0123456789", 10);
	sk_buffer_fini(&buffer);
	assert_null(buffer.data);
}
