/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll: a set of open files that tells which became ready.
 *
 * An item is one descriptor in one set. It holds no reference: it hangs at
 * its file (sk_file.followers) and goes with it. Its watchers sit in the
 * file's queues, and each wake puts it on the set's ready list; being there
 * means "to be looked at", not "is ready". A wait looks at each of the list
 * once: what is not ready leaves the list, what is gets reported and stays
 * (level), leaves until the next wake (edge), or is silenced (one shot).
 *
 * Sets may hold sets, but neither circles nor more than DEPTH_MAX levels,
 * so a wake that climbs from set to set ends.
 */
#include "epoll.h"

#include "poll.h"
#include "process.h"

#define DEPTH_MAX 5
#define BEHAVIOUR (SK_EPOLLET | SK_EPOLLONESHOT | SK_EPOLLEXCLUSIVE)

struct watch {
	struct sk_watcher watcher;
	struct sk_epoll_item *item;
};

struct sk_epoll_item {
	struct watch watch[2];
	struct sk_list of_set; /* in epoll.items */
	struct sk_list ready; /* in epoll.ready, or unlinked */
	struct sk_epoll_item *next; /* in sk_file.followers */
	struct epoll *set;
	struct sk_file *file;
	int fd;
	uint32_t events;
	bool silenced; /* a one shot that was reported */
	uint64_t data;
};

struct epoll {
	struct sk_kernel *kernel;
	struct sk_list items, ready;
	struct sk_waitq woken;
};

static const struct sk_file_ops epoll_ops;

static void item_woken(struct sk_watcher *w)
{
	struct sk_epoll_item *i = SK_CONTAINER(w, struct watch, watcher)->item;

	if (i->silenced)
		return;
	if (sk_list_empty(&i->ready))
		sk_list_add(&i->set->ready, &i->ready);
	sk_waitq_wake(&i->set->woken);
}

/* What is ready of what the item asks for. */
static uint32_t item_look(struct sk_epoll_item *i, struct sk_waitq *queues[2],
			  uint32_t *count)
{
	uint32_t ready = sk_file_poll(i->file, queues, count);

	return i->silenced ? 0 :
			     ready & ((i->events & ~BEHAVIOUR) | SK_POLLERR |
				      SK_POLLHUP);
}

static uint32_t item_ready(struct sk_epoll_item *i)
{
	struct sk_waitq *queues[2];
	uint32_t count;

	return item_look(i, queues, &count);
}

static void item_free(struct sk_epoll_item *i)
{
	struct sk_epoll_item **at = &i->file->followers;

	while (*at != i)
		at = &(*at)->next;
	*at = i->next;
	for (int n = 0; n < 2; n++)
		sk_list_remove(&i->watch[n].watcher.link);
	sk_list_remove(&i->of_set);
	sk_list_remove(&i->ready);
	sk_free(i->set->kernel, i, sizeof(*i));
}

void sk_epoll_forget(struct sk_file *f)
{
	while (f->followers)
		item_free(f->followers);
}

static struct sk_epoll_item *find(const struct epoll *set, const struct sk_file *f,
			 int fd)
{
	struct sk_epoll_item *i = f->followers;

	while (i && (i->set != set || i->fd != fd))
		i = i->next;
	return i;
}

/* How deep the sets below `f` go; above DEPTH_MAX when `top` is among them. */
static int depth(const struct sk_file *f, const struct epoll *top, int level)
{
	const struct epoll *set = f->data;
	int deepest = level;

	if (f->ops != &epoll_ops)
		return level - 1;
	if (set == top || level > DEPTH_MAX)
		return DEPTH_MAX + 1;
	SK_LIST_EACH(node, &set->items) {
		int below = depth(
			SK_CONTAINER(node, struct sk_epoll_item, of_set)->file, top,
			level + 1);

		if (below > deepest)
			deepest = below;
	}
	return deepest;
}

/* Looks at once: what is ready already is reported by the next wait. */
static void item_start(struct sk_epoll_item *i)
{
	if (item_ready(i))
		item_woken(&i->watch[0].watcher);
}

static int add(struct epoll *set, struct sk_file *f, int fd,
	       const struct sk_abi_epoll_event *event)
{
	struct sk_waitq *queues[2];
	struct sk_epoll_item *i;
	uint32_t count;

	if (find(set, f, fd))
		return -SK_EEXIST;
	if (depth(f, set, 1) > DEPTH_MAX)
		return -SK_ELOOP;
	i = sk_alloc(set->kernel, sizeof(*i));
	if (!i)
		return -SK_ENOMEM;
	for (int n = 0; n < 2; n++) {
		i->watch[n].watcher.woken = item_woken;
		i->watch[n].item = i;
		sk_list_init(&i->watch[n].watcher.link);
	}
	i->set = set;
	i->file = f;
	i->fd = fd;
	i->events = event->events;
	i->data = event->data;
	sk_list_init(&i->ready);
	sk_list_add(&set->items, &i->of_set);
	i->next = f->followers;
	f->followers = i;
	item_look(i, queues, &count);
	for (uint32_t n = 0; n < count; n++)
		sk_list_add(&queues[n]->watchers, &i->watch[n].watcher.link);
	item_start(i);
	return 0;
}

static int change(struct sk_epoll_item *i, const struct sk_abi_epoll_event *event)
{
	if ((i->events | event->events) & SK_EPOLLEXCLUSIVE)
		return -SK_EINVAL;
	i->events = event->events;
	i->data = event->data;
	i->silenced = false;
	item_start(i);
	return 0;
}

static struct epoll *set_of(struct sk_task *t, int fd, int *error)
{
	struct sk_file *f = sk_fd_file(t, fd);

	*error = !f ? -SK_EBADF : f->ops != &epoll_ops ? -SK_EINVAL : 0;
	return *error ? NULL : f->data;
}

int64_t sk_sys_epoll_ctl(struct sk_task *t, const uint64_t *a)
{
	struct sk_file *f = sk_fd_file(t, (int)a[2]);
	int op = (int)a[1], fd = (int)a[2], error;
	struct epoll *set = set_of(t, (int)a[0], &error);
	struct sk_abi_epoll_event event;
	struct sk_epoll_item *i;

	if (op != SK_EPOLL_CTL_DEL) {
		int fault = sk_copy_in(t, &event, (sk_user)a[3], sizeof(event));

		if (fault)
			return fault;
	}
	if (!f)
		return -SK_EBADF;
	if (error)
		return error;
	if (!f->ops->poll)
		return -SK_EPERM;
	if (f->data == set)
		return -SK_EINVAL;
	i = find(set, f, fd);
	switch (op) {
	case SK_EPOLL_CTL_ADD:
		return add(set, f, fd, &event);
	case SK_EPOLL_CTL_MOD:
		return i ? change(i, &event) : -SK_ENOENT;
	case SK_EPOLL_CTL_DEL:
		if (i)
			item_free(i);
		return i ? 0 : -SK_ENOENT;
	default:
		return -SK_EINVAL;
	}
}

/* Whether an item that was reported has to be looked at again. */
static bool stays(struct sk_epoll_item *i)
{
	if (i->events & SK_EPOLLONESHOT)
		i->silenced = true;
	return !(i->events & (SK_EPOLLONESHOT | SK_EPOLLET));
}

static int64_t collect(struct epoll *set, struct sk_task *t, sk_user to,
		       int32_t max)
{
	struct sk_list seen; /* so that each is looked at once */
	int32_t count = 0;
	int error = 0;

	sk_list_init(&seen);
	while (count < max && !error && !sk_list_empty(&set->ready)) {
		struct sk_epoll_item *i =
			SK_CONTAINER(set->ready.next, struct sk_epoll_item, ready);
		struct sk_abi_epoll_event event = { .events = item_ready(i),
						    .data = i->data };

		sk_list_remove(&i->ready);
		if (!event.events)
			continue;
		error = sk_copy_out(
			t, to + (uint32_t)count * (uint32_t)sizeof(event),
			&event, sizeof(event));
		if (error || stays(i))
			sk_list_add(&seen, &i->ready);
		count += !error;
	}
	while (!sk_list_empty(&seen)) {
		struct sk_list *node = seen.next;

		sk_list_remove(node);
		sk_list_add(&set->ready, node);
	}
	return count ? count : error;
}

int64_t sk_sys_epoll_pwait(struct sk_task *t, const uint64_t *a)
{
	int32_t max = (int32_t)a[2];
	int error;
	struct epoll *set = set_of(t, (int)a[0], &error);
	int64_t found;

	if (max <= 0 ||
	    (uint32_t)max > INT32_MAX / sizeof(struct sk_abi_epoll_event))
		return -SK_EINVAL;
	if (!error)
		error = sk_poll_mask(t, (sk_user)a[4], a[5]);
	if (error)
		return error;
	found = collect(set, t, (sk_user)a[1], max);
	if (found)
		return found;
	error = sk_wait_join(t, &set->woken);
	if (error)
		return error;
	return sk_poll_wait(t, sk_poll_deadline_ms(t, (int32_t)a[3]));
}

static uint32_t epoll_poll(struct sk_file *f, struct sk_waitq *queues[2],
			   uint32_t *count)
{
	struct epoll *set = f->data;

	queues[0] = &set->woken;
	*count = 1;
	SK_LIST_EACH(node, &set->ready) {
		if (item_ready(SK_CONTAINER(node, struct sk_epoll_item, ready)))
			return SK_POLLIN;
		sk_list_remove(node);
	}
	return 0;
}

static void epoll_release(struct sk_file *f)
{
	struct epoll *set = f->data;

	while (!sk_list_empty(&set->items))
		item_free(SK_CONTAINER(set->items.next, struct sk_epoll_item, of_set));
	sk_waitq_fini(&set->woken);
	sk_free(f->kernel, set, sizeof(*set));
}

static const struct sk_file_ops epoll_ops = {
	.mode = 0600,
	.poll = epoll_poll,
	.release = epoll_release,
};

int64_t sk_sys_epoll_create1(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	uint32_t flags = (uint32_t)a[0];
	struct epoll *set;
	struct sk_file *f;
	int error;

	if (flags & ~(uint32_t)SK_O_CLOEXEC)
		return -SK_EINVAL;
	set = sk_alloc(k, sizeof(*set));
	if (!set)
		return -SK_ENOMEM;
	error = sk_file_new(k, &epoll_ops, SK_O_RDWR, &f);
	if (error) {
		sk_free(k, set, sizeof(*set));
		return error;
	}
	set->kernel = k;
	sk_list_init(&set->items);
	sk_list_init(&set->ready);
	sk_waitq_init(&set->woken);
	f->data = set;
	return sk_fd_install(t, f, 0, flags);
}
