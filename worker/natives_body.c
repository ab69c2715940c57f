/* SPDX-License-Identifier: BSD-2-Clause */
/* The request's body. Taking bytes is what lets the gateway send more. */
#include "worker/natives.h"

#include <stdlib.h>

SK_NATIVE(body_read)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	unsigned char *bytes;
	size_t length;

	SK_NATIVE_UNUSED;
	if (!request)
		return sk__throw_type(ctx, "the request has ended", exception);
	if (request->in_length == 0) {
		if (request->in_ended || request->in_cancelled)
			return JSValueMakeNull(ctx);
		request->in_waiting = 1;
		return JSValueMakeUndefined(ctx);
	}
	bytes = request->in;
	length = request->in_length;
	request->in = NULL;
	request->in_length = 0;
	request->in_cap = 0;
	sk_channel_credit(sk__engine->process->channel, request,
			  (uint32_t)length);
	return sk__make_bytes(ctx, bytes, length, exception);
}

SK_NATIVE(body_cancel)
{
	struct sk_request *request = sk__arg_request(ctx, argc, argv);
	size_t length;

	SK_NATIVE_UNUSED;
	if (!request)
		return JSValueMakeUndefined(ctx);
	request->in_cancelled = 1;
	request->in_waiting = 0;
	length = request->in_length;
	free(request->in);
	request->in = NULL;
	request->in_length = 0;
	request->in_cap = 0;
	if (length > 0)
		sk_channel_credit(sk__engine->process->channel, request,
				  (uint32_t)length);
	return JSValueMakeUndefined(ctx);
}

const struct sk_native sk__natives_body[] = {
	{ "bodyRead", body_read },
	{ "bodyCancel", body_cancel },
	{ NULL, NULL },
};
