/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's registers cannot be seen: there is nothing for debuggers here. */
#include <signal.h>
