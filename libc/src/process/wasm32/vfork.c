/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vfork. The child runs on its parent's memory and stack until it calls exec
 * or _exit; those calls of the kernel then answer the child's pid, and the
 * parent goes on where it called vfork. The plug-in of selkie-cc makes of
 * `vfork()` the expression `__sk_vfork(setjmp(__sk_vfork_buf()))`.
 */
#include <setjmp.h>
#include <unistd.h>
#include "kernel.h"
#include "syscall.h"

static struct {
	jmp_buf buf;
	int running; /* the child does */
	int pid;
	int handlers;
} child;

void *__sk_vfork_buf(void)
{
	static jmp_buf unused;

	return child.running ? unused : child.buf;
}

int __sk_vfork(int again)
{
	int pid;

	if (again)
		return child.pid;
	if (child.running)
		return __syscall_ret(-EAGAIN);
	pid = __sk_import_vfork();
	if (pid < 0)
		return __syscall_ret(pid);
	child.running = 1;
	return 0;
}

_Noreturn void __wasm_longjmp(struct __jmp_buf_tag *, int);

/* Exported for the host too, for when the child is killed. */
__attribute__((__export_name__("__sk_vfork_over"))) void
__sk_vfork_over(int pid)
{
	if (pid <= 0 || !child.running)
		return;
	child.running = 0;
	child.pid = pid;
	__wasm_longjmp(child.buf, 1);
}

/* By its address, vfork is fork. */
pid_t vfork(void)
{
	return fork();
}
