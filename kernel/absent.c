/* SPDX-License-Identifier: BSD-2-Clause */
/* What rooms that are still being written will define: goes with them. */
#include "file.h"
#include "process.h"

#define WEAK __attribute__((weak))

WEAK void sk_tty_leave(struct sk_process *p)
{
	(void)p;
}

WEAK void sk_tty_join(struct sk_tty *tty)
{
	(void)tty;
}

WEAK int sk_tty_open(struct sk_task *t, uint64_t rdev, uint32_t flags,
    struct sk_file *file)
{
	(void)t;
	(void)rdev;
	(void)flags;
	(void)file;
	return -SK_ENXIO;
}

WEAK int sk_pty_next(struct sk_kernel *k, int from)
{
	(void)k;
	(void)from;
	return -1;
}

WEAK uint64_t sk_tty_number(struct sk_tty *tty, int32_t *group)
{
	(void)tty;
	*group = -1;
	return 0;
}

WEAK int sk_fifo_open(struct sk_inode *i, struct sk_task *t, uint32_t flags,
    struct sk_file *file)
{
	(void)i;
	(void)t;
	(void)flags;
	(void)file;
	return -SK_ENXIO;
}

WEAK int sk_overlayfs_new(struct sk_kernel *k, const struct sk_path *lower,
    const struct sk_path *upper, struct sk_super **out)
{
	(void)k;
	(void)lower;
	(void)upper;
	(void)out;
	return -SK_ENODEV;
}

WEAK int sk_zipfs_new(struct sk_kernel *k, const struct sk_path *archive,
    struct sk_super **out)
{
	(void)k;
	(void)archive;
	(void)out;
	return -SK_ENODEV;
}

WEAK int sk_tarfs_new(struct sk_kernel *k, const struct sk_path *archive,
    struct sk_super **out)
{
	(void)k;
	(void)archive;
	(void)out;
	return -SK_ENODEV;
}
