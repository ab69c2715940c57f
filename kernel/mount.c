/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of mounts. A mount covers a folder (`on`), whose inode points back
 * at it; a walk that comes to the folder goes on in the mount, and ".." of the
 * mount's root goes on from the folder. The root mount covers nothing.
 *
 * A mount that something refers to (an open file, a cwd, a mount on it) is
 * busy and stays.
 */
#include "file.h"
#include "process.h"

static int mount_new(struct sk_super *super, uint32_t flags,
		     struct sk_mount **out)
{
	struct sk_mount *m = sk_alloc(super->kernel, sizeof(*m));

	if (!m)
		return -SK_ENOMEM;
	sk_list_init(&m->link);
	m->refs = 1;
	m->super = sk_super_get(super);
	m->flags = flags;
	*out = m;
	return 0;
}

int sk_mount_detached(struct sk_super *super, struct sk_mount **out)
{
	return mount_new(super, 0, out);
}

int sk_mount_root(struct sk_kernel *k, struct sk_super *super)
{
	int error = mount_new(super, 0, &k->root);

	sk_super_put(super);
	if (!error)
		sk_list_add(&k->mounts, &k->root->link);
	return error;
}

static void detach(struct sk_mount *m)
{
	if (m->on.inode)
		m->on.inode->mounted = NULL;
	sk_list_remove(&m->link);
	sk_mount_put(m);
}

/* A mount lies in the list behind what it is mounted on. */
void sk_mount_fini(struct sk_kernel *k)
{
	while (!sk_list_empty(&k->mounts))
		detach(SK_CONTAINER(k->mounts.prev, struct sk_mount, link));
	k->root = NULL;
}

/* The root of the process that mounts, when that is what it covers. */
static void enter_root(struct sk_process *p, struct sk_mount *m)
{
	struct sk_path root = { m, m->super->root };

	sk_path_get(&root);
	sk_path_get(&root);
	sk_path_put(&p->root);
	sk_path_put(&p->cwd);
	p->root = p->cwd = root;
	p->kernel->root = m;
}

static int attach(struct sk_task *t, struct sk_super *super,
		  const struct sk_path *on, uint32_t flags)
{
	struct sk_process *p = t->process;
	struct sk_mount *m;
	int error;

	if (on->inode->mounted)
		return -SK_EBUSY;
	error = mount_new(super, flags, &m);
	if (error)
		return error;
	m->on = *on;
	sk_path_get(&m->on);
	on->inode->mounted = m;
	sk_list_add(&sk_kernel_of(t)->mounts, &m->link);
	if (on->inode == p->root.inode && on->mount == p->root.mount)
		enter_root(p, m);
	return 0;
}

/* "lower:upper", upper may be empty or missing. */
static int overlay_new(struct sk_task *t, const char *source,
		       struct sk_super **out)
{
	struct sk_walk lower, upper = { .path = { NULL, NULL } };
	struct sk_kernel *k = sk_kernel_of(t);
	size_t size = strlen(source) + 1, n = 0;
	char *text = sk_strdup(k, source);
	int error;

	if (!text)
		return -SK_ENOMEM;
	while (text[n] && text[n] != ':')
		n++;
	if (text[n])
		text[n++] = '\0';
	error = sk_walk(t, SK_AT_FDCWD, text, SK_WALK_FOLLOW | SK_WALK_FOLDER,
			&lower);
	if (!error && text[n]) {
		error = sk_walk(t, SK_AT_FDCWD, text + n,
				SK_WALK_FOLLOW | SK_WALK_FOLDER, &upper);
		if (error)
			sk_path_put(&lower.path);
	}
	sk_free(k, text, size);
	if (error)
		return error;
	error = sk_overlayfs_new(k, &lower.path,
				 upper.path.inode ? &upper.path : NULL, out);
	sk_path_put(&lower.path);
	sk_path_put(&upper.path);
	return error;
}

static int archive_new(struct sk_task *t, const char *source, bool zip,
		       struct sk_super **out)
{
	struct sk_walk w;
	int error = sk_walk(t, SK_AT_FDCWD, source, SK_WALK_FOLLOW, &w);

	if (error)
		return error;
	if ((w.path.inode->mode & SK_S_IFMT) != SK_S_IFREG)
		error = -SK_EINVAL;
	else
		error = zip ? sk_zipfs_new(sk_kernel_of(t), &w.path, out)
			    : sk_tarfs_new(sk_kernel_of(t), &w.path, out);
	sk_path_put(&w.path);
	return error;
}

/* A program may mount what gives it nothing new; hostfs is the host's. */
static int super_new(struct sk_task *t, const char *type, const char *source,
		     struct sk_super **out)
{
	struct sk_kernel *k = sk_kernel_of(t);

	if (!strcmp(type, "memfs") || !strcmp(type, "tmpfs"))
		return sk_memfs_new(k, out);
	if (!strcmp(type, "devfs") || !strcmp(type, "devtmpfs"))
		return sk_devfs_new(k, out);
	if (!strcmp(type, "procfs") || !strcmp(type, "proc"))
		return sk_procfs_new(k, out);
	if (!strcmp(type, "overlay"))
		return overlay_new(t, source, out);
	if (!strcmp(type, "zip") || !strcmp(type, "tar"))
		return archive_new(t, source, *type == 'z', out);
	return -SK_ENODEV;
}

static int mount_on(struct sk_task *t, struct sk_super *super,
		    const char *target, uint32_t flags)
{
	struct sk_walk w;
	int error = sk_walk(t, SK_AT_FDCWD, target,
			    SK_WALK_FOLLOW | SK_WALK_FOLDER, &w);

	if (error)
		return error;
	error = attach(t, super, &w.path, flags);
	sk_path_put(&w.path);
	return error;
}

static int make_folder(struct sk_task *t, const char *path)
{
	struct sk_inode *dir;
	struct sk_walk w;
	int error = sk_walk(t, SK_AT_FDCWD, path, SK_WALK_PARENT, &w);

	if (error)
		return error;
	dir = w.path.inode;
	error = w.name_len && dir->ops->create
			? dir->ops->create(dir, w.name, w.name_len,
					   SK_S_IFDIR | 0755, 0, NULL)
			: 0;
	sk_path_put(&w.path);
	return error == -SK_EEXIST ? 0 : error;
}

/* Makes the folders of a target that are not there. */
static int make_target(struct sk_task *t, const char *target)
{
	struct sk_kernel *k = sk_kernel_of(t);
	size_t size = strlen(target) + 1;
	char *text = sk_strdup(k, target);
	struct sk_walk w;
	int error = 0;

	if (!text)
		return -SK_ENOMEM;
	for (size_t n = 1; n < size && !error; n++) {
		char end = text[n];

		if (end && end != '/')
			continue;
		text[n] = '\0';
		error = sk_walk(t, SK_AT_FDCWD, text, SK_WALK_FOLLOW, &w);
		if (!error)
			sk_path_put(&w.path);
		else if (error == -SK_ENOENT)
			error = make_folder(t, text);
		text[n] = end;
	}
	sk_free(k, text, size);
	return error;
}

int sk_mount(struct sk_task *t, const char *type, const char *source,
	     const char *target, uint32_t flags, int handle)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_super *super;
	int error;

	if (!*target)
		return -SK_ENOENT;
	sk_lock(k);
	if (!strcmp(type, "hostfs"))
		error = sk_hostfs_new(k, handle, &super);
	else
		error = super_new(t, type, source ? source : "", &super);
	if (!error) {
		error = make_target(t, target);
		if (!error)
			error = mount_on(t, super, target, flags);
		sk_super_put(super);
	}
	sk_unlock(k);
	return error;
}

#define MS_RDONLY  1u
#define MS_NOEXEC  8u
#define MS_REMOUNT 32u
#define MS_BIND	   4096u

static int remount(struct sk_task *t, const char *target, uint32_t flags)
{
	struct sk_walk w;
	int error = sk_walk(t, SK_AT_FDCWD, target, SK_WALK_FOLLOW, &w);

	if (error)
		return error;
	if (w.path.inode != w.path.mount->super->root)
		error = -SK_EINVAL;
	else if ((w.path.mount->flags & ~flags) & SK_MOUNT_RDONLY)
		/* Read-only is what the host may have meant. */
		error = -SK_EPERM;
	else
		w.path.mount->flags = flags;
	sk_path_put(&w.path);
	return error;
}

int64_t sk_sys_mount(struct sk_task *t, const uint64_t *a)
{
	uint32_t flags = (uint32_t)a[3];
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_super *super;
	char type[16], target[SK_PATH_MAX], *source;
	uint32_t kept = flags & (MS_RDONLY | MS_NOEXEC);
	int64_t error;

	if (t->process->uid[1])
		return -SK_EPERM;
	if (flags & MS_BIND)
		return -SK_EINVAL;
	error = sk_copy_string(t, target, (sk_user)a[1], sizeof(target));
	if (error < 0)
		return error;
	if (flags & MS_REMOUNT)
		return remount(t, target, kept);
	error = sk_copy_string(t, type, (sk_user)a[2], sizeof(type));
	if (error < 0)
		return error == -SK_ENAMETOOLONG ? -SK_ENODEV : error;
	source = sk_alloc(k, SK_PATH_MAX);
	if (!source)
		return -SK_ENOMEM;
	error = (sk_user)a[0]
			? sk_copy_string(t, source, (sk_user)a[0], SK_PATH_MAX)
			: 0;
	if (error >= 0)
		error = super_new(t, type, source, &super);
	if (!error) {
		error = mount_on(t, super, target, kept);
		sk_super_put(super);
	}
	sk_free(k, source, SK_PATH_MAX);
	return error;
}

#define MNT_DETACH 2u

int64_t sk_sys_umount2(struct sk_task *t, const uint64_t *a)
{
	char text[SK_PATH_MAX];
	struct sk_mount *m;
	struct sk_walk w;
	int64_t error;

	if (t->process->uid[1])
		return -SK_EPERM;
	error = sk_walk_user(t, SK_AT_FDCWD, (sk_user)a[0], text,
			     SK_WALK_FOLLOW, &w);
	if (error)
		return error;
	m = w.path.mount;
	if (w.path.inode != m->super->root || sk_list_empty(&m->link))
		error = -SK_EINVAL;
	/* The tree, and this walk, have a reference each. */
	else if (!m->on.inode || m == t->process->root.mount ||
		 (m->refs > 2 && !((uint32_t)a[1] & MNT_DETACH)))
		error = -SK_EBUSY;
	else
		detach(m);
	sk_path_put(&w.path);
	return error;
}
