/* SPDX-License-Identifier: BSD-2-Clause */
/* The unprivileged user that nginx's workers run as when we are root. */
#ifndef SK_CLI_USER_H
#define SK_CLI_USER_H

/* Its name: NULL when we are not root, and nothing changes hands. */
const char *sk_user_of_gateway(void);

/* The first folder on the way to `folder` that `user` may not pass (or, at its
 * end, read), as a heap string; NULL when it may. Needs root. */
char *sk_user_blocked(const char *user, const char *folder);

#endif
