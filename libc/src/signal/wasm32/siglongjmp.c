/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include "kernel.h"

_Noreturn void __wasm_longjmp(struct __jmp_buf_tag *, int);

_Noreturn void siglongjmp(sigjmp_buf env, int value)
{
	__wasm_longjmp(env, value);
}
