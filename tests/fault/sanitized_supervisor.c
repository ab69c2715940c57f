/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selkie-supervisor as a test program: the same sources, with sanitizers.
 */
// link: supervisor/attachment.c supervisor/child.c supervisor/client.c
// link: supervisor/door.c supervisor/generation.c supervisor/keep.c
// link: supervisor/log.c supervisor/loop.c supervisor/main.c
// link: supervisor/outbox.c supervisor/pair.c supervisor/proc.c
// link: supervisor/route.c supervisor/speech.c supervisor/store.c
// link: supervisor/supervisor.c supervisor/text.c supervisor/watchdog.c
// link: supervisor/zygote.c
#include "supervisor/supervisor.h"
