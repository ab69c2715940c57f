/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nginx opens its access log by name, /dev/stdout, which fails when our
 * standard output is a socket or belongs to somebody else, and waits when it is
 * a pipe that nobody reads. A relay then stands between: nginx gets a pipe of
 * ours, and a small process copies.
 */
#ifndef SK_CLI_RELAY_H
#define SK_CLI_RELAY_H

/* Starts a relay if one is needed: `*out` is what nginx has to get as its
 * standard output (the caller closes it), or -1 when ours will do. The relay is
 * a child process that ends when nobody holds the pipe. 0 or -errno. */
int sk_relay_open(int *out);

#endif
