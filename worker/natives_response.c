/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Responses. The head is built in one scratch frame; a short body is put behind
 * it there, so that the usual response is one copy into the ring. Headers are
 * checked here once more: what the runtime lets through must not split a
 * response.
 */
#include "worker/natives.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_BODY 16384 /* UTF-16 units of a string that may fit the frame */

static unsigned char scratch[SK_FRAME_MAX];

/* The heads that nearly all responses have: the runtime names them by number
 * instead of handing over a list. The bytes written, or -EINVAL. */
static int64_t add_known(unsigned char *at, double which, uint32_t *count)
{
	static const char *const types[] = { "text/plain;charset=UTF-8",
					     "application/json",
					     "application/octet-stream" };
	const char *type;

	if (!(which >= 0 && which < sizeof(types) / sizeof(*types)))
		return -EINVAL;
	type = types[(size_t)which];
	*count = 1;
	return sk_pair_write(at, "content-type", 12, type, strlen(type)) - at;
}

/* Builds the head in `scratch` from arguments 1 and 2 and the body's length.
 * Returns its length or -errno. */
static int64_t build_head(JSContextRef ctx, size_t argc,
			  const JSValueRef argv[])
{
	unsigned char *at = scratch + sizeof(struct sk_response_head);
	double status = sk__arg_number(ctx, argc, argv, 1);
	struct sk_response_head fixed = { 0 };
	int64_t length = 0;

	if (!(status >= 200 && status <= 599))
		return -ERANGE;
	if (argc > 2 && JSValueIsNumber(ctx, argv[2]))
		length = add_known(at, sk__arg_number(ctx, argc, argv, 2),
				   &fixed.headers);
	else if (argc > 2 && JSValueIsObject(ctx, argv[2]))
		length = sk__pairs_write(ctx, (JSObjectRef)argv[2], at,
					 scratch + sizeof(scratch),
					 &fixed.headers);
	if (length < 0)
		return length;
	fixed.status = (uint32_t)status;
	memcpy(scratch, &fixed, sizeof(fixed));
	return at - scratch + length;
}

static void set_length(uint64_t length)
{
	memcpy(scratch + offsetof(struct sk_response_head, body_length),
	       &length, sizeof(length));
}

static JSValueRef throw_error(JSContextRef ctx, int64_t err,
			      JSValueRef *exception)
{
	return sk__throw_head(ctx, err, "The response's headers are too long",
			      exception);
}

static int respond_string(JSContextRef ctx, struct sk_request *request,
			  size_t head, JSValueRef body)
{
	JSStringRef string = JSValueToStringCopy(ctx, body, NULL);
	struct sk_channel *channel = sk__engine->process->channel;
	size_t max, length;
	char *at;
	int err;

	if (!string)
		return -ENOMEM;
	max = sk__string_utf8_max(string);
	at = max <= sizeof(scratch) - head ? (char *)scratch + head
					   : malloc(max);
	length = at ? sk__string_utf8_to(string, at) : 0;
	JSStringRelease(string);
	if (!at)
		return -ENOMEM;
	set_length(length);
	err = sk_channel_respond(channel, request, scratch, head, at, length,
				 1);
	if (at != (char *)scratch + head)
		free(at);
	return err;
}

SK_NATIVE(respond)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	struct sk_bytes body = { (const unsigned char *)"", 0 };
	int64_t head;
	int err;

	SK_NATIVE_UNUSED;
	if (!request || request->out_begun || sk__engine_overdue(sk__engine))
		return JSValueMakeNumber(ctx, -1);
	head = build_head(ctx, argc, argv);
	if (head < 0)
		return throw_error(ctx, head, exception);
	if (argc > 3 && JSValueIsString(ctx, argv[3])) {
		err = respond_string(ctx, request, (size_t)head, argv[3]);
	} else {
		if (argc > 3 && !JSValueIsNull(ctx, argv[3]) &&
		    sk__arg_bytes(ctx, argc, argv, 3, &body))
			return sk__throw_type(ctx, "Invalid body", exception);
		set_length(body.length);
		err = sk_channel_respond(sk__engine->process->channel, request,
					 scratch, (size_t)head, body.data,
					 body.length, 1);
	}
	return err ? throw_error(ctx, err, exception)
		   : JSValueMakeNumber(ctx, 0);
}

SK_NATIVE(respond_stream)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	double length = sk__arg_number(ctx, argc, argv, 3);
	int64_t head;
	int err;

	SK_NATIVE_UNUSED;
	if (!request || request->out_begun || sk__engine_overdue(sk__engine))
		return JSValueMakeNumber(ctx, -1);
	head = build_head(ctx, argc, argv);
	if (head < 0)
		return throw_error(ctx, head, exception);
	set_length(length >= 0 && length < 9.1e15 ? (uint64_t)length
						  : SK_LENGTH_UNKNOWN);
	err = sk_channel_respond(sk__engine->process->channel, request, scratch,
				 (size_t)head, NULL, 0, 0);
	return err ? throw_error(ctx, err, exception)
		   : JSValueMakeNumber(ctx, 0);
}

SK_NATIVE(body_write)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	struct sk_bytes bytes;
	int64_t window;

	SK_NATIVE_UNUSED;
	if (!request || !request->out_begun || request->out_ending)
		return JSValueMakeNumber(ctx, -1);
	if (sk__arg_bytes(ctx, argc, argv, 1, &bytes))
		return sk__throw_type(ctx, "bytes expected", exception);
	window = sk_channel_write(sk__engine->process->channel, request,
				  bytes.data, bytes.length);
	if (window < 0)
		return sk__throw_memory(ctx, exception);
	return JSValueMakeNumber(ctx, (double)window);
}

SK_NATIVE(body_end)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);

	SK_NATIVE_UNUSED;
	if (request && request->out_begun && !request->out_ending)
		sk_channel_end(sk__engine->process->channel, request);
	return JSValueMakeUndefined(ctx);
}

SK_NATIVE(body_abort)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);

	SK_NATIVE_UNUSED;
	if (request && !request->out_aborted)
		sk_channel_abort(sk__engine->process->channel, request);
	return JSValueMakeUndefined(ctx);
}

/* The text of a plain error reply, or NULL: no handler's failure has it. */
static const char *failure_text(double status)
{
	if (status == 400)
		return "Bad Request\n";
	if (status == 413)
		return "Content Too Large\n";
	return status == 503 ? "Service Unavailable\n" : NULL;
}

SK_NATIVE(fail)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	double status = sk__arg_number(ctx, argc, argv, 1);
	const char *reply = failure_text(status);
	struct sk_text text;

	SK_NATIVE_UNUSED;
	if (argc > 2 && !JSValueIsUndefined(ctx, argv[2])) {
		if (!sk__arg_text(ctx, argc, argv, 2, &text))
			sk_process_log(sk__engine->process, SK_LEVEL_ERROR,
				       text.at, text.length);
		sk__text_free(&text);
	}
	if (request)
		sk_channel_fail(sk__engine->process->channel, request,
				reply ? (uint32_t)status : 500,
				reply ? reply : "Internal Server Error\n");
	return JSValueMakeUndefined(ctx);
}

const struct sk_native sk__natives_response[] = {
	{ "respond", respond },
	{ "respondStream", respond_stream },
	{ "bodyWrite", body_write },
	{ "bodyEnd", body_end },
	{ "bodyAbort", body_abort },
	{ "fail", fail },
	{ NULL, NULL },
};
