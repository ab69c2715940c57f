/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * After the linker: a program that imports kernel.fork has its stack made
 * copyable by binaryen's asyncify. Others are left as they are, since that
 * costs size and speed.
 */
#include "cc.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A WebAssembly file, read from front to back. */
struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static uint32_t number_read(struct reader *r)
{
	uint32_t n = 0;
	int shift;

	for (shift = 0; shift < 35; shift += 7) {
		if (r->at == r->end)
			break;
		n |= (uint32_t)(*r->at & 0x7f) << shift;
		if (!(*r->at++ & 0x80))
			return n;
	}
	r->bad = true;
	return 0;
}

static struct reader bytes_read(struct reader *r)
{
	uint32_t size = number_read(r);
	struct reader part = { r->at, r->at, false };

	if (r->bad || size > (size_t)(r->end - r->at)) {
		r->bad = true;
		return part;
	}
	part.end = r->at += size;
	return part;
}

static bool name_is(const struct reader *name, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(name->end - name->at) == n &&
	       !memcmp(name->at, text, n);
}

static void limits_skip(struct reader *r)
{
	uint32_t flags = number_read(r);

	number_read(r);
	if (flags & 1)
		number_read(r);
}

static bool imports_fork(struct reader section)
{
	uint32_t n = number_read(&section);

	while (n-- && !section.bad) {
		struct reader module = bytes_read(&section);
		struct reader name = bytes_read(&section);
		uint32_t kind = number_read(&section);

		if (kind == 0 && name_is(&module, "kernel") &&
		    name_is(&name, "fork"))
			return true;
		switch (kind) {
		case 0: /* function */
			number_read(&section);
			break;
		case 1: /* table */
			number_read(&section);
			limits_skip(&section);
			break;
		case 2: /* memory */
			limits_skip(&section);
			break;
		default: /* global, tag */
			number_read(&section);
			number_read(&section);
		}
	}
	return false;
}

enum { SECTION_IMPORT = 2 };

/* -1: no WebAssembly program; otherwise whether it forks. */
static int program_forks(const uint8_t *bytes, size_t size)
{
	struct reader r = { bytes + 8, bytes + size, false };

	if (size < 8 || memcmp(bytes, "\0asm\1\0\0\0", 8))
		return -1;
	while (r.at < r.end && !r.bad) {
		uint32_t kind = *r.at++;
		struct reader section = bytes_read(&r);

		if (kind == SECTION_IMPORT)
			return imports_fork(section);
	}
	return r.bad ? -1 : 0;
}

static int file_forks(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *bytes;
	size_t size;

	if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode))
		return -1;
	bytes = malloc(st.st_size);
	if (!bytes)
		sk_die("out of memory");
	size = fread(bytes, 1, st.st_size, f);
	fclose(f);
	return program_forks(bytes, size);
}

/*
 * npm's wasm-opt is itself WebAssembly, run by node, whose optimizing compiler
 * takes seconds for it: more than it gains while the program is small.
 */
static void add_optimizer(struct sk_args *a, const struct sk_options *o,
			  const struct sk_places *p)
{
	char first[64] = "";
	struct stat st;
	FILE *f = fopen(p->wasm_opt, "rb");

	if (f) {
		if (!fgets(first, sizeof(first), f))
			first[0] = '\0';
		fclose(f);
	}
	if (strstr(first, "env node") && stat(o->output, &st) == 0 &&
	    st.st_size < 256 * 1024) {
		sk_args_add(a, "node");
		sk_args_add(a, "--liftoff-only");
	}
	sk_args_add(a, p->wasm_opt);
}

/*
 * Handlers run below __sk_run_handlers, which may be entered from any system
 * call: were it copyable, nearly every function would have to be.
 */
static int stack_copyable(const struct sk_options *o, const struct sk_places *p)
{
	struct sk_args a = { 0 };
	char *made = sk_format("%s.asyncify", o->output);
	int status;

	add_optimizer(&a, o, p);
	sk_args_add(&a, "--asyncify");
	sk_args_add(&a, "--pass-arg=asyncify-imports@kernel.fork");
	sk_args_add(&a, "--pass-arg=asyncify-removelist@__sk_run_handlers");
	sk_args_add(&a, "-O2");
	if (o->debug || !o->strip)
		sk_args_add(&a, "-g");
	sk_args_add(&a, o->output);
	sk_args_add(&a, "-o");
	sk_args_add(&a, made);
	status = sk_run(&a);
	if (status) {
		unlink(made);
		return status;
	}
	chmod(made, 0777 & ~umask(0));
	if (rename(made, o->output))
		sk_die("%s: %s", o->output, strerror(errno));
	return 0;
}

int sk_link_finish(const struct sk_options *o, const struct sk_places *p)
{
	int forks = file_forks(o->output);

	if (forks <= 0)
		return 0;
	return stack_copyable(o, p);
}
