/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JavaScript engine of a process: one VM, one global object, our runtime
 * in it. Only engine.c and natives*.c include JavaScriptCore; everyone else
 * sees this.
 *
 * User code runs inside a *turn* only: one entry into the VM, under the lock,
 * in which C calls hooks one after another. That makes the engine's time limit
 * cost one start a turn, and lets it end a chain of microtasks too. A *step* is
 * one hook and the microtasks that follow it; CPU time is counted per step, so
 * that a batch of honest requests is not taken for one runaway.
 */
#ifndef SK_ENGINE_H
#define SK_ENGINE_H

#include <stddef.h>
#include <stdint.h>

struct sk_process;
struct sk_engine;

enum sk_hook {
	SK_HOOK_LOAD,
	SK_HOOK_REQUEST,
	SK_HOOK_BODY_READY,
	SK_HOOK_BODY_DRAIN,
	SK_HOOK_ABORT,
	SK_HOOK_CALL,
	SK_HOOK_TIMERS,
	SK_HOOK_REJECTION,
	SK_HOOK_DESCRIBE,
	SK_HOOK_APP_FILE,
	SK_HOOKS
};

/* Why a turn ended early. */
enum sk_stop { SK_STOP_NONE, SK_STOP_CPU, SK_STOP_MEMORY };

struct sk_engine_limits {
	uint64_t memory; /* bytes of private memory; 0: no limit */
	uint64_t cpu;	 /* nanoseconds of CPU time a step; 0: no limit */
	int statm_fd;	 /* /proc/self/statm, opened before the sandbox */
};

/* Settings that the engine reads from the environment when its library
 * starts; call it before any other thread or fork. 0 or -errno. */
int sk_engine_prepare(void);

/* The first half of the engine's start: what wants files (the stack's bounds),
 * while there is one thread yet. 0, or -ENOSYS with the name of the symbol
 * that the library lacks in `error`. */
int sk_engine_initialize(char *error, size_t errsize);

/* Makes the VM and evaluates the runtime. 0: `*out` lives as long as the
 * process. -errno: `error` says why (a missing symbol by name). */
int sk_engine_open(struct sk_engine **out, struct sk_process *process,
		   const struct sk_engine_limits *limits, char *error,
		   size_t errsize);

/* The memory limit may be known only after the VM was made. */
void sk_engine_set_limits(struct sk_engine *engine,
			  const struct sk_engine_limits *limits);

/* Calls `body` inside a turn. It must return soon after any call below
 * returned -ECANCELED. Microtasks are run to the end afterwards. Returns why
 * the turn ended early; then the rest of the work wants another turn. */
enum sk_stop sk_engine_turn(struct sk_engine *engine, void (*body)(void *arg),
			    void *arg);

/* --- inside a turn --- */

/* hooks.request(id). 1: the result is a string, sk_engine_text tells it. 0: the
 * runtime answers by itself. -EIO: it threw (already logged). -ECANCELED: ended
 * by a limit. */
int sk_engine_request(struct sk_engine *engine, uint32_t id);

/* Longest UTF-8 form of the string that sk_engine_request returned, in bytes,
 * and one for a NUL. */
size_t sk_engine_text_size(struct sk_engine *engine);

/* Writes it to `at` (sk_engine_text_size bytes) and lets go of it. Returns the
 * bytes written, without the NUL. */
size_t sk_engine_text_take(struct sk_engine *engine, char *at);

/* Lets go of it unread. */
void sk_engine_text_drop(struct sk_engine *engine);

/* Calls a hook with up to two integers (count says how many) and runs the
 * microtasks that follow. 0, -EIO or -ECANCELED as above. */
int sk_engine_hook(struct sk_engine *engine, enum sk_hook hook, int count,
		   uint32_t a, uint32_t b);

/* 1 when this turn has lasted long enough that what it made should be
 * published. */
int sk_engine_turn_is_long(const struct sk_engine *engine);

/* --- outside a turn --- */

/* What became of a module or script. */
enum sk_load { SK_LOAD_WAITING, SK_LOAD_READY, SK_LOAD_FAILED };

/* Gives the bundle's function to hooks.load. The text ends in a NUL. `name` is
 * the URL that stack traces show. A failure at once is reported by
 * sk_engine_load_state too. */
enum sk_stop sk_engine_load(struct sk_engine *engine, const char *bundle,
			    const char *name);

/* Evaluates a bundled app file against the object that hooks.appFile made. */
enum sk_stop sk_engine_load_app(struct sk_engine *engine, const char *bundle,
				const char *name);

/* Evaluates a script; a promise that it evaluates to is waited for. */
enum sk_stop sk_engine_eval(struct sk_engine *engine, const char *script,
			    const char *name);

enum sk_load sk_engine_load_state(const struct sk_engine *engine);

/* Why it failed, as hooks.describe tells it; the engine's. */
const char *sk_engine_load_error(const struct sk_engine *engine);

/* The recorded app file as JSON (finish()). Heap string for the caller, or
 * NULL: it threw, sk_engine_load_error has the text. */
char *sk_engine_app_json(struct sk_engine *engine);

/* Unhandled rejections so far. */
unsigned sk_engine_rejections(const struct sk_engine *engine);

/* Collects all garbage and gives free memory back. For a process at rest. */
void sk_engine_rest(struct sk_engine *engine);

/* Bytes of private memory of this process. */
uint64_t sk_engine_memory(const struct sk_engine *engine);

uint64_t sk_engine_memory_limit(const struct sk_engine *engine);

/* Descriptor that becomes readable when the engine's own event sources want
 * sk_engine_iterate (inside a turn); milliseconds until one does by itself
 * come back from it, or -1. */
int sk_engine_event_fd(const struct sk_engine *engine);
int sk_engine_iterate(struct sk_engine *engine);

#endif
