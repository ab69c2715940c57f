/* SPDX-License-Identifier: BSD-2-Clause */
#include <unistd.h>
#include "kernel.h"
#include "syscall.h"

int execve(const char *path, char *const argv[], char *const envp[])
{
	int r = __sk_import_exec(path, argv, envp);

	if (__sk_vfork_over)
		__sk_vfork_over(r);
	return __syscall_ret(r);
}
