/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for many files. */
#ifndef SK_POLL_H
#define SK_POLL_H

#include "file.h"

/*
 * What a file is ready for, with the NORM bits of POLLIN and POLLOUT; a file
 * that cannot wait is always ready. The queues are those of its poll.
 */
uint32_t sk_file_poll(struct sk_file *f, struct sk_waitq *queues[2],
    uint32_t *count);

/* Joins the file's queues for the park to come. 0 or -SK_ENOMEM. */
int sk_file_join(struct sk_task *t, struct sk_waitq *queues[2],
    uint32_t count);

/*
 * The end of a wait for many: until a timespec in the program (0: for ever)
 * ends. -SK_PARK, -SK_EINTR, or 0 when the time is up.
 */
int64_t sk_poll_wait(struct sk_task *t, int64_t deadline);
/* The deadline of a relative timespec: *out, SK_NEVER, or 0 for "at once". */
int sk_poll_deadline(struct sk_task *t, sk_user timespec, int64_t *out);
/* The same of milliseconds; negative: for ever. */
int64_t sk_poll_deadline_ms(struct sk_task *t, int32_t ms);
/* Sets the mask of ppoll and its kind at the first try. */
int sk_poll_mask(struct sk_task *t, sk_user mask, uint64_t size);

#endif
