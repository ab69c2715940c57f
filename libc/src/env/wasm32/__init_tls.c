/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread that starts. Without threads, thread-local variables are plain
 * ones that the compiler has placed, so there is nothing to copy.
 */
#include <string.h>
#include "atomic.h"
#include "libc.h"
#include "pthread_impl.h"
#include "syscall.h"

__thread uintptr_t __sk_self;
volatile int __thread_list_lock;

int __init_tp(void *p)
{
	pthread_t self = p;

	self->self = self;
	__sk_self = (uintptr_t)self;
	libc.can_do_threads = 1;
	self->detach_state = DT_JOINABLE;
	self->tid = __syscall(SYS_set_tid_address, &__thread_list_lock);
	self->locale = &libc.global_locale;
	self->robust_list.head = &self->robust_list.head;
	self->next = self->prev = self;
	return 0;
}

/* For a thread that pthread_create starts: its struct, in its own memory. */
void *__copy_tls(unsigned char *mem)
{
	return mem + (-(uintptr_t)mem & (libc.tls_align - 1));
}

static void init_tls(size_t *aux)
{
	static struct pthread first;

	libc.tls_align = 16;
	libc.tls_size = sizeof first + 16;
	__init_tp(&first);
}

weak_alias(init_tls, __init_tls);
