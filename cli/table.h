/* SPDX-License-Identifier: BSD-2-Clause */
/* An app's routes and folders as a table for people. */
#ifndef SK_CLI_TABLE_H
#define SK_CLI_TABLE_H

#include <jansson.h>
#include <stdio.h>

/* What a policy grants, in words ("nothing" when empty); heap. */
char *sk_policy_words(const json_t *policy);

/* The table of APP. */
void sk_table_print(FILE *stream, const json_t *app);

#endif
