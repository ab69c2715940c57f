/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signalfd: the pending signals of a set, as records that are read. A read
 * takes those of the process that reads; poll has no reader, so it answers for
 * the process that made the file (or read from it last).
 */
#include "calls.h"
#include "file.h"
#include "process.h"

struct record { /* struct signalfd_siginfo, 128 bytes */
	uint32_t signo;
	int32_t error, code;
	uint32_t pid, uid;
	int32_t fd;
	uint32_t tid, band, overrun, trapno;
	int32_t status, value;
	uint64_t pointer, utime, stime, addr;
	uint8_t pad[48];
};

struct signalfd {
	uint64_t set;
	int32_t pid; /* whose signals poll looks at */
};

static struct record record_of(const struct sk_abi_siginfo *info)
{
	struct record r = { .signo = (uint32_t)info->signo,
			    .error = info->error,
			    .code = info->code };

	if (info->code == SK_SI_TIMER) {
		r.tid = (uint32_t)info->timer;
		r.overrun = (uint32_t)info->overrun;
		r.value = info->timer_value;
		return r;
	}
	r.pid = (uint32_t)info->pid;
	r.uid = info->uid;
	if (info->signo == SK_SIGCHLD) {
		r.status = info->status;
		r.utime = (uint64_t)info->utime;
		r.stime = (uint64_t)info->stime;
	} else {
		r.value = info->value;
	}
	r.pointer = (uint32_t)r.value;
	return r;
}

static int64_t signalfd_read(struct sk_file *f, struct sk_task *t,
			     struct sk_io *io)
{
	struct signalfd *s = f->data;
	int64_t done = 0;

	if (io->left < sizeof(struct record))
		return -SK_EINVAL;
	s->pid = t->process->pid;
	while (io->left >= sizeof(struct record)) {
		struct sk_abi_siginfo info;
		struct record r;

		if (!sk_signal_take(t, s->set, &info))
			break;
		r = record_of(&info);
		if (sk_io_put(io, &r, sizeof(r)) != sizeof(r))
			return done ? done : -SK_EFAULT;
		done += (int64_t)sizeof(r);
	}
	if (done)
		return done;
	return io->flags & SK_O_NONBLOCK
		       ? -SK_EAGAIN
		       : sk_wait_on(t, &t->process->signalled);
}

static uint32_t signalfd_poll(struct sk_file *f, struct sk_waitq *queues[2],
			      uint32_t *count)
{
	const struct signalfd *s = f->data;
	struct sk_process *p = sk_process_find(f->kernel, s->pid);
	const struct sk_task *t = p ? sk_process_task(p) : NULL;

	*count = 0;
	if (!t)
		return 0;
	queues[(*count)++] = &p->signalled;
	return (p->pending | t->pending) & s->set ? SK_POLLIN : 0;
}

static void signalfd_release(struct sk_file *f)
{
	sk_free(f->kernel, f->data, sizeof(struct signalfd));
}

static const struct sk_file_ops signalfd_ops = {
	.mode = 0600,
	.read = signalfd_read,
	.poll = signalfd_poll,
	.release = signalfd_release,
};

static int64_t make(struct sk_task *t, uint64_t set, uint32_t flags)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct signalfd *s = sk_alloc(k, sizeof(*s));
	struct sk_file *f;
	int error;

	if (!s)
		return -SK_ENOMEM;
	error = sk_file_new(k, &signalfd_ops,
			    SK_O_RDWR | (flags & SK_O_NONBLOCK), &f);
	if (error) {
		sk_free(k, s, sizeof(*s));
		return error;
	}
	s->set = set;
	s->pid = t->process->pid;
	f->data = s;
	return sk_fd_install(t, f, 0, flags & SK_O_CLOEXEC);
}

int64_t sk_sys_signalfd4(struct sk_task *t, const uint64_t *a)
{
	uint32_t flags = (uint32_t)a[3];
	int32_t fd = (int32_t)a[0];
	struct sk_file *f;
	uint64_t set;

	if ((flags & ~(uint32_t)(SK_O_CLOEXEC | SK_O_NONBLOCK)) ||
	    a[2] != sizeof(set))
		return -SK_EINVAL;
	if (sk_copy_in(t, &set, (sk_user)a[1], sizeof(set)))
		return -SK_EFAULT;
	set &= ~(SK_SIG_BIT(SK_SIGKILL) | SK_SIG_BIT(SK_SIGSTOP));
	if (fd == -1)
		return make(t, set, flags);
	f = sk_fd_file(t, fd);
	if (!f)
		return -SK_EBADF;
	if (f->ops != &signalfd_ops)
		return -SK_EINVAL;
	((struct signalfd *)f->data)->set = set;
	return fd;
}
