/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sk_spawn: posix_spawn as one call. The child is made as by a fork, acts on
 * its own descriptors and folder while the parent's memory is lent to it (the
 * paths and arguments are there), and is started by the host on the image that
 * was found. Nothing of it is left when any step fails.
 */
#include "calls.h"
#include "exec.h"

static const char default_path[] = "/usr/local/bin:/bin:/usr/bin";

static void lend_memory(struct sk_task *child, struct sk_task *t)
{
	child->face.memory = t->face.memory;
	child->face.memory_size = t->face.memory_size;
	child->face.host = t->face.host;
}

static void take_memory_back(struct sk_task *child)
{
	child->face.memory = NULL;
	child->face.memory_size = 0;
	child->face.host = NULL;
}

static uint64_t mask_of(const uint32_t words[2])
{
	return words[0] | (uint64_t)words[1] << 32;
}

static int64_t set_group(struct sk_task *child,
			 const struct sk_abi_spawn *spawn)
{
	const uint64_t pgroup[6] = { 0, (uint32_t)spawn->pgroup };
	const uint64_t none[6] = { 0 };
	int64_t result = 0;

	if (spawn->flags & SK_SPAWN_SETSID)
		result = sk_sys_setsid(child, none);
	if (result >= 0 && (spawn->flags & SK_SPAWN_SETPGROUP))
		result = sk_sys_setpgid(child, pgroup);
	return result < 0 ? result : 0;
}

static int64_t set_attributes(struct sk_task *child,
			      const struct sk_abi_spawn *spawn)
{
	struct sk_process *p = child->process;
	uint64_t defaults = mask_of(spawn->sigdefault);

	if (spawn->flags & SK_SPAWN_RESETIDS) {
		p->uid[1] = p->uid[0];
		p->gid[1] = p->gid[0];
	}
	if (spawn->flags & SK_SPAWN_SETSIGDEF)
		for (int signo = 1; signo <= SK_SIGMAX; signo++)
			if (defaults & SK_SIG_BIT(signo))
				p->actions[signo].handler = SK_SIG_DFL;
	if (spawn->flags & SK_SPAWN_SETSIGMASK)
		sk_signal_mask(child, mask_of(spawn->sigmask));
	return set_group(child, spawn);
}

static int64_t move_fd(struct sk_task *child, int from, int to)
{
	const uint64_t a[6] = { (uint32_t)from, (uint32_t)to, 0 };
	struct sk_fds *fds = child->process->fds;

	if (from != to)
		return sk_sys_dup3(child, a);
	/* As dup2 onto itself in a child that is about to exec: it stays. */
	if (!sk_fd_file(child, from))
		return -SK_EBADF;
	fds->table[from].cloexec = false;
	return from;
}

static int64_t open_as(struct sk_task *child,
		       const struct sk_abi_spawn_action *action)
{
	const uint64_t a[6] = { (uint32_t)SK_AT_FDCWD, action->path,
				(uint32_t)action->flags, action->mode };
	int64_t fd, result;

	sk_fd_close(child, action->fd);
	fd = sk_sys_openat(child, a);
	if (fd == -SK_PARK) {
		/* A fifo without its other end: nobody waits for a child. */
		sk_wait_leave(child);
		return -SK_EAGAIN;
	}
	if (fd < 0 || fd == action->fd)
		return fd;
	result = move_fd(child, (int)fd, action->fd);
	sk_fd_close(child, (int)fd);
	return result;
}

static int64_t act(struct sk_task *child,
		   const struct sk_abi_spawn_action *action)
{
	const uint64_t path[6] = { action->path };
	const uint64_t fd[6] = { (uint32_t)action->fd };

	switch (action->kind) {
	case SK_SPAWN_CLOSE:
		sk_fd_close(child, action->fd);
		return 0;
	case SK_SPAWN_DUP2:
		return move_fd(child, action->from, action->fd);
	case SK_SPAWN_OPEN:
		return open_as(child, action);
	case SK_SPAWN_CHDIR:
		return sk_sys_chdir(child, path);
	case SK_SPAWN_FCHDIR:
		return sk_sys_fchdir(child, fd);
	}
	return -SK_EINVAL;
}

static int64_t act_all(struct sk_task *child, const struct sk_abi_spawn *spawn)
{
	for (uint32_t i = 0; i < spawn->action_count; i++) {
		struct sk_abi_spawn_action action;
		int64_t result = sk_copy_in(
			child, &action,
			spawn->actions + i * (uint32_t)sizeof(action),
			sizeof(action));

		if (!result)
			result = act(child, &action);
		if (result < 0)
			return result;
	}
	return 0;
}

/* PATH of an environment in the program's memory, or the default. */
static int64_t copy_search_path(struct sk_task *t, sk_user envp, char *to,
				uint32_t size)
{
	char start[5];
	sk_user at;

	for (; envp; envp += 4) {
		if (sk_copy_in(t, &at, envp, 4))
			return -SK_EFAULT;
		if (!at)
			break;
		if (!sk_copy_in(t, start, at, 5) && !memcmp(start, "PATH=", 5))
			return sk_copy_string(t, to, at + 5, size);
	}
	memcpy(to, default_path, sizeof(default_path));
	return sizeof(default_path) - 1;
}

struct names {
	char name[SK_NAME_MAX + 1];
	char search[SK_PATH_MAX];
	char path[SK_PATH_MAX + SK_NAME_MAX + 2];
};

static int64_t search_along(struct sk_task *child, struct names *n,
			    sk_user argv, sk_user envp)
{
	int64_t result = -SK_ENOENT, error;
	const char *at = n->search;

	for (;;) {
		size_t length = 0;

		while (at[length] && at[length] != ':')
			length++;
		memcpy(n->path, at, length);
		sk_format(n->path + length, sizeof(n->path) - length, "%s%s",
			  length ? "/" : "", n->name);
		error = sk_image_find(child, n->path, argv, envp);
		if (error == -SK_EACCES)
			result = error;
		else if (error != -SK_ENOENT && error != -SK_ENOTDIR)
			return error;
		if (!at[length])
			return result;
		at += length + 1;
	}
}

static int64_t find(struct sk_task *child, struct names *n, sk_user path,
		    const sk_user vectors[2], bool search)
{
	int64_t length = sk_copy_string(child, n->path, path, SK_PATH_MAX);

	if (length < 0)
		return length;
	if (!search || memchr(n->path, '/', (size_t)length))
		return sk_image_find(child, n->path, vectors[0], vectors[1]);
	if (!length)
		return -SK_ENOENT;
	if (length > SK_NAME_MAX)
		return -SK_ENAMETOOLONG;
	memcpy(n->name, n->path, (size_t)length + 1);
	length = copy_search_path(child, vectors[1], n->search,
				  sizeof(n->search));
	if (length < 0)
		return length;
	return search_along(child, n, vectors[0], vectors[1]);
}

static int64_t prepare(struct sk_task *child, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(child);
	const sk_user vectors[2] = { (sk_user)a[1], (sk_user)a[2] };
	struct sk_abi_spawn spawn = { 0 };
	struct names *n;
	int64_t result = 0;

	if (a[3])
		result =
			sk_copy_in(child, &spawn, (sk_user)a[3], sizeof(spawn));
	if (!result)
		result = set_attributes(child, &spawn);
	if (!result)
		result = act_all(child, &spawn);
	if (result)
		return result;
	n = sk_alloc(k, sizeof(*n));
	if (!n)
		return -SK_ENOMEM;
	result = find(child, n, (sk_user)a[0], vectors,
		      spawn.flags & SK_SPAWN_SEARCH);
	sk_free(k, n, sizeof(*n));
	return result;
}

int64_t sk_sys_sk_spawn(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_task *child;
	int64_t result;
	int32_t pid;

	result = sk_process_copy(t, &child);
	if (result)
		return result;
	lend_memory(child, t);
	result = prepare(child, a);
	take_memory_back(child);
	pid = child->process->pid;
	if (!result) {
		sk_unlock(k);
		result = k->host->start(k->self, child);
		sk_lock(k);
	}
	if (!result)
		return pid;
	sk_process_drop(child->process);
	return result;
}
