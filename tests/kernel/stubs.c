/* SPDX-License-Identifier: BSD-2-Clause */
/* What rooms that are still being written will define: goes with them. */
#include "kernel/file.h"
#include "kernel/process.h"

#define WEAK __attribute__((weak))

WEAK int sk_fds_new(struct sk_kernel *k, struct sk_fds **out)
{
	*out = sk_alloc(k, sizeof(**out));
	if (!*out)
		return -SK_ENOMEM;
	(*out)->kernel = k;
	return 0;
}

WEAK int sk_fds_copy(struct sk_fds *from, struct sk_fds **out)
{
	return sk_fds_new(from->kernel, out);
}

WEAK void sk_fds_put(struct sk_fds *fds, struct sk_process *p)
{
	(void)p;
	sk_free(fds->kernel, fds, sizeof(*fds));
}

WEAK int sk_memfs_new(struct sk_kernel *k, struct sk_super **out)
{
	*out = sk_alloc(k, sizeof(**out));
	return *out ? 0 : -SK_ENOMEM;
}

WEAK int sk_mount_root(struct sk_kernel *k, struct sk_super *super)
{
	k->root = sk_alloc(k, sizeof(*k->root));
	if (!k->root) {
		sk_free(k, super, sizeof(*super));
		return -SK_ENOMEM;
	}
	k->root->super = super;
	return 0;
}

WEAK void sk_mount_fini(struct sk_kernel *k)
{
	if (!k->root)
		return;
	sk_free(k, k->root->super, sizeof(*k->root->super));
	sk_free(k, k->root, sizeof(*k->root));
}

WEAK void sk_path_get(struct sk_path *path)
{
	(void)path;
}

WEAK void sk_path_put(struct sk_path *path)
{
	(void)path;
}

WEAK void sk_mappings_end(struct sk_task *t)
{
	(void)t;
}

WEAK void sk_tty_leave(struct sk_process *p)
{
	(void)p;
}

WEAK void sk_tty_join(struct sk_tty *tty)
{
	(void)tty;
}
