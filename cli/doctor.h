/* SPDX-License-Identifier: BSD-2-Clause */
/* `selkie doctor`: what this system offers. The exit status: 1 when something
 * that serving needs is missing. */
#ifndef SK_CLI_DOCTOR_H
#define SK_CLI_DOCTOR_H

#include "cli/places.h"

int sk_doctor(const struct sk_places *places);

#endif
