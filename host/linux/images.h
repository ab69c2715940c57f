/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that were loaded before, by the identity of their files. */
#ifndef SK_HOST_IMAGES_H
#define SK_HOST_IMAGES_H

struct sk_object;
struct sk_task;

/* The image that an exec or spawn of `t` has found, ready to run; names the
 * runner's program. 0 or -errno of abi.h. May block for long. */
int sk_images_load(struct sk_task *t, const struct sk_object **object);

#endif
