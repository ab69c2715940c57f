/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes wrong in a program becomes a signal of the kernel for that
 * program alone. A fault inside translated code (its pc lies in the arena)
 * goes on in sk_runner_trap on the program's own stack, where a handler may
 * leave by longjmp; a fault elsewhere is the host's own and ends it.
 */
#ifndef SK_HOST_TRAPS_H
#define SK_HOST_TRAPS_H

#include <signal.h>

#define SK_SIGNAL_STACK (64 << 10)
#define SK_KILL_SIGNAL	(SIGRTMIN + 1) /* ends a program that makes no call */

/* The stack for signal handlers of the calling thread; NULL: none any more. */
void sk_traps_thread(void *stack);

/* Waits until each trap has been told: a program's end is known before. */
void sk_traps_told(void);

#endif
