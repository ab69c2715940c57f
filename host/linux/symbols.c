/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "host/linux/guest/wasm-rt.h"
#include "host/linux/imports.h"

/* What translated programs may name. */
/* clang-format off */
#define SYMBOLS(X) \
	X(memcpy) X(memmove) X(memset) X(memcmp) X(_setjmp) X(abort) \
	X(floor) X(floorf) X(ceil) X(ceilf) X(trunc) X(truncf) \
	X(nearbyint) X(nearbyintf) X(sqrt) X(sqrtf) X(fabs) X(fabsf) \
	X(copysign) X(copysignf) X(wasm_rt_trap) \
	X(wasm_rt_allocate_memory) X(wasm_rt_grow_memory) \
	X(wasm_rt_free_memory) X(wasm_rt_allocate_funcref_table) \
	X(wasm_rt_free_funcref_table) X(wasm_rt_grow_funcref_table) \
	X(wasm_rt_load_exception) X(wasm_rt_throw) \
	X(wasm_rt_get_unwind_target) X(wasm_rt_set_unwind_target) \
	X(wasm_rt_exception_tag) X(wasm_rt_exception_size) \
	X(wasm_rt_exception) X(w2c_kernel_syscall) X(w2c_kernel_nextsig) \
	X(w2c_kernel_exec) X(w2c_kernel_fork) X(w2c_kernel_vfork)
/* clang-format on */

uintptr_t sk_symbol_find(const char *name)
{
#define X(symbol)                                                              \
	if (!strcmp(name, #symbol))                                            \
		return (uintptr_t)(void (*)(void))symbol;
	SYMBOLS(X)
#undef X
	return 0;
}
