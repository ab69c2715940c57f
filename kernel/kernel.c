/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel's beginning and end. */
#include "file.h"
#include "process.h"

static uint32_t or_default(uint32_t value, uint32_t fallback)
{
	return value ? value : fallback;
}

static void set_limits(struct sk_kernel *k, const struct sk_config *config)
{
	const char *name = config->hostname ? config->hostname : "selkie";
	size_t length = strlen(name);

	k->max_processes = or_default(config->max_processes, 4096);
	k->max_fds = or_default(config->max_fds, 1024);
	k->max_bytes =
		config->max_memory ? config->max_memory : UINT64_C(1) << 30;
	k->uid = config->uid;
	k->gid = config->gid;
	if (length > sizeof(k->hostname) - 1)
		length = sizeof(k->hostname) - 1;
	memcpy(k->hostname, name, length);
}

static void set_rlimits(struct sk_kernel *k, struct sk_process *p)
{
	for (int i = 0; i < SK_RLIMITS; i++)
		p->limits[i].cur = p->limits[i].max = SK_RLIM_INFINITY;
	p->limits[SK_RLIMIT_NOFILE].cur = k->max_fds;
	p->limits[SK_RLIMIT_NOFILE].max = k->max_fds;
	p->limits[SK_RLIMIT_NPROC].cur = k->max_processes;
	p->limits[SK_RLIMIT_NPROC].max = k->max_processes;
	p->limits[SK_RLIMIT_STACK].cur = 8 << 20;
	p->limits[SK_RLIMIT_CORE].cur = 0;
}

/* Process 1, once there is a root. */
static int start_init(struct sk_kernel *k)
{
	struct sk_task *t;
	struct sk_process *p;
	int error = sk_process_new(k, NULL, &t);

	if (error)
		return error;
	p = k->init = t->process;
	/*
	 * What it starts is in no group and session that has a number (as in
	 * a pid namespace of Linux): a kill of -1 would be one of all.
	 */
	p->pgid = p->sid = 0;
	for (int i = 0; i < 3; i++) {
		p->uid[i] = k->uid;
		p->gid[i] = k->gid;
	}
	memcpy(p->name, "init", 5);
	set_rlimits(k, p);
	p->root = (struct sk_path){ k->root, k->root->super->root };
	p->cwd = p->root;
	sk_path_get(&p->root);
	sk_path_get(&p->cwd);
	return sk_fds_new(k, &p->fds);
}

static int start(struct sk_kernel *k)
{
	struct sk_super *root;
	int error;

	k->pid_buckets = 64;
	while (k->pid_buckets < k->max_processes)
		k->pid_buckets *= 2;
	k->pids = sk_alloc(k, k->pid_buckets * sizeof(struct sk_process *));
	if (!k->pids)
		return -SK_ENOMEM;
	error = sk_memfs_new(k, &root);
	if (error)
		return error;
	error = sk_mount_root(k, root);
	return error ? error : start_init(k);
}

int sk_kernel_new(const struct sk_config *config, struct sk_kernel **out)
{
	const struct sk_host *host = config->host;
	struct sk_kernel *k = host->alloc(config->self, sizeof(*k));
	int error;

	if (!k)
		return -SK_ENOMEM;
	k->host = host;
	k->self = config->self;
	set_limits(k, config);
	sk_list_init(&k->processes);
	sk_list_init(&k->timers);
	sk_list_init(&k->mounts);
	sk_list_init(&k->watches);
	k->armed = SK_NEVER;
	sk_waitq_init(&k->clock_set);
	k->boot_realtime = sk_now(k, SK_CLOCK_REALTIME);
	k->boot_monotonic = sk_now(k, SK_CLOCK_MONOTONIC);
	sk_lock(k);
	error = start(k);
	sk_unlock(k);
	if (error)
		sk_kernel_free(k);
	else
		*out = k;
	return error;
}

void sk_kernel_free(struct sk_kernel *k)
{
	sk_lock(k);
	if (k->init) {
		SK_LIST_EACH(node, &k->init->children)
		{
			struct sk_process *child =
				SK_CONTAINER(node, struct sk_process, sibling);

			if (child->state == SK_PROCESS_ZOMBIE)
				sk_process_reap(child);
		}
		sk_process_drop(k->init);
	}
	sk_mount_fini(k);
	if (k->pids)
		sk_free(k, k->pids,
			k->pid_buckets * sizeof(struct sk_process *));
	sk_unlock(k);
	k->host->free(k->self, k, sizeof(*k));
}

struct sk_task *sk_kernel_init(struct sk_kernel *k)
{
	return sk_process_task(k->init);
}

void sk_kernel_usage(struct sk_kernel *k, struct sk_kernel_usage *out)
{
	sk_lock(k);
	*out = (struct sk_kernel_usage){
		.bytes = k->bytes,
		.allocations = k->allocations,
		.processes = k->process_count,
		.files = k->file_count,
		.inodes = k->inode_count,
	};
	sk_unlock(k);
}
