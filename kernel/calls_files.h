/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the files room: X(name, flags), see task.h. */
#define SK_CALLS_FILES(X)
