/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a handler can read of its request. Nothing is made before it is asked
 * for. A request that has ended reads as empty.
 */
#include "worker/natives.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define JOIN_MAX SK_FRAME_MAX

static JSValueRef make(JSContextRef ctx, struct sk_bytes bytes)
{
	return sk__make_latin1(ctx, bytes.data, bytes.length);
}

SK_NATIVE(request_method)
{
	static JSValueRef get; /* nearly all requests: one string for good */
	struct sk_request *request = sk__arg_request(ctx, argc, argv);

	SK_NATIVE_UNUSED;
	if (!get) {
		get = sk__make_latin1(ctx, "GET", 3);
		JSValueProtect(ctx, get);
	}
	if (!request || (request->method.length == 3 &&
			 memcmp(request->method.data, "GET", 3) == 0))
		return get;
	return make(ctx, request->method);
}

SK_NATIVE(request_url)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	JSValueRef value;
	size_t length;
	char *url;

	SK_NATIVE_UNUSED;
	if (!request)
		return sk__make_latin1(ctx, "http://localhost/", 17);
	url = sk_request_url(request, &length);
	if (!url)
		return sk__throw_memory(ctx, exception);
	value = sk__make_latin1(ctx, url, length);
	free(url);
	return value;
}

SK_NATIVE(request_host)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);

	SK_NATIVE_UNUSED;
	return request ? make(ctx, request->host) : sk__make_latin1(ctx, "", 0);
}

SK_NATIVE(request_remote)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);

	SK_NATIVE_UNUSED;
	return request ? make(ctx, request->remote)
		       : sk__make_latin1(ctx, "", 0);
}

/* Bytes above ASCII are UTF-8 here, as they are in request_url. */
SK_NATIVE(request_query)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	struct sk_bytes query = { (const unsigned char *)"", 0 };

	SK_NATIVE_UNUSED;
	if (request)
		query = sk_request_query(request);
	return sk__make_utf8(ctx, query.data, query.length);
}

/* The values of one header, joined when there are several: cookies by "; ", as
 * a Cookie header has them (RFC 9113, 8.2.3), all else by ", ". */
static JSValueRef join(JSContextRef ctx, const struct sk_request *request,
		       const struct sk_text *name)
{
	struct sk_cursor cursor = request->headers;
	unsigned char *joined = malloc(JOIN_MAX);
	const char *comma =
		name->length == 6 && !strncasecmp(name->at, "cookie", 6) ? "; "
									 : ", ";
	struct sk_bytes key, value;
	JSValueRef result;
	size_t at = 0;
	uint32_t i;

	if (!joined)
		return JSValueMakeNull(ctx);
	for (i = 0; i < request->head.headers; i++) {
		if (sk_cursor_pair(&cursor, &key, &value) ||
		    key.length != name->length ||
		    strncasecmp((const char *)key.data, name->at, key.length))
			continue;
		if (at + value.length + 2 > JOIN_MAX)
			break;
		if (at > 0) {
			memcpy(joined + at, comma, 2);
			at += 2;
		}
		memcpy(joined + at, value.data, value.length);
		at += value.length;
	}
	result = sk__make_latin1(ctx, joined, at);
	free(joined);
	return result;
}

static JSValueRef find_header(JSContextRef ctx,
			      const struct sk_request *request,
			      const struct sk_text *name)
{
	struct sk_cursor cursor = request->headers;
	struct sk_bytes key, value, found = { 0 };
	uint32_t i, count = 0;

	for (i = 0; i < request->head.headers; i++) {
		if (sk_cursor_pair(&cursor, &key, &value))
			break;
		if (key.length != name->length ||
		    strncasecmp((const char *)key.data, name->at, key.length))
			continue;
		found = value;
		count++;
	}
	if (count > 1)
		return join(ctx, request, name);
	return count ? make(ctx, found) : JSValueMakeNull(ctx);
}

SK_NATIVE(request_header)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	struct sk_text name;
	JSValueRef value;

	SK_NATIVE_UNUSED;
	if (!request || sk__arg_text(ctx, argc, argv, 1, &name))
		return JSValueMakeNull(ctx);
	value = find_header(ctx, request, &name);
	sk__text_free(&name);
	return value;
}

/* [name, value, …] of the pairs at `cursor`. */
static JSValueRef make_pairs(JSContextRef ctx, struct sk_cursor cursor,
			     uint32_t count, int utf8, JSValueRef *exception)
{
	JSObjectRef array = JSObjectMakeArray(ctx, 0, NULL, exception);
	struct sk_bytes name, value;
	unsigned i;

	if (!array)
		return JSValueMakeUndefined(ctx);
	for (i = 0; i < count; i++) {
		if (sk_cursor_pair(&cursor, &name, &value))
			break;
		JSObjectSetPropertyAtIndex(ctx, array, i * 2, make(ctx, name),
					   exception);
		JSObjectSetPropertyAtIndex(
			ctx, array, i * 2 + 1,
			utf8 ? sk__make_utf8(ctx, value.data, value.length)
			     : make(ctx, value),
			exception);
	}
	return array;
}

SK_NATIVE(request_headers)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	struct sk_cursor none = { NULL, NULL };

	SK_NATIVE_UNUSED;
	return make_pairs(ctx, request ? request->headers : none,
			  request ? request->head.headers : 0, 0, exception);
}

SK_NATIVE(request_params)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	struct sk_cursor none = { NULL, NULL };

	SK_NATIVE_UNUSED;
	return make_pairs(ctx, request ? request->params : none,
			  request ? request->head.params : 0, 1, exception);
}

const struct sk_native sk__natives_request[] = {
	{ "requestMethod", request_method },
	{ "requestUrl", request_url },
	{ "requestHost", request_host },
	{ "requestRemote", request_remote },
	{ "requestQuery", request_query },
	{ "requestHeader", request_header },
	{ "requestHeaders", request_headers },
	{ "requestParams", request_params },
	{ NULL, NULL },
};
