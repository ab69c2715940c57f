// SPDX-License-Identifier: BSD-2-Clause
/* Path patterns: the tables of docs/patterns.md, a long one, hostile input. */
#include "sk_test.h"

#include "match/match.h"

/* "no", "yes" or "yes: name=`value` name=`value`", in `out`. */
static void describe(char *out, size_t size, const struct sk_pattern *pattern,
		     const char *raw, size_t length)
{
	struct sk_param params[SK_MATCH_PARAMS];
	struct sk_path path;
	size_t count, i, n;

	if (sk_path_init(&path, raw, length)) {
		snprintf(out, size, "bad path");
		return;
	}
	if (!sk_pattern_match(pattern, &path, params, &count)) {
		snprintf(out, size, "no");
		sk_path_fini(&path);
		return;
	}
	n = (size_t)snprintf(out, size, "yes%s", count ? ":" : "");
	for (i = 0; i < count && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, " %.*s=`%.*s`",
				      (int)params[i].name_len, params[i].name,
				      (int)params[i].value_len,
				      params[i].value);
	sk_path_fini(&path);
}

static void expect(const char *text, const char *path, const char *wanted)
{
	struct sk_pattern *pattern = NULL;
	char got[512], error[200] = "";

	if (sk_pattern_compile(&pattern, text, strlen(text), error,
			       sizeof(error)))
		fail_msg("%s does not compile: %s", text, error);
	describe(got, sizeof(got), pattern, path, strlen(path));
	sk_pattern_free(pattern);
	if (strcmp(got, wanted) != 0)
		fail_msg("%s with %s: %s, wanted %s", text, path, got, wanted);
}

static void expect_error(const char *text, const char *wanted)
{
	struct sk_pattern *pattern = NULL;
	char error[200] = "";

	assert_int_equal(sk_pattern_compile(&pattern, text, strlen(text), error,
					    sizeof(error)),
			 -EINVAL);
	assert_null(pattern);
	if (strcmp(error, wanted) != 0)
		fail_msg("%s: %s, wanted %s", text, error, wanted);
}

/* --- docs/patterns.md --- */

/* The next cell of a table's row, without spaces and backquotes around it. */
static char *cell(char **row)
{
	char *start = *row, *end = strstr(start, " |");

	if (!end)
		return NULL;
	*row = end + 2;
	*end = 0;
	start += strspn(start, " |");
	if (*start == '`' && end[-1] == '`') {
		start++;
		end[-1] = 0;
	}
	return start;
}

SK_TEST(examples_of_the_documentation_hold)
{
	FILE *doc = fopen("docs/patterns.md", "r");
	int examples = 0, refusals = 0, on = 0;
	char line[512];

	assert_non_null(doc);
	while (fgets(line, sizeof(line), doc)) {
		char *row = line, *pattern, *second, *third;

		on |= !strncmp(line, "## Examples", 11);
		if (!on || strncmp(line, "| `", 3) != 0)
			continue;
		pattern = cell(&row);
		second = cell(&row);
		third = cell(&row);
		assert_non_null(second);
		if (third) {
			expect(pattern, second, third);
			examples++;
		} else {
			expect_error(pattern, second);
			refusals++;
		}
	}
	fclose(doc);
	assert_true(examples >= 30);
	assert_true(refusals >= 7);
}

/* --- tables --- */

struct row {
	const char *pattern;
	const char *path;
	const char *wanted;
};

static void expect_rows(const struct row *rows, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		expect(rows[i].pattern, rows[i].path, rows[i].wanted);
}

#define EXPECT_ROWS(rows) expect_rows(rows, sizeof(rows) / sizeof((rows)[0]))

SK_TEST(literals_match_themselves_only)
{
	static const struct row rows[] = {
		{ "/", "/", "yes" },
		{ "/", "//", "no" },
		{ "/", "/.", "yes" },
		{ "/", "/..", "yes" },
		{ "/", "/a/..", "yes" },
		{ "/", "/a/../", "yes" },
		{ "/", "/%2e", "yes" },
		{ "/", "/%2E%2e/%2e.", "yes" },
		{ "/a", "/a", "yes" },
		{ "/a", "/a/", "no" },
		{ "/a", "/a/.", "no" },
		{ "/a/", "/a/.", "yes" },
		{ "/a/", "/a/b/..", "yes" },
		{ "/a", "/a/b/..", "no" },
		{ "/a", "/b/../a", "yes" },
		{ "/a", "/./a", "yes" },
		{ "/a", "/../a", "yes" },
		{ "/a", "/../../../a", "yes" },
		{ "/a", "//a", "no" },
		{ "//a", "//a", "yes" },
		{ "/a//b", "/a//b", "yes" },
		{ "/a//b", "/a/b", "no" },
		{ "/a/b", "/a//b", "no" },
		{ "/a", "/A", "no" },
		{ "/a", "/%61", "yes" },
		{ "/a", "/ab", "no" },
		{ "/ab", "/a", "no" },
		{ "/a/b", "/a%2Fb", "no" },
		{ "/a/b", "/a%2fb", "no" },
		{ "/a%2Fb", "/a%2fb", "yes" },
		{ "/a%2Fb", "/a/b", "no" },
		{ "/static", "/staticx", "no" },
		{ "/caf\xc3\xa9", "/caf%C3%A9", "yes" },
		{ "/caf%C3%A9", "/caf\xc3\xa9", "yes" },
		{ "/caf%C3%A9", "/cafe", "no" },
		{ "/a b", "/a%20b", "yes" },
		{ "/a+b", "/a+b", "yes" },
		{ "/a+b", "/a%20b", "no" },
		{ "/100%", "/100%", "yes" },
		{ "/100%", "/100%25", "yes" },
		{ "/%zz", "/%zz", "yes" },
		{ "/%zz", "/%25zz", "yes" },
		{ "/...", "/...", "yes" },
		{ "/.a", "/.a", "yes" },
		{ "/a.", "/a.", "yes" },
		{ "/a", "/%252e/a", "no" },
		{ "/%252e/a", "/%252e/a", "yes" },
		{ "/a;b", "/a;b", "yes" },
		{ "/a\\b", "/a\\b", "yes" },
		{ "/a/b", "/a\\b", "no" },
		{ "/%3Aid", "/:id", "yes" },
		{ "/%3Aid", "/x", "no" },
		{ "/%3F", "/%3f", "yes" },
	};

	EXPECT_ROWS(rows);
}

SK_TEST(names_capture_within_a_segment)
{
	static const struct row rows[] = {
		{ "/:a", "/x", "yes: a=`x`" },
		{ "/:a", "/", "no" },
		{ "/:a", "/x/", "no" },
		{ "/:a", "/x/y", "no" },
		{ "/:a", "/x%2Fy", "yes: a=`x/y`" },
		{ "/:a", "/%2e%2e%2f", "yes: a=`../`" },
		{ "/:a", "/%20", "yes: a=` `" },
		{ "/:a", "/%ff%fe", "yes: a=`\xff\xfe`" },
		{ "/:a", "/\xff", "yes: a=`\xff`" },
		{ "/:a", "/%", "yes: a=`%`" },
		{ "/:a", "/%2", "yes: a=`%2`" },
		{ "/:a", "/%2525", "yes: a=`%25`" },
		{ "/:a", "/__proto__", "yes: a=`__proto__`" },
		{ "/:a/:b", "/x/y", "yes: a=`x` b=`y`" },
		{ "/:a/:b", "/x/", "no" },
		{ "/:a/:b", "//y", "no" },
		{ "/:a/:b", "/x/../y/z", "yes: a=`y` b=`z`" },
		{ "/:a/", "/x/", "yes: a=`x`" },
		{ "/:a/", "/x", "no" },
		{ "/:a_1", "/x", "yes: a_1=`x`" },
		{ "/:a.:b", "/x.y", "yes: a=`x` b=`y`" },
		{ "/:a.:b", "/x.y.z", "yes: a=`x` b=`y.z`" },
		{ "/:a.:b", "/x.", "no" },
		{ "/:a.:b", "/.y", "no" },
		{ "/:a.:b", "/..y", "yes: a=`.` b=`y`" },
		{ "/:a.json", "/x.json", "yes: a=`x`" },
		{ "/:a.json", "/.json", "no" },
		{ "/:a.json", "/x.json.json", "yes: a=`x.json`" },
		{ "/:a.json", "/x.jso", "no" },
		{ "/v:n", "/v1", "yes: n=`1`" },
		{ "/v:n", "/v", "no" },
		{ "/v:n", "/x1", "no" },
		{ "/@:u", "/@me", "yes: u=`me`" },
		{ "/:a-:b-:c", "/1-2-3", "yes: a=`1` b=`2` c=`3`" },
		{ "/:a-:b-:c", "/1-2-3-4", "yes: a=`1` b=`2` c=`3-4`" },
		{ "/:a-:b-:c", "/--1-2", "yes: a=`-` b=`1` c=`2`" },
		{ "/:a-:b-:c", "/-1-2", "no" },
		{ "/:a-:b-:c", "/---1-2", "yes: a=`-` b=`-1` c=`2`" },
		{ "/:a\xc3\xa9:b", "/1%C3%A92", "yes: a=`1` b=`2`" },
	};

	EXPECT_ROWS(rows);
}

SK_TEST(star_stays_in_its_segment)
{
	static const struct row rows[] = {
		{ "/*", "/", "yes" },
		{ "/*", "/a", "yes" },
		{ "/*", "/a/", "no" },
		{ "/*", "/a/b", "no" },
		{ "/*", "/a%2Fb", "yes" },
		{ "/*", "/*", "yes" },
		{ "/*/", "/a/", "yes" },
		{ "/*/*", "/a", "no" },
		{ "/*/*", "/a/", "yes" },
		{ "/*/*", "//", "yes" },
		{ "/a*", "/a", "yes" },
		{ "/a*", "/ab", "yes" },
		{ "/a*", "/ba", "no" },
		{ "/*a", "/ba", "yes" },
		{ "/*a", "/a", "yes" },
		{ "/*a", "/ab", "no" },
		{ "/a*b", "/ab", "yes" },
		{ "/a*b", "/aab", "yes" },
		{ "/a*b", "/abb", "yes" },
		{ "/a*b", "/aba", "no" },
		{ "/a*b", "/a/b", "no" },
		{ "/*a*", "/xay", "yes" },
		{ "/*a*", "/xy", "no" },
		{ "/*ab*ab", "/abab", "yes" },
		{ "/*ab*ab", "/ab", "no" },
		{ "/*ab*ab", "/aabaab", "yes" },
		{ "/*aab", "/aaab", "yes" },
		{ "/a*b*c", "/abcbc", "yes" },
		{ "/a*b*c", "/acb", "no" },
		{ "/*.:ext", "/a.b.c", "yes: ext=`b.c`" },
		{ "/:a.*", "/x.", "yes: a=`x`" },
		{ "/users/*", "/users", "no" },
		{ "/users/*", "/users/a", "yes" },
		{ "/users/*", "/users/a/b", "no" },
		{ "/users/*", "/users/..", "no" },
		{ "/users/*/x", "/users/a/x", "yes" },
		{ "/users/*/x", "/users//x", "yes" },
		{ "/users/*/x", "/users/x", "no" },
	};

	EXPECT_ROWS(rows);
}

SK_TEST(double_star_crosses_segments)
{
	static const struct row rows[] = {
		{ "*", "/", "yes" },
		{ "*", "/a/b", "yes" },
		{ "**", "/", "yes" },
		{ "/**", "/", "yes" },
		{ "/**", "/a", "yes" },
		{ "/**", "/a/b/", "yes" },
		{ "/**/", "/", "yes" },
		{ "/**/", "/a/", "yes" },
		{ "/**/", "/a", "no" },
		{ "/a/**", "/a/", "yes" },
		{ "/a/**", "/a", "no" },
		{ "/a/**", "/a/b", "yes" },
		{ "/a/**", "/ab/c", "no" },
		{ "/a/**", "/a/../b", "no" },
		{ "/a/**", "/a/%2e%2e/b", "no" },
		{ "/a/**/b", "/a/b", "yes" },
		{ "/a/**/b", "/a//b", "yes" },
		{ "/a/**/b", "/a/x/b", "yes" },
		{ "/a/**/b", "/a/x/y/b", "yes" },
		{ "/a/**/b", "/a/b/c", "no" },
		{ "/a/**/b", "/a/b/c/b", "yes" },
		{ "/a/**/b", "/ab", "no" },
		{ "/a/**/b/**/c", "/a/b/c", "yes" },
		{ "/a/**/b/**/c", "/a/c/b/c", "yes" },
		{ "/a/**/b/**/c", "/a/c/b", "no" },
		{ "/**/**", "/", "yes" },
		{ "/a/**/**", "/a", "no" },
		{ "/a/**/**", "/a/", "yes" },
		{ "/**/a/b/**/c", "/a/a/b/c", "yes" },
		{ "/**/a/b/**/c", "/a/x/b/c", "no" },
		{ "/**/*.js", "/a.js", "yes" },
		{ "/**/*.js", "/x/y/a.js", "yes" },
		{ "/**/*.js", "/x.js/y", "no" },
		{ "/**/:f.js", "/x/y/a.js", "yes: f=`a`" },
		{ "/:a/**/:b", "/x/y", "yes: a=`x` b=`y`" },
		{ "/:a/**/:b", "/x/y/z", "yes: a=`x` b=`z`" },
		{ "/**/:a/**", "/x/y", "yes: a=`x`" },
		{ "/**/:a/**", "/x", "no" },
		{ "/a**", "/a", "yes" },
		{ "/a**", "/ab", "yes" },
		{ "/a**", "/a/b", "yes" },
		{ "/a**", "/b", "no" },
		{ "/**a", "/a", "yes" },
		{ "/**a", "/x/ya", "yes" },
		{ "/**a", "/a/", "no" },
		{ "/a**b", "/ab", "yes" },
		{ "/a**b", "/axb", "yes" },
		{ "/a**b", "/ax/yb", "yes" },
		{ "/a**b", "/a/x/y/b", "yes" },
		{ "/a**b", "/a/b/", "no" },
		{ "/a**b", "/ba", "no" },
		{ "/a**b/c", "/ab/c", "yes" },
		{ "/a**b/c", "/a/b/b/c", "yes" },
		{ "/a**b/c", "/a/b/x/c", "no" },
		{ "/a**b**c", "/a/x/b/y/c", "yes" },
		{ "/a**b**c", "/abc", "yes" },
		{ "/a**b**c", "/acb", "no" },
		{ "/a**/**/b", "/a/b", "yes" },
		{ "/a**/**/b", "/ab", "no" },
		{ "/a**/**/b", "/a/x/b", "yes" },
		{ "/x/:n**", "/x/ab/c", "no compile" },
	};
	size_t count = sizeof(rows) / sizeof(rows[0]);

	expect_rows(rows, count - 1);
	expect_error(rows[count - 1].pattern,
		     "column 6: \"*\" directly after another wildcard");
}

/* --- what is refused --- */

SK_TEST(bad_patterns_are_refused_with_a_reason)
{
	static const struct {
		const char *pattern;
		const char *message;
	} rows[] = {
		{ "", "column 1: a pattern begins with \"/\"" },
		{ "a", "column 1: a pattern begins with \"/\"" },
		{ "*/a", "column 1: a pattern begins with \"/\"" },
		{ "***", "column 1: a pattern begins with \"/\"" },
		{ "/:", "column 2: \":\" without a name (A-Z a-z 0-9 _)" },
		{ "/:-", "column 2: \":\" without a name (A-Z a-z 0-9 _)" },
		{ "/:/a", "column 2: \":\" without a name (A-Z a-z 0-9 _)" },
		{ "/::a", "column 2: \":\" without a name (A-Z a-z 0-9 _)" },
		{ "/:\xc3\xa9",
		  "column 2: \":\" without a name (A-Z a-z 0-9 _)" },
		{ "/:a/x/:a", "column 7: \":a\" stands twice" },
		{ "/:a-:a", "column 5: \":a\" stands twice" },
		{ "/:a*", "column 4: \"*\" directly after another wildcard" },
		{ "/*:a", "column 3: \":a\" directly after another wildcard" },
		{ "/**:a", "column 4: \":a\" directly after another wildcard" },
		{ "/a/***", "column 4: more than two \"*\" in a row" },
		{ "/.", "column 2: a segment \".\" or \"..\" never matches" },
		{ "/%2e%2E/a",
		  "column 2: a segment \".\" or \"..\" never matches" },
		{ "/a%00", "column 3: a NUL byte" },
		{ "/a#b", "column 3: \"#\": only paths are matched (a literal "
			  "one is written %23)" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_error(rows[i].pattern, rows[i].message);
}

SK_TEST(more_than_32_names_are_refused)
{
	char pattern[400] = "";
	struct sk_pattern *compiled = NULL;
	char error[100];
	int i;

	for (i = 0; i < SK_MATCH_PARAMS; i++)
		sprintf(pattern + strlen(pattern), "/:n%d", i);
	assert_int_equal(sk_pattern_compile(&compiled, pattern, strlen(pattern),
					    error, sizeof(error)),
			 0);
	sk_pattern_free(compiled);
	strcat(pattern, "/:x");
	assert_int_equal(sk_pattern_compile(&compiled, pattern, strlen(pattern),
					    error, sizeof(error)),
			 -EINVAL);
}

SK_TEST(a_message_is_cut_to_its_buffer)
{
	struct sk_pattern *pattern = NULL;
	char error[8];

	assert_int_equal(sk_pattern_compile(&pattern, "x", 1, error, 8),
			 -EINVAL);
	assert_string_equal(error, "column ");
	assert_int_equal(sk_pattern_compile(&pattern, "x", 1, NULL, 0),
			 -EINVAL);
}

SK_TEST(bad_paths_are_refused)
{
	char longest[SK_MATCH_PATH + 1];
	struct sk_path path;

	assert_int_equal(sk_path_init(&path, "", 0), -EINVAL);
	assert_int_equal(sk_path_init(&path, "a", 1), -EINVAL);
	assert_int_equal(sk_path_init(&path, "*", 1), -EINVAL);
	assert_int_equal(sk_path_init(&path, "/%00", 4), -EINVAL);
	assert_int_equal(sk_path_init(&path, "/a\0b", 4), -EINVAL);
	assert_int_equal(sk_path_init(&path, "/%00/../a", 9), -EINVAL);
	memset(longest, '/', sizeof(longest));
	assert_int_equal(sk_path_init(&path, longest, SK_MATCH_PATH), 0);
	assert_int_equal(path.count, SK_MATCH_PATH);
	sk_path_fini(&path);
	sk_path_fini(&path);
	assert_int_equal(sk_path_init(&path, longest, SK_MATCH_PATH + 1),
			 -EINVAL);
}

SK_TEST(a_path_is_split_resolved_and_decoded)
{
	struct sk_path path;

	assert_int_equal(sk_path_init(&path, "/a%20/./b/../c%2F/", 18), 0);
	assert_int_equal(path.count, 3);
	assert_true(path.trailing_slash);
	assert_int_equal(path.ends[0], 2);
	assert_int_equal(path.ends[2], 4);
	assert_memory_equal(path.bytes, "a c/", 4);
	sk_path_fini(&path);
	assert_int_equal(sk_path_init(&path, "/a", 2), 0);
	assert_false(path.trailing_slash);
	sk_path_fini(&path);
}

/* --- time --- */

/* Steps would explode here for a matcher that tries every division: with 200
 * wildcards this test would not end. */
SK_TEST(many_wildcards_take_no_exponential_time)
{
	static const char *const units[] = { "*a",   "/**/a",	 "**a",
					     "/*a*", "/**/*a*a", "/**/a**a" };
	char pattern[4096], path[SK_MATCH_PATH];
	size_t unit, i, at;

	for (unit = 0; unit < sizeof(units) / sizeof(units[0]); unit++) {
		strcpy(pattern, units[unit][0] == '/' ? "" : "/");
		for (i = 0; i < 200; i++)
			strcat(pattern, units[unit]);
		strcat(pattern, "b");
		for (i = 0; i < 2; i++) {
			for (at = 0; at < sizeof(path) - 1; at++)
				path[at] = at % 2 || i ? 'a' : '/';
			path[0] = '/';
			path[at] = 0;
			expect(pattern, path, "no");
		}
	}
}
