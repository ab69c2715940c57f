/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one way into the kernel, and the handlers of the signals that it says
 * are waiting. Handlers run here, on the program's stack; asyncify leaves
 * __sk_run_handlers alone (selkie-cc), so that a program's stack is copyable
 * everywhere but in a handler.
 */
#include "kernel.h"
#include "syscall.h"

int __sk_handlers;

void __sk_run_handlers(void)
{
	struct sk_signal s;

	while (__sk_import_nextsig(&s)) {
		long long mask = s.mask[0] | (long long)s.mask[1] << 32;

		__sk_handlers++;
		if (s.flags & SA_SIGINFO) {
			ucontext_t context = {
				.uc_sigmask.__bits = { s.mask[0], s.mask[1] },
			};

			((void (*)(int, siginfo_t *, void *))s.handler)(
				s.signo, &s.info, &context);
			mask = context.uc_sigmask.__bits[0] |
			       (long long)context.uc_sigmask.__bits[1] << 32;
		} else {
			((void (*)(int))s.handler)(s.signo);
		}
		__sk_handlers--;
		__sk_import_syscall(SYS_rt_sigreturn, mask, 0, 0, 0, 0, 0);
	}
}

long __sk_call(int n, long long a, long long b, long long c, long long d,
	       long long e, long long f)
{
	long long r;

	for (;;) {
		r = __sk_import_syscall(n, a, b, c, d, e, f);
		if (!(r & SK_RESULT_SIGNAL))
			return r;
		__sk_run_handlers();
		if ((int)r != -SK_ERESTART)
			return r;
	}
}

/* What a poll at a loop's head calls when a signal waits. */
void __sk_poll_slow(void)
{
	__sk_run_handlers();
}
