/* SPDX-License-Identifier: BSD-2-Clause */
#include "worker/natives.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct sk_native *const tables[] = {
	sk__natives_text, sk__natives_url,	sk__natives_request,
	sk__natives_body, sk__natives_response, sk__natives_system,
	sk__natives_call,
};

int sk__natives_install(struct sk_engine *engine, JSObjectRef target)
{
	const struct sk_native *native;
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		for (native = tables[i]; native->name; native++) {
			JSStringRef name =
				JSStringCreateWithUTF8CString(native->name);
			JSObjectRef call = JSObjectMakeFunctionWithCallback(
				engine->ctx, name, native->call);

			JSObjectSetProperty(
				engine->ctx, target, name, call,
				kJSPropertyAttributeReadOnly |
					kJSPropertyAttributeDontDelete,
				NULL);
			JSStringRelease(name);
		}
	}
	return 0;
}

/* --- arguments --- */

double sk__arg_number(JSContextRef ctx, size_t argc, const JSValueRef argv[],
		      size_t i)
{
	return i < argc ? JSValueToNumber(ctx, argv[i], NULL) : NAN;
}

struct sk_request *sk__arg_request(JSContextRef ctx, size_t argc,
				   const JSValueRef argv[])
{
	double id = sk__arg_number(ctx, argc, argv, 0);

	if (!(id >= 1 && id <= UINT32_MAX))
		return NULL;
	return sk_channel_request(sk__engine->process->channel, (uint32_t)id);
}

int sk__value_text(JSContextRef ctx, JSValueRef value, struct sk_text *text)
{
	JSStringRef string = JSValueToStringCopy(ctx, value, NULL);
	size_t max;

	text->at = NULL;
	if (!string)
		return -EINVAL;
	max = sk__string_utf8_max(string);
	text->at = max <= SK_SMALL ? text->small : malloc(max);
	if (text->at)
		text->length = sk__string_utf8_to(string, text->at);
	JSStringRelease(string);
	return text->at ? 0 : -ENOMEM;
}

int sk__arg_text(JSContextRef ctx, size_t argc, const JSValueRef argv[],
		 size_t i, struct sk_text *text)
{
	text->at = NULL;
	if (i >= argc)
		return -EINVAL;
	return sk__value_text(ctx, argv[i], text);
}

void sk__text_free(struct sk_text *text)
{
	if (text->at != text->small)
		free(text->at);
}

int sk__value_bytes(JSContextRef ctx, JSValueRef value, struct sk_bytes *bytes)
{
	JSTypedArrayType type = JSValueGetTypedArrayType(ctx, value, NULL);
	JSObjectRef object = (JSObjectRef)value;
	unsigned char *data;
	size_t offset = 0;

	if (type == kJSTypedArrayTypeNone)
		return -EINVAL;
	if (type == kJSTypedArrayTypeArrayBuffer) {
		data = JSObjectGetArrayBufferBytesPtr(ctx, object, NULL);
		bytes->length =
			JSObjectGetArrayBufferByteLength(ctx, object, NULL);
	} else {
		/* The pointer is the buffer's, not the view's. */
		data = JSObjectGetTypedArrayBytesPtr(ctx, object, NULL);
		offset = JSObjectGetTypedArrayByteOffset(ctx, object, NULL);
		bytes->length =
			JSObjectGetTypedArrayByteLength(ctx, object, NULL);
	}
	if (!data)
		bytes->length = 0;
	bytes->data = data ? data + offset : (const unsigned char *)"";
	return 0;
}

int sk__arg_bytes(JSContextRef ctx, size_t argc, const JSValueRef argv[],
		  size_t i, struct sk_bytes *bytes)
{
	return i < argc ? sk__value_bytes(ctx, argv[i], bytes) : -EINVAL;
}

unsigned sk__array_length(JSContextRef ctx, JSObjectRef array)
{
	static JSStringRef name;
	JSValueRef value;
	double length;

	if (!name)
		name = JSStringCreateWithUTF8CString("length");
	value = JSObjectGetProperty(ctx, array, name, NULL);
	length = value ? JSValueToNumber(ctx, value, NULL) : 0;
	return length > 0 && length < 1e9 ? (unsigned)length : 0;
}

/* --- results --- */

static JSValueRef value_of(JSContextRef ctx, JSStringRef string)
{
	JSValueRef value;

	if (!string)
		return JSValueMakeUndefined(ctx);
	value = JSValueMakeString(ctx, string);
	JSStringRelease(string);
	return value;
}

JSValueRef sk__make_latin1(JSContextRef ctx, const void *bytes, size_t length)
{
	return value_of(ctx, sk__string_latin1(bytes, length));
}

JSValueRef sk__make_utf8(JSContextRef ctx, const void *bytes, size_t length)
{
	return value_of(ctx, sk__string_decode(bytes, length, 0));
}

static void free_bytes(void *bytes, void *context)
{
	(void)context;
	free(bytes);
}

JSValueRef sk__make_bytes(JSContextRef ctx, void *heap, size_t length,
			  JSValueRef *exception)
{
	JSValueRef value = JSObjectMakeTypedArrayWithBytesNoCopy(
		ctx, kJSTypedArrayTypeUint8Array, heap, length, free_bytes,
		NULL, exception);

	return value ? value : JSValueMakeUndefined(ctx);
}

/* --- exceptions --- */

static JSValueRef throw_named(JSContextRef ctx, const char *constructor,
			      const char *message, JSValueRef *exception)
{
	JSStringRef name = JSStringCreateWithUTF8CString(constructor);
	JSStringRef text = JSStringCreateWithUTF8CString(message);
	JSValueRef argument = JSValueMakeString(ctx, text);
	JSObjectRef global = JSContextGetGlobalObject(ctx);
	JSValueRef make = JSObjectGetProperty(ctx, global, name, NULL);
	JSObjectRef error = NULL;

	if (make && JSValueIsObject(ctx, make))
		error = JSObjectCallAsConstructor(ctx, (JSObjectRef)make, 1,
						  &argument, NULL);
	if (!error)
		error = JSObjectMakeError(ctx, 1, &argument, NULL);
	JSStringRelease(text);
	JSStringRelease(name);
	*exception = error;
	return JSValueMakeUndefined(ctx);
}

JSValueRef sk__throw_type(JSContextRef ctx, const char *message,
			  JSValueRef *exception)
{
	return throw_named(ctx, "TypeError", message, exception);
}

JSValueRef sk__throw_memory(JSContextRef ctx, JSValueRef *exception)
{
	return throw_named(ctx, "RangeError", "Out of memory", exception);
}

JSValueRef sk__throw_head(JSContextRef ctx, int64_t err, const char *too_long,
			  JSValueRef *exception)
{
	if (err == -EINVAL)
		return sk__throw_type(ctx, "Invalid header name or value",
				      exception);
	if (err == -EMSGSIZE)
		return sk__throw_type(ctx, too_long, exception);
	if (err == -ERANGE)
		return sk__throw_type(ctx, "Invalid status", exception);
	return sk__throw_memory(ctx, exception);
}
