/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exec: finding a program and its arguments, and becoming it.
 *
 * Everything that can fail comes first and makes a struct sk_image_file; the
 * host loads the image meanwhile; sk_exec_commit only changes what cannot
 * fail. Until then the old program stands as it was.
 *
 * A file that begins with "#!" names its interpreter, which may be such a file
 * too. `words` begins as the path that was asked for; each level puts the
 * interpreter and its one argument in front. They take the place of argv[0].
 */
#include "calls.h"
#include "exec.h"

#define SCRIPT_LEVELS 4
#define SCRIPT_LINE   256
#define WORDS_MAX     (SK_PATH_MAX + SCRIPT_LEVELS * SCRIPT_LINE)
#define ARGS_MAX      (2u << 20) /* strings and their pointers */

struct found {
	struct sk_path path;
	uint32_t levels, word_count, words_size;
	char words[WORDS_MAX];
	char line[SCRIPT_LINE];
	char spare[SCRIPT_LINE];
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* Puts `size` bytes, `count` words, in front. */
static void prepend(struct found *f, const char *words, uint32_t size,
		    uint32_t count)
{
	memmove(f->words + size, f->words, f->words_size);
	memcpy(f->words, words, size);
	f->words_size += size;
	f->word_count += count;
}

/* Splits "#! interpreter argument" (its end is a newline or the end). */
static int read_script_line(struct found *f, uint32_t length)
{
	char *at = f->line + 2, *end = f->line + length, *to = f->spare;
	const char *newline = memchr(f->line, '\n', length);
	uint32_t count = 1;

	if (newline)
		end = f->line + (newline - f->line);
	else if (length == SCRIPT_LINE)
		return -SK_ENOEXEC; /* cut off: who knows what it names */
	while (end > at && is_space(end[-1]))
		end--;
	while (at < end && is_space(*at))
		at++;
	if (at == end)
		return -SK_ENOEXEC;
	while (at < end && !is_space(*at))
		*to++ = *at++;
	*to++ = 0;
	while (at < end && is_space(*at))
		at++;
	if (at < end) {
		while (at < end)
			*to++ = *at++;
		*to++ = 0;
		count = 2;
	}
	prepend(f, f->spare, (uint32_t)(to - f->spare), count);
	return 0;
}

static int check_file(struct sk_task *t, struct sk_path *path)
{
	struct sk_inode *i = path->inode;
	int error = i->ops->refresh ? i->ops->refresh(i) : 0;

	if (error)
		return error;
	if ((i->mode & SK_S_IFMT) != SK_S_IFREG || !i->ops->read)
		return -SK_EACCES;
	if (path->mount->flags & SK_MOUNT_NOEXEC)
		return -SK_EACCES;
	return sk_inode_access(t, path, SK_X_OK);
}

/* What f->words begins with: 1 it is a program, 0 a script, or -errno. */
static int look_at(struct sk_task *t, struct found *f)
{
	struct sk_walk walk;
	struct sk_io io;
	int64_t length;
	int error;

	error = sk_walk(t, SK_AT_FDCWD, f->words, SK_WALK_FOLLOW, &walk);
	if (error)
		return error;
	sk_path_put(&f->path);
	f->path = walk.path;
	error = check_file(t, &f->path);
	if (error)
		return error;
	sk_io_kernel(&io, f->line, sizeof(f->line));
	length = f->path.inode->ops->read(f->path.inode, &io, 0);
	if (length < 0)
		return (int)length;
	if (length >= 4 && !memcmp(f->line, "\0asm", 4))
		return 1;
	if (length < 2 || f->line[0] != '#' || f->line[1] != '!')
		return -SK_ENOEXEC;
	return read_script_line(f, (uint32_t)length);
}

static int find_program(struct sk_task *t, struct found *f)
{
	int result;

	while ((result = look_at(t, f)) == 0)
		if (++f->levels > SCRIPT_LEVELS)
			return -SK_ELOOP;
	return result < 0 ? result : 0;
}

/* Strings that grow in one block. */
struct strings {
	struct sk_kernel *k;
	char *data;
	uint32_t size, room, count;
};

static int make_room(struct strings *s, uint32_t more)
{
	uint32_t room = s->room ? s->room * 2 : 1024;
	char *data;

	if (more > ARGS_MAX - s->size)
		return -SK_E2BIG;
	if (s->size + more <= s->room)
		return 0;
	while (room < s->size + more)
		room *= 2;
	data = sk_realloc(s->k, s->data, s->room, room);
	if (!data)
		return -SK_ENOMEM;
	s->data = data;
	s->room = room;
	return 0;
}

static int add_bytes(struct strings *s, const char *bytes, uint32_t size)
{
	int error = make_room(s, size);

	if (error)
		return error;
	memcpy(s->data + s->size, bytes, size);
	s->size += size;
	return 0;
}

static int add_user_string(struct strings *s, struct sk_task *t, sk_user at)
{
	uint32_t part = 128;

	for (;;) {
		int64_t length;
		int error = make_room(s, part);

		if (error)
			return error;
		length = sk_copy_string(t, s->data + s->size, at,
					s->room - s->size);
		if (length >= 0) {
			s->size += (uint32_t)length + 1;
			s->count++;
			return 0;
		}
		if (length != -SK_ENAMETOOLONG)
			return (int)length;
		if (s->room >= ARGS_MAX)
			return -SK_E2BIG;
		part = s->room - s->size + 1;
	}
}

/* A vector of the program, but for its first `skip` strings. */
static int add_vector(struct strings *s, struct sk_task *t, sk_user vector,
		      uint32_t skip)
{
	sk_user at;
	int error;

	for (; vector; vector += 4) {
		error = sk_copy_in(t, &at, vector, 4);
		if (error)
			return error;
		if (!at)
			return 0;
		if (skip) {
			skip--;
			continue;
		}
		error = add_user_string(s, t, at);
		if (error)
			return error;
		if (s->size + s->count * 4 > ARGS_MAX)
			return -SK_E2BIG;
	}
	return 0;
}

/* argv, envp, and the path that was asked for, which is the last word. */
static int gather(struct sk_task *t, struct found *f, sk_user argv,
		  sk_user envp, struct sk_image_file *image)
{
	struct strings s = { .k = sk_kernel_of(t) };
	const char *asked = f->words;
	int error = 0;

	for (uint32_t i = 1; i < f->word_count; i++)
		asked += strlen(asked) + 1;
	if (f->levels) {
		error = add_bytes(&s, f->words, f->words_size);
		s.count = f->word_count;
	}
	if (!error)
		error = add_vector(&s, t, argv, f->levels ? 1 : 0);
	/* A program has at least argv[0]. */
	if (!error && !s.count) {
		error = add_bytes(&s, "", 1);
		s.count = 1;
	}
	image->argc = s.count;
	if (!error)
		error = add_vector(&s, t, envp, 0);
	image->envc = s.count - image->argc;
	if (!error)
		error = add_bytes(&s, asked, (uint32_t)strlen(asked) + 1);
	/* The block as large as it is: its owner frees it by that size. */
	if (!error) {
		image->args = sk_alloc(s.k, s.size);
		image->args_size = s.size;
		error = image->args ? 0 : -SK_ENOMEM;
	}
	if (!error)
		memcpy(image->args, s.data, s.size);
	sk_free(s.k, s.data, s.room);
	return error;
}

static const char *last_component(const char *path)
{
	const char *last = path;

	for (; *path; path++)
		if (*path == '/' && path[1])
			last = path + 1;
	return last;
}

static void copy_name(char *to, size_t size, const char *from)
{
	size_t length = strlen(from);

	if (length >= size)
		length = size - 1;
	memcpy(to, from, length);
	to[length] = 0;
}

static int make_image(struct sk_task *t, struct found *f, sk_user argv,
		      sk_user envp)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_image_file *image = sk_alloc(k, sizeof(*image));
	struct sk_inode *i = f->path.inode;
	int error;

	if (!image)
		return -SK_ENOMEM;
	error = gather(t, f, argv, envp, image);
	if (error) {
		sk_free(k, image, sizeof(*image));
		return error;
	}
	image->path = f->path;
	f->path = (struct sk_path){ 0 };
	image->image.dev = i->super->dev;
	image->image.ino = i->ino;
	image->image.generation = i->generation;
	image->image.size = i->size;
	copy_name(image->image.name, sizeof(image->image.name),
		  last_component(f->words));
	copy_name(image->name, sizeof(image->name),
		  last_component(sk_args_execfn(image->args,
						image->argc + image->envc)));
	t->process->image = image;
	return 0;
}

static int find_and_gather(struct sk_task *t, struct found *f, sk_user argv,
			   sk_user envp)
{
	int error;

	f->word_count = 1;
	f->words_size = (uint32_t)strlen(f->words) + 1;
	error = f->words_size > 1 ? find_program(t, f) : -SK_ENOENT;
	if (!error)
		error = make_image(t, f, argv, envp);
	sk_path_put(&f->path);
	return error;
}

int sk_image_find(struct sk_task *t, const char *path, sk_user argv,
		  sk_user envp)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct found *f = sk_alloc(k, sizeof(*f));
	int error;

	if (!f)
		return -SK_ENOMEM;
	copy_name(f->words, SK_PATH_MAX, path);
	error = find_and_gather(t, f, argv, envp);
	sk_free(k, f, sizeof(*f));
	return error;
}

void sk_image_drop(struct sk_process *p)
{
	struct sk_image_file *image = p->image;

	if (!image)
		return;
	p->image = NULL;
	sk_path_put(&image->path);
	sk_free(p->kernel, image->args, image->args_size);
	sk_free(p->kernel, image, sizeof(*image));
}

int64_t sk_sys_execve(struct sk_task *t, const uint64_t *a)
{
	char path[SK_PATH_MAX];
	int64_t length = sk_copy_string(t, path, (sk_user)a[0], sizeof(path));
	int error;

	if (length < 0)
		return length;
	error = sk_image_find(t, path, (sk_user)a[1], (sk_user)a[2]);
	return error ? error : -SK_EXEC;
}

int64_t sk_exec(struct sk_task *t, sk_user path, sk_user argv, sk_user envp)
{
	const uint64_t a[6] = { path, argv, envp };

	return sk_call(t, SK_SYS_execve, a);
}

const struct sk_image *sk_image(struct sk_task *t)
{
	return &t->process->image->image;
}

int64_t sk_image_read(struct sk_task *t, int64_t offset, void *to, size_t size)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_inode *i = t->process->image->path.inode;
	uint8_t *at = to;
	int64_t done = 0, part;
	struct sk_io io;

	sk_lock(k);
	do {
		sk_io_kernel(&io, at + done, size - (size_t)done);
		part = i->ops->read(i, &io, offset + done);
		if (part > 0)
			done += part;
	} while (part > 0 && (size_t)done < size);
	sk_unlock(k);
	return done || part >= 0 ? done : part;
}

/* The image's arguments become the process's. */
static void take_over(struct sk_process *p)
{
	struct sk_image_file *image = p->image;

	sk_free(p->kernel, p->args, p->args_size);
	p->args = image->args;
	p->args_size = image->args_size;
	p->argc = image->argc;
	p->envc = image->envc;
	memcpy(p->name, image->name, sizeof(p->name));
	image->args = NULL;
	sk_path_put(&p->program);
	p->program = image->path;
	image->path = (struct sk_path){ 0 };
	sk_image_drop(p);
}

void sk_process_program(struct sk_process *p, struct sk_path *out)
{
	*out = p->program;
}

int64_t sk_exec_commit(struct sk_task *t)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_process *p = t->process;

	sk_task_enter(t); /* a spawned task's first; an exec's is inside */
	sk_lock(k);
	if (p->exiting)
		return sk_task_exits(t);
	sk_mappings_end(t);
	sk_fds_exec(p->fds, p);
	take_over(p);
	sk_timers_end(p);
	t->has_saved_mask = false;
	t->alt_stack = (struct sk_alt_stack){ .flags = SK_SS_DISABLE };
	p->did_exec = true;
	sk_signal_exec(t);
	if (p->exiting)
		return sk_task_exits(t);
	sk_unlock(k);
	return sk_task_leave(t) ? 0 : SK_CALL_EXIT;
}

int64_t sk_exec_fail(struct sk_task *t, int error)
{
	struct sk_kernel *k = sk_kernel_of(t);
	int64_t result = (int64_t)(uint32_t)error;

	sk_lock(k);
	if (t->process->exiting)
		return sk_task_exits(t);
	sk_image_drop(t->process);
	if (atomic_load(&t->face.attention))
		result |= SK_RESULT_SIGNAL;
	sk_unlock(k);
	return sk_task_leave(t) ? result : SK_CALL_EXIT;
}
