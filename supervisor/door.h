/* SPDX-License-Identifier: BSD-2-Clause */
/* The door: configurations and new clients from nginx. */
#ifndef SK_DOOR_H
#define SK_DOOR_H

struct sk_supervisor;

/* Listens on descriptor SK_DOOR_FD. 0 or -errno. */
int sk_door_open(struct sk_supervisor *sup);

#endif
