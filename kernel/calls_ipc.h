/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of pipes, waiting for many, and sockets: X(name, flags). */
#ifndef SK_CALLS_IPC_H
#define SK_CALLS_IPC_H

/* clang-format off */
#define SK_CALLS_IPC(X) \
	X(pipe2, 0) X(ppoll, 0) X(pselect6, 0) X(eventfd2, 0) \
	X(epoll_create1, 0) X(epoll_ctl, 0) X(epoll_pwait, 0) \
	X(timerfd_create, 0) X(timerfd_settime, 0) X(timerfd_gettime, 0) \
	X(signalfd4, 0) X(socket, 0) X(socketpair, 0) X(bind, 0) \
	X(listen, 0) X(accept, 0) X(accept4, 0) X(connect, 0) \
	X(getsockname, 0) X(getpeername, 0) X(shutdown, 0) X(sendto, 0) \
	X(recvfrom, 0) X(sendmsg, 0) X(recvmsg, 0) X(setsockopt, 0) \
	X(getsockopt, 0)
/* clang-format on */

#endif
