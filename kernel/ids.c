/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who a process is: pids, users, groups. Ids are recorded, and root may take
 * any; files belong to the kernel's one user all the same.
 *
 * What only a process's own task changes is read without the lock.
 */
#include "calls.h"
#include "copy.h"
#include "process.h"

#define UNCHANGED UINT32_MAX

int64_t sk_sys_getpid(struct sk_task *t, const uint64_t *a)
{
	(void)a;
	return t->process->pid;
}

int64_t sk_sys_gettid(struct sk_task *t, const uint64_t *a)
{
	(void)a;
	return t->tid;
}

int64_t sk_sys_set_tid_address(struct sk_task *t, const uint64_t *a)
{
	(void)a;
	return t->tid;
}

int64_t sk_sys_getppid(struct sk_task *t, const uint64_t *a)
{
	const struct sk_process *parent = t->process->parent;

	(void)a;
	return parent ? parent->pid : 0;
}

int64_t sk_sys_getuid(struct sk_task *t, const uint64_t *a)
{
	(void)a;
	return t->process->uid[0];
}

int64_t sk_sys_geteuid(struct sk_task *t, const uint64_t *a)
{
	(void)a;
	return t->process->uid[1];
}

int64_t sk_sys_getgid(struct sk_task *t, const uint64_t *a)
{
	(void)a;
	return t->process->gid[0];
}

int64_t sk_sys_getegid(struct sk_task *t, const uint64_t *a)
{
	(void)a;
	return t->process->gid[1];
}

static bool is_root(const struct sk_task *t)
{
	return t->process->uid[1] == 0;
}

static bool among(const uint32_t ids[3], uint32_t id)
{
	return id == UNCHANGED || id == ids[0] || id == ids[1] || id == ids[2];
}

/* setresuid and setresgid. */
static int64_t set_three(struct sk_task *t, uint32_t ids[3], const uint64_t *a)
{
	const uint32_t new[3] = { (uint32_t)a[0], (uint32_t)a[1],
				  (uint32_t)a[2] };

	for (int i = 0; i < 3; i++)
		if (!is_root(t) && !among(ids, new[i]))
			return -SK_EPERM;
	for (int i = 0; i < 3; i++)
		if (new[i] != UNCHANGED)
			ids[i] = new[i];
	return 0;
}

/* setreuid and setregid: the saved id follows a change. */
static int64_t set_two(struct sk_task *t, uint32_t ids[3], const uint64_t *a)
{
	uint32_t real = (uint32_t)a[0], effective = (uint32_t)a[1];
	uint32_t old = ids[0];

	if (!is_root(t) &&
	    ((real != UNCHANGED && real != ids[0] && real != ids[1]) ||
	     !among(ids, effective)))
		return -SK_EPERM;
	if (real != UNCHANGED)
		ids[0] = real;
	if (effective != UNCHANGED)
		ids[1] = effective;
	if (real != UNCHANGED || (effective != UNCHANGED && effective != old))
		ids[2] = ids[1];
	return 0;
}

/* setuid and setgid: root changes all three. */
static int64_t set_one(struct sk_task *t, uint32_t ids[3], uint32_t id)
{
	if (id == UNCHANGED)
		return -SK_EINVAL;
	if (is_root(t))
		ids[0] = ids[1] = ids[2] = id;
	else if (id == ids[0] || id == ids[2])
		ids[1] = id;
	else
		return -SK_EPERM;
	return 0;
}

int64_t sk_sys_setuid(struct sk_task *t, const uint64_t *a)
{
	return set_one(t, t->process->uid, (uint32_t)a[0]);
}

int64_t sk_sys_setgid(struct sk_task *t, const uint64_t *a)
{
	return set_one(t, t->process->gid, (uint32_t)a[0]);
}

int64_t sk_sys_setreuid(struct sk_task *t, const uint64_t *a)
{
	return set_two(t, t->process->uid, a);
}

int64_t sk_sys_setregid(struct sk_task *t, const uint64_t *a)
{
	return set_two(t, t->process->gid, a);
}

int64_t sk_sys_setresuid(struct sk_task *t, const uint64_t *a)
{
	return set_three(t, t->process->uid, a);
}

int64_t sk_sys_setresgid(struct sk_task *t, const uint64_t *a)
{
	return set_three(t, t->process->gid, a);
}

static int64_t put_three(struct sk_task *t, const uint32_t ids[3],
			 const uint64_t *a)
{
	for (int i = 0; i < 3; i++)
		if (sk_copy_out(t, (sk_user)a[i], &ids[i], 4))
			return -SK_EFAULT;
	return 0;
}

int64_t sk_sys_getresuid(struct sk_task *t, const uint64_t *a)
{
	return put_three(t, t->process->uid, a);
}

int64_t sk_sys_getresgid(struct sk_task *t, const uint64_t *a)
{
	return put_three(t, t->process->gid, a);
}

int64_t sk_sys_getgroups(struct sk_task *t, const uint64_t *a)
{
	const struct sk_process *p = t->process;
	int32_t room = (int32_t)a[0];

	if (room < 0 || (room && (uint32_t)room < p->group_count))
		return -SK_EINVAL;
	if (room &&
	    sk_copy_out(t, (sk_user)a[1], p->groups, p->group_count * 4))
		return -SK_EFAULT;
	return p->group_count;
}

int64_t sk_sys_setgroups(struct sk_task *t, const uint64_t *a)
{
	struct sk_process *p = t->process;
	uint32_t groups[SK_GROUPS], count = (uint32_t)a[0];

	if (!is_root(t))
		return -SK_EPERM;
	if (count > SK_GROUPS)
		return -SK_EINVAL;
	if (sk_copy_in(t, groups, (sk_user)a[1], count * 4))
		return -SK_EFAULT;
	memcpy(p->groups, groups, count * 4);
	p->group_count = count;
	return 0;
}

int64_t sk_sys_umask(struct sk_task *t, const uint64_t *a)
{
	uint32_t old = t->process->umask;

	t->process->umask = (uint32_t)a[0] & 0777;
	return old;
}
