/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is said between the supervisor and a worker process. Everything that
 * comes in is hostile until it is checked; see proc.c.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/proc.h"
#include "supervisor/supervisor.h"

int sk_proc_tell(struct sk_proc *proc, enum sk_message_type type, int32_t value,
		 const int *fds, int nfds)
{
	struct sk_message head = { .type = type,
				   .proc = proc->number,
				   .value = value };
	int err;

	if (proc->control.fd < 0)
		return -EPIPE;
	err = sk_message_send(proc->control.fd, &head, NULL, 0, fds, nfds);
	if (err == -EAGAIN)
		sk_proc_kill(proc, "it does not read its control socket");
	return err;
}

static void take_log(struct sk_proc *proc, const struct sk_received *got)
{
	struct sk_entry entry = {
		.level = SK_LEVEL_ERROR,
		.route = proc->route->label,
		.pid = proc->pid,
		.text = (const char *)got->payload,
		.length = got->length,
	};

	if (got->head.value >= 0 && got->head.value < SK_LEVEL_ERROR)
		entry.level = (enum sk_level)got->head.value;
	if (sk_bucket_take(&proc->bucket, sk_now(), got->length))
		sk_log_entry(&proc->sup->log, &entry);
}

static void take_ready(struct sk_proc *proc, const struct sk_received *got)
{
	struct sk_supervisor *sup = proc->sup;

	proc->state = SK_PROC_READY;
	proc->ready_at = sk_now();
	sk_watch_init(&proc->watch, proc->ready_at);
	if (got->length && !sup->walls_reported) {
		sup->walls_reported = 1;
		sk_proc_say(proc, SK_LEVEL_WARN,
			    "layers of the sandbox that this system lacks: %s",
			    (const char *)got->payload);
	}
	sk_place_ready(proc->place);
}

/* A process that asks again and again is a failing one. */
static void take_recycle(struct sk_proc *proc, const struct sk_received *got)
{
	int64_t now = sk_now(), lived = now - proc->ready_at;
	struct sk_place *place = proc->place;

	sk_proc_say(proc, SK_LEVEL_WARN, "is replaced by a fresh process: %s",
		    (const char *)got->payload);
	sk_proc_retire(proc, "its own wish");
	if (lived < SK_GOOD_LIFE)
		sk_backoff_fail(&place->backoff, now, lived);
}

/* 0, or -EPROTO: it has no right to say that now. */
static int take_message(struct sk_proc *proc, const struct sk_received *got)
{
	int running = !proc->gone && !proc->doomed;

	switch (got->head.type) {
	case SK_MSG_LOG:
		take_log(proc, got);
		return 0;
	case SK_MSG_FAILED:
		if (proc->ready_at >= 0 || proc->state == SK_PROC_STOPPING)
			return -EPROTO;
		if (!proc->doomed)
			sk_proc_failed(proc, (const char *)got->payload);
		return 0;
	case SK_MSG_READY:
		if (proc->ready_at >= 0)
			return -EPROTO;
		/* It may come before SPAWNED: the sockets are two. */
		if (running && proc->state <= SK_PROC_STARTING)
			take_ready(proc, got);
		return 0;
	case SK_MSG_RECYCLE:
		if (proc->ready_at < 0)
			return -EPROTO;
		if (running && proc->state == SK_PROC_READY)
			take_recycle(proc, got);
		return 0;
	default:
		return -EPROTO;
	}
}

void sk_proc_hear(struct sk_source *source, uint32_t events)
{
	struct sk_supervisor *sup;
	struct sk_received got;
	struct sk_proc *proc;
	int i, err = 1;

	(void)events;
	proc = (struct sk_proc *)((char *)source -
				  offsetof(struct sk_proc, control));
	sup = proc->sup;
	for (i = 0; i < SK_BATCH && err > 0; i++) {
		err = sk_message_receive(source->fd, &got, sup->buffer,
					 sizeof(sup->buffer));
		if (err <= 0)
			break;
		sk_received_close(&got);
		if (take_message(proc, &got))
			err = -EPROTO;
	}
	proc->heard += (unsigned)i;
	if (err > 0 && proc->heard > SK_HEAR_MESSAGES && !proc->paused)
		proc->paused = sk_loop_change(&sup->loop, source, 0) == 0;
	if (err > 0 || err == -EAGAIN)
		return;
	if (err == -EPROTO) {
		sk_proc_kill(proc, "a message that it has no right to send");
		return;
	}
	/* Closed: it is dying, or wants to live without us. If the zygote died
	 * with our SPAWN unread, it was never born. */
	sk_loop_close(&sup->loop, source);
	if (!proc->gone && proc->pid)
		sk_proc_signal(proc);
}
