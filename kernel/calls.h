/* SPDX-License-Identifier: BSD-2-Clause */
/* All calls: their rooms' lists, and the functions that these name. */
#ifndef SK_CALLS_H
#define SK_CALLS_H

#include "calls_files.h"
#include "calls_ipc.h"
#include "calls_process.h"
#include "task.h"

#define SK_CALLS(X) SK_CALLS_FILES(X) SK_CALLS_IPC(X) SK_CALLS_PROCESS(X)

#define SK_DECLARE(name, flags) sk_call_function sk_sys_##name;
SK_CALLS(SK_DECLARE)
#undef SK_DECLARE

#endif
