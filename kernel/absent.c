/* SPDX-License-Identifier: BSD-2-Clause */
/* What rooms that are still being written will define: goes with them. */
#include "file.h"
#include "process.h"

#define WEAK __attribute__((weak))

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
