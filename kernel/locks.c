/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks on files: of ranges by process (F_SETLK), of ranges by open file
 * (F_OFD_SETLK), and of whole files by open file (flock). The first two
 * conflict with each other; flock is apart, as in Linux.
 *
 * The range locks of an inode lie in one list. Those of one owner never
 * overlap: setting one cuts what the owner had there. Both ends are included;
 * INT64_MAX as the last means "to the end, wherever that comes to be".
 *
 * Who waits notes the process that is in its way in call.stage[0]; a chain of
 * such notes that comes back to its beginning is a deadlock. The note is taken
 * away when the lock goes, before the waiter has run again.
 */
#include "file.h"
#include "process.h"

struct lock {
	struct lock *next;
	struct sk_process *process; /* owner, or NULL */
	struct sk_file *file;	    /* owner, or NULL */
	int64_t first, last;
	int32_t pid; /* -1 for open files */
	bool write;
};

struct sk_locks {
	struct lock *ranges;
	struct lock *flocks; /* first and last unused */
	struct sk_waitq changed;
};

static int locks_of(struct sk_inode *i, struct sk_locks **out)
{
	if (!i->locks) {
		i->locks = sk_alloc(i->kernel, sizeof(*i->locks));
		if (!i->locks)
			return -SK_ENOLCK;
		sk_waitq_init(&i->locks->changed);
	}
	*out = i->locks;
	return 0;
}

static void changed(struct sk_locks *l)
{
	SK_LIST_EACH(node, &l->changed.waiters)
	SK_CONTAINER(node, struct sk_waiter, link)->task->call.stage[0] = 0;
	sk_waitq_wake(&l->changed);
}

static void free_all(struct sk_kernel *k, struct lock *l)
{
	for (struct lock *next; l; l = next) {
		next = l->next;
		sk_free(k, l, sizeof(*l));
	}
}

void sk_locks_fini(struct sk_inode *i)
{
	sk_waitq_fini(&i->locks->changed);
	free_all(i->kernel, i->locks->ranges);
	free_all(i->kernel, i->locks->flocks);
	sk_free(i->kernel, i->locks, sizeof(*i->locks));
	i->locks = NULL;
}

static bool owns(const struct lock *l, const struct lock *other)
{
	return l->process == other->process && l->file == other->file;
}

static struct lock *conflict(struct lock *list, const struct lock *wanted)
{
	for (struct lock *l = list; l; l = l->next)
		if (!owns(l, wanted) && (l->write || wanted->write) &&
		    l->first <= wanted->last && wanted->first <= l->last)
			return l;
	return NULL;
}

/* Takes what belongs to an owner off a list; true when there was some. */
static bool drop(struct sk_kernel *k, struct lock **list,
		 const struct sk_process *p, const struct sk_file *f)
{
	bool any = false;

	for (struct lock **at = list; *at;) {
		struct lock *l = *at;

		if (l->process != p || l->file != f) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		sk_free(k, l, sizeof(*l));
		any = true;
	}
	return any;
}

void sk_locks_closed(struct sk_inode *i, struct sk_process *p)
{
	if (drop(i->kernel, &i->locks->ranges, p, NULL))
		changed(i->locks);
}

void sk_locks_released(struct sk_inode *i, struct sk_file *f)
{
	bool any = drop(i->kernel, &i->locks->ranges, NULL, f);

	if (drop(i->kernel, &i->locks->flocks, NULL, f) || any)
		changed(i->locks);
}

/*
 * Cuts a range out of what its owner has. A lock in the middle of which it
 * lies becomes two, the second of which is `spare` (then *spare is NULL).
 */
static void cut(struct sk_kernel *k, struct sk_locks *l,
		const struct lock *range, struct lock **spare)
{
	for (struct lock **at = &l->ranges; *at;) {
		struct lock *have = *at;

		if (!owns(have, range) || have->first > range->last ||
		    have->last < range->first) {
			at = &have->next;
		} else if (have->first >= range->first &&
			   have->last <= range->last) {
			*at = have->next;
			sk_free(k, have, sizeof(*have));
		} else if (have->first < range->first &&
			   have->last > range->last) {
			**spare = *have;
			(*spare)->first = range->last + 1;
			have->last = range->first - 1;
			have->next = *spare;
			*spare = NULL;
			return;
		} else {
			if (have->first < range->first)
				have->last = range->first - 1;
			else
				have->first = range->last + 1;
			at = &have->next;
		}
	}
}

/* Joins a new lock with its owner's neighbours of the same kind. */
static void join(struct sk_kernel *k, struct sk_locks *l, struct lock *mine)
{
	for (struct lock **at = &l->ranges; *at;) {
		struct lock *have = *at;

		if (have != mine && owns(have, mine) &&
		    have->write == mine->write &&
		    (have->last + 1 == mine->first ||
		     (mine->last != INT64_MAX &&
		      have->first == mine->last + 1))) {
			if (have->first < mine->first)
				mine->first = have->first;
			else
				mine->last = have->last;
			*at = have->next;
			sk_free(k, have, sizeof(*have));
		} else {
			at = &have->next;
		}
	}
}

static int set(struct sk_inode *i, const struct lock *wanted, bool unlock)
{
	struct sk_kernel *k = i->kernel;
	struct lock *spare, *made = NULL;
	struct sk_locks *l = i->locks;

	spare = sk_alloc(k, sizeof(*spare));
	if (!spare)
		return -SK_ENOLCK;
	if (!unlock) {
		made = sk_alloc(k, sizeof(*made));
		if (!made) {
			sk_free(k, spare, sizeof(*spare));
			return -SK_ENOLCK;
		}
		*made = *wanted;
	}
	cut(k, l, wanted, &spare);
	if (made) {
		made->next = l->ranges;
		l->ranges = made;
		join(k, l, made);
	}
	if (spare)
		sk_free(k, spare, sizeof(*spare));
	changed(l);
	return 0;
}

static struct sk_process *waits_for(struct sk_process *p)
{
	SK_LIST_EACH(node, &p->tasks)
	{
		struct sk_task *t = SK_CONTAINER(node, struct sk_task, link);

		if (t->call.n == SK_SYS_fcntl && t->call.stage[0])
			return (struct sk_process *)(uintptr_t)t->call.stage[0];
	}
	return NULL;
}

static bool is_deadlock(struct sk_kernel *k, struct sk_process *me,
			struct sk_process *in_the_way)
{
	uint32_t steps = k->process_count + 1;

	while (in_the_way && steps--) {
		if (in_the_way == me)
			return true;
		in_the_way = waits_for(in_the_way);
	}
	return false;
}

static int64_t wait(struct sk_task *t, struct sk_locks *l,
		    const struct lock *wanted, const struct lock *in_the_way)
{
	int64_t result;

	if (wanted->process && in_the_way->process &&
	    is_deadlock(sk_kernel_of(t), wanted->process, in_the_way->process))
		return -SK_EDEADLK;
	result = sk_wait_on(t, &l->changed);
	if (result == -SK_PARK)
		t->call.stage[0] =
			wanted->process
				? (uint64_t)(uintptr_t)in_the_way->process
				: 0;
	return result;
}

/* The range of a struct flock. */
static int range_in(struct sk_file *f, const struct sk_abi_flock *fl,
		    struct lock *out)
{
	struct sk_inode *i = f->path.inode;
	int64_t base, start;

	switch (fl->whence) {
	case SK_SEEK_SET:
		base = 0;
		break;
	case SK_SEEK_CUR:
		base = f->offset;
		break;
	case SK_SEEK_END:
		base = i->size;
		break;
	default:
		return -SK_EINVAL;
	}
	if (fl->start > INT64_MAX - base)
		return -SK_EOVERFLOW;
	start = base + fl->start;
	if (start < 0)
		return -SK_EINVAL;
	if (fl->len > 0 && fl->len - 1 > INT64_MAX - start)
		return -SK_EOVERFLOW;
	if (fl->len < 0 && start + fl->len < 0)
		return -SK_EINVAL;
	out->first = fl->len < 0 ? start + fl->len : start;
	out->last = fl->len == 0  ? INT64_MAX
		    : fl->len < 0 ? start - 1
				  : start + fl->len - 1;
	return 0;
}

static int64_t get(struct sk_task *t, struct sk_inode *i,
		   const struct lock *wanted, struct sk_abi_flock *fl,
		   sk_user user)
{
	const struct lock *l =
		i->locks ? conflict(i->locks->ranges, wanted) : NULL;

	if (l) {
		fl->type = l->write ? SK_F_WRLCK : SK_F_RDLCK;
		fl->whence = SK_SEEK_SET;
		fl->start = l->first;
		fl->len = l->last == INT64_MAX ? 0 : l->last - l->first + 1;
		fl->pid = l->pid;
	} else {
		fl->type = SK_F_UNLCK;
	}
	return sk_copy_out(t, user, fl, sizeof(*fl));
}

int64_t sk_locks_fcntl(struct sk_task *t, struct sk_file *f, int command,
		       sk_user user)
{
	bool ofd = command >= SK_F_OFD_GETLK;
	bool is_get = command == SK_F_GETLK || command == SK_F_OFD_GETLK;
	bool waits = command == SK_F_SETLKW || command == SK_F_OFD_SETLKW;
	uint32_t access = f->flags & SK_O_ACCMODE;
	struct lock wanted = { 0 }, *in_the_way;
	struct sk_abi_flock fl;
	struct sk_locks *l;
	int64_t error = sk_copy_in(t, &fl, user, sizeof(fl));

	t->call.stage[0] = 0;
	if (error)
		return error;
	if (!f->path.inode)
		return -SK_EINVAL;
	if (fl.type != SK_F_RDLCK && fl.type != SK_F_WRLCK &&
	    (fl.type != SK_F_UNLCK || is_get))
		return -SK_EINVAL;
	if (ofd && fl.pid)
		return -SK_EINVAL;
	error = range_in(f, &fl, &wanted);
	if (error)
		return error;
	wanted.process = ofd ? NULL : t->process;
	wanted.file = ofd ? f : NULL;
	wanted.pid = ofd ? -1 : t->process->pid;
	wanted.write = fl.type == SK_F_WRLCK;
	if (is_get)
		return get(t, f->path.inode, &wanted, &fl, user);
	if ((fl.type == SK_F_RDLCK && access == SK_O_WRONLY) ||
	    (fl.type == SK_F_WRLCK && access == SK_O_RDONLY))
		return -SK_EBADF;
	error = locks_of(f->path.inode, &l);
	if (error)
		return error;
	if (fl.type == SK_F_UNLCK)
		return set(f->path.inode, &wanted, true);
	in_the_way = conflict(l->ranges, &wanted);
	if (in_the_way)
		return waits ? wait(t, l, &wanted, in_the_way) : -SK_EAGAIN;
	return set(f->path.inode, &wanted, false);
}

int64_t sk_sys_flock(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	uint32_t how = (uint32_t)a[1] & ~(uint32_t)SK_LOCK_NB;
	struct lock wanted = { .file = f, .last = INT64_MAX }, *made;
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_locks *l;
	int error;

	if (!f || (f->flags & SK_O_PATH))
		return -SK_EBADF;
	if (how != SK_LOCK_SH && how != SK_LOCK_EX && how != SK_LOCK_UN)
		return -SK_EINVAL;
	if (!f->path.inode)
		return -SK_EBADF;
	error = locks_of(f->path.inode, &l);
	if (error)
		return error;
	wanted.write = how == SK_LOCK_EX;
	if (how == SK_LOCK_UN) {
		if (drop(k, &l->flocks, NULL, f))
			changed(l);
		return 0;
	}
	if (conflict(l->flocks, &wanted)) {
		/* A change of kind is no atomic act: the old one goes. */
		if (drop(k, &l->flocks, NULL, f))
			changed(l);
		return ((uint32_t)a[1] & SK_LOCK_NB)
			       ? -SK_EAGAIN
			       : sk_wait_on(t, &l->changed);
	}
	made = sk_alloc(k, sizeof(*made));
	if (!made)
		return -SK_ENOLCK;
	if (drop(k, &l->flocks, NULL, f))
		changed(l);
	*made = wanted;
	made->next = l->flocks;
	l->flocks = made;
	return 0;
}
