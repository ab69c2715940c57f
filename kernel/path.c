/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks: from a path's text to a place, one component after the other.
 *
 * A walk holds a reference to where it stands, because a lookup may give the
 * lock back. A symbolic link puts its target in front of what is left of the
 * text: then the text lies in a buffer of the walk's own, of which there are
 * two, each used in turn. "link/" is what the link leads to.
 */
#include "file.h"
#include "process.h"

#define LINKS_MAX 40

struct walker {
	struct sk_task *task;
	struct sk_path at;
	const char *rest;
	uint32_t flags;
	uint32_t *links;
	char *buffer[2]; /* SK_PATH_MAX each, by need */
	uint32_t turn;
};

static bool is_dir(const struct sk_inode *i)
{
	return (i->mode & SK_S_IFMT) == SK_S_IFDIR;
}

/* Takes over the reference to `inode`, in the mount where the walk stands. */
static void step(struct walker *w, struct sk_inode *inode)
{
	struct sk_mount *m;

	sk_inode_put(w->at.inode);
	w->at.inode = inode;
	while ((m = w->at.inode->mounted)) {
		struct sk_path to = { m, m->super->root };

		sk_path_get(&to);
		sk_path_put(&w->at);
		w->at = to;
	}
}

static int step_up(struct walker *w)
{
	struct sk_process *p = w->task->process;
	struct sk_inode *up;
	int error;

	for (;;) {
		struct sk_mount *m = w->at.mount;
		struct sk_path on;

		if (w->at.inode == p->root.inode && m == p->root.mount)
			return 0;
		if (w->at.inode != m->super->root || !m->on.inode)
			break;
		on = m->on;
		sk_path_get(&on);
		sk_path_put(&w->at);
		w->at = on;
	}
	if (w->at.inode == w->at.mount->super->root)
		return 0;
	error = w->at.inode->ops->parent(w->at.inode, &up, NULL);
	if (error)
		return error;
	step(w, up);
	return 0;
}

static void restart_at(struct walker *w, struct sk_path to)
{
	sk_path_get(&to);
	sk_path_put(&w->at);
	w->at = to;
}

/*
 * The target of a link in front of `after`; or jumps where it leads. A link
 * to a thing that stands nowhere (a pipe) is taken for the thing.
 */
static int follow(struct walker *w, struct sk_inode *link, const char *after)
{
	struct sk_kernel *k = sk_kernel_of(w->task);
	char **buffer = &w->buffer[w->turn ^= 1];
	size_t left = strlen(after);
	struct sk_path to;
	int64_t n;
	int error;

	if (++*w->links > LINKS_MAX)
		return -SK_ELOOP;
	if (link->ops->jump) {
		w->rest = after;
		error = link->ops->jump(link, w->task, &to);
		if (error < 0)
			return error;
		if (error > 0) {
			step(w, sk_inode_get(link));
			return 0;
		}
		sk_path_put(&w->at);
		w->at = to;
		return 0;
	}
	if (!*buffer && !(*buffer = sk_alloc(k, SK_PATH_MAX)))
		return -SK_ENOMEM;
	n = link->ops->readlink(link, w->task, *buffer, SK_PATH_MAX);
	if (n < 0)
		return (int)n;
	if (n == 0)
		return -SK_ENOENT;
	if ((size_t)n + left >= SK_PATH_MAX)
		return -SK_ENAMETOOLONG;
	memcpy(*buffer + n, after, left + 1);
	w->rest = *buffer;
	if (**buffer == '/')
		restart_at(w, w->task->process->root);
	return 0;
}

static void name_found(struct sk_walk *out, const char *name, size_t len,
		       bool slash)
{
	memcpy(out->name, name, len);
	out->name[len] = '\0';
	out->name_len = len;
	out->name_is_folder = slash;
}

/* One component: 1 when it was the last that SK_WALK_PARENT wants. */
static int component(struct walker *w, struct sk_walk *out)
{
	const char *name = w->rest, *after;
	struct sk_inode *found;
	size_t len = 0;
	bool slash, last;
	int error;

	while (name[len] && name[len] != '/')
		len++;
	for (after = name + len; *after == '/'; after++)
		;
	slash = name[len] == '/';
	last = !*after;
	if (!is_dir(w->at.inode))
		return -SK_ENOTDIR;
	if (len > SK_NAME_MAX)
		return -SK_ENAMETOOLONG;
	error = sk_inode_access(w->task, &w->at, SK_X_OK);
	if (error)
		return error;
	if (last && (w->flags & SK_WALK_PARENT)) {
		name_found(out, name, len, slash);
		return 1;
	}
	w->rest = after;
	if (name[0] == '.' && len == 1)
		return 0;
	if (name[0] == '.' && name[1] == '.' && len == 2)
		return step_up(w);
	error = w->at.inode->ops->lookup(w->at.inode, name, len, &found);
	if (error)
		return error;
	if ((found->mode & SK_S_IFMT) == SK_S_IFLNK &&
	    (!last || slash || (w->flags & SK_WALK_FOLLOW))) {
		/* Its slash stays: it parts the two, or asks for a folder. */
		error = follow(w, found, name + len);
		sk_inode_put(found);
		return error;
	}
	step(w, found);
	if (slash && !is_dir(w->at.inode))
		return -SK_ENOTDIR;
	return 0;
}

static int walk(struct walker *w, struct sk_walk *out)
{
	struct sk_kernel *k = sk_kernel_of(w->task);
	int error = 0;

	name_found(out, "", 0, false);
	while (!error) {
		while (*w->rest == '/')
			w->rest++;
		if (!*w->rest)
			break;
		error = component(w, out);
	}
	for (uint32_t i = 0; i < 2; i++)
		if (w->buffer[i])
			sk_free(k, w->buffer[i], SK_PATH_MAX);
	if (error >= 0 && (w->flags & SK_WALK_FOLDER) && !is_dir(w->at.inode))
		error = -SK_ENOTDIR;
	if (error < 0) {
		sk_path_put(&w->at);
		return error;
	}
	out->path = w->at;
	return 0;
}

int sk_walk_from(struct sk_task *t, const struct sk_path *from,
		 const char *path, uint32_t flags, uint32_t *links,
		 struct sk_walk *out)
{
	struct walker w = {
		.task = t, .rest = path, .flags = flags, .links = links
	};

	w.at = *path == '/' ? t->process->root : *from;
	sk_path_get(&w.at);
	return walk(&w, out);
}

int sk_walk(struct sk_task *t, int dirfd, const char *path, uint32_t flags,
	    struct sk_walk *out)
{
	const struct sk_path *from = &t->process->cwd;
	uint32_t links = 0;

	if (!*path && !(flags & SK_WALK_EMPTY))
		return -SK_ENOENT;
	if (*path != '/' && dirfd != SK_AT_FDCWD) {
		const struct sk_file *f = sk_fd_file(t, dirfd);

		if (!f)
			return -SK_EBADF;
		if (!f->path.inode)
			return *path ? -SK_ENOTDIR : -SK_EINVAL;
		from = &f->path;
		if (*path && !is_dir(from->inode))
			return -SK_ENOTDIR;
	}
	return sk_walk_from(t, from, path, flags, &links, out);
}

int sk_walk_user(struct sk_task *t, int dirfd, sk_user path, char *buffer,
		 uint32_t flags, struct sk_walk *out)
{
	int64_t n = sk_copy_string(t, buffer, path, SK_PATH_MAX);

	if (n < 0)
		return (int)n;
	return sk_walk(t, dirfd, buffer, flags, out);
}

/*
 * Written from the end of `to` backwards, moved to its front when done. A
 * place that the root does not reach is -SK_ENOENT.
 */
int64_t sk_path_name(struct sk_process *p, const struct sk_path *path, char *to,
		     size_t size)
{
	struct sk_path at = *path;
	size_t start = size, len;
	char name[SK_NAME_MAX + 1];
	int64_t error = 0;

	if (size < 2 || !at.mount)
		return size < 2 ? -SK_ERANGE : -SK_ENOENT;
	to[--start] = '\0';
	sk_path_get(&at);
	while (at.inode != p->root.inode || at.mount != p->root.mount) {
		struct sk_path up = { at.mount, NULL };

		if (at.inode == at.mount->super->root) {
			if (!at.mount->on.inode) {
				error = -SK_ENOENT;
				break;
			}
			up = at.mount->on;
			sk_path_get(&up);
			sk_path_put(&at);
			at = up;
			continue;
		}
		error = at.inode->ops->parent
				? at.inode->ops->parent(at.inode, &up.inode,
							name)
				: -SK_ENOENT;
		if (error)
			break;
		up.mount->refs++;
		sk_path_put(&at);
		at = up;
		len = strlen(name);
		if (len + 1 > start) {
			error = -SK_ERANGE;
			break;
		}
		start -= len;
		memcpy(to + start, name, len);
		to[--start] = '/';
	}
	sk_path_put(&at);
	if (error)
		return error;
	if (to[start] == '\0') {
		if (start == 0)
			return -SK_ERANGE;
		to[--start] = '/';
	}
	memmove(to, to + start, size - start);
	return (int64_t)(size - start - 1);
}
