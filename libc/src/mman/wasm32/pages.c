/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of the program's memory: what anonymous mmap and munmap are made of.
 * Memory only grows, so what is given back is kept here, as runs of pages
 * sorted by address whose first words are the list. Pages that were never
 * used are known to be zero ("clean"); others are zeroed when handed out.
 * 0 to __heap_base belongs to the stack and the program's data.
 */
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include "kernel.h"
#include "lock.h"

#define WASM_PAGE      65536
#define GROW	       (4 * WASM_PAGE)
#define ALIGN_UP(x, n) (((x) + (n)-1) & -(n))

struct run {
	struct run *next;
	size_t size;
	int clean; /* all but this struct is zero */
};

extern char __heap_base[];

static struct {
	struct run *free;
	uintptr_t end; /* of the memory that is known here; 0 at first */
} pages;
static volatile int lock[1];

int __sk_file_maps;

/* Puts a run into the list, one with its neighbours. */
static void run_add(uintptr_t at, size_t size, int clean)
{
	struct run **link = &pages.free, *before = 0, *r = (struct run *)at;

	for (; *link && (uintptr_t)*link < at; link = &before->next)
		before = *link;
	*r = (struct run){ *link, size, clean };
	if (r->next && at + size == (uintptr_t)r->next) {
		struct run *after = r->next;

		r->size += after->size;
		r->clean = clean && after->clean;
		r->next = after->next;
		if (r->clean)
			*after = (struct run){ 0 };
	}
	if (before && (uintptr_t)before + before->size == at) {
		before->size += r->size;
		before->clean = before->clean && r->clean;
		before->next = r->next;
		if (before->clean)
			*r = (struct run){ 0 };
	} else {
		*link = r;
	}
}

static int memory_grow(size_t size)
{
	size_t want = ALIGN_UP(size, GROW);
	size_t old = __builtin_wasm_memory_grow(0, want / WASM_PAGE);

	if (old == (size_t)-1) {
		want = ALIGN_UP(size, WASM_PAGE);
		old = __builtin_wasm_memory_grow(0, want / WASM_PAGE);
		if (old == (size_t)-1)
			return -1;
	}
	pages.end = old * WASM_PAGE + want;
	run_add(old * WASM_PAGE, want, 1);
	return 0;
}

static void memory_first(void)
{
	uintptr_t start = ALIGN_UP((uintptr_t)__heap_base, PAGESIZE);

	pages.end = __builtin_wasm_memory_size(0) * WASM_PAGE;
	if (start < pages.end)
		run_add(start, pages.end - start, 1);
}

/* First fit; the front of the run is taken. */
static void *run_take(size_t size)
{
	struct run **link = &pages.free, *r;

	for (; (r = *link); link = &r->next) {
		if (r->size < size)
			continue;
		struct run old = *r;

		*link = old.next;
		if (old.size > size) {
			struct run *rest = (struct run *)((char *)r + size);

			*rest = (struct run){ old.next, old.size - size,
					      old.clean };
			*link = rest;
		}
		if (old.clean)
			*r = (struct run){ 0 };
		else
			memset(r, 0, size);
		return r;
	}
	return 0;
}

void *__sk_pages_get(size_t size)
{
	void *p;

	if (size > SIZE_MAX / 2)
		return 0;
	size = ALIGN_UP(size, PAGESIZE);
	LOCK(lock);
	if (!pages.end)
		memory_first();
	p = run_take(size);
	if (!p && !memory_grow(size))
		p = run_take(size);
	UNLOCK(lock);
	return p;
}

int __sk_pages_valid(const void *p, size_t size)
{
	uintptr_t at = (uintptr_t)p;
	uintptr_t first = ALIGN_UP((uintptr_t)__heap_base, PAGESIZE);

	return at >= first && !(at % PAGESIZE) && at <= pages.end &&
	       size <= pages.end - at;
}

/* Parts that are free already stay so, and nothing is counted twice. */
void __sk_pages_put(void *p, size_t size)
{
	uintptr_t at = (uintptr_t)p, end = at + ALIGN_UP(size, PAGESIZE);

	LOCK(lock);
	while (at < end) {
		struct run *r = pages.free;
		uintptr_t stop = end;

		for (; r && (uintptr_t)r + r->size <= at; r = r->next)
			;
		if (r && (uintptr_t)r <= at) {
			at = (uintptr_t)r + r->size;
			continue;
		}
		if (r && (uintptr_t)r < end)
			stop = (uintptr_t)r;
		run_add(at, stop - at, 0);
		at = stop;
	}
	UNLOCK(lock);
}
