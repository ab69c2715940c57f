/* SPDX-License-Identifier: BSD-2-Clause */
/* What every child of ours needs between fork and exec, and descriptors. */
#ifndef SK_CHILD_H
#define SK_CHILD_H

/* In the child: default signal actions, nothing blocked, and the limit on
 * descriptors that we were started with. */
void sk_child_reset(void);

/* Raises the limit on descriptors; sk_child_reset undoes it. */
void sk_child_raise(void);

/* Opens the file behind a descriptor of ours anew, for reading. A descriptor or
 * -1 with errno. */
int sk_open_again(int fd);

#endif
