/* SPDX-License-Identifier: BSD-2-Clause */
/* The address to listen on. */
#ifndef SK_CLI_PORT_H
#define SK_CLI_PORT_H

/* Checks that this process may listen there; a `*port` of 0 becomes a free
 * one. 0, or -errno after one line that says why not. */
int sk_port_check(const char *address, int *port);

/* 1 when something accepts connections there. */
int sk_port_accepts(const char *address, int port);

/* "127.0.0.1:80" or "[::1]:80", a heap string. */
char *sk_port_name(const char *address, int port);

/* 1 for an address that no other machine can reach. */
int sk_port_is_loopback(const char *address);

#endif
