/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine from inside: for engine.c and natives*.c, which include
 * JavaScriptCore.
 */
#ifndef SK_ENGINE_JS_H
#define SK_ENGINE_JS_H

#include "worker/engine.h"

#include <JavaScriptCore/JavaScript.h>
#include <glib.h>
#include <stdbool.h>

/* Calls that the library exports and its headers do not declare. */
struct sk_engine_symbols {
	void (*initialize)(void);
	void (*lock)(JSContextRef ctx);
	void (*unlock)(JSContextRef ctx);
	bool (*signal_for_gc)(int signal);
	void (*disable_gc_timer)(void);
	void (*set_time_limit)(JSContextGroupRef group, double seconds,
			       bool (*tick)(JSContextRef ctx, void *arg),
			       void *arg);
	void (*set_rejection_callback)(JSGlobalContextRef ctx,
				       JSObjectRef function,
				       JSValueRef *exception);
	void (*collect)(JSContextRef ctx);
	void (*drain_microtasks)(void *vm);
	void (*release_memory)(void);
};

struct sk_engine {
	struct sk_process *process;
	struct sk_engine_symbols js;
	struct sk_engine_limits limits;
	GMainContext *events;
	int event_fd;
	JSContextGroupRef group;
	JSGlobalContextRef ctx;
	JSObjectRef hook[SK_HOOKS]; /* protected; NULL when it is not there */
	JSObjectRef enter;	    /* the native that a turn runs in */
	JSObjectRef drain;
	JSStringRef text; /* result of the last request, 0 or 1 reference */

	/* The turn that runs. */
	void (*body)(void *arg);
	void *body_arg;
	enum sk_stop stop;
	uint64_t step;	    /* counts hooks called */
	int64_t turn_began; /* sk_now() */
	int64_t looked;	    /* sk_now() at the end of the last step */
	uint64_t seen_step; /* `step` when the CPU clock was last read for it */
	uint64_t step_cpu;  /* thread CPU time from which that step counts */
	uint64_t cpu_mark;  /* thread CPU time when it was last read */
	int64_t marked;	    /* sk_now() then */

	/* The module, script or app file. */
	enum sk_load load;
	char *load_error;	/* heap, or NULL */
	JSObjectRef app_finish; /* protected, or NULL */
	const char *source;
	const char *source_name;
	unsigned rejections;
};

/* One engine a process: natives find it here. */
extern struct sk_engine *sk__engine;

/* Reads the CPU clock at a turn's begin, if the last reading is old. */
void sk__engine_mark(struct sk_engine *engine);

/* 1 when the step has used up its CPU time and has to be stopped, though it
 * may have come to its end: no tick comes within a regular expression. */
int sk__engine_overdue(struct sk_engine *engine);

/* Puts the natives on `target`. 0 or -ENOMEM. */
int sk__natives_install(struct sk_engine *engine, JSObjectRef target);

/* hooks.describe(error), or a plain conversion when there is no such hook or
 * it throws. A heap string for the caller, or NULL when memory is out. */
char *sk__engine_describe(struct sk_engine *engine, JSValueRef error);

/* The string form of `value`. A heap string for the caller, or NULL. */
char *sk__engine_text(struct sk_engine *engine, JSValueRef value);

/* A string as UTF-8 (lone surrogates become U+FFFD). A heap string that ends in
 * a NUL, for the caller; NULL when memory is out. */
char *sk__string_utf8(JSStringRef string, size_t *length);

/* The same into `at`, which has sk__string_utf8_max bytes. Returns the bytes
 * written, without the NUL. */
size_t sk__string_utf8_to(JSStringRef string, char *at);
size_t sk__string_utf8_max(JSStringRef string);

/* Strings out of bytes: Latin-1; or UTF-8 as the Encoding Standard decodes it,
 * NULL when `fatal` and malformed. The caller releases them. NULL when memory
 * is out. */
JSStringRef sk__string_latin1(const void *bytes, size_t n);
JSStringRef sk__string_decode(const void *bytes, size_t n, int fatal);

/* Arms the time limit, when there is one. */
void sk__engine_arm(struct sk_engine *engine);

/* Runs pending microtasks inside the present entry. */
void sk__engine_drain(struct sk_engine *engine);

#endif
