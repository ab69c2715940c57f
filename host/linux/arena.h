/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arena: all code that programs were translated to. Two processes map it.
 * The broker may write there and never runs it; the process that runs programs
 * may run it and never write: its mapping is made before any program runs, and
 * from then on seccomp allows it no executable mapping at all. Both were one
 * process when addresses were dealt out, so the broker can link objects for
 * the other one.
 */
#ifndef SK_HOST_ARENA_H
#define SK_HOST_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct sk_object;

/* Before the fork. 0 or -errno. */
int sk_arena_init(void);
/* After it: the side that runs programs. 0 or -errno. */
int sk_arena_enter(void);

/* Whether an address lies in the arena (of the side that runs). */
int sk_arena_has(uintptr_t pc);

/*
 * Broker: links the shared object in `data` into the arena. 0, -ENOEXEC (it
 * is damaged, or wants what we do not offer; `why` says what), -ENOMEM.
 */
int sk_arena_load(const void *data, size_t size,
		  const struct sk_object **object, const char **why);

/* Broker: the base of the object that holds `pc`; 0 when none does. */
uintptr_t sk_arena_base(uintptr_t pc);

#endif
