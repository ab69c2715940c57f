/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A selkie-worker that has been taken over: it speaks the protocol of zygote
 * and worker process, and does the evil that its bundle names. Only for what
 * no JavaScript could do in the real one.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/control.h"
#include "ring/fetch.h"
#include "ring/ring.h"

struct spawn {
	uint64_t proc;
	int control;
	int bundle;
	int wake;
	int page_fd;
	struct sk_status_page *page;
};

static unsigned char buffer[SK_MESSAGE_MAX + 1];

static void say(int sock, enum sk_message_type type, int32_t value,
		const char *text)
{
	struct sk_message head = { .type = type, .value = value };

	while (sk_message_send(sock, &head, text, strlen(text), NULL, 0) ==
	       -EAGAIN)
		poll(&(struct pollfd){ .fd = sock, .events = POLLOUT }, 1, 100);
}

/* The next message; exits when the supervisor has gone, as it should. */
static struct sk_received hear(int sock)
{
	struct sk_received got;
	int err;

	for (;;) {
		err = sk_message_receive(sock, &got, buffer, sizeof(buffer));
		if (err > 0)
			return got;
		if (err != -EAGAIN)
			exit(0);
		poll(&(struct pollfd){ .fd = sock, .events = POLLIN }, 1, -1);
	}
}

/* What a good process does: until STOP. */
static void serve(struct spawn *spawn)
{
	struct sk_received got;

	for (;;) {
		got = hear(spawn->control);
		sk_received_close(&got);
		if (got.head.type == SK_MSG_STOP)
			exit(0);
	}
}

static void serve_until_attached(struct spawn *spawn)
{
	struct sk_received got;

	do {
		got = hear(spawn->control);
		sk_received_close(&got);
	} while (got.head.type != SK_MSG_AREA);
}

/* --- evil --- */

static void fail(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_FAILED, 0,
	    "SyntaxError: oh \x1b[2J no\n  at bundle:1");
	exit(1);
}

static void die(struct spawn *spawn)
{
	(void)spawn;
	exit(3);
}

static void crash(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	serve_until_attached(spawn);
	say(spawn->control, SK_MSG_LOG, SK_LEVEL_ERROR, "last words");
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static void spin(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	spawn->page->turn++;
	spawn->page->in_turn = 1;
	for (;;)
		__asm__ volatile("");
}

static void hang(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	spawn->page->turn++;
	spawn->page->in_turn = 1;
	for (;;)
		pause();
}

static void ignore_stop(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
}

static void speak_as_nginx(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	serve_until_attached(spawn);
	say(spawn->control, SK_MSG_ATTACH, 0, "");
	serve(spawn);
}

static void ready_twice(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	serve_until_attached(spawn);
	say(spawn->control, SK_MSG_READY, 0, "");
	serve(spawn);
}

static void short_message(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	serve_until_attached(spawn);
	(void)!write(spawn->control, "x", 1);
	serve(spawn);
}

static void many_descriptors(struct spawn *spawn)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(100 * sizeof(int))];
	} control = { .bytes = { 0 } };
	struct sk_message head = { .type = SK_MSG_LOG };
	struct iovec iov = { &head, sizeof(head) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	int i;

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(100 * sizeof(int));
	for (i = 0; i < 100; i++)
		memcpy(CMSG_DATA(&control.head) + (size_t)i * sizeof(int),
		       &spawn->wake, sizeof(int));
	say(spawn->control, SK_MSG_READY, 0, "");
	serve_until_attached(spawn);
	sendmsg(spawn->control, &msg, 0);
	serve(spawn);
}

/* Four descriptors with each of many messages, as many as it likes. */
static void give_descriptors(struct spawn *spawn)
{
	struct sk_message head = { .type = SK_MSG_LOG,
				   .value = SK_LEVEL_DEBUG };
	int fds[4] = { spawn->wake, spawn->wake, spawn->wake, spawn->wake };
	int i;

	say(spawn->control, SK_MSG_READY, 0, "");
	for (i = 0; i < 1500;)
		if (sk_message_send(spawn->control, &head, "x", 1, fds, 4) == 0)
			i++;
	say(spawn->control, SK_MSG_LOG, SK_LEVEL_WARN, "all given");
	serve(spawn);
}

static void forge_log(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	say(spawn->control, SK_MSG_LOG, SK_LEVEL_ERROR,
	    "one\n2026-01-01T00:00:00.000Z error  GET /  forged\r"
	    "\x1b]0;title\x07\xc2\x9b"
	    "31m\xff end\n\n");
	say(spawn->control, SK_MSG_LOG, 77, "level out of range");
	serve(spawn);
}

static void flood_log(struct spawn *spawn)
{
	int i;

	say(spawn->control, SK_MSG_READY, 0, "");
	for (i = 0; i < 50000; i++)
		say(spawn->control, SK_MSG_LOG, SK_LEVEL_INFO, "flood flood");
	say(spawn->control, SK_MSG_RECYCLE, 0, "flooded");
	serve(spawn);
}

static void flood_for_ever(struct spawn *spawn)
{
	struct sk_message head = { .type = SK_MSG_LOG };
	char text[4096];

	memset(text, 'x', sizeof(text));
	say(spawn->control, SK_MSG_READY, 0, "");
	for (;;) {
		sk_message_send(spawn->control, &head, "x", 1, NULL, 0);
		(void)!write(STDERR_FILENO, text, sizeof(text));
	}
}

static void cut_page(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	say(spawn->control, SK_MSG_LOG, SK_LEVEL_WARN,
	    ftruncate(spawn->page_fd, 0) < 0 ? "page not cut" : "page cut");
	serve(spawn);
}

static void close_control(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	serve_until_attached(spawn);
	close(spawn->control);
	for (;;)
		pause();
}

static void recycle(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	serve_until_attached(spawn);
	say(spawn->control, SK_MSG_RECYCLE, 0, "too fat");
	serve(spawn);
}

static void write_stderr(struct spawn *spawn)
{
	static const char text[] = "raw \x1b[31m words\n";

	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	say(spawn->control, SK_MSG_READY, 0, "");
	serve(spawn);
}

/* --- towards the egress --- */

/* Logs each message about an egress, and does `act` with its area. */
static void serve_egress(struct spawn *spawn, void (*act)(struct sk_area *area))
{
	const uint64_t one = 1;
	struct sk_received got;
	struct sk_area area;

	say(spawn->control, SK_MSG_READY, 0, "");
	for (;;) {
		got = hear(spawn->control);
		if (got.head.type == SK_MSG_STOP)
			exit(0);
		if (got.head.type == SK_MSG_EGRESS)
			say(spawn->control, SK_MSG_LOG, SK_LEVEL_INFO,
			    got.nfds == 2 ? "an egress" : "no egress");
		if (got.head.type == SK_MSG_EGRESS && got.nfds == 2 && act &&
		    !sk_area_map(&area, got.fds[0], SK_AREA_WORKER)) {
			act(&area);
			sk_ring_publish(&area.out);
			(void)!write(got.fds[1], &one, sizeof(one));
		}
		sk_received_close(&got);
	}
}

static void egress_good(struct spawn *spawn)
{
	serve_egress(spawn, NULL);
}

static void push_nonsense(struct sk_area *area)
{
	sk_ring_push(&area->out, 4711, 0, 0, 0, "?", 1);
}

static void egress_nonsense(struct spawn *spawn)
{
	serve_egress(spawn, push_nonsense);
}

static void forge_index(struct sk_area *area)
{
	area->page->up.head = 0x7fffffff;
}

static void egress_forge_index(struct spawn *spawn)
{
	serve_egress(spawn, forge_index);
}

/* FETCH frames whose lengths are lies. */
static void push_lies(struct sk_area *area)
{
	struct sk_fetch_head head = { .method_len = UINT32_MAX,
				      .url_len = UINT32_MAX,
				      .headers = UINT32_MAX };

	sk_ring_push(&area->out, SK_FRAME_FETCH, SK_FRAME_END, 0, 1, &head,
		     sizeof(head));
}

static void egress_lies(struct spawn *spawn)
{
	serve_egress(spawn, push_lies);
}

static void push_slot(struct sk_area *area)
{
	sk_ring_push(&area->out, SK_FRAME_ABORT, 0, SK_CALLS, 1, NULL, 0);
}

static void egress_slot(struct spawn *spawn)
{
	serve_egress(spawn, push_slot);
}

static void good(struct spawn *spawn)
{
	say(spawn->control, SK_MSG_READY, 0, "");
	serve(spawn);
}

static const struct {
	const char *name;
	void (*run)(struct spawn *spawn);
} evils[] = {
	{ "fail", fail },
	{ "die", die },
	{ "crash", crash },
	{ "spin", spin },
	{ "hang", hang },
	{ "ignore_stop", ignore_stop },
	{ "speak_as_nginx", speak_as_nginx },
	{ "ready_twice", ready_twice },
	{ "short_message", short_message },
	{ "many_descriptors", many_descriptors },
	{ "give_descriptors", give_descriptors },
	{ "forge_log", forge_log },
	{ "flood_log", flood_log },
	{ "flood_for_ever", flood_for_ever },
	{ "cut_page", cut_page },
	{ "close_control", close_control },
	{ "recycle", recycle },
	{ "write_stderr", write_stderr },
	{ "egress_good", egress_good },
	{ "egress_nonsense", egress_nonsense },
	{ "egress_forge_index", egress_forge_index },
	{ "egress_lies", egress_lies },
	{ "egress_slot", egress_slot },
	{ "good", good },
};

static void live(struct spawn *spawn, pid_t zygote)
{
	char name[64] = "";
	size_t i;

	prctl(PR_SET_PDEATHSIG, 0);
	prctl(PR_SET_NAME, "hostile-worker");
	signal(SIGCHLD, SIG_DFL);
	(void)zygote;
	spawn->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			   spawn->page_fd, 0);
	if (spawn->page == MAP_FAILED ||
	    pread(spawn->bundle, name, sizeof(name) - 1, 0) <= 0)
		exit(9);
	name[strcspn(name, "\n")] = 0;
	for (i = 0; i < sizeof(evils) / sizeof(evils[0]); i++)
		if (!strcmp(name, evils[i].name))
			evils[i].run(spawn);
	exit(8);
}

/* --- the zygote --- */

static struct {
	pid_t pid;
	uint64_t proc;
} children[4096];

static void spawn_one(struct sk_received *first)
{
	struct sk_message head = { .type = SK_MSG_SPAWNED,
				   .proc = first->head.proc };
	struct spawn spawn = { .proc = first->head.proc };
	struct sk_received page;
	int i, pidfd;
	pid_t pid;

	spawn.control = first->fds[0];
	spawn.bundle = first->fds[1];
	spawn.wake = first->fds[3];
	page = hear(3);
	spawn.page_fd = page.fds[0];
	pid = fork();
	if (pid == 0) {
		close(3);
		live(&spawn, getppid());
	}
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	head.value = pid;
	sk_message_send(3, &head, NULL, 0, &pidfd, 1);
	close(pidfd);
	sk_received_close(first);
	sk_received_close(&page);
	for (i = 0; i < 4096; i++) {
		if (children[i].pid)
			continue;
		children[i].pid = pid;
		children[i].proc = spawn.proc;
		return;
	}
}

static void reap(void)
{
	struct sk_message head = { .type = SK_MSG_EXITED };
	int i, status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < 4096 && children[i].pid != pid; i++)
			;
		if (i == 4096)
			continue;
		children[i].pid = 0;
		head.proc = children[i].proc;
		head.value = status;
		sk_message_send(3, &head, NULL, 0, NULL, 0);
	}
}

static void on_child(int number)
{
	(void)number;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_child };
	struct sk_received got;
	int err;

	prctl(PR_SET_NAME, "hostile-zygote");
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	sigaction(SIGCHLD, &action, NULL);
	for (;;) {
		poll(&(struct pollfd){ .fd = 3, .events = POLLIN }, 1, 100);
		reap();
		err = sk_message_receive(3, &got, buffer, sizeof(buffer));
		if (err > 0 && got.head.type == SK_MSG_SPAWN)
			spawn_one(&got);
		else if (err <= 0 && err != -EAGAIN)
			return 0;
	}
}
