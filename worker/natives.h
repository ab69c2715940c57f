/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The natives of docs/worker.md, split by noun: natives_text.c, natives_url.c,
 * natives_request.c, natives_body.c, natives_response.c, natives_call.c,
 * natives_system.c. Each
 * gives a table; natives.c puts them on one object and has the conversions that
 * they share.
 */
#ifndef SK_NATIVES_H
#define SK_NATIVES_H

#include "worker/channel.h"
#include "worker/engine_js.h"

/*
 * Defines a native in the signature that JavaScriptCore gives to all of them.
 * The engine drops its lock around C callbacks, and each call of its API would
 * take it again; so the native holds it.
 */
#define SK_NATIVE_ARGUMENTS                                                    \
	JSContextRef ctx, JSObjectRef function, JSObjectRef self, size_t argc, \
		const JSValueRef argv[], JSValueRef *exception
#define SK_NATIVE(name)                                                        \
	static JSValueRef name##_locked(SK_NATIVE_ARGUMENTS);                  \
	static JSValueRef name(SK_NATIVE_ARGUMENTS)                            \
	{                                                                      \
		JSValueRef value;                                              \
                                                                               \
		sk__engine->js.lock(ctx);                                      \
		value = name##_locked(ctx, function, self, argc, argv,         \
				      exception);                              \
		sk__engine->js.unlock(ctx);                                    \
		return value;                                                  \
	}                                                                      \
	static JSValueRef name##_locked(SK_NATIVE_ARGUMENTS)

#define SK_NATIVE_UNUSED                                                       \
	(void)ctx, (void)function, (void)self, (void)argc, (void)argv,         \
		(void)exception

struct sk_native {
	const char *name;
	JSObjectCallAsFunctionCallback call;
};

extern const struct sk_native sk__natives_text[];
extern const struct sk_native sk__natives_url[];
extern const struct sk_native sk__natives_request[];
extern const struct sk_native sk__natives_body[];
extern const struct sk_native sk__natives_response[];
extern const struct sk_native sk__natives_system[];
extern const struct sk_native sk__natives_call[];

/* Argument `i` as a number; NAN when there is none. */
double sk__arg_number(JSContextRef ctx, size_t argc, const JSValueRef argv[],
		      size_t i);

/* The live request that argument 0 names, or NULL. */
struct sk_request *sk__arg_request(JSContextRef ctx, size_t argc,
				   const JSValueRef argv[]);

/* Argument `i` as UTF-8 text, in `small` when it fits; *text is to be given to
 * sk__text_free. 0 or -errno. */
#define SK_SMALL 256
struct sk_text {
	char *at;
	size_t length;
	char small[SK_SMALL];
};
int sk__arg_text(JSContextRef ctx, size_t argc, const JSValueRef argv[],
		 size_t i, struct sk_text *text);
int sk__value_text(JSContextRef ctx, JSValueRef value, struct sk_text *text);
void sk__text_free(struct sk_text *text);

/* The bytes that argument `i` views: its own part of the buffer only. 0 or
 * -EINVAL when it is neither a view nor an ArrayBuffer. Good until JavaScript
 * runs again. */
int sk__arg_bytes(JSContextRef ctx, size_t argc, const JSValueRef argv[],
		  size_t i, struct sk_bytes *bytes);
int sk__value_bytes(JSContextRef ctx, JSValueRef value, struct sk_bytes *bytes);

/* Writes the list [name, value, …] as pairs of a frame, from `at` on and before
 * `end`. The bytes written, or -EINVAL (a name that is no token, a value with
 * CR, LF, NUL or beyond Latin-1), -EMSGSIZE, -ENOMEM. */
int64_t sk__pairs_write(JSContextRef ctx, JSObjectRef list, unsigned char *at,
			unsigned char *end, uint32_t *count);

/* The length of an array. */
unsigned sk__array_length(JSContextRef ctx, JSObjectRef array);

/* Values to return. Latin-1 bytes; UTF-8; bytes in a heap buffer that the
 * Uint8Array then owns (freed on failure too). */
JSValueRef sk__make_latin1(JSContextRef ctx, const void *bytes, size_t length);
JSValueRef sk__make_utf8(JSContextRef ctx, const void *bytes, size_t length);
JSValueRef sk__make_bytes(JSContextRef ctx, void *heap, size_t length,
			  JSValueRef *exception);

/* Throws. All return undefined, for `return sk__throw_type(…)`. */
JSValueRef sk__throw_type(JSContextRef ctx, const char *message,
			  JSValueRef *exception);
JSValueRef sk__throw_memory(JSContextRef ctx, JSValueRef *exception);
/* What building a head with sk__pairs_write came to: -EINVAL, -EMSGSIZE (it says
 * `too_long`), -ERANGE (the status), -ENOMEM. */
JSValueRef sk__throw_head(JSContextRef ctx, int64_t err, const char *too_long,
			  JSValueRef *exception);

#endif
