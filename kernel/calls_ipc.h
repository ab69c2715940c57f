/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the ipc room: X(name, flags), see task.h. */
#define SK_CALLS_IPC(X)
