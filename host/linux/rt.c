/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runtime of programs: what the C that wasm2c wrote calls for memory,
 * tables and exceptions (guest/wasm-rt.h).
 */
#undef _FORTIFY_SOURCE /* longjmp from frames that a signal handler made */
#include <stdlib.h>
#include <string.h>

#include "host/linux/runner.h"

void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint64_t pages,
			     uint64_t max_pages, bool is64, uint32_t page_size)
{
	struct sk_runner *r = sk_runner_current;

	(void)is64;
	memory->data = r->window->memory;
	memory->pages = pages;
	memory->max_pages = max_pages;
	memory->size = pages * page_size;
	if (sk_window_reset(r->window, memory->size))
		sk_runner_leave(r, SK_LEAVE_OVERFLOW);
	atomic_store(&sk_task_face(r->task)->memory_size,
		     memory->size > UINT32_MAX ? UINT32_MAX
					       : (uint32_t)memory->size);
}

uint64_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint64_t pages)
{
	struct sk_runner *r = sk_runner_current;
	uint64_t old = memory->pages;
	uint64_t size = (old + pages) * SK_WINDOW_PAGE;

	if (old + pages < old || old + pages > memory->max_pages ||
	    size > UINT32_MAX)
		return UINT32_MAX;
	if (sk_window_grow(r->window, memory->size, size))
		return UINT32_MAX;
	memory->pages = old + pages;
	memory->size = size;
	atomic_store(&sk_task_face(r->task)->memory_size, (uint32_t)size);
	if (r->parent)
		atomic_store(&sk_task_face(r->parent)->memory_size,
			     (uint32_t)size);
	return old;
}

/* The window has it. */
void wasm_rt_free_memory(wasm_rt_memory_t *memory)
{
	memory->data = NULL;
}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table,
				    uint32_t size, uint32_t max_size)
{
	struct sk_runner *r = sk_runner_current;

	table->data = sk_window_table(r->window, size);
	if (!table->data && size)
		sk_runner_leave(r, SK_LEAVE_OVERFLOW);
	table->size = size;
	table->max_size = max_size;
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table)
{
	table->data = NULL;
}

/* Tables of C programs never grow. */
uint32_t wasm_rt_grow_funcref_table(wasm_rt_funcref_table_t *table,
				    uint32_t more, wasm_rt_funcref_t value)
{
	(void)table;
	(void)more;
	(void)value;
	return UINT32_MAX;
}

void wasm_rt_load_exception(wasm_rt_tag_t tag, uint32_t size,
			    const void *values)
{
	struct sk_runner *r = sk_runner_current;

	if (size > sizeof(r->exception))
		wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);
	r->tag = tag;
	r->exception_size = size;
	memcpy(r->exception, values, size);
}

void wasm_rt_throw(void)
{
	struct sk_runner *r = sk_runner_current;

	if (!r->target)
		wasm_rt_trap(WASM_RT_TRAP_UNCAUGHT_EXCEPTION);
	longjmp(*r->target, 1);
}

jmp_buf *wasm_rt_get_unwind_target(void)
{
	return sk_runner_current->target;
}

void wasm_rt_set_unwind_target(jmp_buf *target)
{
	sk_runner_current->target = target;
}

wasm_rt_tag_t wasm_rt_exception_tag(void)
{
	return sk_runner_current->tag;
}

uint32_t wasm_rt_exception_size(void)
{
	return sk_runner_current->exception_size;
}

void *wasm_rt_exception(void)
{
	return sk_runner_current->exception;
}
