/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll and select, in their forms with a mask and a timespec (libc makes the
 * others of these).
 *
 * One pass looks at every file. As long as none is ready it also joins the
 * file's queues, so when the pass ends without a result the task is already
 * everywhere it has to be, and parks. Woken, it makes the whole pass again:
 * leaving and joining again is what keeps the queues free of the dead.
 */
#include "poll.h"

#include "process.h"

#define NSEC 1000000000ll
#define CHUNK 32

uint32_t sk_file_poll(struct sk_file *f, struct sk_waitq *queues[2],
		      uint32_t *count)
{
	uint32_t ready;

	*count = 0;
	ready = f->ops->poll ? f->ops->poll(f, queues, count) :
			       SK_POLLIN | SK_POLLOUT;
	if (ready & SK_POLLIN)
		ready |= SK_POLLRDNORM;
	if (ready & SK_POLLOUT)
		ready |= SK_POLLWRNORM;
	return ready;
}

int sk_file_join(struct sk_task *t, struct sk_waitq *queues[2],
		 uint32_t count)
{
	int error = 0;

	for (uint32_t i = 0; i < count && !error; i++)
		error = sk_wait_join(t, queues[i]);
	return error;
}

static int64_t deadline_of(struct sk_task *t, int64_t sec, int64_t nsec)
{
	int64_t now = sk_now(sk_kernel_of(t), SK_CLOCK_MONOTONIC);

	if (!sec && !nsec)
		return 0;
	if (sec > (SK_NEVER - now) / NSEC - 1)
		return SK_NEVER;
	return now + sec * NSEC + nsec;
}

int sk_poll_deadline(struct sk_task *t, sk_user timespec, int64_t *out)
{
	struct sk_abi_timespec ts;
	int error;

	*out = SK_NEVER;
	if (!timespec)
		return 0;
	error = sk_copy_in(t, &ts, timespec, sizeof(ts));
	if (error)
		return error;
	ts.nsec = (int32_t)ts.nsec;
	if (ts.sec < 0 || ts.nsec < 0 || ts.nsec >= NSEC)
		return -SK_EINVAL;
	*out = deadline_of(t, ts.sec, ts.nsec);
	return 0;
}

int64_t sk_poll_deadline_ms(struct sk_task *t, int32_t ms)
{
	if (ms < 0)
		return SK_NEVER;
	return deadline_of(t, ms / 1000, ms % 1000 * 1000000ll);
}

int sk_poll_mask(struct sk_task *t, sk_user mask, uint64_t size)
{
	uint64_t bits;
	int error;

	if (!mask || t->call.again)
		return 0;
	if (size != sizeof(bits))
		return -SK_EINVAL;
	error = sk_copy_in(t, &bits, mask, sizeof(bits));
	if (!error)
		sk_signal_swap_mask(t, bits);
	return error;
}

int64_t sk_poll_wait(struct sk_task *t, int64_t deadline)
{
	int64_t result;

	if (!deadline)
		return 0;
	result = sk_wait_until(t, NULL, deadline);
	if (result == -SK_ETIMEDOUT)
		return 0;
	/* Not even SA_RESTART restarts these. */
	return result == -SK_ERESTART ? -SK_EINTR : result;
}

/*
 * What of `events` a descriptor is ready for (POLLNVAL without one). Joins
 * its queues when that is nothing and `join` is set; -SK_ENOMEM.
 */
static int64_t look(struct sk_task *t, int fd, uint32_t events, bool join)
{
	struct sk_file *f = sk_fd_file(t, fd);
	struct sk_waitq *queues[2];
	uint32_t count, ready;

	if (!f)
		return SK_POLLNVAL;
	ready = sk_file_poll(f, queues, &count) &
		(events | SK_POLLERR | SK_POLLHUP);
	if (!ready && join) {
		int error = sk_file_join(t, queues, count);

		if (error)
			return error;
	}
	return ready;
}

/* One piece of the array; the number that are ready, -SK_ENOMEM. */
static int64_t poll_piece(struct sk_task *t, struct sk_abi_pollfd *fds,
			  uint32_t count, bool join)
{
	int64_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		int64_t ready = 0;

		if (fds[i].fd >= 0)
			ready = look(t, fds[i].fd, (uint16_t)fds[i].events,
				     join && !found);
		if (ready < 0)
			return ready;
		fds[i].revents = (int16_t)ready;
		found += ready != 0;
	}
	return found;
}

static int64_t poll_all(struct sk_task *t, sk_user at, uint32_t left,
			bool join)
{
	struct sk_abi_pollfd fds[CHUNK];
	int64_t found = 0;

	while (left) {
		uint32_t count = left < CHUNK ? left : CHUNK;
		uint32_t size = count * (uint32_t)sizeof(fds[0]);
		int64_t ready;
		int error = sk_copy_in(t, fds, at, size);

		if (error)
			return error;
		ready = poll_piece(t, fds, count, join && !found);
		if (ready < 0)
			return ready;
		error = sk_copy_out(t, at, fds, size);
		if (error)
			return error;
		found += ready;
		at += size;
		left -= count;
	}
	return found;
}

int64_t sk_sys_ppoll(struct sk_task *t, const uint64_t *a)
{
	uint32_t count = (uint32_t)a[1];
	int64_t deadline, found;
	int error;

	if (count > t->process->limits[SK_RLIMIT_NOFILE].cur &&
	    count > sk_kernel_of(t)->max_fds)
		return -SK_EINVAL;
	error = sk_poll_deadline(t, (sk_user)a[2], &deadline);
	if (!error)
		error = sk_poll_mask(t, (sk_user)a[3], a[4]);
	if (error)
		return error;
	found = poll_all(t, (sk_user)a[0], count, deadline != 0);
	return found ? found : sk_poll_wait(t, deadline);
}

/* select: three sets of bits, least first, as little-endian longs have them. */
#define SET_MAX 1024
#define SET_READ 0
#define SET_WRITE 1
#define SET_EXCEPT 2

struct sets {
	uint8_t in[3][SET_MAX / 8];
	uint8_t out[3][SET_MAX / 8];
};

static const uint32_t set_asks[3] = { SK_POLLIN, SK_POLLOUT, SK_POLLPRI };
static const uint32_t set_gets[3] = {
	SK_POLLIN | SK_POLLHUP | SK_POLLERR,
	SK_POLLOUT | SK_POLLERR,
	SK_POLLPRI,
};

/* One descriptor of select; the bits that it sets, -errno. */
static int64_t select_one(struct sk_task *t, struct sets *sets, int fd,
			  bool join)
{
	uint8_t bit = (uint8_t)(1u << (fd % 8));
	uint32_t events = 0;
	int64_t ready, found = 0;

	for (int set = 0; set < 3; set++) {
		if (sets->in[set][fd / 8] & bit)
			events |= set_asks[set];
	}
	if (!events)
		return 0;
	/* What poll always tells (ERR, HUP) may be none of ours: join anyway. */
	ready = look(t, fd, events, false);
	if (ready == SK_POLLNVAL)
		return -SK_EBADF;
	for (int set = 0; set < 3; set++) {
		if ((sets->in[set][fd / 8] & bit) && (ready & set_gets[set])) {
			sets->out[set][fd / 8] |= bit;
			found++;
		}
	}
	if (!found && join) {
		struct sk_waitq *queues[2];
		uint32_t count;

		sk_file_poll(sk_fd_file(t, fd), queues, &count);
		found = sk_file_join(t, queues, count);
	}
	return found;
}

static int64_t select_all(struct sk_task *t, struct sets *sets, int limit,
			  bool join)
{
	int64_t found = 0;

	for (int fd = 0; fd < limit; fd++) {
		int64_t one;

		if (!(sets->in[0][fd / 8] | sets->in[1][fd / 8] |
		      sets->in[2][fd / 8])) {
			fd |= 7;
			continue;
		}
		one = select_one(t, sets, fd, join && !found);
		if (one < 0)
			return one;
		found += one;
	}
	return found;
}

static int copy_sets(struct sk_task *t, const uint64_t *a, struct sets *sets,
		     uint32_t size, bool out)
{
	for (int set = 0; set < 3; set++) {
		sk_user at = (sk_user)a[1 + set];
		int error;

		if (!at)
			continue;
		error = out ? sk_copy_out(t, at, sets->out[set], size) :
			      sk_copy_in(t, sets->in[set], at, size);
		if (error)
			return error;
	}
	return 0;
}

int64_t sk_sys_pselect6(struct sk_task *t, const uint64_t *a)
{
	int32_t limit = (int32_t)a[0];
	struct sets sets = { 0 };
	uint64_t mask[2] = { 0, 0 };
	uint32_t size;
	int64_t deadline, found;
	int error;

	if (limit < 0)
		return -SK_EINVAL;
	if (limit > SET_MAX)
		limit = SET_MAX;
	size = ((uint32_t)limit + 31) / 32 * 4;
	error = copy_sets(t, a, &sets, size, false);
	if (!error)
		error = sk_poll_deadline(t, (sk_user)a[4], &deadline);
	if (!error && a[5])
		error = sk_copy_in(t, mask, (sk_user)a[5], sizeof(mask));
	if (!error)
		error = sk_poll_mask(t, (sk_user)mask[0], mask[1]);
	if (error)
		return error;
	found = select_all(t, &sets, limit, deadline != 0);
	if (!found)
		found = sk_poll_wait(t, deadline);
	if (found < 0)
		return found;
	error = copy_sets(t, a, &sets, size, true);
	return error ? error : found;
}
