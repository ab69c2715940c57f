/* SPDX-License-Identifier: BSD-2-Clause */
/* The log, the clock, the timer, randomness, the source map. */
#include "worker/natives.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/random.h>

#define MAP_MAX (64u << 20)

SK_NATIVE(log_line)
{
	double level = sk__arg_number(ctx, argc, argv, 0);
	struct sk_text text;

	SK_NATIVE_UNUSED;
	if (!(level >= SK_LEVEL_DEBUG && level <= SK_LEVEL_ERROR))
		level = SK_LEVEL_LOG;
	if (!sk__arg_text(ctx, argc, argv, 1, &text))
		sk_process_log(sk__engine->process, (enum sk_level)level,
			       text.at, text.length);
	sk__text_free(&text);
	return JSValueMakeUndefined(ctx);
}

SK_NATIVE(now)
{
	SK_NATIVE_UNUSED;
	return JSValueMakeNumber(ctx, (double)sk_now() / 1e6);
}

SK_NATIVE(wake)
{
	double ms = sk__arg_number(ctx, argc, argv, 0);

	SK_NATIVE_UNUSED;
	if (!(ms >= 0))
		sk__engine->process->timer = -1;
	else if (ms < 1e12)
		sk__engine->process->timer = sk_now() + (int64_t)(ms * 1e6);
	else
		sk__engine->process->timer = INT64_MAX;
	return JSValueMakeUndefined(ctx);
}

SK_NATIVE(drain)
{
	SK_NATIVE_UNUSED;
	sk__engine_drain(sk__engine);
	if (!sk__engine->stop)
		sk__engine->step++;
	return JSValueMakeUndefined(ctx);
}

SK_NATIVE(random_bytes)
{
	struct sk_bytes bytes;
	size_t at = 0;

	SK_NATIVE_UNUSED;
	if (sk__arg_bytes(ctx, argc, argv, 0, &bytes))
		return sk__throw_type(ctx, "bytes expected", exception);
	while (at < bytes.length) {
		ssize_t n = getrandom((unsigned char *)bytes.data + at,
				      bytes.length - at, 0);

		if (n < 0 && errno != EINTR)
			return sk__throw_type(ctx, "no randomness", exception);
		if (n > 0)
			at += (size_t)n;
	}
	return JSValueMakeUndefined(ctx);
}

SK_NATIVE(collect)
{
	SK_NATIVE_UNUSED;
	sk__engine->js.collect(ctx);
	return JSValueMakeUndefined(ctx);
}

SK_NATIVE(source_map)
{
	struct sk_process *process = sk__engine->process;
	JSValueRef value = JSValueMakeUndefined(ctx);
	size_t length;
	char *text;

	SK_NATIVE_UNUSED;
	if (process->map_fd < 0 ||
	    sk_read_all(process->map_fd, &text, &length, MAP_MAX))
		return value;
	if (length > 0)
		value = sk__make_utf8(ctx, text, length);
	free(text);
	return value;
}

const struct sk_native sk__natives_system[] = {
	{ "log", log_line },
	{ "now", now },
	{ "wake", wake },
	{ "drain", drain },
	{ "random", random_bytes },
	{ "collect", collect },
	{ "sourceMap", source_map },
	{ NULL, NULL },
};
