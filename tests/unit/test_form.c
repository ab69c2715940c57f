// SPDX-License-Identifier: BSD-2-Clause
/* application/x-www-form-urlencoded. */
#include "sk_test.h"

#include "url/url.h"

/* `wanted` holds name, value, name, … and ends with NULL. */
static void expect_pairs(const char *input, const char *const *wanted)
{
	struct sk_form form;
	size_t i;

	assert_int_equal(sk_form_parse(&form, input, strlen(input)), 0);
	for (i = 0; wanted[2 * i]; i++) {
		assert_true(i < form.count);
		assert_string_equal(form.pairs[i].name, wanted[2 * i]);
		assert_int_equal(form.pairs[i].name_length,
				 strlen(wanted[2 * i]));
		assert_string_equal(form.pairs[i].value, wanted[2 * i + 1]);
		assert_int_equal(form.pairs[i].value_length,
				 strlen(wanted[2 * i + 1]));
	}
	assert_int_equal(form.count, i);
	sk_form_fini(&form);
}

#define EXPECT_PAIRS(input, ...)                                               \
	expect_pairs(input, (const char *const[]){ __VA_ARGS__, NULL })

SK_TEST(pairs_are_split_and_decoded)
{
	EXPECT_PAIRS("a=1&b=2", "a", "1", "b", "2");
	EXPECT_PAIRS("a+b=%20+", "a b", "  ");
	EXPECT_PAIRS("%26=%3D&a=%2B", "&", "=", "a", "+");
	EXPECT_PAIRS("a=1=2", "a", "1=2");
	EXPECT_PAIRS("a&b=", "a", "", "b", "");
	EXPECT_PAIRS("=x", "", "x");
	EXPECT_PAIRS("=", "", "");
	EXPECT_PAIRS("&&a=1&&", "a", "1");
	EXPECT_PAIRS("a=1&a=2", "a", "1", "a", "2");
	EXPECT_PAIRS("__proto__[x]=1", "__proto__[x]", "1");
	EXPECT_PAIRS("%zz=%4", "%zz", "%4");
	EXPECT_PAIRS("?a=1", "?a", "1");
}

SK_TEST(empty_input_has_no_pairs)
{
	struct sk_form form;

	assert_int_equal(sk_form_parse(&form, "", 0), 0);
	assert_int_equal(form.count, 0);
	sk_form_fini(&form);
	assert_int_equal(sk_form_parse(&form, "&&&", 3), 0);
	assert_int_equal(form.count, 0);
	sk_form_fini(&form);
}

SK_TEST(ill_formed_bytes_become_replacement_characters)
{
	EXPECT_PAIRS("a=%ff", "a", "\xef\xbf\xbd");
	EXPECT_PAIRS("a=\xff\xfe", "a", "\xef\xbf\xbd\xef\xbf\xbd");
	EXPECT_PAIRS("a=%C3%A9", "a", "\xc3\xa9");
	EXPECT_PAIRS("a=\xc3%A9", "a", "\xc3\xa9");
	EXPECT_PAIRS("a=%C3&%A9=", "a", "\xef\xbf\xbd", "\xef\xbf\xbd", "");
	EXPECT_PAIRS("%EF%BB%BFa=",
		     "\xef\xbb\xbf"
		     "a",
		     "");
}

SK_TEST(a_nul_byte_is_data)
{
	struct sk_form form;

	assert_int_equal(sk_form_parse(&form, "a%00b=c%00", 10), 0);
	assert_int_equal(form.count, 1);
	assert_int_equal(form.pairs[0].name_length, 3);
	assert_memory_equal(form.pairs[0].name, "a\0b", 4);
	assert_int_equal(form.pairs[0].value_length, 2);
	sk_form_fini(&form);
}

static void expect_text(const char *input, const char *wanted)
{
	struct sk_form form;
	size_t length;
	char *text;

	assert_int_equal(sk_form_parse(&form, input, strlen(input)), 0);
	text = sk_form_serialize(&form, &length);
	assert_string_equal(text, wanted);
	assert_int_equal(length, strlen(wanted));
	free(text);
	sk_form_fini(&form);
}

SK_TEST(lists_are_serialised)
{
	expect_text("", "");
	expect_text("a=1&&b", "a=1&b=");
	expect_text("a b=c%20d", "a+b=c+d");
	expect_text("*-._09AZaz=~!'()", "*-._09AZaz=%7E%21%27%28%29");
	expect_text("%C3%A9=%ff", "%C3%A9=%EF%BF%BD");
	expect_text("=&=", "=&=");
	expect_text("a=%26%3D%2B%25", "a=%26%3D%2B%25");
}

SK_TEST(a_list_made_by_hand_is_serialised)
{
	struct sk_form_pair pairs[] = { { "a", 1, "\xff ", 2 },
					{ NULL, 0, NULL, 0 } };
	struct sk_form form = { pairs, 2 };
	size_t length;
	char *text = sk_form_serialize(&form, &length);

	assert_string_equal(text, "a=%EF%BF%BD+&=");
	assert_int_equal(length, 14);
	free(text);
}
