/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fork. The host takes the stack out of the program (asyncify writes it into
 * the buffer), copies the memory, and puts the stack back in both. A program
 * that links this file gets its stack made copyable by selkie-cc.
 */
#include <unistd.h>
#include <signal.h>
#include "syscall.h"
#include "libc.h"
#include "lock.h"
#include "pthread_impl.h"
#include "kernel.h"

#define BUFFER (256 * 1024)

static long copy_process(void)
{
	static char *buffer;

	/* The stack below a handler is not copyable: kernel_call.c. */
	if (__sk_handlers)
		return -EAGAIN;
	if (!buffer)
		buffer = __sk_pages_get(BUFFER);
	if (!buffer)
		return -ENOMEM;
	__sk_fork_buffer.at = buffer;
	__sk_fork_buffer.end = buffer + BUFFER;
	return __sk_import_fork();
}

static void no_aio(int who)
{
}
weak_alias(no_aio, __aio_atfork);

pid_t _Fork(void)
{
	sigset_t set;
	long pid;

	__block_all_sigs(&set);
	__aio_atfork(-1);
	LOCK(__abort_lock);
	pid = copy_process();
	if (!pid) {
		pthread_t self = __pthread_self();

		self->tid = __syscall(SYS_gettid);
		self->robust_list.off = 0;
		self->robust_list.pending = 0;
		self->next = self->prev = self;
		__thread_list_lock = 0;
		libc.threads_minus_1 = 0;
		if (libc.need_locks)
			libc.need_locks = -1;
	}
	UNLOCK(__abort_lock);
	__aio_atfork(!pid);
	__restore_sigs(&set);
	return __syscall_ret(pid);
}
