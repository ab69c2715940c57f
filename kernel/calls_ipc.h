/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of pipes, waiting for many, and sockets: X(name, flags). */
#ifndef SK_CALLS_IPC_H
#define SK_CALLS_IPC_H

#define SK_CALLS_IPC(X)                                                        \
	X(pipe2, 0) \
	X(ppoll, 0) \
	X(pselect6, 0) \
	X(eventfd2, 0) \
	X(epoll_create1, 0) \
	X(epoll_ctl, 0) \
	X(epoll_pwait, 0)

#endif
