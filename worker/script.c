/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modes without requests: an app file, and a script for tests. Both run
 * confined like a route, and end when what they wait for is settled.
 */
#include "worker/start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCE_MAX    (64u << 20)
#define APP_MEMORY    (UINT64_C(256) << 20)
#define APP_SECONDS   2
#define EVAL_MEMORY   (UINT64_C(512) << 20)
#define EVAL_SECONDS  30
#define NS_PER_SECOND INT64_C(1000000000)

static const struct script {
	uint64_t memory;
	int seconds; /* of CPU time, and in all */
	int is_app;
} app_script = { APP_MEMORY, APP_SECONDS, 1 },
  eval_script = { EVAL_MEMORY, EVAL_SECONDS, 0 };

struct loop {
	struct sk_process *process;
	int events_due;
	int64_t engine_deadline;
};

static void turn_body(void *arg)
{
	struct loop *loop = arg;
	struct sk_process *process = loop->process;

	if (loop->events_due) {
		int wait = sk_engine_iterate(process->engine);

		loop->events_due = 0;
		loop->engine_deadline =
			wait < 0 ? -1 : sk_now() + wait * INT64_C(1000000);
	}
	if (process->timer >= 0 && sk_now() >= process->timer) {
		process->timer = -1;
		sk_engine_hook(process->engine, SK_HOOK_TIMERS, 0, 0, 0);
	}
}

/* Waits for a timer, the engine's own events or the deadline. */
static void wait_events(struct loop *loop, int64_t deadline)
{
	struct pollfd fd = { sk_engine_event_fd(loop->process->engine), POLLIN,
			     0 };
	int64_t until = deadline, now = sk_now();

	if (loop->process->timer >= 0 && loop->process->timer < until)
		until = loop->process->timer;
	if (loop->engine_deadline >= 0 && loop->engine_deadline < until)
		until = loop->engine_deadline;
	if (poll(&fd, 1,
		 until <= now ? 0 : (int)((until - now) / 1000000 + 1)) == 1)
		loop->events_due = 1;
	if (loop->engine_deadline >= 0 && sk_now() >= loop->engine_deadline)
		loop->events_due = 1;
}

static int is_over(const char *name, const char *what, int seconds)
{
	if (seconds)
		fprintf(stderr, "%s: over its limit: %d s of %s\n", name,
			seconds, what);
	else
		fprintf(stderr, "%s: over its limit: %s\n", name, what);
	return 1;
}

static int stopped(const struct script *script, const char *name,
		   enum sk_stop stop)
{
	return stop == SK_STOP_CPU ? is_over(name, "CPU time", script->seconds)
				   : is_over(name, "memory", 0);
}

/* Runs what was loaded to its end. The exit status so far. */
static int finish(const struct script *script, const char *name,
		  struct loop *loop)
{
	struct sk_engine *engine = loop->process->engine;
	int64_t deadline = sk_now() + script->seconds * NS_PER_SECOND;
	enum sk_stop stop;

	while (sk_engine_load_state(engine) == SK_LOAD_WAITING ||
	       (!script->is_app && loop->process->timer >= 0 &&
		sk_engine_load_state(engine) == SK_LOAD_READY)) {
		if (sk_now() >= deadline)
			return is_over(name, "time", script->seconds);
		wait_events(loop, deadline);
		stop = sk_engine_turn(engine, turn_body, loop);
		if (stop)
			return stopped(script, name, stop);
	}
	if (sk_engine_load_state(engine) == SK_LOAD_FAILED) {
		fprintf(stderr, "%s\n", sk_engine_load_error(engine));
		return 1;
	}
	return sk_engine_rejections(engine) > 0;
}

static int print_app(struct sk_engine *engine)
{
	char *json = sk_engine_app_json(engine);

	if (!json) {
		fprintf(stderr, "%s\n", sk_engine_load_error(engine));
		return 1;
	}
	printf("%s\n", json);
	free(json);
	return 0;
}

static int run(const struct script *script, const char *name, char *text,
	       int map_fd)
{
	struct sk_process process = {
		.control_fd = -1, .map_fd = map_fd, .log_fd = 1, .timer = -1
	};
	struct sk_engine_limits limits = {
		script->memory, (uint64_t)(script->seconds * NS_PER_SECOND), -1
	};
	struct sk_sandbox sandbox = { .keep = &map_fd,
				      .nkeep = map_fd >= 0,
				      .writes_stdio = 1 };
	struct loop loop = { &process, 0, -1 };
	char error[1024];
	enum sk_stop stop;
	int status;

	if (sk_start_confined(&process, &sandbox, &limits, error,
			      sizeof(error))) {
		fprintf(stderr, "%s: %s\n", name, error);
		return 1;
	}
	stop = script->is_app ? sk_engine_load_app(process.engine, text, name)
			      : sk_engine_eval(process.engine, text, name);
	if (stop)
		return stopped(script, name, stop);
	status = finish(script, name, &loop);
	if (status == 0 && script->is_app)
		status = print_app(process.engine);
	return status;
}

int sk_app_file_main(const char *name, int map_fd)
{
	size_t length;
	char *text;
	int err = sk_read_all(0, &text, &length, SOURCE_MAX);

	if (err) {
		fprintf(stderr, "%s: %s\n", name, strerror(-err));
		return 1;
	}
	return run(&app_script, name, text, map_fd);
}

int sk_eval_main(const char *file)
{
	size_t length;
	char *text;
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : sk_read_all(fd, &text, &length, SOURCE_MAX);

	if (err) {
		fprintf(stderr, "%s: %s\n", file, strerror(-err));
		return 1;
	}
	close(fd);
	return run(&eval_script, file, text, -1);
}
