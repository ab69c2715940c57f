/* SPDX-License-Identifier: BSD-2-Clause */
/* A worker process, seen from the supervisor; the essay is in proc.c. */
#ifndef SK_PROC_H
#define SK_PROC_H

#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "control/control.h"
#include "supervisor/attachment.h"
#include "supervisor/log.h"
#include "supervisor/loop.h"
#include "supervisor/route.h"
#include "supervisor/watchdog.h"

enum sk_proc_state {
	SK_PROC_QUEUED,	  /* waits for the zygote */
	SK_PROC_SPAWNING, /* SPAWN is sent */
	SK_PROC_STARTING, /* it runs and loads its module */
	SK_PROC_READY,
	SK_PROC_RETIRING, /* RETIRE is sent, some gateway has work there */
	SK_PROC_STOPPING, /* STOP is sent */
	SK_PROC_DYING	  /* SIGKILL is sent, or its end was seen */
};

struct sk_proc {
	LIST_ENTRY(sk_proc) link;
	struct sk_supervisor *sup;
	struct sk_route *route;
	struct sk_place *place; /* NULL: nobody new gets it */
	uint64_t number;
	enum sk_proc_state state;
	pid_t pid; /* 0: not known yet */
	struct sk_source control;
	struct sk_source exit; /* pidfd */
	int wake;	       /* eventfd */
	int peer;	       /* its end of the control socket, until sent */
	int page_fd;	       /* until sent */
	struct sk_status_page *page;
	LIST_HEAD(, sk_attachment) attachments;
	uint64_t areas; /* bit n: area id n is in use */
	struct sk_watch watch;
	struct sk_bucket bucket;
	unsigned heard;	  /* messages since the last tick */
	int paused;	  /* it said too much: unheard until the tick */
	int64_t ready_at; /* -1: it never was */
	int64_t deadline; /* of STARTING, STOPPING and an unknown status */
	int doomed;	  /* kill it as soon as the pid is known */
	int gone;	  /* the pidfd says that it has died */
	int expected;	  /* its end is our own wish */
	int verdict;	  /* HTTP status of what dies with it, or 0: 502 */
	char *reason;	  /* why it failed or was killed, or NULL */
};

/* Makes a process for a place and sees that it is started. 0 or -errno. */
int sk_proc_start(struct sk_place *place);

/* Another try for one that waits for the zygote. */
void sk_proc_spawn(struct sk_proc *proc);

/* The zygote could not fork it. Frees it. */
void sk_proc_unborn(struct sk_proc *proc, int error);

/* Back to waiting: the zygote died before it forked. */
void sk_proc_requeue(struct sk_proc *proc);

/* From the zygote. `pidfd` belongs to the process. */
void sk_proc_spawned(struct sk_proc *proc, pid_t pid, int pidfd);

/* It has ended; `status` is a wait status, -1: not known. Frees it. */
void sk_proc_ended(struct sk_proc *proc, int status);

/* FAILED came: its module does not load. */
void sk_proc_failed(struct sk_proc *proc, const char *text);

/* Nothing new for it; STOP when its last request is done. */
void sk_proc_retire(struct sk_proc *proc, const char *why);

/* STOP, then SIGKILL. */
void sk_proc_stop(struct sk_proc *proc);

/* SIGKILL, for `why` (which goes to the log as an error). */
void sk_proc_kill(struct sk_proc *proc, const char *why);

/* SIGKILL without a word; it is sent as soon as there is a pid. */
void sk_proc_signal(struct sk_proc *proc);

/* Sends it a message. 0 or -errno; one that does not listen is killed. */
int sk_proc_tell(struct sk_proc *proc, enum sk_message_type type, int32_t value,
		 const int *fds, int nfds);

/* Handler of its control socket: what it says. */
void sk_proc_hear(struct sk_source *source, uint32_t events);

__attribute__((format(printf, 3, 4))) void
sk_proc_say(struct sk_proc *proc, enum sk_level level, const char *format, ...);

/* The supervisor's look at it every SK_TICK ms. */
void sk_proc_tick(struct sk_proc *proc, int64_t now);

struct sk_proc *sk_proc_find(struct sk_supervisor *sup, uint64_t number);
struct sk_proc *sk_proc_by_pid(struct sk_supervisor *sup, pid_t pid);

/* "signal 11 (Segmentation fault)", "status 3", … into `text`. */
void sk_status_text(int status, char *text, size_t size);

#endif
