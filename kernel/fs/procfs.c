/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * procfs: the tree. An inode is made at each look-up and holds only numbers
 * (what, whose, which descriptor); what it shows is looked up when it is read,
 * so that a process that has gone is -SK_ENOENT or -SK_ESRCH, never a pointer.
 *
 *     /            KERNEL files, a folder per process, self, mounts, sys
 *     /sys/kernel  KERNEL files whose names begin so
 *     /PID         PROCESS files, cwd, root, exe, fd
 *     /PID/fd      links to open files
 */
#include "fs/procfs.h"

enum kind {
	ROOT,
	SYS,
	SYS_KERNEL,
	SELF,
	MOUNTS,
	KERNEL_FILE, /* of no process */
	PROCESS,
	FDS,
	FD,
	CWD,
	TOP,
	EXE,
	PROCESS_FILE,
};

struct proc_inode {
	struct sk_inode i;
	enum kind kind;
	int32_t pid;
	uint32_t n; /* descriptor, or index in a table of files */
};

static const struct sk_inode_ops dir_ops, link_ops, thing_ops, file_ops;

#define SYS_PREFIX "sys/kernel/"

static struct proc_inode *proc(struct sk_inode *i)
{
	return (struct proc_inode *)i;
}

static int inode_new(struct sk_super *s, enum kind kind, int32_t pid,
		     uint32_t n, struct sk_inode **out)
{
	struct proc_inode *p = sk_alloc(s->kernel, sizeof(*p));
	const struct sk_inode_ops *ops = &file_ops;
	uint32_t mode = SK_S_IFREG | 0444;

	if (!p)
		return -SK_ENOMEM;
	switch (kind) {
	case ROOT:
	case SYS:
	case SYS_KERNEL:
	case PROCESS:
	case FDS:
		ops = &dir_ops;
		mode = SK_S_IFDIR | (kind == FDS ? 0500 : 0555);
		break;
	case SELF:
	case MOUNTS:
		ops = &link_ops;
		mode = SK_S_IFLNK | 0777;
		break;
	case FD:
	case CWD:
	case TOP:
	case EXE:
		ops = &thing_ops;
		mode = SK_S_IFLNK | 0777;
		break;
	default:
		break;
	}
	p->kind = kind;
	p->pid = pid;
	p->n = n;
	sk_inode_init(&p->i, s, ops,
		      1 + ((uint64_t)(uint32_t)pid << 24) + ((uint64_t)n << 4) +
			      kind,
		      mode);
	*out = &p->i;
	return 0;
}

static struct sk_process *owner(struct sk_inode *i)
{
	return sk_process_find(i->kernel, proc(i)->pid);
}

static bool is_name(const char *name, size_t len, const char *what)
{
	return strlen(what) == len && !memcmp(name, what, len);
}

/* A decimal number without leading zeros, or -1. */
static int32_t number(const char *name, size_t len)
{
	int32_t n = 0;

	if (!len || len > 9 || (name[0] == '0' && len > 1))
		return -1;
	for (size_t at = 0; at < len; at++) {
		if (name[at] < '0' || name[at] > '9')
			return -1;
		n = n * 10 + (name[at] - '0');
	}
	return n;
}

static int find_file(struct sk_inode *dir, const struct sk_proc_file *files,
		     const char *prefix, const char *name, size_t len,
		     struct sk_inode **out)
{
	size_t skip = strlen(prefix);

	for (uint32_t n = 0; files[n].name; n++)
		if (!strncmp(files[n].name, prefix, skip) &&
		    is_name(name, len, files[n].name + skip))
			return inode_new(dir->super,
					 files == sk_proc_kernel_files
						 ? KERNEL_FILE
						 : PROCESS_FILE,
					 proc(dir)->pid, n, out);
	return -SK_ENOENT;
}

/* Names with a meaning of their own, by folder. */
static const struct {
	enum kind dir, kind;
	const char *name;
} special[] = {
	{ ROOT, SELF, "self" },	 { ROOT, MOUNTS, "mounts" },
	{ ROOT, SYS, "sys" },	 { SYS, SYS_KERNEL, "kernel" },
	{ PROCESS, CWD, "cwd" }, { PROCESS, EXE, "exe" },
	{ PROCESS, FDS, "fd" },	 { PROCESS, TOP, "root" },
};
#define SPECIALS (sizeof(special) / sizeof(*special))

static struct sk_file *file_at(struct sk_process *p, uint32_t fd)
{
	if (!p || !p->fds || fd >= p->fds->size)
		return NULL;
	return p->fds->table[fd].file;
}

static int lookup(struct sk_inode *dir, const char *name, size_t len,
		  struct sk_inode **out)
{
	enum kind kind = proc(dir)->kind;
	int32_t pid = proc(dir)->pid, n = number(name, len);

	if ((kind == PROCESS || kind == FDS) && !owner(dir))
		return -SK_ENOENT;
	for (size_t s = 0; s < SPECIALS; s++)
		if (special[s].dir == kind &&
		    is_name(name, len, special[s].name))
			return inode_new(dir->super, special[s].kind, pid, 0,
					 out);
	switch (kind) {
	case ROOT:
		if (n > 0 && sk_process_find(dir->kernel, n))
			return inode_new(dir->super, PROCESS, n, 0, out);
		if (memchr(name, '/', len))
			return -SK_ENOENT;
		return find_file(dir, sk_proc_kernel_files, "", name, len, out);
	case SYS_KERNEL:
		return find_file(dir, sk_proc_kernel_files, SYS_PREFIX, name,
				 len, out);
	case PROCESS:
		return find_file(dir, sk_proc_process_files, "", name, len,
				 out);
	case FDS:
		if (n < 0 || !file_at(owner(dir), (uint32_t)n))
			return -SK_ENOENT;
		return inode_new(dir->super, FD, pid, (uint32_t)n, out);
	default:
		return -SK_ENOENT;
	}
}

/* Positions of a folder: its special names, its files, then what is alive. */
#define FILES_AT 16
#define LIVE_AT	 64

static int list_special(enum kind kind, int64_t *at, char *name, uint32_t *mode)
{
	for (; *at < (int64_t)SPECIALS; ++*at) {
		enum kind is = special[*at].kind;

		if (special[*at].dir != kind)
			continue;
		sk_format(name, SK_NAME_MAX + 1, "%s", special[*at].name);
		*mode = is == SYS || is == SYS_KERNEL || is == FDS ? SK_S_IFDIR
								   : SK_S_IFLNK;
		return 1;
	}
	return 0;
}

static int list_files(enum kind kind, int64_t *at, char *name, uint32_t *mode)
{
	const struct sk_proc_file *files =
		kind == PROCESS ? sk_proc_process_files : sk_proc_kernel_files;
	size_t skip = strlen(SYS_PREFIX);

	if (kind == FDS || kind == SYS)
		return 0;
	if (*at < FILES_AT)
		*at = FILES_AT;
	for (; *at < LIVE_AT && files[*at - FILES_AT].name; ++*at) {
		const char *text = files[*at - FILES_AT].name;
		bool sys = !strncmp(text, SYS_PREFIX, skip);

		if (sys != (kind == SYS_KERNEL))
			continue;
		sk_format(name, SK_NAME_MAX + 1, "%s", text + (sys ? skip : 0));
		*mode = SK_S_IFREG;
		return 1;
	}
	return 0;
}

/* The process with the lowest pid from `from` on. */
static struct sk_process *process_from(struct sk_kernel *k, int32_t from)
{
	struct sk_process *best = NULL;

	SK_LIST_EACH(node, &k->processes)
	{
		struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		if (p->pid >= from && (!best || p->pid < best->pid))
			best = p;
	}
	return best;
}

static int list_live(struct sk_inode *dir, int64_t *at, char *name,
		     uint32_t *mode)
{
	struct sk_process *p;

	if (*at < LIVE_AT)
		*at = LIVE_AT;
	if (proc(dir)->kind == ROOT) {
		p = *at - LIVE_AT > INT32_MAX
			    ? NULL
			    : process_from(dir->kernel,
					   (int32_t)(*at - LIVE_AT));
		if (!p)
			return 0;
		*at = LIVE_AT + p->pid;
		*mode = SK_S_IFDIR;
	} else if (proc(dir)->kind == FDS) {
		p = owner(dir);
		while (p && p->fds && *at - LIVE_AT < p->fds->size &&
		       !file_at(p, (uint32_t)(*at - LIVE_AT)))
			++*at;
		if (!p || !p->fds || *at - LIVE_AT >= p->fds->size)
			return 0;
		*mode = SK_S_IFLNK;
	} else {
		return 0;
	}
	sk_format(name, SK_NAME_MAX + 1, "%d", (int)(*at - LIVE_AT));
	return 1;
}

static int list(struct sk_inode *dir, int64_t at, int64_t *next,
		char name[SK_NAME_MAX + 1], uint64_t *ino, uint32_t *mode)
{
	enum kind kind = proc(dir)->kind;
	struct sk_inode *found;

	if (!list_special(kind, &at, name, mode) &&
	    !list_files(kind, &at, name, mode) &&
	    !list_live(dir, &at, name, mode))
		return 0;
	*next = at + 1;
	*ino = dir->ino;
	if (!lookup(dir, name, strlen(name), &found)) {
		*ino = found->ino;
		sk_inode_put(found);
	}
	return 1;
}

static int parent(struct sk_inode *i, struct sk_inode **out,
		  char name[SK_NAME_MAX + 1])
{
	struct proc_inode *p = proc(i);
	enum kind up = ROOT;

	if (p->kind == ROOT)
		return -SK_ENOENT;
	if (p->kind == FD)
		up = FDS;
	else if (p->kind > PROCESS)
		up = PROCESS;
	else if (p->kind == SYS_KERNEL)
		up = SYS;
	if (name) {
		sk_format(name, SK_NAME_MAX + 1, "%d",
			  p->kind == FD ? (int32_t)p->n : p->pid);
		for (size_t s = 0; s < SPECIALS; s++)
			if (special[s].kind == p->kind)
				sk_format(name, SK_NAME_MAX + 1, "%s",
					  special[s].name);
		if (p->kind == KERNEL_FILE || p->kind == PROCESS_FILE)
			sk_format(name, SK_NAME_MAX + 1, "%s",
				  (p->kind == KERNEL_FILE
					   ? sk_proc_kernel_files
					   : sk_proc_process_files)[p->n]
					  .name);
	}
	if (!out)
		return 0;
	if (up == ROOT) {
		*out = sk_inode_get(i->super->root);
		return 0;
	}
	return inode_new(i->super, up, p->pid, 0, out);
}

static void forget(struct sk_inode *i)
{
	struct sk_kernel *k = i->kernel;

	sk_inode_fini(i);
	sk_free(k, i, sizeof(struct proc_inode));
}

static int statfs(struct sk_inode *i, struct sk_abi_statfs *out)
{
	(void)i;
	out->type = 0x9fa0; /* PROC_SUPER_MAGIC */
	return 0;
}

static const struct sk_inode_ops dir_ops = {
	.lookup = lookup,
	.list = list,
	.parent = parent,
	.statfs = statfs,
	.forget = forget,
};

/* self and mounts: text of whoever reads. */
static int64_t put_text(const char *text, char *to, size_t size)
{
	size_t n = strlen(text);

	if (n > size)
		n = size;
	memcpy(to, text, n);
	return (int64_t)n;
}

static int64_t link_text(struct sk_inode *i, struct sk_task *t, char *to,
			 size_t size)
{
	char text[16] = "self/mounts";

	if (!t)
		return -SK_EACCES;
	if (proc(i)->kind == SELF)
		sk_format(text, sizeof(text), "%d", t->process->pid);
	return put_text(text, to, size);
}

static const struct sk_inode_ops link_ops = {
	.parent = parent,
	.readlink = link_text,
	.statfs = statfs,
	.forget = forget,
};

static int place(struct sk_inode *i, struct sk_path *out)
{
	struct sk_process *p = owner(i);
	struct sk_file *f;

	if (!p)
		return -SK_ENOENT;
	*out = (struct sk_path){ NULL, NULL };
	switch (proc(i)->kind) {
	case FD:
		f = file_at(p, proc(i)->n);
		if (!f)
			return -SK_ENOENT;
		*out = f->path;
		break;
	case CWD:
		*out = p->cwd;
		break;
	case TOP:
		*out = p->root;
		break;
	default:
		sk_process_program(p, out);
		break;
	}
	return 0;
}

static int jump(struct sk_inode *i, struct sk_task *t, struct sk_path *out)
{
	int error = place(i, out);

	(void)t;
	if (error)
		return error;
	if (!out->inode)
		return proc(i)->kind == FD ? 1 : -SK_ENOENT;
	sk_path_get(out);
	return 0;
}

static int reopen(struct sk_inode *i, struct sk_task *t, struct sk_file **out)
{
	struct sk_process *p = owner(i);
	struct sk_file *f = p ? file_at(p, proc(i)->n) : NULL;

	(void)t;
	if (!f)
		return -SK_ENOENT;
	*out = sk_file_get(f);
	return 0;
}

static int64_t thing_text(struct sk_inode *i, struct sk_task *t, char *to,
			  size_t size)
{
	struct sk_process *p = owner(i);
	struct sk_path path;
	char text[64];
	int64_t n;
	int error = t ? place(i, &path) : -SK_EACCES;

	if (error)
		return error;
	if (path.inode) {
		n = sk_path_name(t->process, &path, to, size);
		return n == -SK_ENOENT ? put_text("(deleted)", to, size) : n;
	}
	if (proc(i)->kind != FD)
		return -SK_ENOENT;
	sk_format(text, sizeof(text), "%s:[%llu]",
		  (file_at(p, proc(i)->n)->ops->mode & SK_S_IFMT) == SK_S_IFIFO
			  ? "pipe"
		  : (file_at(p, proc(i)->n)->ops->mode & SK_S_IFMT) ==
				  SK_S_IFSOCK
			  ? "socket"
			  : "anon_inode",
		  (unsigned long long)file_at(p, proc(i)->n)->ino);
	return put_text(text, to, size);
}

/* Only links to descriptors are reopened; for the others jump never says 1. */
static const struct sk_inode_ops thing_ops = {
	.parent = parent,
	.readlink = thing_text,
	.jump = jump,
	.reopen = reopen,
	.statfs = statfs,
	.forget = forget,
};

/*
 * An open file has the text of when its start was read last. It refers to the
 * inode itself: the path's may be that of an overlay.
 */
struct open_text {
	struct sk_proc_text text;
	struct proc_inode *of;
};

static int text_fill(struct open_text *o, struct sk_task *t)
{
	struct proc_inode *p = o->of;
	struct sk_proc_text *x = &o->text;
	struct sk_process *of = NULL;

	sk_proc_text_fini(x);
	x->failed = false;
	if (p->kind == PROCESS_FILE) {
		of = owner(&p->i);
		if (!of)
			return -SK_ESRCH;
		sk_proc_process_files[p->n].write(x, t, of);
	} else {
		sk_proc_kernel_files[p->n].write(x, t, NULL);
	}
	return x->failed ? -SK_ENOMEM : 0;
}

static int64_t text_pread(struct sk_file *f, struct sk_task *t,
			  struct sk_io *io, int64_t offset)
{
	struct open_text *o = f->data;
	struct sk_proc_text *x = &o->text;
	int error = offset == 0 || !x->data ? text_fill(o, t) : 0;

	if (error)
		return error;
	if (offset >= (int64_t)x->size)
		return 0;
	return sk_io_put(io, x->data + offset, x->size - (size_t)offset);
}

static int64_t text_read(struct sk_file *f, struct sk_task *t, struct sk_io *io)
{
	int64_t n = text_pread(f, t, io, f->offset);

	if (n > 0)
		f->offset += n;
	return n;
}

static int64_t text_seek(struct sk_file *f, int64_t offset, int whence)
{
	int64_t at = whence == SK_SEEK_CUR ? f->offset + offset : offset;

	if ((whence != SK_SEEK_SET && whence != SK_SEEK_CUR) || at < 0)
		return -SK_EINVAL;
	f->offset = at;
	return at;
}

static void text_release(struct sk_file *f)
{
	struct open_text *o = f->data;

	sk_proc_text_fini(&o->text);
	sk_inode_put(&o->of->i);
	sk_free(f->kernel, o, sizeof(*o));
}

static const struct sk_file_ops text_ops = {
	.read = text_read,
	.pread = text_pread,
	.seek = text_seek,
	.release = text_release,
};

static int open(struct sk_inode *i, struct sk_task *t, uint32_t flags,
		struct sk_file *file)
{
	struct open_text *o;

	(void)t;
	if (flags & SK_O_ACCMODE)
		return -SK_EACCES;
	if (proc(i)->kind == PROCESS_FILE && !owner(i))
		return -SK_ENOENT;
	o = sk_alloc(i->kernel, sizeof(*o));
	if (!o)
		return -SK_ENOMEM;
	o->text.kernel = i->kernel;
	o->of = proc(sk_inode_get(i));
	file->data = o;
	file->ops = &text_ops;
	return 0;
}

static const struct sk_inode_ops file_ops = {
	.parent = parent,
	.open = open,
	.statfs = statfs,
	.forget = forget,
};

static void fini(struct sk_super *s)
{
	if (s->root)
		sk_inode_put(s->root);
	sk_free(s->kernel, s, sizeof(*s));
}

int sk_procfs_new(struct sk_kernel *k, struct sk_super **out)
{
	struct sk_super *s = sk_alloc(k, sizeof(*s));
	int error;

	if (!s)
		return -SK_ENOMEM;
	s->kernel = k;
	s->refs = 1;
	s->dev = ++k->next_dev;
	s->type = "proc";
	s->fini = fini;
	error = inode_new(s, ROOT, 0, 0, &s->root);
	if (error) {
		sk_free(k, s, sizeof(*s));
		return error;
	}
	*out = s;
	return 0;
}
