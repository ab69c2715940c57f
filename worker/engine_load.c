/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user's code comes in: a worker's bundle, an app file, or a script for
 * tests. Each is evaluated in a turn and may finish later, by a promise.
 */
#include "worker/engine_js.h"

#include <stdlib.h>
#include <string.h>

/* --- text --- */

char *sk__engine_text(struct sk_engine *engine, JSValueRef value)
{
	JSStringRef string = JSValueToStringCopy(engine->ctx, value, NULL);
	char *text;
	size_t n;

	if (!string)
		return NULL;
	text = sk__string_utf8(string, &n);
	JSStringRelease(string);
	return text;
}

char *sk__engine_describe(struct sk_engine *engine, JSValueRef error)
{
	JSValueRef result = NULL;
	char *text = NULL;

	if (!error)
		return strdup("stopped");
	if (engine->hook[SK_HOOK_DESCRIBE])
		result = JSObjectCallAsFunction(engine->ctx,
						engine->hook[SK_HOOK_DESCRIBE],
						NULL, 1, &error, NULL);
	if (result)
		text = sk__engine_text(engine, result);
	if (!text)
		text = sk__engine_text(engine, error);
	return text ? text : strdup("an error that cannot be described");
}

/* --- the end of loading --- */

static void failed(struct sk_engine *engine, JSValueRef error)
{
	if (engine->load != SK_LOAD_WAITING)
		return;
	engine->load = SK_LOAD_FAILED;
	engine->load_error = sk__engine_describe(engine, error);
}

static JSValueRef on_ready(JSContextRef ctx, JSObjectRef function,
			   JSObjectRef self, size_t argc,
			   const JSValueRef argv[], JSValueRef *exception)
{
	(void)function, (void)self, (void)argc, (void)argv, (void)exception;
	if (sk__engine->load == SK_LOAD_WAITING)
		sk__engine->load = SK_LOAD_READY;
	return JSValueMakeUndefined(ctx);
}

static JSValueRef on_failed(JSContextRef ctx, JSObjectRef function,
			    JSObjectRef self, size_t argc,
			    const JSValueRef argv[], JSValueRef *exception)
{
	(void)function, (void)self, (void)exception;
	failed(sk__engine, argc ? argv[0] : JSValueMakeUndefined(ctx));
	return JSValueMakeUndefined(ctx);
}

static JSValueRef on_nothing(JSContextRef ctx, JSObjectRef function,
			     JSObjectRef self, size_t argc,
			     const JSValueRef argv[], JSValueRef *exception)
{
	(void)function, (void)self, (void)argc, (void)argv, (void)exception;
	return JSValueMakeUndefined(ctx);
}

static JSValueRef get(struct sk_engine *engine, JSObjectRef object,
		      const char *name, JSValueRef *exception)
{
	JSStringRef string = JSStringCreateWithUTF8CString(name);
	JSValueRef value =
		JSObjectGetProperty(engine->ctx, object, string, exception);

	JSStringRelease(string);
	return value;
}

/* Ready when `value` is settled, or now when it is no promise. */
static void settle(struct sk_engine *engine, JSValueRef value)
{
	JSContextRef ctx = engine->ctx;
	JSValueRef exception = NULL, then = NULL, arguments[2];

	if (JSValueIsObject(ctx, value))
		then = get(engine, (JSObjectRef)value, "then", &exception);
	if (!then || !JSValueIsObject(ctx, then) ||
	    !JSObjectIsFunction(ctx, (JSObjectRef)then)) {
		engine->load = SK_LOAD_READY;
		return;
	}
	arguments[0] = JSObjectMakeFunctionWithCallback(ctx, NULL, on_ready);
	arguments[1] = JSObjectMakeFunctionWithCallback(ctx, NULL, on_failed);
	if (!JSObjectCallAsFunction(ctx, (JSObjectRef)then, (JSObjectRef)value,
				    2, arguments, &exception))
		failed(engine, exception);
}

/* --- what is loaded --- */

static JSValueRef evaluate(struct sk_engine *engine, JSValueRef *exception)
{
	JSStringRef script = JSStringCreateWithUTF8CString(engine->source);
	JSStringRef name = JSStringCreateWithUTF8CString(engine->source_name);
	JSValueRef value =
		JSEvaluateScript(engine->ctx, script, NULL, name, 1, exception);

	JSStringRelease(name);
	JSStringRelease(script);
	return value;
}

static void load_body(void *arg)
{
	struct sk_engine *engine = arg;
	JSValueRef exception = NULL, value;

	value = evaluate(engine, &exception);
	if (value)
		value = JSObjectCallAsFunction(engine->ctx,
					       engine->hook[SK_HOOK_LOAD], NULL,
					       1, &value, &exception);
	if (value)
		settle(engine, value);
	else
		failed(engine, exception);
}

static void app_body(void *arg)
{
	struct sk_engine *engine = arg;
	JSContextRef ctx = engine->ctx;
	JSValueRef exception = NULL, made, finish, value = NULL, nothing;

	made = JSObjectCallAsFunction(ctx, engine->hook[SK_HOOK_APP_FILE], NULL,
				      0, NULL, &exception);
	if (!made || !JSValueIsObject(ctx, made)) {
		failed(engine, exception);
		return;
	}
	finish = get(engine, (JSObjectRef)made, "finish", &exception);
	JSValueProtect(ctx, finish);
	engine->app_finish = (JSObjectRef)finish;
	nothing = JSObjectMakeFunctionWithCallback(ctx, NULL, on_nothing);
	value = evaluate(engine, &exception);
	if (value)
		value = JSObjectCallAsFunction(ctx, (JSObjectRef)value, NULL, 1,
					       &nothing, &exception);
	if (value)
		settle(engine, value);
	else
		failed(engine, exception);
}

static void eval_body(void *arg)
{
	struct sk_engine *engine = arg;
	JSValueRef exception = NULL;
	JSValueRef value = evaluate(engine, &exception);

	if (value)
		settle(engine, value);
	else
		failed(engine, exception);
}

static enum sk_stop load(struct sk_engine *engine, void (*body)(void *arg),
			 const char *text, const char *name)
{
	engine->source = text;
	engine->source_name = name;
	engine->load = SK_LOAD_WAITING;
	return sk_engine_turn(engine, body, engine);
}

enum sk_stop sk_engine_load(struct sk_engine *engine, const char *bundle,
			    const char *name)
{
	return load(engine, load_body, bundle, name);
}

enum sk_stop sk_engine_load_app(struct sk_engine *engine, const char *bundle,
				const char *name)
{
	return load(engine, app_body, bundle, name);
}

enum sk_stop sk_engine_eval(struct sk_engine *engine, const char *script,
			    const char *name)
{
	return load(engine, eval_body, script, name);
}

enum sk_load sk_engine_load_state(const struct sk_engine *engine)
{
	return engine->load;
}

const char *sk_engine_load_error(const struct sk_engine *engine)
{
	return engine->load_error ? engine->load_error : "out of memory";
}

/* --- the app file's result --- */

static void finish_body(void *arg)
{
	char **json = arg;
	struct sk_engine *engine = sk__engine;
	JSValueRef exception = NULL, value;

	value = JSObjectCallAsFunction(engine->ctx, engine->app_finish, NULL, 0,
				       NULL, &exception);
	if (value) {
		*json = sk__engine_text(engine, value);
		return;
	}
	engine->load = SK_LOAD_WAITING;
	failed(engine, exception);
}

char *sk_engine_app_json(struct sk_engine *engine)
{
	char *json = NULL;

	sk_engine_turn(engine, finish_body, &json);
	return json;
}
