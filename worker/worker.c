/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A worker process from its fork on: confine, load the module, say READY,
 * serve.
 */
#include "worker/channel.h"
#include "worker/start.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define BUNDLE_MAX	  (256u << 20)
#define LOAD_MAX	  INT64_C(10000000000) /* ns for a module to load */
#define MEMORY_USUAL	  (128u << 20)
#define CPU_USUAL	  1000 /* ms */
#define SUBREQUESTS_USUAL 50

struct config {
	char route[256];
	char worker[1024];
	struct sk_engine_limits limits;
	uint32_t subrequests;
	int drop_user;
	uid_t uid;
	gid_t gid;
};

static struct sk_channel channel;

/* Tells the supervisor why there is no worker process, and ends. */
static _Noreturn void fail(int control_fd, const char *text)
{
	struct sk_message head = { .type = SK_MSG_FAILED };
	size_t length = strlen(text);

	if (length > SK_MESSAGE_MAX)
		length = SK_MESSAGE_MAX;
	sk_message_send(control_fd, &head, text, length, NULL, 0);
	_exit(1);
}

static uint64_t limit(const json_t *limits, const char *name, uint64_t usual)
{
	json_int_t value = json_integer_value(json_object_get(limits, name));

	return value > 0 ? (uint64_t)value : usual;
}

static int read_config(struct config *config, const char *text)
{
	json_t *root = json_loads(text, 0, NULL), *limits, *uid;
	const char *route, *worker;

	if (!root)
		return -EINVAL;
	route = json_string_value(json_object_get(root, "route"));
	worker = json_string_value(json_object_get(root, "worker"));
	snprintf(config->route, sizeof(config->route), "%s",
		 route ? route : "?");
	snprintf(config->worker, sizeof(config->worker), "%s",
		 worker ? worker : "worker.js");
	limits = json_object_get(root, "limits");
	config->limits.memory = limit(limits, "memory", MEMORY_USUAL);
	config->limits.cpu = limit(limits, "cpu", CPU_USUAL) * 1000000;
	uid = json_object_get(limits, "subrequests");
	config->subrequests = json_is_integer(uid)
				      ? (uint32_t)json_integer_value(uid)
				      : SUBREQUESTS_USUAL;
	uid = json_object_get(root, "uid");
	config->drop_user = json_is_integer(uid);
	config->uid = (uid_t)json_integer_value(uid);
	config->gid = (gid_t)json_integer_value(json_object_get(root, "gid"));
	json_decref(root);
	return 0;
}

static struct sk_status_page *map_page(int fd)
{
	void *page = mmap(NULL, sizeof(struct sk_status_page),
			  PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return page == MAP_FAILED ? NULL : page;
}

/* 0, 1 and 2 were the zygote's: user code has no use for them. */
static void detach_stdio(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fd;

	for (fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

/* Everything up to the closed sandbox. */
static void confine(struct sk_process *process, const struct sk_start *start,
		    struct config *config, struct sk_sandbox *sandbox)
{
	const int keep[] = { start->control_fd, start->bundle_fd, start->map_fd,
			     start->wake_fd };
	const struct sched_param param = { 0 };
	char error[1024];

	sched_setscheduler(0, SCHED_BATCH, &param);
	detach_stdio();
	sandbox->keep = keep;
	sandbox->nkeep = 4;
	sandbox->drop_user = config->drop_user;
	sandbox->uid = config->uid;
	sandbox->gid = config->gid;
	sandbox->die_with_parent = 1;
	if (sk_start_confined(process, sandbox, &config->limits, error,
			      sizeof(error)))
		fail(start->control_fd, error);
}

static void load(struct sk_process *process, const struct sk_start *start,
		 const struct config *config)
{
	int64_t deadline = sk_now() + LOAD_MAX;
	enum sk_stop stop;
	size_t length;
	char *bundle;

	if (sk_read_all(start->bundle_fd, &bundle, &length, BUNDLE_MAX))
		fail(start->control_fd, "the bundle cannot be read");
	close(start->bundle_fd);
	if (process->status)
		atomic_store(&process->status->in_turn, 1);
	stop = sk_engine_load(process->engine, bundle, config->worker);
	free(bundle);
	channel.again = 1; /* calls that it made leave with the next turn */
	if (stop)
		fail(start->control_fd,
		     stop == SK_STOP_CPU
			     ? "over its limit while it loads: cpu"
			     : "over its limit while it loads: memory");
	while (sk_engine_load_state(process->engine) == SK_LOAD_WAITING) {
		if (sk_now() > deadline)
			fail(start->control_fd, "the module does not finish "
						"loading");
		if (sk_channel_step(&channel, 100) < 0)
			_exit(0);
	}
	if (sk_engine_load_state(process->engine) == SK_LOAD_FAILED)
		fail(start->control_fd, sk_engine_load_error(process->engine));
}

_Noreturn void sk_worker_main(const struct sk_start *start)
{
	static struct sk_process process;
	static struct config config;
	struct sk_message ready = { .type = SK_MSG_READY };
	struct sk_sandbox sandbox = { 0 };
	char missing[256];
	size_t length;

	process.control_fd = start->control_fd;
	process.map_fd = start->map_fd;
	process.log_fd = 2;
	process.timer = -1;
	if (read_config(&config, start->json))
		fail(start->control_fd, "the start message is no JSON");
	prctl(PR_SET_NAME, "selkie-worker");
	sk_title_set("selkie-worker: %s", config.route);
	process.status = map_page(start->page_fd);
	confine(&process, start, &config, &sandbox);
	if (sk_channel_open(&channel, &process, start->wake_fd))
		fail(start->control_fd, "no event loop");
	channel.calls.most = config.subrequests;
	process.channel = &channel;
	sk_channel_hear(&channel);
	load(&process, start, &config);
	sk_engine_rest(process.engine);
	length = sk_sandbox_missing(&sandbox, missing, sizeof(missing));
	sk_message_send(start->control_fd, &ready, missing, length, NULL, 0);
	while (sk_channel_step(&channel, -1) == 0)
		;
	_exit(0);
}
