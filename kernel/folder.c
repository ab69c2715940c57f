/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folders as a process uses them: getdents64, chdir, fchdir, chroot, getcwd.
 *
 * The offset of an open folder: 0 is before ".", 1 before "..", and 2 + n
 * before what its file system calls position n.
 */
#include "file.h"
#include "process.h"

#define DIRENT_NAME offsetof(struct sk_abi_dirent, name)

/* One entry, as large as it may be. */
union entry {
	struct sk_abi_dirent head;
	char bytes[(DIRENT_NAME + SK_NAME_MAX + 1 + 7) & ~(size_t)7];
};

/* The entry at the offset: 1, or 0 at the end. */
static int next_entry(struct sk_file *f, union entry *e)
{
	struct sk_inode *dir = f->path.inode, *up;
	char name[SK_NAME_MAX + 1] = "..";
	uint32_t mode = SK_S_IFDIR;
	int64_t next;
	size_t len;
	int found;

	e->head.ino = dir->ino;
	e->head.off = f->offset <= 1 ? f->offset + 1 : 0;
	if (f->offset == 0) {
		name[1] = '\0';
	} else if (f->offset == 1) {
		if (dir != dir->super->root &&
		    !dir->ops->parent(dir, &up, NULL)) {
			e->head.ino = up->ino;
			sk_inode_put(up);
		}
	} else {
		found = dir->ops->list(dir, f->offset - 2, &next, name,
				       &e->head.ino, &mode);
		if (found <= 0)
			return found;
		e->head.off = next > INT64_MAX - 2 ? INT64_MAX : next + 2;
	}
	len = strlen(name) + 1;
	e->head.reclen = (uint16_t)((DIRENT_NAME + len + 7) & ~(size_t)7);
	e->head.type = (uint8_t)((mode & SK_S_IFMT) >> 12);
	memset(e->bytes + DIRENT_NAME, 0, e->head.reclen - DIRENT_NAME);
	memcpy(e->bytes + DIRENT_NAME, name, len);
	return 1;
}

int64_t sk_sys_getdents64(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);
	uint32_t size = (uint32_t)a[2], done = 0;
	sk_user to = (sk_user)a[1];
	union entry e;
	int found;

	if (!f || (f->flags & SK_O_PATH))
		return -SK_EBADF;
	if (!f->path.inode || (f->path.inode->mode & SK_S_IFMT) != SK_S_IFDIR)
		return -SK_ENOTDIR;
	if (f->path.inode != f->path.mount->super->root &&
	    f->path.inode->nlink == 0)
		return -SK_ENOENT;
	sk_file_get(f);
	for (;;) {
		found = next_entry(f, &e);
		if (found <= 0)
			break;
		if (e.head.reclen > size - done) {
			found = done ? 0 : -SK_EINVAL;
			break;
		}
		found = sk_copy_out(t, to + done, &e, e.head.reclen);
		if (found)
			break;
		done += e.head.reclen;
		f->offset = e.head.off;
	}
	sk_file_put(f);
	return done ? (int64_t)done : found;
}

static int enter(struct sk_task *t, struct sk_path *where,
		 const struct sk_path *to)
{
	struct sk_path old = *where;
	int error;

	if ((to->inode->mode & SK_S_IFMT) != SK_S_IFDIR)
		return -SK_ENOTDIR;
	error = sk_inode_access(t, to, SK_X_OK);
	if (error)
		return error;
	*where = *to;
	sk_path_get(where);
	sk_path_put(&old);
	return 0;
}

static int64_t enter_path(struct sk_task *t, sk_user path,
			  struct sk_path *where)
{
	char text[SK_PATH_MAX];
	struct sk_walk w;
	int64_t error = sk_walk_user(t, SK_AT_FDCWD, path, text,
				     SK_WALK_FOLLOW | SK_WALK_FOLDER, &w);

	if (error)
		return error;
	error = enter(t, where, &w.path);
	sk_path_put(&w.path);
	return error;
}

int64_t sk_sys_chdir(struct sk_task *t, const uint64_t *a)
{
	return enter_path(t, (sk_user)a[0], &t->process->cwd);
}

int64_t sk_sys_fchdir(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[0]);

	if (!f)
		return -SK_EBADF;
	if (!f->path.inode)
		return -SK_ENOTDIR;
	return enter(t, &t->process->cwd, &f->path);
}

int64_t sk_sys_chroot(struct sk_task *t, const uint64_t *a)
{
	if (t->process->uid[1])
		return -SK_EPERM;
	return enter_path(t, (sk_user)a[0], &t->process->root);
}

int64_t sk_sys_getcwd(struct sk_task *t, const uint64_t *a)
{
	char text[SK_PATH_MAX];
	int64_t n =
		sk_path_name(t->process, &t->process->cwd, text, sizeof(text));
	int error;

	if (n < 0)
		return n;
	if ((uint32_t)a[1] < n + 1)
		return -SK_ERANGE;
	error = sk_copy_out(t, (sk_user)a[0], text, (uint32_t)n + 1);
	return error ? error : n + 1;
}
