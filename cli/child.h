/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running another program to its end. Its output goes to memory files, not to
 * pipes, so nobody has to read along and several may run at once.
 */
#ifndef SK_CLI_CHILD_H
#define SK_CLI_CHILD_H

#include <sys/types.h>

#include "cli/text.h"

struct sk_command {
	const char *const *argv; /* argv[0]: the program's path */
	const char *folder;	 /* where it runs, or NULL: here */
	const void *input;	 /* its standard input */
	size_t input_length;
	int extra; /* a descriptor that it gets as 3, or -1 */
};

struct sk_child {
	pid_t pid;
	int out; /* memory files */
	int err;
};

/* Starts the program. 0 or -errno; sk_child_finish ends what was started. */
int sk_child_start(struct sk_child *child, const struct sk_command *command);

/* Waits for the end and appends its outputs (either may be NULL). Returns its
 * exit status, 128 + N when signal N ended it, or, after it has been killed,
 * -ETIMEDOUT (at `timeout` ms) or -EINTR (INT or TERM came, blocked; it is left
 * for the caller). */
int sk_child_finish(struct sk_child *child, int timeout, struct sk_text *out,
		    struct sk_text *err);

/* Both in one. */
int sk_child_run(const struct sk_command *command, int timeout,
		 struct sk_text *out, struct sk_text *err);

#endif
