/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program imports: docs/abi.md. */
#ifndef SK_KERNEL_IMPORTS_H
#define SK_KERNEL_IMPORTS_H

#include <features.h>
#include <signal.h>
#include <stddef.h>

#define SK_IMPORT(name)                                                        \
	__attribute__((__import_module__("kernel"), __import_name__(name)))

#define SK_RESULT_SIGNAL (1LL << 32)
#define SK_ERESTART	 512

/* What nextsig writes: struct sk_abi_sigframe. */
struct sk_signal {
	int signo;
	unsigned long handler;
	unsigned long flags;
	unsigned long pad;
	unsigned long mask[2];
	siginfo_t info;
};

SK_IMPORT("syscall")
long long __sk_import_syscall(int, long long, long long, long long, long long,
			      long long, long long);
SK_IMPORT("nextsig")
int __sk_import_nextsig(struct sk_signal *);
SK_IMPORT("exec")
int __sk_import_exec(const char *, char *const *, char *const *);
SK_IMPORT("fork")
int __sk_import_fork(void);
SK_IMPORT("vfork")
int __sk_import_vfork(void);

/* Handlers that run now, one within the other. longjmp sets it back. */
extern hidden int __sk_handlers;

hidden void __sk_run_handlers(void);

/* Exported to the host: asyncify's place to write next, and the end of it. */
struct sk_fork_buffer {
	char *at, *end;
};
extern struct sk_fork_buffer __sk_fork_buffer;

/*
 * After exec or exit of a vfork child: on as its parent, if it was one. It is
 * there only in programs that use vfork.
 */
extern weak hidden void __sk_vfork_over(int);

/* Pages of the program's memory, zeroed; 0 when there are none left. */
hidden void *__sk_pages_get(size_t);
hidden int __sk_pages_valid(const void *, size_t);
hidden void __sk_pages_put(void *, size_t);
/* Ranges that the kernel maps to files, and not libc. */
extern hidden int __sk_file_maps;

#endif
