/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls out: fetch stands on these. */
#include "worker/natives.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned char scratch[SK_FRAME_MAX];

static struct sk_calls *calls(void)
{
	struct sk_channel *channel = sk__engine->process->channel;

	return channel ? &channel->calls : NULL;
}

static struct sk_call *arg_call(JSContextRef ctx, size_t argc,
				const JSValueRef argv[])
{
	double number = sk__arg_number(ctx, argc, argv, 0);

	if (!calls() || !(number >= 1 && number <= UINT32_MAX))
		return NULL;
	return sk_call_find(calls(), (uint32_t)number);
}

/* Copies argument `i` as text behind `*at`. Its length, or -errno. */
static int64_t put_text(JSContextRef ctx, size_t argc, const JSValueRef argv[],
			size_t i, unsigned char **at)
{
	struct sk_text text;
	int64_t length;
	int err;

	err = sk__arg_text(ctx, argc, argv, i, &text);
	if (!err && text.length > (size_t)(scratch + sizeof(scratch) - *at))
		err = -EMSGSIZE;
	length = (int64_t)text.length;
	if (!err) {
		memcpy(*at, text.at, text.length);
		*at += text.length;
	}
	sk__text_free(&text);
	return err ? err : length;
}

/* The FETCH payload in `scratch`; its length or -errno. */
static int64_t build_fetch(JSContextRef ctx, size_t argc,
			   const JSValueRef argv[])
{
	unsigned char *at = scratch + sizeof(struct sk_fetch_head);
	double body = sk__arg_number(ctx, argc, argv, 3);
	double timeout = sk__arg_number(ctx, argc, argv, 4);
	struct sk_fetch_head head = {
		.request = sk__engine->process->channel->current
	};
	int64_t n;

	head.body_length =
		body >= 0 && body < 9.1e15 ? (uint64_t)body : SK_LENGTH_UNKNOWN;
	head.timeout_ms = timeout >= 1 && timeout < 1e9 ? (uint32_t)timeout : 0;
	n = put_text(ctx, argc, argv, 0, &at);
	if (n < 0)
		return n;
	head.method_len = (uint32_t)n;
	n = put_text(ctx, argc, argv, 1, &at);
	if (n < 0)
		return n;
	head.url_len = (uint32_t)n;
	if (argc > 2 && JSValueIsObject(ctx, argv[2])) {
		n = sk__pairs_write(ctx, (JSObjectRef)argv[2], at,
				    scratch + sizeof(scratch), &head.headers);
		if (n < 0)
			return n;
		at += n;
	}
	memcpy(scratch, &head, sizeof(head));
	return at - scratch;
}

SK_NATIVE(call_start)
{
	struct sk_channel *channel = sk__engine->process->channel;
	struct sk_request *request;
	int64_t length, number;

	SK_NATIVE_UNUSED;
	if (!calls())
		return JSValueMakeNumber(ctx, -1);
	request = sk_request_find(&channel->requests, channel->current);
	if (request && request->calls >= calls()->most)
		return JSValueMakeNumber(ctx, -4);
	length = build_fetch(ctx, argc, argv);
	if (length < 0)
		return sk__throw_head(ctx, length,
				      "The request's head is too long",
				      exception);
	number = sk_call_start(calls(), channel->current, scratch,
			       (size_t)length,
			       sk__arg_number(ctx, argc, argv, 3) == 0);
	if (number == -ENOTCONN)
		number = -1;
	else if (number == -EMFILE)
		number = -2;
	else if (number == -EAGAIN)
		number = -3;
	else if (number < 0)
		return sk__throw_memory(ctx, exception);
	else if (request)
		request->calls++;
	return JSValueMakeNumber(ctx, (double)number);
}

SK_NATIVE(call_write)
{
	struct sk_call *call = arg_call(ctx, argc, argv);
	struct sk_bytes bytes;
	int64_t window;

	SK_NATIVE_UNUSED;
	if (!call || call->fail || call->out_ending)
		return JSValueMakeNumber(ctx, -1);
	if (sk__arg_bytes(ctx, argc, argv, 1, &bytes))
		return sk__throw_type(ctx, "bytes expected", exception);
	window = sk_call_write(calls(), call, bytes.data, bytes.length);
	if (window < 0)
		return sk__throw_memory(ctx, exception);
	return JSValueMakeNumber(ctx, (double)window);
}

SK_NATIVE(call_end)
{
	struct sk_call *call = arg_call(ctx, argc, argv);

	SK_NATIVE_UNUSED;
	if (call && !call->fail && !call->out_ending)
		sk_call_end(calls(), call);
	return JSValueMakeUndefined(ctx);
}

static void set(JSContextRef ctx, JSObjectRef array, unsigned i,
		JSValueRef value)
{
	JSObjectSetPropertyAtIndex(ctx, array, i, value, NULL);
}

SK_NATIVE(call_reply)
{
	struct sk_call *call = arg_call(ctx, argc, argv);
	struct sk_reply_head head;
	struct sk_bytes name, value;
	struct sk_cursor cursor;
	JSObjectRef array;
	unsigned i = 0;

	SK_NATIVE_UNUSED;
	if (!call || !call->reply)
		return JSValueMakeUndefined(ctx);
	cursor.at = call->reply;
	cursor.end = call->reply + call->reply_length;
	if (sk_cursor_copy(&cursor, &head, sizeof(head)) ||
	    sk_cursor_take(&cursor, head.text_len, &value))
		return JSValueMakeUndefined(ctx);
	array = JSObjectMakeArray(ctx, 0, NULL, exception);
	if (!array)
		return JSValueMakeUndefined(ctx);
	set(ctx, array, i++, JSValueMakeNumber(ctx, head.status));
	set(ctx, array, i++, sk__make_latin1(ctx, value.data, value.length));
	while (head.headers-- && !sk_cursor_pair(&cursor, &name, &value)) {
		set(ctx, array, i++,
		    sk__make_latin1(ctx, name.data, name.length));
		set(ctx, array, i++,
		    sk__make_latin1(ctx, value.data, value.length));
	}
	free(call->reply);
	call->reply = (unsigned char *)strdup("");
	call->reply_length = 0;
	return array;
}

SK_NATIVE(call_read)
{
	struct sk_call *call = arg_call(ctx, argc, argv);
	unsigned char *bytes;
	size_t length;
	int got;

	SK_NATIVE_UNUSED;
	if (!call)
		return JSValueMakeNull(ctx);
	got = sk_call_read(calls(), call, &bytes, &length);
	if (got == 1)
		return sk__make_bytes(ctx, bytes, length, exception);
	return got == 0 ? JSValueMakeUndefined(ctx) : JSValueMakeNull(ctx);
}

SK_NATIVE(call_relay)
{
	struct sk_call *call = arg_call(ctx, argc, argv);
	double id = sk__arg_number(ctx, argc, argv, 1);
	struct sk_request *request;

	SK_NATIVE_UNUSED;
	if (!call || call->fail || !(id >= 1 && id <= UINT32_MAX))
		return JSValueMakeUndefined(ctx);
	request =
		sk_channel_request(sk__engine->process->channel, (uint32_t)id);
	if (request && request->out_begun && !request->out_ending &&
	    !request->out_aborted)
		sk_call_relay(call, request);
	return JSValueMakeUndefined(ctx);
}

SK_NATIVE(call_failure)
{
	struct sk_call *call = arg_call(ctx, argc, argv);
	JSValueRef pair[2];
	const char *text;

	SK_NATIVE_UNUSED;
	if (!call || !call->fail)
		return JSValueMakeUndefined(ctx);
	text = call->fail_text ? call->fail_text : "the egress was restarted";
	pair[0] = JSValueMakeNumber(ctx, call->fail);
	pair[1] = sk__make_utf8(ctx, text, strlen(text));
	sk_call_close(calls(), call);
	return JSObjectMakeArray(ctx, 2, pair, exception);
}

SK_NATIVE(call_abort)
{
	struct sk_call *call = arg_call(ctx, argc, argv);

	SK_NATIVE_UNUSED;
	if (call)
		sk_call_abort(calls(), call);
	return JSValueMakeUndefined(ctx);
}

const struct sk_native sk__natives_call[] = {
	{ "callStart", call_start },
	{ "callWrite", call_write },
	{ "callEnd", call_end },
	{ "callReply", call_reply },
	{ "callRead", call_read },
	{ "callRelay", call_relay },
	{ "callAbort", call_abort },
	{ "callFailure", call_failure },
	{ NULL, NULL },
};
