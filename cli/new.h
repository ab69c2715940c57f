/* SPDX-License-Identifier: BSD-2-Clause */
/* `selkie new FOLDER`: an app to start from. The exit status. */
#ifndef SK_CLI_NEW_H
#define SK_CLI_NEW_H

int sk_new(const char *folder);

#endif
