/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the C that wabt's wasm2c writes expects of its runtime: our own, for
 * programs that run in a window (window.h). The names are wasm2c's.
 *
 * A program's instance lies in the same window as its memory, at a distance
 * that the compiler knows (SK_GUEST_MEMORY behind the memory's struct), so an
 * access needs no load of a base; pages without access round the memory take
 * the place of bounds checks.
 */
#ifndef WASM_RT_H_
#define WASM_RT_H_

#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef __has_builtin
#define __has_builtin(x) 0
#endif
#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define WABT_BIG_ENDIAN		     0
#define WASM_RT_USE_SEGUE	     0
#define WASM_RT_SEGUE_FREE_SEGMENT   0
#define WASM_RT_SANITY_CHECKS	     0
#define WASM_RT_STACK_DEPTH_COUNT    0
#define WASM_RT_MEMCHECK_GUARD_PAGES 1
#define wasm_rt_memcpy		     memcpy

/* From the struct of the memory to its first byte. */
#define SK_GUEST_MEMORY 4096
/* How much of an instance may lie before that struct. */
#define SK_GUEST_HEAD 61440

typedef enum {
	WASM_RT_TRAP_NONE,
	WASM_RT_TRAP_OOB,
	WASM_RT_TRAP_INT_OVERFLOW,
	WASM_RT_TRAP_DIV_BY_ZERO,
	WASM_RT_TRAP_INVALID_CONVERSION,
	WASM_RT_TRAP_UNREACHABLE,
	WASM_RT_TRAP_CALL_INDIRECT,
	WASM_RT_TRAP_UNCAUGHT_EXCEPTION,
	WASM_RT_TRAP_UNALIGNED,
	WASM_RT_TRAP_NULL_REF,
	WASM_RT_TRAP_EXHAUSTION,
} wasm_rt_trap_t;

typedef enum {
	WASM_RT_I32,
	WASM_RT_I64,
	WASM_RT_F32,
	WASM_RT_F64,
	WASM_RT_V128,
	WASM_RT_FUNCREF,
	WASM_RT_EXTERNREF,
	WASM_RT_EXNREF,
} wasm_rt_type_t;

typedef void (*wasm_rt_function_ptr_t)(void);
typedef struct wasm_rt_tailcallee_t {
	void (*fn)(void **instance, void *stack,
		   struct wasm_rt_tailcallee_t *next);
} wasm_rt_tailcallee_t;
typedef const char *wasm_rt_func_type_t;

typedef struct {
	wasm_rt_func_type_t func_type;
	wasm_rt_function_ptr_t func;
	wasm_rt_tailcallee_t func_tailcallee;
	void *module_instance;
} wasm_rt_funcref_t;
#define wasm_rt_funcref_null_value                                             \
	((wasm_rt_funcref_t){ NULL, NULL, { NULL }, NULL })
typedef void *wasm_rt_externref_t;
#define wasm_rt_externref_null_value ((wasm_rt_externref_t)NULL)

typedef struct {
	uint8_t *data;
	uint64_t pages, max_pages, size;
} wasm_rt_memory_t;

typedef struct {
	wasm_rt_funcref_t *data;
	uint32_t max_size, size;
} wasm_rt_funcref_table_t;
typedef struct {
	wasm_rt_externref_t *data;
	uint32_t max_size, size;
} wasm_rt_externref_table_t;

#define wasm_rt_is_initialized() true
_Noreturn void wasm_rt_trap(wasm_rt_trap_t trap);
void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint64_t pages,
			     uint64_t max_pages, bool is64, uint32_t page_size);
uint64_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint64_t pages);
void wasm_rt_free_memory(wasm_rt_memory_t *memory);
void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table,
				    uint32_t size, uint32_t max_size);
void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table);
uint32_t wasm_rt_grow_funcref_table(wasm_rt_funcref_table_t *table,
				    uint32_t more, wasm_rt_funcref_t value);

/* Exceptions. */
typedef const void *wasm_rt_tag_t;
#define WASM_RT_UNWIND_TARGET jmp_buf
#define wasm_rt_try(target)   _setjmp(target)
void wasm_rt_load_exception(wasm_rt_tag_t tag, uint32_t size,
			    const void *values);
_Noreturn void wasm_rt_throw(void);
jmp_buf *wasm_rt_get_unwind_target(void);
void wasm_rt_set_unwind_target(jmp_buf *target);
wasm_rt_tag_t wasm_rt_exception_tag(void);
uint32_t wasm_rt_exception_size(void);
void *wasm_rt_exception(void);

/* The imports of a program come with this; what follows it is the host's. */
struct w2c_kernel {
	const volatile uint32_t *attention; /* the kernel's word, sk_face */
};

static inline uint32_t w2c_kernel_pending(struct w2c_kernel *kernel)
{
	return *kernel->attention;
}

/* What a translated program tells its host; glue.c fills it in. */
#define SK_OBJECT_MAGIC 0x736b6f31u
struct sk_object {
	uint32_t magic;
	uint32_t instance_size;
	/* Offsets in the instance; 0: there is none. */
	uint32_t memory, table, stack_pointer, import;
	void (*instantiate)(void *instance, struct w2c_kernel *kernel);
	void (*start)(void *instance);
	/* All NULL in programs that do not fork. */
	void (*start_unwind)(void *instance, uint32_t buffer);
	void (*stop_unwind)(void *instance);
	void (*start_rewind)(void *instance, uint32_t buffer);
	void (*stop_rewind)(void *instance);
	uint32_t (*fork_buffer)(void *instance);
	/* NULL unless exported: leaves a vfork child for its parent. */
	void (*vfork_over)(void *instance, uint32_t pid);
	/* The name of a function type, NULL when no function has it. */
	wasm_rt_func_type_t (*func_type)(uint32_t params, uint32_t results,
					 ...);
};

#endif
