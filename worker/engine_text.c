/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Strings between the engine and C.
 *
 * The engine's own conversion to UTF-8 is fast, but stops at a lone surrogate.
 * So its result is checked against the string's length in UTF-16 units, and
 * what it cut short is converted here.
 *
 * Into the engine: text that is ASCII goes in by the call that makes 8-bit
 * strings (half the memory, and faster to read from JavaScript), all else as
 * UTF-16.
 */
#include "worker/engine_js.h"

#include <stdlib.h>
#include <string.h>

#define SMALL 512 /* bytes that are copied on the stack */

/* UTF-16 units that `n` bytes of well-formed UTF-8 stand for. */
static size_t count_units(const unsigned char *at, size_t n)
{
	size_t units = 0, i;

	for (i = 0; i < n; i++)
		units += ((at[i] & 0xc0) != 0x80) + (at[i] >= 0xf0);
	return units;
}

static unsigned char *put_utf8(unsigned char *at, uint32_t c)
{
	if (c < 0x80) {
		*at++ = (unsigned char)c;
	} else if (c < 0x800) {
		*at++ = (unsigned char)(0xc0 | c >> 6);
		*at++ = (unsigned char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*at++ = (unsigned char)(0xe0 | c >> 12);
		*at++ = (unsigned char)(0x80 | (c >> 6 & 0x3f));
		*at++ = (unsigned char)(0x80 | (c & 0x3f));
	} else {
		*at++ = (unsigned char)(0xf0 | c >> 18);
		*at++ = (unsigned char)(0x80 | (c >> 12 & 0x3f));
		*at++ = (unsigned char)(0x80 | (c >> 6 & 0x3f));
		*at++ = (unsigned char)(0x80 | (c & 0x3f));
	}
	return at;
}

static size_t convert_units(const JSChar *units, size_t n, char *out)
{
	unsigned char *at = (unsigned char *)out;
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t c = units[i];

		if (c >= 0xd800 && c < 0xdc00 && i + 1 < n &&
		    units[i + 1] >= 0xdc00 && units[i + 1] < 0xe000)
			c = 0x10000 + ((c - 0xd800) << 10) +
			    (units[++i] - 0xdc00u);
		else if (c >= 0xd800 && c < 0xe000)
			c = 0xfffd;
		at = put_utf8(at, c);
	}
	*at = '\0';
	return (size_t)(at - (unsigned char *)out);
}

size_t sk__string_utf8_max(JSStringRef string)
{
	return JSStringGetMaximumUTF8CStringSize(string);
}

size_t sk__string_utf8_to(JSStringRef string, char *at)
{
	size_t length = JSStringGetLength(string);
	size_t n =
		JSStringGetUTF8CString(string, at, sk__string_utf8_max(string));

	if (n > 0)
		n--;
	if (count_units((const unsigned char *)at, n) == length)
		return n;
	return convert_units(JSStringGetCharactersPtr(string), length, at);
}

char *sk__string_utf8(JSStringRef string, size_t *length)
{
	char *text = malloc(sk__string_utf8_max(string));
	char *fitting;

	if (!text)
		return NULL;
	*length = sk__string_utf8_to(string, text);
	fitting = realloc(text, *length + 1);
	return fitting ? fitting : text;
}

static int is_ascii(const unsigned char *at, size_t n)
{
	uint64_t high = 0, word;
	size_t i;

	for (i = 0; i + 8 <= n; i += 8) {
		memcpy(&word, at + i, 8);
		high |= word;
	}
	for (; i < n; i++)
		high |= at[i];
	return (high & UINT64_C(0x8080808080808080)) == 0;
}

/* `at` is ASCII without NUL, or the answer is NULL. */
static JSStringRef narrow_string(const unsigned char *at, size_t n)
{
	char small[SMALL], *text = small;
	JSStringRef string;

	if (!is_ascii(at, n) || memchr(at, 0, n))
		return NULL;
	if (n >= SMALL && !(text = malloc(n + 1)))
		return NULL;
	memcpy(text, at, n);
	text[n] = '\0';
	string = JSStringCreateWithUTF8CString(text);
	if (text != small)
		free(text);
	return string;
}

JSStringRef sk__string_latin1(const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	JSStringRef string = narrow_string(at, n);
	JSChar small[SMALL], *units = small;
	size_t i;

	if (string)
		return string;
	if (n > SMALL && !(units = malloc(n * sizeof(*units))))
		return NULL;
	for (i = 0; i < n; i++)
		units[i] = at[i];
	string = JSStringCreateWithCharacters(units, n);
	if (units != small)
		free(units);
	return string;
}

/* One character of UTF-8 as the Encoding Standard decodes it: an ill-formed
 * maximal subpart counts as one error. Returns the bytes that it took; `*c` is
 * UINT32_MAX for an error. */
static size_t next_character(const unsigned char *at, size_t n, uint32_t *c)
{
	unsigned lower = 0x80, upper = 0xbf, need, i;

	*c = at[0];
	if (at[0] < 0x80)
		return 1;
	if (at[0] >= 0xc2 && at[0] <= 0xdf) {
		need = 1;
		*c &= 0x1f;
	} else if (at[0] >= 0xe0 && at[0] <= 0xef) {
		need = 2;
		*c &= 0xf;
		lower = at[0] == 0xe0 ? 0xa0 : 0x80;
		upper = at[0] == 0xed ? 0x9f : 0xbf;
	} else if (at[0] >= 0xf0 && at[0] <= 0xf4) {
		need = 3;
		*c &= 0x7;
		lower = at[0] == 0xf0 ? 0x90 : 0x80;
		upper = at[0] == 0xf4 ? 0x8f : 0xbf;
	} else {
		*c = UINT32_MAX;
		return 1;
	}
	for (i = 1; i <= need; i++) {
		if (i >= n || at[i] < lower || at[i] > upper) {
			*c = UINT32_MAX;
			return i;
		}
		*c = *c << 6 | (at[i] & 0x3f);
		lower = 0x80;
		upper = 0xbf;
	}
	return need + 1;
}

JSStringRef sk__string_decode(const void *bytes, size_t n, int fatal)
{
	const unsigned char *at = bytes;
	JSStringRef string = narrow_string(at, n);
	JSChar *units;
	size_t count = 0, i;

	if (string)
		return string;
	/* Never more units than bytes. */
	units = malloc((n ? n : 1) * sizeof(*units));
	if (!units)
		return NULL;
	for (i = 0; i < n;) {
		uint32_t c;

		i += next_character(at + i, n - i, &c);
		if (c == UINT32_MAX) {
			if (fatal)
				goto free_units;
			c = 0xfffd;
		}
		if (c >= 0x10000) {
			units[count++] =
				(JSChar)(0xd800 + ((c - 0x10000) >> 10));
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		units[count++] = (JSChar)c;
	}
	string = JSStringCreateWithCharacters(units, count);
free_units:
	free(units);
	return string;
}

/* --- the string that a request returned --- */

size_t sk_engine_text_size(struct sk_engine *engine)
{
	return sk__string_utf8_max(engine->text);
}

size_t sk_engine_text_take(struct sk_engine *engine, char *at)
{
	size_t n = sk__string_utf8_to(engine->text, at);

	JSStringRelease(engine->text);
	engine->text = NULL;
	return n;
}

void sk_engine_text_drop(struct sk_engine *engine)
{
	JSStringRelease(engine->text);
	engine->text = NULL;
}
