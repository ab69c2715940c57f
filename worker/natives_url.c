/* SPDX-License-Identifier: BSD-2-Clause */
/* URLs and forms, by lib/url. */
#include "worker/natives.h"

#include "url/url.h"

#include <stdlib.h>
#include <string.h>

static JSValueRef index_value(JSContextRef ctx, uint32_t index)
{
	return JSValueMakeNumber(ctx, index == SK_URL_NONE ? -1.0 : index);
}

/* [href, schemeEnd, usernameEnd, hostStart, hostEnd, portStart, pathStart,
 * searchStart, hashStart]; -1 for what is not there. */
static JSValueRef make_parts(JSContextRef ctx, const struct sk_url *url,
			     JSValueRef *exception)
{
	uint32_t port = url->port >= 0 ? url->host_end : SK_URL_NONE;
	JSValueRef parts[9] = {
		sk__make_latin1(ctx, url->href, url->length),
		index_value(ctx, url->scheme_end),
		index_value(ctx, url->username_end),
		index_value(ctx, url->host_start),
		index_value(ctx, url->host_end),
		index_value(ctx, port),
		index_value(ctx, url->path_start),
		index_value(ctx, url->search_start),
		index_value(ctx, url->hash_start),
	};
	JSValueRef array = JSObjectMakeArray(ctx, 9, parts, exception);

	return array ? array : JSValueMakeUndefined(ctx);
}

/* Parses argument `i`. 0 or -errno. */
static int arg_url(JSContextRef ctx, size_t argc, const JSValueRef argv[],
		   size_t i, const struct sk_url *base, struct sk_url *url)
{
	struct sk_text text;
	int err = sk__arg_text(ctx, argc, argv, i, &text);

	if (!err)
		err = sk_url_parse(url, text.at, text.length, base);
	sk__text_free(&text);
	return err;
}

SK_NATIVE(url_parse)
{
	struct sk_url base = { 0 }, url = { 0 };
	int based = argc > 1 && !JSValueIsUndefined(ctx, argv[1]);
	JSValueRef result = JSValueMakeUndefined(ctx);

	SK_NATIVE_UNUSED;
	if (based && arg_url(ctx, argc, argv, 1, NULL, &base))
		return result;
	if (!arg_url(ctx, argc, argv, 0, based ? &base : NULL, &url)) {
		result = make_parts(ctx, &url, exception);
		sk_url_fini(&url);
	}
	if (based)
		sk_url_fini(&base);
	return result;
}

SK_NATIVE(url_set)
{
	double part = sk__arg_number(ctx, argc, argv, 1);
	JSValueRef result = JSValueMakeUndefined(ctx);
	struct sk_url url = { 0 };
	struct sk_text value;

	SK_NATIVE_UNUSED;
	if (!(part >= SK_URL_HREF && part <= SK_URL_HASH) ||
	    arg_url(ctx, argc, argv, 0, NULL, &url))
		return result;
	if (!sk__arg_text(ctx, argc, argv, 2, &value) &&
	    !sk_url_set(&url, (enum sk_url_part)part, value.at, value.length))
		result = make_parts(ctx, &url, exception);
	sk__text_free(&value);
	sk_url_fini(&url);
	return result;
}

SK_NATIVE(url_origin)
{
	struct sk_url url = { 0 };
	JSValueRef result;
	char *origin;

	SK_NATIVE_UNUSED;
	if (arg_url(ctx, argc, argv, 0, NULL, &url))
		return sk__make_latin1(ctx, "null", 4);
	origin = sk_url_origin(&url);
	sk_url_fini(&url);
	if (!origin)
		return sk__throw_memory(ctx, exception);
	result = sk__make_latin1(ctx, origin, strlen(origin));
	free(origin);
	return result;
}

SK_NATIVE(form_parse)
{
	struct sk_form form = { 0 };
	JSValueRef *values, result = NULL;
	struct sk_text text;
	size_t i;
	int err;

	SK_NATIVE_UNUSED;
	err = sk__arg_text(ctx, argc, argv, 0, &text);
	if (!err)
		err = sk_form_parse(&form, text.at, text.length);
	sk__text_free(&text);
	values = err ? NULL : calloc(form.count * 2 + 1, sizeof(*values));
	if (!values)
		goto fini_form;
	/* The collector does not see the heap: hold each string by hand. */
	for (i = 0; i < form.count; i++) {
		const struct sk_form_pair *pair = &form.pairs[i];

		values[i * 2] =
			sk__make_utf8(ctx, pair->name, pair->name_length);
		JSValueProtect(ctx, values[i * 2]);
		values[i * 2 + 1] =
			sk__make_utf8(ctx, pair->value, pair->value_length);
		JSValueProtect(ctx, values[i * 2 + 1]);
	}
	result = JSObjectMakeArray(ctx, form.count * 2, values, exception);
	for (i = 0; i < form.count * 2; i++)
		JSValueUnprotect(ctx, values[i]);
	free(values);
fini_form:
	sk_form_fini(&form);
	return result ? result : sk__throw_memory(ctx, exception);
}

/* Element `i` of an array as heap text. 0 or -errno. */
static int element(JSContextRef ctx, JSObjectRef array, unsigned i, char **at,
		   size_t *length)
{
	JSValueRef value = JSObjectGetPropertyAtIndex(ctx, array, i, NULL);
	JSStringRef string =
		value ? JSValueToStringCopy(ctx, value, NULL) : NULL;

	if (!string)
		return -1;
	*at = sk__string_utf8(string, length);
	JSStringRelease(string);
	return *at ? 0 : -1;
}

SK_NATIVE(form_serialize)
{
	struct sk_form form = { 0 };
	JSValueRef result = NULL;
	JSObjectRef array;
	char *text = NULL;
	size_t length, i;
	unsigned count;

	SK_NATIVE_UNUSED;
	if (!argc || !JSValueIsArray(ctx, argv[0]))
		return sk__throw_type(ctx, "an array expected", exception);
	array = (JSObjectRef)argv[0];
	count = sk__array_length(ctx, array);
	form.pairs = calloc(count / 2 + 1, sizeof(*form.pairs));
	for (i = 0; form.pairs && i < count / 2; i++) {
		struct sk_form_pair *pair = &form.pairs[i];

		form.count++;
		if (element(ctx, array, (unsigned)i * 2, &pair->name,
			    &pair->name_length) ||
		    element(ctx, array, (unsigned)i * 2 + 1, &pair->value,
			    &pair->value_length))
			goto fini_form;
	}
	if (form.pairs)
		text = sk_form_serialize(&form, &length);
	if (text)
		result = sk__make_latin1(ctx, text, length);
	free(text);
fini_form:
	sk_form_fini(&form);
	return result ? result : sk__throw_memory(ctx, exception);
}

const struct sk_native sk__natives_url[] = {
	{ "urlParse", url_parse },	     { "urlSet", url_set },
	{ "urlOrigin", url_origin },	     { "formParse", form_parse },
	{ "formSerialize", form_serialize }, { NULL, NULL },
};
