/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of selkie-cc. It is a short-lived program: nothing is freed. */
#ifndef SELKIE_CC_H
#define SELKIE_CC_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef SK_CLANG
#define SK_CLANG "clang-22"
#endif

/* A list of arguments, NULL at its end once one was added. */
struct sk_args {
	const char **v;
	size_t n, room;
};

struct sk_options {
	struct sk_args kept; /* what clang is given */
	const char *output;
	bool links;	  /* and does not stop after compiling */
	bool relocatable; /* -r */
	bool no_start, no_libraries;
	bool debug, strip;
	bool help, version, machine;
};

struct sk_places {
	const char *sysroot, *plugin, *clang, *wasm_opt;
};

void sk_args_add(struct sk_args *a, const char *arg);
char *sk_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void sk_die(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/* Runs a program and waits; its exit status. */
int sk_run(const struct sk_args *a);

/* Adds the arguments, and those in files that `@FILE` names. */
void sk_options_expand(struct sk_args *out, int n, char **args);
void sk_options_read(struct sk_options *o, const struct sk_args *given);

/* What is left to be done on the linked program; an exit status. */
int sk_link_finish(const struct sk_options *o, const struct sk_places *p);

#endif
