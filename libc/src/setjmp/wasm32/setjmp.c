/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * setjmp by WebAssembly's exceptions. The compiler makes of a call of setjmp
 * one of __wasm_setjmp, which names the place, and puts a try round every
 * later call in that function; longjmp throws, and the function that catches
 * asks __wasm_setjmp_test whether the throw was meant for it.
 */
#include <setjmp.h>
#include <signal.h>
#include "kernel.h"
#include "syscall.h"

struct buf {
	const void *frame; /* of the call of the function that called setjmp */
	unsigned long label; /* which of its setjmp's */
	struct {
		struct buf *buf;
		int value;
	} thrown;
	int handlers;
	int save_mask; /* SAVE: sigsetjmp asks for it */
};

#define SAVE	    0x5ca1ab1e
#define TAG_LONGJMP 1

_Static_assert(sizeof(struct buf) <= sizeof(__jmp_buf), "jmp_buf is too small");

/* A call of sigsetjmp is one of this, then one of setjmp. */
void __sk_sigsetjmp(sigjmp_buf env, int save)
{
	struct buf *b = (struct buf *)env;

	b->save_mask = save ? SAVE : 0;
}

void __wasm_setjmp(struct __jmp_buf_tag *env, unsigned long label,
		   const void *frame)
{
	struct buf *b = (struct buf *)env;

	b->frame = frame;
	b->label = label;
	b->handlers = __sk_handlers;
	env->__fl = b->save_mask == SAVE;
	b->save_mask = 0;
	if (env->__fl)
		__syscall(SYS_rt_sigprocmask, SIG_SETMASK, 0, env->__ss,
			  _NSIG / 8);
}

unsigned long __wasm_setjmp_test(struct __jmp_buf_tag *env, const void *frame)
{
	struct buf *b = (struct buf *)env;

	return b->frame == frame ? b->label : 0;
}

_Noreturn void __wasm_longjmp(struct __jmp_buf_tag *env, int value)
{
	struct buf *b = (struct buf *)env;

	__sk_handlers = b->handlers;
	if (env->__fl)
		__syscall(SYS_rt_sigprocmask, SIG_SETMASK, env->__ss, 0,
			  _NSIG / 8);
	b->thrown.buf = b;
	b->thrown.value = value ? value : 1;
	__builtin_wasm_throw(TAG_LONGJMP, &b->thrown);
}

/* Calls of longjmp become ones of __wasm_longjmp; these are for pointers. */
__attribute__((__alias__("__wasm_longjmp"))) _Noreturn void
__sk_longjmp(struct __jmp_buf_tag *, int) __asm__("longjmp");
__attribute__((__alias__("__wasm_longjmp"))) _Noreturn void
__sk__longjmp(struct __jmp_buf_tag *, int) __asm__("_longjmp");
