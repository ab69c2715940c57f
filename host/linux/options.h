/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of `selkie run`. */
#ifndef SK_HOST_OPTIONS_H
#define SK_HOST_OPTIONS_H

#include <stdio.h>

enum sk_mount_kind {
	SK_MOUNT_HOSTFS,
	SK_MOUNT_MEMFS,
	SK_MOUNT_ZIP,
	SK_MOUNT_TAR,
	SK_MOUNT_OVERLAY,
};

struct sk_mount_spec {
	enum sk_mount_kind kind;
	char *source; /* of the host; of overlays "lower:upper", here */
	char *target;
	int read_only;
	int fd; /* hostfs, zip, tar: opened before the process is confined */
};

#define SK_MOUNTS_MAX 64
#define SK_ENV_MAX    256

struct sk_run_options {
	struct sk_mount_spec mounts[SK_MOUNTS_MAX];
	int mount_count;
	char *env[SK_ENV_MAX]; /* K=V, as given; NULL at the end */
	int env_count;
	int terminal; /* 1, 0; -1: when standard input and output are one */
	const char *folder; /* --cwd, or NULL */
	char **argv;	    /* the program and its arguments */
	int program_fd;	    /* of a WebAssembly file of the host, or -1 */
};

/* -1: go on; otherwise the exit status, after a message or the help. */
int sk_run_options_parse(struct sk_run_options *o, int argc, char **argv);

#endif
