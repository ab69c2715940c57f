/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows: where an instance of a program and its memory live.
 *
 *     | head 64 KiB: ... instance ... | memory, what exists | no access ... |
 *     base                            memory                      base + end
 *
 * An address (32 bits) plus an offset (32 bits) never leaves the window. What
 * is behind the memory's end has no access, so a wild access faults. Windows
 * of ended programs are kept and given out again: `usable` bytes can be
 * accessed, and what lies behind `dirty` has never been written.
 */
#ifndef SK_HOST_WINDOW_H
#define SK_HOST_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "host/linux/guest/wasm-rt.h"

#define SK_WINDOW_HEAD UINT64_C(65536)
#define SK_WINDOW_PAGE UINT64_C(65536)
#define SK_WINDOW_SIZE (SK_WINDOW_HEAD + (UINT64_C(8) << 30) + SK_WINDOW_PAGE)

struct sk_window {
	struct sk_window *next;
	uint8_t *base, *memory;
	uint64_t usable, dirty;
	wasm_rt_funcref_t *table; /* of table_size entries, kept too */
	uint32_t table_size;
};

/* NULL: no address space, or no memory. */
struct sk_window *sk_window_get(void);
void sk_window_put(struct sk_window *w);

/* Makes the first `size` bytes (whole pages) accessible and zero, no more. */
int sk_window_reset(struct sk_window *w, uint64_t size);

/* More of it: from `old` to `size` bytes, the new ones zero. 0 or -errno. */
int sk_window_grow(struct sk_window *w, uint64_t old, uint64_t size);

/*
 * Makes `to` a copy of `size` bytes of `from`; what lies below `dead` counts
 * as zero. Only pages that were ever touched are copied. 0 or -errno.
 */
int sk_window_copy(struct sk_window *to, struct sk_window *from, uint64_t size,
		   uint64_t dead);

/* A table of `size` entries; NULL: no memory. */
wasm_rt_funcref_t *sk_window_table(struct sk_window *w, uint32_t size);

/* Opens what sk_window_copy reads; once, before the process is confined. */
int sk_windows_init(void);

#endif
