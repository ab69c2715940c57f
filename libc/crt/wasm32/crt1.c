/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a program starts: the kernel writes arguments, environment and
 * auxiliary vector into pages of ours, in the order of Linux's first stack.
 */
#include <stddef.h>
#include "atomic.h"
#include "kernel.h"
#include "libc.h"
#include "syscall.h"

/*
 * Here, and not beside fork, because the linker's --export would draw fork
 * into every program.
 */
struct sk_fork_buffer __sk_fork_buffer;

int __sk_argc;
char **__sk_argv;

void __wasm_call_ctors(void);
int __main_void(void);
int __libc_start_main(int (*)(int, char **, char **), int, char **,
		      void (*)(void), void (*)(void), void (*)(void));

static int run_main(int argc, char **argv, char **envp)
{
	return __main_void();
}

/* Takes the place of musl's weak one, which walks ELF's arrays. */
hidden void __libc_start_init(void)
{
	__wasm_call_ctors();
}

__attribute__((__export_name__("_start"))) void _start(void)
{
	long size = __syscall(SYS_sk_args, 0, 0);
	long *block = size > 0 ? __sk_pages_get(size) : 0;

	if (!block || __syscall(SYS_sk_args, block, size) < 0)
		a_crash();
	__sk_argc = block[0];
	__sk_argv = (char **)(block + 1);
	__libc_start_main(run_main, __sk_argc, __sk_argv, 0, 0, 0);
}
