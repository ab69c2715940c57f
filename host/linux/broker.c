/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/broker.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/linux/arena.h"
#include "host/linux/host.h"
#include "host/linux/store.h"
#include "host/linux/translate.h"

#define PROGRAM_MAX (256u << 20)
#define OBJECTS	    4096

enum { LOAD = 1, FUNCTION };

struct question {
	uint32_t kind, size;
	uint64_t pc;
	char name[64];
};

struct answer {
	int32_t error;
	uint64_t object;
	char name[128];
};

static int all_in(int fd, void *to, size_t size)
{
	char *at = to;

	while (size) {
		ssize_t n = read(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EPIPE;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

static int all_out(int fd, const void *from, size_t size)
{
	const char *at = from;

	while (size) {
		ssize_t n = send(fd, at, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EPIPE;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

/* --- the broker's side --- */

/* What was linked: by base, the store's name of it. */
static struct {
	uintptr_t base;
	char name[SK_STORE_NAME];
	const struct sk_object *object;
} objects[OBJECTS];
static unsigned object_count;

static const struct sk_object *linked(const char *name)
{
	unsigned i;

	for (i = 0; i < object_count; i++)
		if (!strcmp(objects[i].name, name))
			return objects[i].object;
	return NULL;
}

static int link_file(const char *name, const char *program,
		     const struct sk_object **object)
{
	const char *why;
	void *data;
	size_t size;
	int err = sk_store_read(name, &data, &size);

	if (err)
		return err;
	err = sk_arena_load(data, size, object, &why);
	if (err)
		sk_host_say("%s: %s", program, why);
	free(data);
	if (err || object_count == OBJECTS)
		return err;
	objects[object_count].base = sk_arena_base((uintptr_t)*object);
	objects[object_count].object = *object;
	memcpy(objects[object_count].name, name, SK_STORE_NAME);
	object_count++;
	return 0;
}

static int translate(const char *program, const char *name, const void *wasm,
		     size_t size)
{
	int terminal = isatty(2);
	char why[512] = "";
	int err;

	if (terminal)
		fprintf(stderr, "\rselkie: translating %s (once)...", program);
	err = sk_translate(wasm, size, name, why, sizeof(why));
	if (terminal)
		fputs("\r\33[K", stderr);
	if (err)
		sk_host_say("%s: cannot be translated: %s", program,
			    *why ? why : strerror(-err));
	return err;
}

static int load(const char *program, const void *wasm, size_t size,
		const struct sk_object **object)
{
	char name[SK_STORE_NAME];
	int err;

	sk_store_hash(name, sk_translate_version(), wasm, size);
	*object = linked(name);
	if (*object)
		return 0;
	err = link_file(name, program, object);
	if (err != -ENOENT && err != -ENOEXEC)
		return err;
	err = translate(program, name, wasm, size);
	return err ? err : link_file(name, program, object);
}

/* "w2c_prog_0x5Fstart_0" back to "_start". */
static void plain_name(char *to, size_t size, const char *from)
{
	size_t n = 0;

	if (!strncmp(from, "w2c_prog_", 9))
		from += 9;
	while (*from && n + 1 < size) {
		unsigned code;

		if (sscanf(from, "0x%2X", &code) == 1) {
			to[n++] = (char)code;
			from += 4;
		} else {
			to[n++] = *from++;
		}
	}
	to[n] = '\0';
}

static void find_function(const uint8_t *data, size_t size, uint64_t address,
			  char *name, size_t name_size)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)data;
	const Elf64_Shdr *h = (const Elf64_Shdr *)(data + e->e_shoff);
	const Elf64_Sym *s, *best = NULL;
	const Elf64_Shdr *table = NULL;
	uint64_t i;

	if (e->e_shoff > size || e->e_shnum > (size - e->e_shoff) / sizeof(*h))
		return;
	for (i = 0; i < e->e_shnum; i++)
		if (h[i].sh_type == SHT_SYMTAB)
			table = &h[i];
	if (!table || table->sh_link >= e->e_shnum ||
	    table->sh_offset + table->sh_size > size)
		return;
	s = (const Elf64_Sym *)(data + table->sh_offset);
	for (i = 0; i < table->sh_size / sizeof(*s); i++)
		if (ELF64_ST_TYPE(s[i].st_info) == STT_FUNC &&
		    address >= s[i].st_value &&
		    address <= s[i].st_value + s[i].st_size)
			best = &s[i];
	h = &h[table->sh_link];
	if (best && h->sh_offset + h->sh_size <= size &&
	    best->st_name < h->sh_size)
		plain_name(name, name_size,
			   (const char *)data + h->sh_offset + best->st_name);
}

static void function_name(uintptr_t pc, char *name, size_t name_size)
{
	uintptr_t base = sk_arena_base(pc);
	unsigned i;
	void *data;
	size_t size;

	for (i = 0; i < object_count; i++)
		if (objects[i].base == base)
			break;
	if (i == object_count || sk_store_read(objects[i].name, &data, &size))
		return;
	find_function(data, size, pc - base, name, name_size);
	free(data);
}

static int answer_one(int socket)
{
	struct answer a = { 0 };
	const struct sk_object *object = NULL;
	struct question q;
	void *wasm;
	int err = all_in(socket, &q, sizeof(q));

	if (err)
		return err;
	q.name[sizeof(q.name) - 1] = '\0';
	if (q.kind == FUNCTION) {
		function_name((uintptr_t)q.pc, a.name, sizeof(a.name));
		return all_out(socket, &a, sizeof(a));
	}
	if (q.kind != LOAD || q.size > PROGRAM_MAX)
		return -EPROTO;
	wasm = malloc(q.size + 1);
	if (!wasm)
		return -ENOMEM;
	err = all_in(socket, wasm, q.size);
	if (!err) {
		a.error = load(q.name, wasm, q.size, &object);
		a.object = (uint64_t)(uintptr_t)object;
		err = all_out(socket, &a, sizeof(a));
	}
	free(wasm);
	return err;
}

int sk_broker_serve(int socket, pid_t child)
{
	int status;

	/* The child's end closes the socket. */
	while (answer_one(socket) == 0)
		;
	close(socket);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 1 << 8;
	return status;
}

/* --- the side that runs programs --- */

static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static int to_broker = -1;

void sk_broker_connect(int socket)
{
	to_broker = socket;
}

static int ask(const struct question *q, const void *data, struct answer *a)
{
	int err;

	pthread_mutex_lock(&asking);
	err = all_out(to_broker, q, sizeof(*q));
	if (!err && q->size)
		err = all_out(to_broker, data, q->size);
	if (!err)
		err = all_in(to_broker, a, sizeof(*a));
	pthread_mutex_unlock(&asking);
	return err;
}

int sk_broker_load(const char *name, const void *wasm, size_t size,
		   const struct sk_object **object)
{
	struct question q = { .kind = LOAD, .size = (uint32_t)size };
	struct answer a;
	int err;

	if (size > PROGRAM_MAX)
		return -ENOEXEC;
	snprintf(q.name, sizeof(q.name), "%s", name);
	err = ask(&q, wasm, &a);
	if (err)
		return err;
	*object = (const struct sk_object *)(uintptr_t)a.object;
	return a.error;
}

void sk_broker_function(uintptr_t pc, char *name, size_t size)
{
	struct question q = { .kind = FUNCTION, .pc = pc };
	struct answer a;

	name[0] = '\0';
	if (ask(&q, NULL, &a) == 0)
		snprintf(name, size, "%.100s", a.name);
}
