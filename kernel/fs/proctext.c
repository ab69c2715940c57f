/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texts of procfs, as Linux writes them: what ps, top, free, mount and
 * shells read. Numbers that the kernel does not count are 0.
 */
#include "fs/procfs.h"

#define TICK 10000000 /* ns; 100 a second */

void sk_proc_text_add(struct sk_proc_text *x, const char *data, size_t size)
{
	if (x->size + size > x->room) {
		size_t room = x->room ? x->room : 512;
		char *grown;

		while (room < x->size + size)
			room *= 2;
		grown = x->data ? sk_realloc(x->kernel, x->data, x->room, room)
				: sk_alloc(x->kernel, room);
		if (!grown) {
			x->failed = true;
			return;
		}
		x->data = grown;
		x->room = room;
	}
	memcpy(x->data + x->size, data, size);
	x->size += size;
}

void sk_proc_text_put(struct sk_proc_text *x, const char *text)
{
	sk_proc_text_add(x, text, strlen(text));
}

void sk_proc_text_fini(struct sk_proc_text *x)
{
	if (x->data)
		sk_free(x->kernel, x->data, x->room);
	x->data = NULL;
	x->size = x->room = 0;
}

/* At most 511 bytes. */
#define PUT(x, ...)                                                            \
	do {                                                                   \
		char line_[512];                                               \
		sk_format(line_, sizeof(line_), __VA_ARGS__);                  \
		sk_proc_text_put(x, line_);                                    \
	} while (0)

typedef unsigned long long ull;

static ull ticks(int64_t ns)
{
	return (ull)(ns / TICK);
}

/* Running time of what ended and of what runs. */
static int64_t busy(struct sk_kernel *k)
{
	int64_t ns = 0;

	SK_LIST_EACH(node, &k->processes)
	{
		const struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		ns += p->utime + p->stime;
		if (p == k->init)
			ns += p->child_utime + p->child_stime;
	}
	return ns;
}

static int64_t uptime_of(struct sk_kernel *k)
{
	return sk_now(k, SK_CLOCK_MONOTONIC) - k->boot_monotonic;
}

static void uptime(struct sk_proc_text *x, struct sk_task *t,
		   struct sk_process *p)
{
	struct sk_kernel *k = x->kernel;
	ull up = ticks(uptime_of(k)), idle = ticks(busy(k));

	(void)t;
	(void)p;
	idle = up > idle ? up - idle : 0;
	PUT(x, "%llu.%02llu %llu.%02llu\n", up / 100, up % 100, idle / 100,
	    idle % 100);
}

static uint32_t running(struct sk_kernel *k)
{
	uint32_t n = 0;

	SK_LIST_EACH(node, &k->processes)
	n += SK_CONTAINER(node, struct sk_process, link)->state ==
	     SK_PROCESS_RUNNING;
	return n;
}

static void loadavg(struct sk_proc_text *x, struct sk_task *t,
		    struct sk_process *p)
{
	(void)t;
	(void)p;
	PUT(x, "0.00 0.00 0.00 %u/%u %d\n", running(x->kernel),
	    x->kernel->process_count, x->kernel->last_pid);
}

static void meminfo(struct sk_proc_text *x, struct sk_task *t,
		    struct sk_process *p)
{
	ull total = x->kernel->max_bytes / 1024;
	ull left = total - x->kernel->bytes / 1024;

	(void)t;
	(void)p;
	PUT(x, "MemTotal:       %8llu kB\nMemFree:        %8llu kB\n", total,
	    left);
	PUT(x, "MemAvailable:   %8llu kB\nBuffers:        %8u kB\n", left, 0u);
	PUT(x, "Cached:         %8u kB\nSwapCached:     %8u kB\n", 0u, 0u);
	PUT(x, "SwapTotal:      %8u kB\nSwapFree:       %8u kB\n", 0u, 0u);
	PUT(x, "Shmem:          %8u kB\nSReclaimable:   %8u kB\n", 0u, 0u);
}

static void stat_all(struct sk_proc_text *x, struct sk_task *t,
		     struct sk_process *p)
{
	struct sk_kernel *k = x->kernel;
	ull user = ticks(busy(k)), up = ticks(uptime_of(k));
	ull idle = up > user ? up - user : 0;

	(void)t;
	(void)p;
	PUT(x, "cpu  %llu 0 0 %llu 0 0 0 0 0 0\n", user, idle);
	PUT(x, "cpu0 %llu 0 0 %llu 0 0 0 0 0 0\n", user, idle);
	PUT(x, "intr 0\nctxt 0\nbtime %lld\nprocesses %d\n",
	    (long long)(k->boot_realtime / 1000000000), k->last_pid);
	PUT(x, "procs_running %u\nprocs_blocked 0\n", running(k));
}

static void version(struct sk_proc_text *x, struct sk_task *t,
		    struct sk_process *p)
{
	(void)t;
	(void)p;
	sk_proc_text_put(x, "Linux version 6.1.0-selkie (selkie)\n");
}

static void cpuinfo(struct sk_proc_text *x, struct sk_task *t,
		    struct sk_process *p)
{
	(void)t;
	(void)p;
	sk_proc_text_put(x, "processor\t: 0\nmodel name\t: wasm32\n\n");
}

static void filesystems(struct sk_proc_text *x, struct sk_task *t,
			struct sk_process *p)
{
	(void)t;
	(void)p;
	sk_proc_text_put(x, "nodev\tmemfs\nnodev\ttmpfs\nnodev\tproc\n"
			    "nodev\tdevfs\nnodev\toverlay\n\tzip\n\ttar\n");
}

static void command_line(struct sk_proc_text *x, struct sk_task *t,
			 struct sk_process *p)
{
	(void)t;
	(void)p;
	sk_proc_text_put(x, "selkie\n");
}

static void mounts(struct sk_proc_text *x, struct sk_task *t,
		   struct sk_process *p)
{
	struct sk_kernel *k = x->kernel;
	char *where = sk_alloc(k, SK_PATH_MAX);

	if (!p)
		p = t->process;
	if (!where) {
		x->failed = true;
		return;
	}
	SK_LIST_EACH(node, &k->mounts)
	{
		struct sk_mount *m = SK_CONTAINER(node, struct sk_mount, link);
		struct sk_path at = { m, m->super->root };
		uint32_t flags = m->flags | m->super->flags;

		if (sk_path_name(p, &at, where, SK_PATH_MAX) < 0)
			continue;
		PUT(x, "%s ", m->super->type);
		sk_proc_text_put(x, where);
		PUT(x, " %s %s%s 0 0\n", m->super->type,
		    (flags & SK_MOUNT_RDONLY) ? "ro" : "rw",
		    (flags & SK_MOUNT_NOEXEC) ? ",noexec" : "");
	}
	sk_free(k, where, SK_PATH_MAX);
}

static void host_name(struct sk_proc_text *x, struct sk_task *t,
		      struct sk_process *p)
{
	(void)t;
	(void)p;
	sk_proc_text_put(x, x->kernel->hostname);
	sk_proc_text_put(x, "\n");
}

static void os_type(struct sk_proc_text *x, struct sk_task *t,
		    struct sk_process *p)
{
	(void)t;
	(void)p;
	sk_proc_text_put(x, "Linux\n");
}

static void pid_max(struct sk_proc_text *x, struct sk_task *t,
		    struct sk_process *p)
{
	(void)t;
	(void)p;
	sk_proc_text_put(x, "32768\n");
}

const struct sk_proc_file sk_proc_kernel_files[] = {
	{ "cmdline", command_line },
	{ "cpuinfo", cpuinfo },
	{ "filesystems", filesystems },
	{ "loadavg", loadavg },
	{ "meminfo", meminfo },
	{ "stat", stat_all },
	{ "uptime", uptime },
	{ "version", version },
	/* Those of sys/kernel, which procfs.c shows there. */
	{ "sys/kernel/hostname", host_name },
	{ "sys/kernel/ostype", os_type },
	{ "sys/kernel/pid_max", pid_max },
	{ NULL, NULL },
};

static char state_of(const struct sk_process *p)
{
	if (p->state == SK_PROCESS_ZOMBIE)
		return 'Z';
	if (p->state == SK_PROCESS_STOPPED)
		return 'T';
	SK_LIST_EACH(node, &p->tasks)
	if (SK_CONTAINER(node, struct sk_task, link)->parked)
		return 'S';
	return 'R';
}

static uint32_t memory_of(const struct sk_process *p)
{
	const struct sk_task *t;

	if (sk_list_empty(&p->tasks))
		return 0;
	t = SK_CONTAINER(p->tasks.next, struct sk_task, link);
	return t->face.memory_size;
}

static uint64_t blocked_of(const struct sk_process *p)
{
	if (sk_list_empty(&p->tasks))
		return 0;
	return SK_CONTAINER(p->tasks.next, struct sk_task, link)->blocked;
}

static int32_t parent_of(const struct sk_process *p)
{
	return p->parent ? p->parent->pid : 0;
}

static void stat_one(struct sk_proc_text *x, struct sk_task *t,
		     struct sk_process *p)
{
	uint32_t memory = memory_of(p);
	int32_t group = -1;
	uint64_t tty = p->tty ? sk_tty_number(p->tty, &group) : 0;

	(void)t;
	PUT(x, "%d (%s) %c %d %d %d %u %d 0 0 0 0 0 ", p->pid, p->name,
	    state_of(p), parent_of(p), p->pgid, p->sid, (uint32_t)tty, group);
	PUT(x, "%llu %llu %llu %llu %d %d 1 0 %llu ", ticks(p->utime),
	    ticks(p->stime), ticks(p->child_utime), ticks(p->child_stime),
	    20 + p->nice, p->nice,
	    ticks(p->started - x->kernel->boot_monotonic));
	PUT(x,
	    "%u %u 4294967295 0 0 0 0 0 0 %llu 0 0 0 0 0 17 0 0 0 0 0 0 "
	    "0 0 0 0 0 0 %d\n",
	    memory, memory / 4096, (ull)blocked_of(p), p->status);
}

static void statm(struct sk_proc_text *x, struct sk_task *t,
		  struct sk_process *p)
{
	uint32_t pages = memory_of(p) / 4096;

	(void)t;
	PUT(x, "%u %u 0 0 0 %u 0\n", pages, pages, pages);
}

static const char *state_name(char state)
{
	switch (state) {
	case 'Z':
		return "Z (zombie)";
	case 'T':
		return "T (stopped)";
	case 'S':
		return "S (sleeping)";
	default:
		return "R (running)";
	}
}

static void status(struct sk_proc_text *x, struct sk_task *t,
		   struct sk_process *p)
{
	uint64_t ignored = 0, caught = 0;

	(void)t;
	for (int n = 1; n <= SK_SIGMAX; n++) {
		if (p->actions[n].handler == SK_SIG_IGN)
			ignored |= SK_SIG_BIT(n);
		else if (p->actions[n].handler != SK_SIG_DFL)
			caught |= SK_SIG_BIT(n);
	}
	PUT(x, "Name:\t%s\nUmask:\t%04o\nState:\t%s\nTgid:\t%d\nPid:\t%d\n",
	    p->name, p->umask, state_name(state_of(p)), p->pid, p->pid);
	PUT(x, "PPid:\t%d\nTracerPid:\t0\nUid:\t%u\t%u\t%u\t%u\n", parent_of(p),
	    p->uid[0], p->uid[1], p->uid[2], p->uid[1]);
	PUT(x, "Gid:\t%u\t%u\t%u\t%u\nFDSize:\t%u\nGroups:\t\n", p->gid[0],
	    p->gid[1], p->gid[2], p->gid[1], p->fds ? p->fds->size : 0);
	PUT(x, "VmSize:\t%8u kB\nVmRSS:\t%8u kB\nThreads:\t1\n",
	    memory_of(p) / 1024, memory_of(p) / 1024);
	PUT(x, "SigPnd:\t0000000000000000\nShdPnd:\t%016llx\n",
	    (ull)p->pending);
	PUT(x, "SigBlk:\t%016llx\nSigIgn:\t%016llx\nSigCgt:\t%016llx\n",
	    (ull)blocked_of(p), (ull)ignored, (ull)caught);
}

static void comm(struct sk_proc_text *x, struct sk_task *t,
		 struct sk_process *p)
{
	(void)t;
	PUT(x, "%s\n", p->name);
}

/* Where the environment begins in sk_process.args. */
static uint32_t args_end(const struct sk_process *p)
{
	uint32_t at = 0;

	for (uint32_t n = 0; p->args && n < p->argc && at < p->args_size; n++)
		at += (uint32_t)strlen(p->args + at) + 1;
	return at;
}

static void cmdline(struct sk_proc_text *x, struct sk_task *t,
		    struct sk_process *p)
{
	(void)t;
	if (p->args)
		sk_proc_text_add(x, p->args, args_end(p));
}

static void env(struct sk_proc_text *x, struct sk_task *t, struct sk_process *p)
{
	uint32_t from = args_end(p), end = from;

	(void)t;
	for (uint32_t n = 0; p->args && n < p->envc && end < p->args_size; n++)
		end += (uint32_t)strlen(p->args + end) + 1;
	if (p->args)
		sk_proc_text_add(x, p->args + from, end - from);
}

static const struct {
	uint32_t which;
	const char *name, *unit;
} limit_names[] = {
	{ SK_RLIMIT_CPU, "Max cpu time", "seconds" },
	{ SK_RLIMIT_FSIZE, "Max file size", "bytes" },
	{ SK_RLIMIT_DATA, "Max data size", "bytes" },
	{ SK_RLIMIT_STACK, "Max stack size", "bytes" },
	{ SK_RLIMIT_CORE, "Max core file size", "bytes" },
	{ SK_RLIMIT_NPROC, "Max processes", "processes" },
	{ SK_RLIMIT_NOFILE, "Max open files", "files" },
	{ SK_RLIMIT_AS, "Max address space", "bytes" },
};

/* Text, and blanks up to a width. */
static void column(struct sk_proc_text *x, const char *text, size_t width)
{
	sk_proc_text_put(x, text);
	for (size_t n = strlen(text); n < width; n++)
		sk_proc_text_put(x, " ");
}

static void limit_value(struct sk_proc_text *x, uint64_t value)
{
	char text[32] = "unlimited";

	if (value != SK_RLIM_INFINITY)
		sk_format(text, sizeof(text), "%llu", (ull)value);
	column(x, text, 21);
}

static void limits(struct sk_proc_text *x, struct sk_task *t,
		   struct sk_process *p)
{
	(void)t;
	column(x, "Limit", 26);
	column(x, "Soft Limit", 21);
	column(x, "Hard Limit", 21);
	sk_proc_text_put(x, "Units\n");
	for (size_t n = 0; n < sizeof(limit_names) / sizeof(*limit_names);
	     n++) {
		const struct sk_abi_rlimit *l =
			&p->limits[limit_names[n].which];

		column(x, limit_names[n].name, 26);
		limit_value(x, l->cur);
		limit_value(x, l->max);
		sk_proc_text_put(x, limit_names[n].unit);
		sk_proc_text_put(x, "\n");
	}
}

static void maps(struct sk_proc_text *x, struct sk_task *t,
		 struct sk_process *p)
{
	(void)t;
	PUT(x, "00000000-%08x rw-p 00000000 00:00 0\n", memory_of(p));
}

const struct sk_proc_file sk_proc_process_files[] = {
	{ "cmdline", cmdline }, { "comm", comm },   { "environ", env },
	{ "limits", limits },	{ "maps", maps },   { "mounts", mounts },
	{ "stat", stat_one },	{ "statm", statm }, { "status", status },
	{ NULL, NULL },
};
