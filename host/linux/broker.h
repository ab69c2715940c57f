/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The broker is the process that selkie-run was started as. It translates
 * programs and links them into the arena for its child, which runs them and
 * can neither write code nor start a compiler. They speak over a socket, one
 * question at a time:
 *
 *     {LOAD, size, name} bytes      → {error, address of the sk_object}
 *     {FUNCTION, pc}                → {error, name}
 */
#ifndef SK_HOST_BROKER_H
#define SK_HOST_BROKER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sk_object;

/* Serves `child` until it ends; its wait status. */
int sk_broker_serve(int socket, pid_t child);

/* The other side. Once, before any program runs: */
void sk_broker_connect(int socket);

/* 0, -ENOEXEC, -ENOMEM, -ENOENT (nothing to translate with). */
int sk_broker_load(const char *name, const void *wasm, size_t size,
		   const struct sk_object **object);

/* The program's function that holds an address; "" when it is not known. */
void sk_broker_function(uintptr_t pc, char *name, size_t size);

#endif
