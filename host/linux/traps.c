/* SPDX-License-Identifier: BSD-2-Clause */
#undef _FORTIFY_SOURCE
#include "host/linux/traps.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "host/linux/arena.h"
#include "host/linux/broker.h"
#include "host/linux/host.h"
#include "host/linux/runner.h"

#define RED_ZONE   128 /* below the stack pointer, of natives and programs */
#define TRAP_STACK (256 << 10) /* what a handler must have left */

/* Traps whose line is not written yet. */
static _Atomic int reporting;

void sk_traps_thread(void *stack)
{
	stack_t s = { .ss_sp = stack, .ss_size = SK_SIGNAL_STACK };

	if (!stack)
		s.ss_flags = SS_DISABLE;
	sigaltstack(&s, NULL);
}

static const struct {
	int signo, code;
	const char *what;
} kinds[] = {
	[WASM_RT_TRAP_OOB] = { SK_SIGSEGV, SEGV_MAPERR, "wild access" },
	[WASM_RT_TRAP_INT_OVERFLOW] = { SK_SIGFPE, 2, "integer overflow" },
	[WASM_RT_TRAP_DIV_BY_ZERO] = { SK_SIGFPE, FPE_INTDIV,
				       "division by zero" },
	[WASM_RT_TRAP_INVALID_CONVERSION] = { SK_SIGFPE, 7,
					      "conversion of no number" },
	[WASM_RT_TRAP_UNREACHABLE] = { SK_SIGILL, ILL_ILLOPN,
				       "unreachable code" },
	[WASM_RT_TRAP_CALL_INDIRECT] = { SK_SIGSEGV, SEGV_MAPERR,
					 "call of a wrong function pointer" },
	[WASM_RT_TRAP_UNCAUGHT_EXCEPTION] = { SK_SIGABRT, 0,
					      "exception that nobody caught" },
	[WASM_RT_TRAP_UNALIGNED] = { SK_SIGBUS, 1, "unaligned access" },
	[WASM_RT_TRAP_EXHAUSTION] = { SK_SIGSEGV, SEGV_MAPERR,
				      "stack overflow" },
};

void wasm_rt_trap(wasm_rt_trap_t trap)
{
	struct sk_runner *r = sk_runner_current;

	r->trap = (struct sk_trap){
		.signo = kinds[trap].signo,
		.code = kinds[trap].code,
		.pc = (uintptr_t)__builtin_return_address(0),
		.what = kinds[trap].what,
	};
	sk_runner_trap(r);
}

static void report(struct sk_runner *r)
{
	char function[128] = "", line[320];

	if (r->trap.pc)
		sk_broker_function(r->trap.pc, function, sizeof(function));
	snprintf(line, sizeof(line), "%s (%d): %s%s%s", r->name,
		 sk_task_pid(r->task), r->trap.what, *function ? " in " : "",
		 function);
	sk_host_log(NULL, line);
}

typedef void handler(void *instance, uint32_t signo);
typedef void siginfo_handler(void *instance, uint32_t signo, uint32_t info,
			     uint32_t context);

static int same_type(wasm_rt_func_type_t a, wasm_rt_func_type_t b)
{
	return a == b || (a && b && !memcmp(a, b, 32));
}

/* Calls a handler as libc would; `at` is where the frame is. */
static void call_handler(struct sk_runner *r, uint32_t at)
{
	struct sk_abi_sigframe frame;
	wasm_rt_funcref_table_t *table;
	wasm_rt_funcref_t *f;

	memcpy(&frame, r->window->memory + at, sizeof(frame));
	table = (wasm_rt_funcref_table_t *)((uint8_t *)r->instance +
					    r->object->table);
	if (!r->object->table || frame.handler >= table->size)
		return;
	f = &table->data[frame.handler];
	if (frame.flags & SK_SA_SIGINFO) {
		uint32_t info =
			at + (uint32_t)offsetof(struct sk_abi_sigframe, info);

		if (same_type(f->func_type,
			      r->object->func_type(3, 0, WASM_RT_I32,
						   WASM_RT_I32, WASM_RT_I32)))
			((siginfo_handler *)f->func)(f->module_instance,
						     (uint32_t)frame.signo,
						     info, at);
	} else if (same_type(f->func_type,
			     r->object->func_type(1, 0, WASM_RT_I32))) {
		((handler *)f->func)(f->module_instance, (uint32_t)frame.signo);
	}
}

/* What trapped cannot go on, so a handler that returns has not helped. */
static void run_handler(struct sk_runner *r)
{
	uint32_t *stack =
		(uint32_t *)((uint8_t *)r->instance + r->object->stack_pointer);
	uint64_t none[6] = { (uint64_t)r->trap.signo, 0, 0, 8 };
	uint32_t room = RED_ZONE + (uint32_t)sizeof(struct sk_abi_sigframe);
	int64_t result;

	if (!r->object->stack_pointer || *stack < room + 1024 ||
	    *stack > atomic_load(&sk_task_face(r->task)->memory_size))
		return;
	*stack = (*stack - room) & ~UINT32_C(15);
	while ((result = sk_next_signal(r->task, *stack)) == SK_CALL_PARK)
		sk_task_park(r->task);
	if (result != 1)
		return;
	r->nested++;
	call_handler(r, *stack);
	r->nested--;
	memset(r->window->memory + *stack, 0, sizeof(struct sk_abi_sigaction));
	none[1] = *stack;
	sk_call(r->task, SK_SYS_rt_sigaction, none);
}

void sk_runner_trap(struct sk_runner *r)
{
	atomic_fetch_add(&reporting, 1);
	if (sk_trap(r->task, r->trap.signo, r->trap.code, r->trap.address) ==
	    0) {
		atomic_fetch_sub(&reporting, 1);
		run_handler(r);
		atomic_fetch_add(&reporting, 1);
		sk_trap(r->task, r->trap.signo, r->trap.code, r->trap.address);
	}
	report(r);
	atomic_fetch_sub(&reporting, 1);
	sk_runner_leave(r, SK_LEAVE_EXIT);
}

void sk_traps_told(void)
{
	const struct timespec moment = { 0, 1000000 };
	int tries = 1000;

	while (atomic_load(&reporting) && tries--)
		nanosleep(&moment, NULL);
}

#if defined(__x86_64__)
static uintptr_t context_pc(const ucontext_t *c)
{
	return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
}

static uintptr_t context_stack(const ucontext_t *c)
{
	return (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
}

/* The thread goes on with function(r), below what it has on its stack. */
static void context_call(ucontext_t *c, void (*function)(struct sk_runner *),
			 struct sk_runner *r)
{
	uintptr_t stack = (context_stack(c) - RED_ZONE) & ~(uintptr_t)15;

	c->uc_mcontext.gregs[REG_RSP] = (greg_t)(stack - 8);
	c->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)function;
	c->uc_mcontext.gregs[REG_RDI] = (greg_t)(uintptr_t)r;
	c->uc_mcontext.gregs[REG_EFL] &= ~0x400; /* direction: forward */
}
#elif defined(__aarch64__)
static uintptr_t context_pc(const ucontext_t *c)
{
	return c->uc_mcontext.pc;
}

static uintptr_t context_stack(const ucontext_t *c)
{
	return c->uc_mcontext.sp;
}

static void context_call(ucontext_t *c, void (*function)(struct sk_runner *),
			 struct sk_runner *r)
{
	c->uc_mcontext.sp =
		(context_stack(c) - RED_ZONE) & ~(unsigned long long)15;
	c->uc_mcontext.pc = (uintptr_t)function;
	c->uc_mcontext.regs[0] = (uintptr_t)r;
}
#else
#error "host/linux/traps.c does not know this processor"
#endif

/* A fault that is ours: the usual end, with a core. */
static void die(int signo)
{
	signal(signo, SIG_DFL);
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
	struct sk_runner *r = sk_runner_current;
	uintptr_t address = (uintptr_t)info->si_addr;
	uintptr_t pc = context_pc(context);
	uint8_t *memory;

	if (!r || !r->window || !r->task) {
		die(signo);
		return;
	}
	memory = r->window->memory;
	r->trap = (struct sk_trap){ .signo = signo == SIGFPE ? SK_SIGFPE
							     : SK_SIGSEGV,
				    .code = SEGV_MAPERR,
				    .pc = pc,
				    .what = "wild access" };
	if (address >= (uintptr_t)memory &&
	    address - (uintptr_t)memory < SK_WINDOW_SIZE)
		r->trap.address = (sk_user)(address - (uintptr_t)memory);
	if (address < r->stack_end &&
	    address >= r->stack_end - SK_STACK_GUARD && signo == SIGSEGV)
		sk_runner_leave(r, SK_LEAVE_OVERFLOW);
	if (!sk_arena_has(pc)) {
		die(signo);
		return;
	}
	if (context_stack(context) < r->stack_end + TRAP_STACK)
		sk_runner_leave(r, SK_LEAVE_OVERFLOW);
	context_call(context, sk_runner_trap, r);
}

/* Translated code holds nothing of the host's: it can be left anywhere. */
static void on_kill(int signo, siginfo_t *info, void *context)
{
	struct sk_runner *r = sk_runner_current;

	(void)signo;
	(void)info;
	if (r && atomic_load(&r->killed) && sk_arena_has(context_pc(context)))
		sk_runner_leave(r, SK_LEAVE_KILLED);
}

void sk_traps_init(void)
{
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK |
						SA_NODEFER };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	action.sa_sigaction = on_kill;
	action.sa_flags |= SA_RESTART;
	sigaction(SK_KILL_SIGNAL, &action, NULL);
}
