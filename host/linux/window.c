/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/window.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEEP	   32 /* windows that wait for another program */
#define KEEP_BYTES (UINT64_C(16) << 20) /* of one that waits */
#define PAGE	   UINT64_C(4096)
/* A page's entry in /proc/self/pagemap: it is present, or swapped out. */
#define PAGE_THERE (UINT64_C(3) << 62)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sk_window *kept;
static unsigned kept_count;
static int pagemap = -1;

int sk_windows_init(void)
{
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	return pagemap < 0 ? -errno : 0;
}

static struct sk_window *make(void)
{
	struct sk_window *w = calloc(1, sizeof(*w));
	void *base;

	if (!w)
		return NULL;
	base = mmap(NULL, SK_WINDOW_SIZE, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		goto no_memory;
	if (mprotect(base, SK_WINDOW_HEAD, PROT_READ | PROT_WRITE))
		goto no_head;
	w->base = base;
	w->memory = w->base + SK_WINDOW_HEAD;
	return w;
no_head:
	munmap(base, SK_WINDOW_SIZE);
no_memory:
	free(w);
	return NULL;
}

struct sk_window *sk_window_get(void)
{
	struct sk_window *w;

	pthread_mutex_lock(&lock);
	w = kept;
	if (w) {
		kept = w->next;
		kept_count--;
	}
	pthread_mutex_unlock(&lock);
	return w ? w : make();
}

void sk_window_put(struct sk_window *w)
{
	int keep;

	if (w->dirty > KEEP_BYTES) {
		madvise(w->memory, w->dirty, MADV_DONTNEED);
		w->dirty = 0;
	}
	pthread_mutex_lock(&lock);
	keep = kept_count < KEEP;
	if (keep) {
		w->next = kept;
		kept = w;
		kept_count++;
	}
	pthread_mutex_unlock(&lock);
	if (keep)
		return;
	munmap(w->base, SK_WINDOW_SIZE);
	free(w->table);
	free(w);
}

/* The accessible part becomes exactly `size` bytes; contents are kept. */
static int set_usable(struct sk_window *w, uint64_t size)
{
	int err = 0;

	if (size > w->usable)
		err = mprotect(w->memory + w->usable, size - w->usable,
			       PROT_READ | PROT_WRITE);
	else if (size < w->usable)
		err = mprotect(w->memory + size, w->usable - size, PROT_NONE);
	if (err)
		return -errno;
	w->usable = size;
	return 0;
}

int sk_window_reset(struct sk_window *w, uint64_t size)
{
	if (w->dirty)
		madvise(w->memory, w->dirty, MADV_DONTNEED);
	w->dirty = size;
	return set_usable(w, size);
}

int sk_window_grow(struct sk_window *w, uint64_t old, uint64_t size)
{
	int err;

	if (size <= w->usable)
		return 0;
	if (w->dirty > old)
		madvise(w->memory + old, w->dirty - old, MADV_DONTNEED);
	err = set_usable(w, size);
	if (!err)
		w->dirty = size;
	return err;
}

/* A run of pages that the child gets from its parent, or that it has as
 * zeroes. */
static void copy_run(struct sk_window *to, struct sk_window *from,
		     uint64_t start, uint64_t end, int there)
{
	if (there)
		memcpy(to->memory + start, from->memory + start, end - start);
	else if (start < to->dirty)
		madvise(to->memory + start,
			(end < to->dirty ? end : to->dirty) - start,
			MADV_DONTNEED);
}

int sk_window_copy(struct sk_window *to, struct sk_window *from, uint64_t size,
		   uint64_t dead)
{
	uint64_t entries[512], at, start = 0, i, count;
	int there = 0;
	int err;

	err = set_usable(to, size);
	if (err)
		return err;
	for (at = dead & ~(PAGE - 1); at < size; at += count * PAGE) {
		uintptr_t first = (uintptr_t)(from->memory + at) / PAGE;
		ssize_t got;

		count = (size - at) / PAGE;
		if (count > 512)
			count = 512;
		got = pread(pagemap, entries, count * 8, (off_t)first * 8);
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		count = (uint64_t)got / 8;
		for (i = 0; i < count; i++) {
			int now = (entries[i] & PAGE_THERE) != 0;

			if (now == there)
				continue;
			copy_run(to, from, start, at + i * PAGE, there);
			start = at + i * PAGE;
			there = now;
		}
	}
	copy_run(to, from, start, size, there);
	if (to->dirty > size)
		madvise(to->memory + size, to->dirty - size, MADV_DONTNEED);
	to->dirty = size;
	return 0;
}

wasm_rt_funcref_t *sk_window_table(struct sk_window *w, uint32_t size)
{
	if (size > w->table_size) {
		wasm_rt_funcref_t *table = calloc(size, sizeof(*table));

		if (!table)
			return NULL;
		free(w->table);
		w->table = table;
		w->table_size = size;
	} else if (size) {
		memset(w->table, 0, size * sizeof(*w->table));
	}
	return w->table;
}
