/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run folder: where nginx finds its configuration and puts its temporary
 * files. It is this command's alone and goes with it; one that a killed command
 * left behind is removed by the next.
 */
#ifndef SK_CLI_RUNDIR_H
#define SK_CLI_RUNDIR_H

struct sk_rundir {
	char *path;
	int lock; /* held by us and by nginx for as long as either lives */
};

/* Makes one. `shared`: another user (nginx's workers) has to pass through it.
 * 0, or -errno after a message. */
int sk_rundir_open(struct sk_rundir *rundir, int shared);

/* Removes it. Safe on a zeroed struct. */
void sk_rundir_close(struct sk_rundir *rundir);

#endif
