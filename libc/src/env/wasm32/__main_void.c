/* SPDX-License-Identifier: BSD-2-Clause */
/* A program whose main takes arguments: crt1.c calls this one. */
#include "features.h"

extern hidden int __sk_argc;
extern hidden char **__sk_argv;
int __main_argc_argv(int, char **);

int __main_void(void)
{
	return __main_argc_argv(__sk_argc, __sk_argv);
}
