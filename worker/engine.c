/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The VM's life, turns and hooks. engine_limits.c ends what runs too long;
 * engine_load.c brings in the user's code.
 */
#include "worker/engine_js.h"
#include "worker/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG_TURN    1000000 /* ns; publish what there is after that */
#define FINAL_DRAINS 2 /* tries to empty the microtask queue after a stop */

extern const char sk_runtime_js[];

struct sk_engine *sk__engine;

static const char *const hook_name[SK_HOOKS] = {
	"load", "request", "bodyReady", "bodyDrain", "abort",
	"call", "timers",  "rejection", "describe",  "appFile"
};

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
#define SYMBOL(name, field)                                                    \
	{                                                                      \
		name, offsetof(struct sk_engine_symbols, field)                \
	}
	SYMBOL("_ZN3WTF10initializeEv", initialize),
	SYMBOL("JSLock", lock),
	SYMBOL("JSUnlock", unlock),
	SYMBOL("JSConfigureSignalForGC", signal_for_gc),
	SYMBOL("JSDisableGCTimer", disable_gc_timer),
	SYMBOL("JSContextGroupSetExecutionTimeLimit", set_time_limit),
	SYMBOL("JSGlobalContextSetUnhandledRejectionCallback",
	       set_rejection_callback),
	SYMBOL("JSSynchronousGarbageCollectForDebugging", collect),
	SYMBOL("_ZN3JSC2VM15drainMicrotasksEv", drain_microtasks),
	SYMBOL("_ZN3WTF27releaseFastMallocFreeMemoryEv", release_memory),
#undef SYMBOL
};

static int find_symbols(struct sk_engine_symbols *js, char *error,
			size_t errsize)
{
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *address = dlsym(RTLD_DEFAULT, symbols[i].name);

		if (!address) {
			snprintf(error, errsize,
				 "this JavaScriptCore lacks %s: "
				 "libjavascriptcoregtk-4.1 2.50 is known "
				 "to work",
				 symbols[i].name);
			return -ENOSYS;
		}
		memcpy((char *)js + symbols[i].offset, &address,
		       sizeof(address));
	}
	return 0;
}

int sk_engine_prepare(void)
{
	static const char *const settings[][2] = {
		/* Its cage reserves address space that a data limit would
		 * have to allow for. */
		{ "GIGACAGE_ENABLED", "no" },
		/* Compiled loops look for the time limit themselves. The other
		 * way, by signals, misses a loop that was ended before. */
		{ "JSC_usePollingTraps", "true" },
		/* One route never has work for more. */
		{ "JSC_numberOfGCMarkers", "1" },
		{ "JSC_numberOfDFGCompilerThreads", "1" },
		{ "JSC_numberOfFTLCompilerThreads", "1" },
		{ "JSC_numberOfWasmCompilerThreads", "1" },
		/* `return f()` would take its own line out of the stack that
		 * an error's author gets to see. */
		{ "JSC_useTailCalls", "0" },
	};
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (setenv(settings[i][0], settings[i][1], 1))
			return -errno;
	return 0;
}

/* The library announces on stderr that GIGACAGE_ENABLED was obeyed. */
static void initialize_quietly(const struct sk_engine_symbols *js)
{
	int saved = dup(2);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (saved >= 0 && null >= 0)
		dup2(null, 2);
	js->initialize();
	if (saved >= 0) {
		dup2(saved, 2);
		close(saved);
	}
	if (null >= 0)
		close(null);
}

int sk_engine_initialize(char *error, size_t errsize)
{
	struct sk_engine_symbols js;
	int err = find_symbols(&js, error, errsize);

	if (err)
		return err;
	/* First of all: its default is nginx's own SIGUSR1. */
	js.signal_for_gc(SIGUSR2);
	/* They need GLib's main loop; see sk_engine_rest. */
	js.disable_gc_timer();
	initialize_quietly(&js);
	return 0;
}

/* --- turns --- */

static JSValueRef on_enter(JSContextRef ctx, JSObjectRef function,
			   JSObjectRef self, size_t argc,
			   const JSValueRef argv[], JSValueRef *exception)
{
	struct sk_engine *engine = sk__engine;

	(void)function, (void)self, (void)argc, (void)argv, (void)exception;
	/* The engine drops its lock around C callbacks. */
	engine->js.lock(ctx);
	if (engine->body)
		engine->body(engine->body_arg);
	if (!engine->stop)
		sk__engine_drain(engine);
	engine->js.unlock(ctx);
	return JSValueMakeUndefined(ctx);
}

void sk__engine_drain(struct sk_engine *engine)
{
	engine->js.drain_microtasks((void *)engine->group);
}

static void enter(struct sk_engine *engine)
{
	JSValueRef exception = NULL;

	engine->turn_began = engine->looked = sk_now();
	sk__engine_mark(engine);
	JSObjectCallAsFunction(engine->ctx, engine->enter, NULL, 0, NULL,
			       &exception);
}

/* Unlocking runs what is left in the microtask queue outside any limit: so
 * nothing may be left. Code that fills it for ever ends the process. */
static void drain_after_stop(struct sk_engine *engine)
{
	int tries;

	engine->body = NULL;
	for (tries = 0; tries < FINAL_DRAINS; tries++) {
		engine->stop = SK_STOP_NONE;
		engine->step++;
		enter(engine);
		if (!engine->stop)
			return;
		sk__engine_arm(engine);
	}
	sk_process_logf(engine->process, SK_LEVEL_ERROR,
			"stopped: its microtasks never end");
	_exit(70);
}

enum sk_stop sk_engine_turn(struct sk_engine *engine, void (*body)(void *arg),
			    void *arg)
{
	enum sk_stop stop;

	engine->body = body;
	engine->body_arg = arg;
	engine->stop = SK_STOP_NONE;
	engine->step++;
	engine->js.lock(engine->ctx);
	enter(engine);
	stop = engine->stop;
	if (stop) {
		sk__engine_arm(engine);
		drain_after_stop(engine);
	}
	engine->js.unlock(engine->ctx);
	engine->body = NULL;
	return stop;
}

int sk_engine_turn_is_long(const struct sk_engine *engine)
{
	return engine->looked - engine->turn_began >= LONG_TURN;
}

/* --- hooks --- */

/* A hook ended without a result: by a limit, or by an exception, which is the
 * runtime's own fault and only told to the log. */
static int hook_failed(struct sk_engine *engine, enum sk_hook hook,
		       JSValueRef exception)
{
	char *text;

	if (engine->stop)
		return -ECANCELED;
	text = sk__engine_describe(engine, exception);
	sk_process_logf(engine->process, SK_LEVEL_ERROR, "hook %s: %s",
			hook_name[hook], text ? text : "out of memory");
	free(text);
	return -EIO;
}

int sk_engine_request(struct sk_engine *engine, uint32_t id)
{
	JSValueRef exception = NULL;
	JSValueRef result, argument;

	engine->step++;
	argument = JSValueMakeNumber(engine->ctx, id);
	result = JSObjectCallAsFunction(engine->ctx,
					engine->hook[SK_HOOK_REQUEST], NULL, 1,
					&argument, &exception);
	if (sk__engine_overdue(engine) || !result)
		return hook_failed(engine, SK_HOOK_REQUEST, exception);
	if (JSValueIsString(engine->ctx, result)) {
		engine->text = JSValueToStringCopy(engine->ctx, result, NULL);
		return engine->text ? 1 : -EIO;
	}
	sk__engine_drain(engine);
	return sk__engine_overdue(engine) ? -ECANCELED : 0;
}

int sk_engine_hook(struct sk_engine *engine, enum sk_hook hook, int count,
		   uint32_t a, uint32_t b)
{
	JSValueRef exception = NULL;
	JSValueRef arguments[2];

	engine->step++;
	if (!engine->hook[hook])
		return 0;
	arguments[0] = JSValueMakeNumber(engine->ctx, a);
	arguments[1] = JSValueMakeNumber(engine->ctx, b);
	if (!JSObjectCallAsFunction(engine->ctx, engine->hook[hook], NULL,
				    (size_t)count, arguments, &exception) ||
	    engine->stop)
		return hook_failed(engine, hook, exception);
	sk__engine_drain(engine);
	return sk__engine_overdue(engine) ? -ECANCELED : 0;
}

/* --- opening --- */

/* A context of its own for what the engine schedules by itself (asynchronous
 * WebAssembly); its wake-up descriptor joins our event loop. */
static int open_events(struct sk_engine *engine)
{
	GPollFD fds[1];
	gint timeout, priority;

	engine->events = g_main_context_new();
	g_main_context_push_thread_default(engine->events);
	if (!g_main_context_acquire(engine->events))
		return -EBUSY;
	g_main_context_prepare(engine->events, &priority);
	if (g_main_context_query(engine->events, priority, &timeout, fds, 1) <
	    1)
		return -ENOSYS;
	engine->event_fd = fds[0].fd;
	return 0;
}

int sk_engine_event_fd(const struct sk_engine *engine)
{
	return engine->event_fd;
}

int sk_engine_iterate(struct sk_engine *engine)
{
	GPollFD fds[1];
	gint timeout = -1, priority;
	int rounds = 16;

	while (rounds-- > 0 && g_main_context_iteration(engine->events, FALSE))
		engine->step++;
	g_main_context_prepare(engine->events, &priority);
	g_main_context_query(engine->events, priority, &timeout, fds, 1);
	return timeout;
}

static JSValueRef on_rejection(JSContextRef ctx, JSObjectRef function,
			       JSObjectRef self, size_t argc,
			       const JSValueRef argv[], JSValueRef *exception)
{
	struct sk_engine *engine = sk__engine;

	(void)function, (void)self;
	engine->rejections++;
	if (engine->hook[SK_HOOK_REJECTION])
		JSObjectCallAsFunction(ctx, engine->hook[SK_HOOK_REJECTION],
				       NULL, argc, argv, exception);
	return JSValueMakeUndefined(ctx);
}

static JSObjectRef make_function(struct sk_engine *engine, const char *name,
				 JSObjectCallAsFunctionCallback call)
{
	JSStringRef string = JSStringCreateWithUTF8CString(name);
	JSObjectRef function =
		JSObjectMakeFunctionWithCallback(engine->ctx, string, call);

	JSStringRelease(string);
	JSValueProtect(engine->ctx, function);
	return function;
}

static void take_hooks(struct sk_engine *engine, JSObjectRef hooks)
{
	int i;

	for (i = 0; i < SK_HOOKS; i++) {
		JSStringRef name = JSStringCreateWithUTF8CString(hook_name[i]);
		JSValueRef value =
			JSObjectGetProperty(engine->ctx, hooks, name, NULL);

		JSStringRelease(name);
		if (!value || !JSValueIsObject(engine->ctx, value))
			continue;
		JSValueProtect(engine->ctx, value);
		engine->hook[i] = (JSObjectRef)value;
	}
}

struct start {
	struct sk_engine *engine;
	char *error;
	size_t errsize;
	int err;
};

/* Inside a turn: evaluates the runtime and calls it with the natives. */
static void start_runtime(void *arg)
{
	struct start *start = arg;
	struct sk_engine *engine = start->engine;
	JSStringRef name = JSStringCreateWithUTF8CString("selkie:runtime");
	JSStringRef script = JSStringCreateWithUTF8CString(sk_runtime_js);
	JSValueRef exception = NULL;
	JSObjectRef natives = JSObjectMake(engine->ctx, NULL, NULL);
	JSValueRef argument = natives, value;

	start->err = sk__natives_install(engine, natives);
	value = JSEvaluateScript(engine->ctx, script, NULL, name, 1,
				 &exception);
	JSStringRelease(script);
	JSStringRelease(name);
	if (value && JSValueIsObject(engine->ctx, value))
		value = JSObjectCallAsFunction(engine->ctx, (JSObjectRef)value,
					       NULL, 1, &argument, &exception);
	if (!start->err && value && JSValueIsObject(engine->ctx, value)) {
		take_hooks(engine, (JSObjectRef)value);
		return;
	}
	if (!start->err)
		start->err = -EIO;
	if (exception) {
		char *text = sk__engine_describe(engine, exception);

		snprintf(start->error, start->errsize, "the runtime: %s",
			 text ? text : "out of memory");
		free(text);
	}
}

int sk_engine_open(struct sk_engine **out, struct sk_process *process,
		   const struct sk_engine_limits *limits, char *error,
		   size_t errsize)
{
	struct sk_engine *engine = calloc(1, sizeof(*engine));
	struct start start = { engine, error, errsize, 0 };
	int err;

	if (!engine)
		return -ENOMEM;
	snprintf(error, errsize, "the engine does not start");
	err = find_symbols(&engine->js, error, errsize);
	if (err)
		goto free_engine;
	engine->process = process;
	err = open_events(engine);
	if (err)
		goto free_engine;
	engine->group = JSContextGroupCreate();
	engine->ctx = JSGlobalContextCreateInGroup(engine->group, NULL);
	sk__engine = engine;
	engine->enter = make_function(engine, "enter", on_enter);
	sk_engine_turn(engine, start_runtime, &start);
	err = start.err;
	if (err)
		goto free_engine;
	engine->js.set_rejection_callback(
		engine->ctx, make_function(engine, "rejection", on_rejection),
		NULL);
	sk_engine_set_limits(engine, limits);
	*out = engine;
	return 0;

free_engine:
	/* A VM that was made stays: the process is about to exit. */
	sk__engine = NULL;
	free(engine);
	return err;
}

unsigned sk_engine_rejections(const struct sk_engine *engine)
{
	return engine->rejections;
}

void sk_engine_rest(struct sk_engine *engine)
{
	engine->js.lock(engine->ctx);
	engine->js.collect(engine->ctx);
	engine->js.unlock(engine->ctx);
	engine->js.release_memory();
	malloc_trim(0);
}
