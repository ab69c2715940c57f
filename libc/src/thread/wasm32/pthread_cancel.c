/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cancellation. A handler cannot move another function's place in the code
 * here, so a request is looked at before and after each call that is a
 * cancellation point, and SIGCANCEL only interrupts it.
 */
#include <string.h>
#include "pthread_impl.h"
#include "syscall.h"

hidden long __syscall_cp_c(syscall_arg_t, syscall_arg_t, syscall_arg_t,
			   syscall_arg_t, syscall_arg_t, syscall_arg_t,
			   syscall_arg_t);

static long cancel(pthread_t self)
{
	if (self->canceldisable == PTHREAD_CANCEL_ENABLE || self->cancelasync)
		pthread_exit(PTHREAD_CANCELED);
	self->canceldisable = PTHREAD_CANCEL_DISABLE;
	return -ECANCELED;
}

long __syscall_cp_c(syscall_arg_t n, syscall_arg_t a, syscall_arg_t b,
		    syscall_arg_t c, syscall_arg_t d, syscall_arg_t e,
		    syscall_arg_t f)
{
	pthread_t self = __pthread_self();
	int off = self->canceldisable == PTHREAD_CANCEL_DISABLE ||
		  (self->canceldisable && n == SYS_close);
	long r;

	if (!off && self->cancel)
		return cancel(self);
	r = __syscall(n, a, b, c, d, e, f);
	if (!off && r == -EINTR && n != SYS_close && self->cancel)
		return cancel(self);
	return r;
}

void __testcancel(void)
{
	pthread_t self = __pthread_self();

	if (self->cancel && !self->canceldisable)
		cancel(self);
}

static void on_cancel(int sig, siginfo_t *info, void *context)
{
	pthread_t self = __pthread_self();

	if (self->cancel && self->cancelasync &&
	    self->canceldisable == PTHREAD_CANCEL_ENABLE)
		pthread_exit(PTHREAD_CANCELED);
}

int pthread_cancel(pthread_t t)
{
	static int ready;

	if (!ready) {
		struct sigaction sa = {
			.sa_flags = SA_SIGINFO,
			.sa_sigaction = on_cancel,
		};

		memset(&sa.sa_mask, -1, _NSIG / 8);
		__libc_sigaction(SIGCANCEL, &sa, 0);
		ready = 1;
	}
	a_store(&t->cancel, 1);
	if (t != pthread_self())
		return pthread_kill(t, SIGCANCEL);
	if (t->canceldisable == PTHREAD_CANCEL_ENABLE && t->cancelasync)
		pthread_exit(PTHREAD_CANCELED);
	return 0;
}
