/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding: UTF-8 and Latin-1, both ways. */
#include "worker/natives.h"

#include <stdlib.h>
#include <string.h>

SK_NATIVE(utf8_encode)
{
	JSStringRef string;
	size_t length = 0;
	char *text;

	SK_NATIVE_UNUSED;
	string = argc ? JSValueToStringCopy(ctx, argv[0], exception) : NULL;
	if (!string)
		return JSValueMakeUndefined(ctx);
	text = sk__string_utf8(string, &length);
	JSStringRelease(string);
	if (!text)
		return sk__throw_memory(ctx, exception);
	return sk__make_bytes(ctx, text, length, exception);
}

SK_NATIVE(utf8_decode)
{
	struct sk_bytes bytes;
	int fatal, keep_bom;
	JSStringRef string;
	JSValueRef value;

	SK_NATIVE_UNUSED;
	if (sk__arg_bytes(ctx, argc, argv, 0, &bytes))
		return sk__throw_type(ctx, "bytes expected", exception);
	fatal = argc > 1 && JSValueToBoolean(ctx, argv[1]);
	keep_bom = argc > 2 && JSValueToBoolean(ctx, argv[2]);
	if (!keep_bom && bytes.length >= 3 &&
	    memcmp(bytes.data, "\xef\xbb\xbf", 3) == 0) {
		bytes.data += 3;
		bytes.length -= 3;
	}
	string = sk__string_decode(bytes.data, bytes.length, fatal);
	if (!string)
		return fatal ? JSValueMakeUndefined(ctx)
			     : sk__throw_memory(ctx, exception);
	value = JSValueMakeString(ctx, string);
	JSStringRelease(string);
	return value;
}

SK_NATIVE(latin1_decode)
{
	struct sk_bytes bytes;

	SK_NATIVE_UNUSED;
	if (sk__arg_bytes(ctx, argc, argv, 0, &bytes))
		return sk__throw_type(ctx, "bytes expected", exception);
	return sk__make_latin1(ctx, bytes.data, bytes.length);
}

SK_NATIVE(latin1_encode)
{
	const JSChar *units;
	unsigned char *bytes;
	JSStringRef string;
	size_t length, i;

	SK_NATIVE_UNUSED;
	string = argc ? JSValueToStringCopy(ctx, argv[0], exception) : NULL;
	if (!string)
		return JSValueMakeUndefined(ctx);
	length = JSStringGetLength(string);
	units = JSStringGetCharactersPtr(string);
	bytes = malloc(length + 1);
	for (i = 0; bytes && i < length; i++) {
		if (units[i] > 0xff)
			break;
		bytes[i] = (unsigned char)units[i];
	}
	JSStringRelease(string);
	if (!bytes)
		return sk__throw_memory(ctx, exception);
	if (i < length) {
		free(bytes);
		return JSValueMakeUndefined(ctx);
	}
	return sk__make_bytes(ctx, bytes, length, exception);
}

SK_NATIVE(bytes_find)
{
	double start = sk__arg_number(ctx, argc, argv, 2);
	struct sk_bytes bytes, needle;
	const unsigned char *found = NULL;
	size_t from;

	SK_NATIVE_UNUSED;
	if (sk__arg_bytes(ctx, argc, argv, 0, &bytes) ||
	    sk__arg_bytes(ctx, argc, argv, 1, &needle))
		return sk__throw_type(ctx, "bytes expected", exception);
	from = start > 0 ? (size_t)start : 0;
	if (from <= bytes.length)
		found = memmem(bytes.data + from, bytes.length - from,
			       needle.data, needle.length);
	return JSValueMakeNumber(ctx,
				 found ? (double)(found - bytes.data) : -1);
}

const struct sk_native sk__natives_text[] = {
	{ "bytesFind", bytes_find },	   { "utf8Encode", utf8_encode },
	{ "utf8Decode", utf8_decode },	   { "latin1Encode", latin1_encode },
	{ "latin1Decode", latin1_decode }, { NULL, NULL },
};
