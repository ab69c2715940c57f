/* SPDX-License-Identifier: BSD-2-Clause */
/* epoll, as open files see it. */
#ifndef SK_EPOLL_H
#define SK_EPOLL_H

#include "file.h"

/* The last reference of a file that has followers went (sk_file_put). */
void sk_epoll_forget(struct sk_file *f);

#endif
