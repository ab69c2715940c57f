/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Terminals: their life, whose they are, and their settings.
 *
 * A terminal lives while an open file of either side or a process refers to
 * it. It belongs to at most one session (`sid`), whose leader adopted it, and
 * has one foreground group (`pgid`). A hangup (the master's last file goes,
 * or the leader ends) takes it from all processes of the session and counts
 * `hangups` up: slave files that were opened before are dead from then on.
 */
#include "tty.h"

#include "process.h"

#define INDEX_MAX 255
#define MAJOR_PTS 136

int sk_tty_new(struct sk_kernel *k, struct sk_tty **out)
{
	static const uint8_t chars[] = { 3,  28, 127, 21, 4,  0,  1,  0, 17,
					 19, 26, 0,   18, 15, 23, 22, 0 };
	struct sk_tty **at = &k->ttys, *tty;
	uint32_t index = 0;

	for (; *at && (*at)->index == index; at = &(*at)->next)
		index++;
	if (index > INDEX_MAX)
		return -SK_ENOSPC;
	tty = sk_alloc(k, sizeof(*tty));
	if (!tty)
		return -SK_ENOMEM;
	tty->kernel = k;
	tty->refs = 1;
	tty->index = index;
	tty->next = *at;
	*at = tty;
	tty->termios.iflag = SK_ICRNL | SK_IXON;
	tty->termios.oflag = SK_OPOST | SK_ONLCR;
	tty->termios.cflag = SK_CFLAGS_NEW;
	tty->termios.lflag = SK_ISIG | SK_ICANON | SK_ECHO | SK_ECHOE |
			     SK_ECHOK | SK_ECHOCTL | SK_ECHOKE | SK_IEXTEN;
	memcpy(tty->termios.cc, chars, sizeof(chars));
	sk_buffer_init(&tty->out, k, SK_TTY_OUT);
	sk_waitq_init(&tty->in_changed);
	sk_waitq_init(&tty->out_changed);
	*out = tty;
	return 0;
}

void sk_tty_put(struct sk_tty *tty)
{
	struct sk_tty **at = &tty->kernel->ttys;

	if (--tty->refs)
		return;
	while (*at != tty)
		at = &(*at)->next;
	*at = tty->next;
	sk_waitq_fini(&tty->in_changed);
	sk_waitq_fini(&tty->out_changed);
	sk_buffer_fini(&tty->out);
	sk_free(tty->kernel, tty, sizeof(*tty));
}

void sk_tty_join(struct sk_tty *tty)
{
	tty->refs++;
}

static void wake_all(struct sk_tty *tty)
{
	sk_waitq_wake(&tty->in_changed);
	sk_waitq_wake(&tty->out_changed);
}

void sk_tty_signal(struct sk_tty *tty, int signo)
{
	if (tty->pgid)
		sk_signal_group(tty->kernel, tty->pgid, signo);
}

/* Takes it from its session, whose foreground group is told. */
static void abandon(struct sk_tty *tty)
{
	struct sk_kernel *k = tty->kernel;
	int32_t group = tty->pgid;

	tty->sid = tty->pgid = 0;
	SK_LIST_EACH(node, &k->processes) {
		struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		if (p->tty != tty)
			continue;
		p->tty = NULL;
		tty->refs--;
		if (p->pid == p->sid) {
			sk_signal_send(p, SK_SIGHUP, NULL);
			sk_signal_send(p, SK_SIGCONT, NULL);
		}
	}
	if (group) {
		sk_signal_group(k, group, SK_SIGHUP);
		sk_signal_group(k, group, SK_SIGCONT);
	}
}

/* The caller holds a reference. */
void sk_tty_hangup(struct sk_tty *tty)
{
	tty->hangups++;
	tty->stopped = false;
	sk_line_flush(tty);
	abandon(tty);
	wake_all(tty);
}

static bool leads(const struct sk_process *p, const struct sk_tty *tty)
{
	return p->pid == p->sid && tty->sid == p->sid;
}

void sk_tty_leave(struct sk_process *p)
{
	struct sk_tty *tty = p->tty;

	if (!tty)
		return;
	p->tty = NULL;
	if (leads(p, tty))
		sk_tty_hangup(tty);
	sk_tty_put(tty);
}

void sk_tty_adopt(struct sk_tty *tty, struct sk_task *t)
{
	struct sk_process *p = t->process;

	if (p->pid != p->sid || p->tty || tty->sid)
		return;
	p->tty = tty;
	tty->refs++;
	tty->sid = p->sid;
	tty->pgid = p->pgid;
}

int sk_tty_allow(struct sk_tty *tty, struct sk_task *t, int signo)
{
	struct sk_process *p = t->process;

	if (p->tty != tty || !tty->pgid || tty->pgid == p->pgid)
		return 0;
	if ((t->blocked & SK_SIG_BIT(signo)) || sk_signal_ignored(p, signo))
		return signo == SK_SIGTTIN ? -SK_EIO : 0;
	if (sk_group_orphaned(tty->kernel, p->pgid))
		return -SK_EIO;
	sk_signal_group(tty->kernel, p->pgid, signo);
	return -SK_ERESTART;
}

uint64_t sk_tty_number(struct sk_tty *tty, int32_t *group)
{
	*group = tty->pgid ? tty->pgid : -1;
	return MAJOR_PTS << 8 | tty->index;
}

/* Settings. */

static int set_termios(struct sk_tty *tty, struct sk_task *t, sk_user from,
		       bool flush)
{
	struct sk_abi_termios now;
	uint32_t old = tty->termios.lflag;
	int error = sk_copy_in(t, &now, from, sizeof(now));

	if (error)
		return error;
	if (flush)
		sk_line_flush(tty);
	tty->termios = now;
	if ((old ^ now.lflag) & SK_ICANON)
		sk_line_switch(tty);
	if (!(now.iflag & SK_IXON))
		tty->stopped = false;
	wake_all(tty);
	return 0;
}

#define FLUSH_IN 0
#define FLUSH_OUT 1
#define FLUSH_BOTH 2

static int flush(struct sk_tty *tty, uint32_t which)
{
	if (which > FLUSH_BOTH)
		return -SK_EINVAL;
	if (which != FLUSH_OUT)
		sk_line_flush(tty);
	if (which != FLUSH_IN)
		sk_buffer_drop(&tty->out, tty->out.used);
	wake_all(tty);
	return 0;
}

#define FLOW_OUT_OFF 0
#define FLOW_OUT_ON 1
#define FLOW_IN_OFF 2
#define FLOW_IN_ON 3

static int flow(struct sk_tty *tty, uint32_t what)
{
	uint8_t c;

	switch (what) {
	case FLOW_OUT_OFF:
	case FLOW_OUT_ON:
		tty->stopped = what == FLOW_OUT_OFF;
		break;
	case FLOW_IN_OFF:
	case FLOW_IN_ON:
		c = tty->termios.cc[what == FLOW_IN_OFF ? SK_VSTOP : SK_VSTART];
		if (c)
			sk_buffer_put(&tty->out, c);
		break;
	default:
		return -SK_EINVAL;
	}
	wake_all(tty);
	return 0;
}

static int set_size(struct sk_tty *tty, struct sk_task *t, sk_user from)
{
	struct sk_abi_winsize size;
	int error = sk_copy_in(t, &size, from, sizeof(size));

	if (error || !memcmp(&size, &tty->size, sizeof(size)))
		return error;
	tty->size = size;
	sk_tty_signal(tty, SK_SIGWINCH);
	return 0;
}

static int type_byte(struct sk_tty *tty, struct sk_task *t, sk_user from)
{
	uint8_t c;
	int error = sk_copy_in(t, &c, from, 1);

	if (error)
		return error;
	if (t->process->tty != tty)
		return -SK_EPERM;
	sk_line_input(tty, c);
	wake_all(tty);
	return 0;
}

/* Whose it is. */

static int take(struct sk_tty *tty, struct sk_task *t)
{
	const struct sk_process *p = t->process;

	if (leads(p, tty) && p->tty == tty)
		return 0;
	if (p->pid != p->sid || p->tty || tty->sid)
		return -SK_EPERM;
	sk_tty_adopt(tty, t);
	return 0;
}

static int give_up(struct sk_tty *tty, struct sk_task *t)
{
	struct sk_process *p = t->process;

	if (p->tty != tty)
		return -SK_ENOTTY;
	if (leads(p, tty)) {
		abandon(tty);
		return 0;
	}
	p->tty = NULL;
	sk_tty_put(tty);
	return 0;
}

static int set_group(struct sk_tty *tty, struct sk_task *t, sk_user from)
{
	struct sk_kernel *k = tty->kernel;
	int error = sk_tty_allow(tty, t, SK_SIGTTOU);
	int32_t pgid;

	if (error)
		return error == -SK_EIO ? -SK_ENOTTY : error;
	if (t->process->tty != tty || tty->sid != t->process->sid)
		return -SK_ENOTTY;
	error = sk_copy_in(t, &pgid, from, sizeof(pgid));
	if (error)
		return error;
	if (pgid < 0)
		return -SK_EINVAL;
	SK_LIST_EACH(node, &k->processes) {
		struct sk_process *p =
			SK_CONTAINER(node, struct sk_process, link);

		if (p->pgid != pgid)
			continue;
		if (p->sid != tty->sid)
			return -SK_EPERM;
		tty->pgid = pgid;
		return 0;
	}
	return -SK_ESRCH;
}

static int64_t ioctl_owner(struct sk_tty *tty, struct sk_task *t,
			   uint32_t request, sk_user arg, bool master)
{
	bool own = master || t->process->tty == tty;

	switch (request) {
	case SK_TIOCSCTTY:
		return master ? -SK_ENOTTY : take(tty, t);
	case SK_TIOCNOTTY:
		return give_up(tty, t);
	case SK_TIOCSPGRP:
		return set_group(tty, t, arg);
	case SK_TIOCGPGRP:
		return !own ? -SK_ENOTTY :
			      sk_copy_out(t, arg, &tty->pgid,
					  sizeof(tty->pgid));
	case SK_TIOCGSID:
		return !own || !tty->sid ? -SK_ENOTTY :
					   sk_copy_out(t, arg, &tty->sid,
						       sizeof(tty->sid));
	default:
		return -SK_ENOTTY;
	}
}

static int32_t count_of(const struct sk_tty *tty, bool shown)
{
	return (int32_t)(shown ? tty->out.used : sk_line_ready(tty));
}

/* What a background process is stopped for. */
static bool changes(uint32_t request)
{
	return request == SK_TCSETS || request == SK_TCSETSW ||
	       request == SK_TCSETSF || request == SK_TCSBRK ||
	       request == SK_TCXONC || request == SK_TCFLSH;
}

int64_t sk_tty_ioctl(struct sk_tty *tty, struct sk_task *t, uint32_t request,
		     sk_user arg, bool master)
{
	int32_t count;
	int error = 0;

	if (changes(request) && !master)
		error = sk_tty_allow(tty, t, SK_SIGTTOU);
	if (error)
		return error;
	switch (request) {
	case SK_TCGETS:
		return sk_copy_out(t, arg, &tty->termios, sizeof(tty->termios));
	case SK_TCSETS:
	case SK_TCSETSW:
	case SK_TCSETSF:
		return set_termios(tty, t, arg, request == SK_TCSETSF);
	case SK_TCSBRK:
		return 0; /* no line to break, and nothing to drain into */
	case SK_TCXONC:
		return flow(tty, arg);
	case SK_TCFLSH:
		return flush(tty, arg);
	case SK_TIOCEXCL:
	case SK_TIOCNXCL:
		tty->exclusive = request == SK_TIOCEXCL;
		return 0;
	case SK_TIOCSTI:
		return type_byte(tty, t, arg);
	case SK_TIOCGWINSZ:
		return sk_copy_out(t, arg, &tty->size, sizeof(tty->size));
	case SK_TIOCSWINSZ:
		return set_size(tty, t, arg);
	case SK_TIOCOUTQ:
	case SK_FIONREAD:
		count = count_of(tty, master == (request == SK_FIONREAD));
		return sk_copy_out(t, arg, &count, sizeof(count));
	default:
		return ioctl_owner(tty, t, request, arg, master);
	}
}
