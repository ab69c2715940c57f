/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/init.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/linux/host.h"

#define FRAME 64 /* where nextsig may write; strings come behind it */
#define START 1024
#define WAKES 2 /* a handler's number that is neither SIG_DFL nor SIG_IGN */

static const char imported[] = "/usr/local/bin";

int64_t sk_init_call(struct sk_init *i, uint32_t n, uint64_t a, uint64_t b,
		     uint64_t c, uint64_t d)
{
	const uint64_t args[6] = { a, b, c, d };
	int64_t result = sk_call(i->task, n, args);

	while (result == SK_CALL_PARK) {
		sk_task_park(i->task);
		result = sk_call_again(i->task);
	}
	if (result <= SK_CALL_EXEC)
		return -SK_ESRCH;
	if (result & SK_RESULT_SIGNAL)
		while (sk_next_signal(i->task, FRAME) == 1) {
			struct sk_abi_sigframe frame;
			uint64_t mask[6] = { 0 };

			memcpy(&frame, i->memory + FRAME, sizeof(frame));
			mask[0] = frame.mask[0] | (uint64_t)frame.mask[1] << 32;
			sk_call(i->task, SK_SYS_rt_sigreturn, mask);
		}
	result = (int32_t)result;
	return result == -SK_ERESTART ? -SK_EINTR : result;
}

sk_user sk_init_put(struct sk_init *i, const void *data, size_t size)
{
	uint32_t at = (i->used + 7) & ~UINT32_C(7);

	if (size > SK_INIT_MEMORY - at)
		return 0; /* the call answers EFAULT */
	memcpy(i->memory + at, data, size);
	i->used = at + (uint32_t)size;
	return at;
}

sk_user sk_init_text(struct sk_init *i, const char *text)
{
	return sk_init_put(i, text, strlen(text) + 1);
}

static void wake_on(struct sk_init *i, int signo)
{
	struct sk_abi_sigaction action = { .handler = WAKES };

	i->used = START;
	sk_init_call(i, SK_SYS_rt_sigaction, (uint64_t)signo,
		     sk_init_put(i, &action, sizeof(action)), 0, 8);
}

int sk_init_start(struct sk_init *i, struct sk_kernel *k)
{
	struct sk_face *face;

	i->kernel = k;
	i->task = sk_kernel_init(k);
	i->memory = calloc(1, SK_INIT_MEMORY);
	if (!i->memory)
		return -ENOMEM;
	face = sk_task_face(i->task);
	face->memory = i->memory;
	atomic_store(&face->memory_size, SK_INIT_MEMORY);
	wake_on(i, SK_SIGCHLD);
	wake_on(i, SK_SIGWINCH);
	return 0;
}

void sk_init_folder(struct sk_init *i, const char *path)
{
	char text[SK_PATH_MAX];
	char *slash = text;

	snprintf(text, sizeof(text), "%s", path);
	while (slash) {
		i->used = START;
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		sk_init_call(i, SK_SYS_mkdirat, (uint64_t)SK_AT_FDCWD,
			     sk_init_text(i, text), 0755, 0);
		if (slash)
			*slash = '/';
	}
}

int sk_init_file(struct sk_init *i, const char *path, int fd, uint32_t mode)
{
	char data[64 << 10];
	int64_t to, n = 0, got;

	i->used = START;
	to = sk_init_call(i, SK_SYS_openat, (uint64_t)SK_AT_FDCWD,
			  sk_init_text(i, path),
			  SK_O_WRONLY | SK_O_CREAT | SK_O_TRUNC, mode);
	if (to < 0)
		return (int)to;
	while (n >= 0 && (got = read(fd, data, sizeof(data))) > 0) {
		i->used = START;
		n = sk_init_call(i, SK_SYS_write, (uint64_t)to,
				 sk_init_put(i, data, (size_t)got),
				 (uint64_t)got, 0);
	}
	sk_init_call(i, SK_SYS_close, (uint64_t)to, 0, 0, 0);
	return n < 0 ? (int)n : 0;
}

/* A WebAssembly file of the host takes a place in /usr/local/bin. */
static int import(struct sk_init *i, const char *host, char *path, size_t size)
{
	const char *name = strrchr(host, '/') + 1;
	size_t length = strlen(name);
	int fd = i->options->program_fd;
	int err;

	if (length > 5 && !strcmp(name + length - 5, ".wasm"))
		length -= 5;
	snprintf(path, size, "%s/%.*s", imported, (int)length, name);
	sk_init_folder(i, imported);
	err = sk_init_file(i, path, fd, 0755);
	if (err)
		sk_host_say("%s: %s", host, strerror(-err));
	return err;
}

static int is_program(struct sk_init *i, const char *path)
{
	struct sk_abi_stat st = { 0 };
	sk_user at;

	i->used = START;
	at = sk_init_put(i, &st, sizeof(st));
	if (sk_init_call(i, SK_SYS_newfstatat, (uint64_t)SK_AT_FDCWD,
			 sk_init_text(i, path), at, 0))
		return 0;
	memcpy(&st, i->memory + at, sizeof(st));
	return (st.mode & SK_S_IFMT) == SK_S_IFREG;
}

static const char *variable(struct sk_init *i, const char *name)
{
	size_t length = strlen(name);
	int n;

	for (n = 0; n < i->options->env_count; n++)
		if (!strncmp(i->options->env[n], name, length) &&
		    i->options->env[n][length] == '=')
			return i->options->env[n] + length + 1;
	return "";
}

/* 0: `path` is what the shell would start. */
static int look_for(struct sk_init *i, const char *name, char *path,
		    size_t size)
{
	const char *all = variable(i, "PATH"), *end;

	if (strchr(name, '/')) {
		snprintf(path, size, "%s", name);
		return is_program(i, path) ? 0 : -ENOENT;
	}
	for (;; all = end + 1) {
		end = strchrnul(all, ':');
		snprintf(path, size, "%.*s/%s", (int)(end - all), all, name);
		if (is_program(i, path))
			return 0;
		if (!*end)
			return -ENOENT;
	}
}

/* An array of strings, with its NULL. */
static sk_user put_array(struct sk_init *i, char **texts)
{
	uint32_t addresses[4096], n = 0;

	for (; texts[n] && n < 4095; n++)
		addresses[n] = sk_init_text(i, texts[n]);
	addresses[n++] = 0;
	return sk_init_put(i, addresses, n * sizeof(*addresses));
}

static int32_t refuse(const char *name, int64_t error)
{
	if (error == -SK_ENOENT) {
		sk_host_say("%s: there is no such program", name);
		return -127;
	}
	sk_host_say("%s: %s", name,
		    error == -SK_ENOEXEC ? "not a program of ours"
					 : strerror((int)-error));
	return -126;
}

/* What makes a terminal the program's controlling one, and its 0, 1, 2. */
static void use_terminal(struct sk_init *i, struct sk_abi_spawn *how,
			 const char *terminal)
{
	struct sk_abi_spawn_action actions[3] = {
		{ .kind = SK_SPAWN_OPEN, .fd = 0, .flags = SK_O_RDWR },
		{ .kind = SK_SPAWN_DUP2, .fd = 1, .from = 0 },
		{ .kind = SK_SPAWN_DUP2, .fd = 2, .from = 0 },
	};

	actions[0].path = sk_init_text(i, terminal);
	how->flags = SK_SPAWN_SETSID;
	how->action_count = 3;
	how->actions = sk_init_put(i, actions, sizeof(actions));
}

int32_t sk_init_spawn(struct sk_init *i, const char *terminal)
{
	struct sk_run_options *o = i->options;
	struct sk_abi_spawn how = { 0 };
	char path[SK_PATH_MAX];
	sk_user file, argv, envp;
	int64_t pid;
	int err;

	if (o->program_fd >= 0)
		err = import(i, o->argv[0], path, sizeof(path));
	else
		err = look_for(i, o->argv[0], path, sizeof(path));
	if (err)
		return refuse(o->argv[0], err);
	i->used = START;
	if (terminal)
		use_terminal(i, &how, terminal);
	file = sk_init_text(i, path);
	argv = put_array(i, o->argv);
	envp = put_array(i, o->env);
	pid = sk_init_call(i, SK_SYS_sk_spawn, file, argv, envp,
			   sk_init_put(i, &how, sizeof(how)));
	return pid < 0 ? refuse(o->argv[0], pid) : (int32_t)pid;
}

int sk_init_ended(struct sk_init *i, int options, int32_t *status)
{
	int64_t pid;

	i->used = START;
	*status = 0;
	pid = sk_init_call(i, SK_SYS_wait4, (uint64_t)i->pid,
			   sk_init_put(i, status, sizeof(*status)),
			   (uint64_t)options, 0);
	memcpy(status, i->memory + START, sizeof(*status));
	return pid == i->pid || pid == -SK_ECHILD;
}

int sk_init_status(int32_t status)
{
	int signo = status & 0x7f;

	return signo ? 128 + signo : status >> 8 & 0xff;
}

/* Standard streams as 0, 1, 2 of process 1, which the program inherits. */
static void open_streams(struct sk_init *i)
{
	static const uint32_t flags[3] = { SK_O_RDONLY, SK_O_WRONLY,
					   SK_O_WRONLY };
	int n;

	for (n = 0; n < 3; n++)
		if (i->streams[n] >= 0)
			sk_open_stream(i->task, i->streams[n], flags[n]);
}

int sk_init_run(struct sk_init *i)
{
	int32_t status;

	if (i->options->folder) {
		i->used = START;
		sk_init_call(i, SK_SYS_chdir,
			     sk_init_text(i, i->options->folder), 0, 0, 0);
	}
	if (i->options->terminal)
		return sk_init_terminal(i);
	open_streams(i);
	i->pid = sk_init_spawn(i, NULL);
	if (i->pid < 0)
		return -i->pid;
	while (!sk_init_ended(i, 0, &status))
		;
	return sk_init_status(status);
}
