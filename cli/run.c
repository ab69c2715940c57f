/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/run.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/term.h"

int sk_run(const struct sk_places *places, char **argv)
{
	if (!places->run) {
		sk_complain("selkie-run is missing beside %s", places->self);
		return 1;
	}
	execv(places->run, argv);
	sk_complain("%s: %s", places->run, strerror(errno));
	return 1;
}
