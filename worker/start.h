/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a process of ours starts: the steps that the modes share, and the modes.
 */
#ifndef SK_START_H
#define SK_START_H

#include "sandbox/sandbox.h"
#include "worker/engine.h"
#include "worker/process.h"

/* What a worker process is made from; the descriptors become its own. */
struct sk_start {
	const char *json; /* the payload of SPAWN, NUL-terminated */
	int control_fd;
	int bundle_fd;
	int map_fd;
	int wake_fd;
	int page_fd;
};

/* Becomes the worker process and never returns. */
_Noreturn void sk_worker_main(const struct sk_start *start);

/* selkie-worker --zygote: serves SPAWN on descriptor 3. The exit status. */
int sk_zygote_main(void);

/* selkie-worker --app-file NAME and --eval FILE. The exit status. */
int sk_app_file_main(const char *name, int map_fd);
int sk_eval_main(const char *file);

/* Everything from the first look at the engine to the closed sandbox:
 * initialises the engine, enters the sandbox (which keeps what `sandbox->keep`
 * lists), opens the engine and closes the sandbox. 0, or -errno with a text in
 * `error`. */
int sk_start_confined(struct sk_process *process, struct sk_sandbox *sandbox,
		      struct sk_engine_limits *limits, char *error,
		      size_t errsize);

/* The process's name for ps and top. Call sk_title_init first of all in main;
 * the area grows with the environment, which is moved away. */
int sk_title_init(char **argv);
void sk_title_set(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Sets TZ to the system's zone, because the sandbox hides the files that tell
 * it. 0 or -errno. */
int sk_zone_init(void);

#endif
