/* SPDX-License-Identifier: BSD-2-Clause */
/* HOST:PORT:ADDRESS, by which an operator says where a name is. */
#ifndef SK_RESOLVE_H
#define SK_RESOLVE_H

#include <stddef.h>

/* 0, or -EINVAL and what is wrong with `text` in `error`. The host is a name
 * (letters, digits, `.`, `-`, `_`), the port 1 to 65535, the address IPv4 or
 * IPv6, the latter with or without brackets. */
int sk_resolve_check(const char *text, char *error, size_t errsize);

#endif
