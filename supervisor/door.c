/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The door: configurations and new clients from nginx.
 *
 * Its other end is held by nginx's master and its workers alone. Workers may
 * run as another user and hold the door too, so a configuration is
 * taken only from our own uid, as the kernel tells it.
 */
#include "supervisor/door.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/client.h"
#include "supervisor/generation.h"
#include "supervisor/supervisor.h"

#define SEALS (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW)

__attribute__((format(printf, 2, 3))) static void
refuse(struct sk_supervisor *sup, const char *format, ...)
{
	char text[768];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	sk_log_say(&sup->log, SK_LEVEL_ERROR, "supervisor", getpid(), "%s",
		   text);
}

/* Reads the sealed memfd whole: a heap string and its length, or -errno. */
static int read_sealed(int fd, char **out, size_t *length)
{
	struct stat st;
	int seals, err;
	char *text;

	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & SEALS) != SEALS)
		return -EPERM;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size > (off_t)SK_CONFIG_MAX)
		return -EFBIG;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	err = sk_file_read(fd, text, (size_t)st.st_size, 0);
	if (err) {
		free(text);
		return err;
	}
	text[st.st_size] = 0;
	*out = text;
	*length = (size_t)st.st_size;
	return 0;
}

static void take_config(struct sk_supervisor *sup,
			const struct sk_received *got)
{
	unsigned long long number = got->head.generation;
	char error[512] = "out of memory";
	struct sk_generation *generation;
	size_t length = 0;
	char *text = NULL;
	int err;

	if (!got->has_cred || got->uid != geteuid()) {
		refuse(sup, "a configuration from another user was refused");
		return;
	}
	if (sk_generation_find(sup, number)) {
		refuse(sup, "configuration %llu came twice", number);
		return;
	}
	err = got->nfds == 1 ? read_sealed(got->fds[0], &text, &length)
			     : -EBADF;
	if (err) {
		refuse(sup, "configuration %llu cannot be read: %s", number,
		       err == -EPERM ? "it is not sealed" : strerror(-err));
		return;
	}
	err = sk_generation_load(sup, &generation, number, text, length,
				 &sk_file_opener, error, sizeof(error));
	if (err) {
		free(text);
		refuse(sup, "configuration %llu is wrong: %s", number, error);
		return;
	}
	LIST_INSERT_HEAD(&sup->generations, generation, link);
	sk_log_say(&sup->log, SK_LEVEL_DEBUG, "supervisor", getpid(),
		   "configuration %llu", number);
	sk_generations_collect(sup);
	sk_generations_save(sup);
	sk_egress_configure(&sup->egress);
}

/* 1 when `fd` is a socket of the kind that control messages need. */
static int is_control(int fd)
{
	socklen_t size = sizeof(int);
	int domain = 0, type = 0;

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
	       domain == AF_UNIX && type == SOCK_SEQPACKET;
}

static void take_connect(struct sk_supervisor *sup, struct sk_received *got)
{
	struct sk_generation *generation;
	int err, flags;

	generation = sk_generation_find(sup, got->head.generation);
	if (!generation || sup->draining) {
		if (!sup->draining)
			refuse(sup,
			       "an nginx worker of configuration %llu, "
			       "which is not loaded, was refused",
			       (unsigned long long)got->head.generation);
		return;
	}
	if (got->nfds != 1 || !is_control(got->fds[0])) {
		refuse(sup, "an nginx worker sent no control socket");
		return;
	}
	flags = fcntl(got->fds[0], F_GETFL);
	err = fcntl(got->fds[0], F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
	if (!err)
		err = sk_client_new(sup, generation, got->fds[0],
				    got->has_cred ? got->pid : 0);
	if (err) {
		refuse(sup, "cannot take an nginx worker on: %s",
		       strerror(-err));
		return;
	}
	got->fds[0] = -1; /* the client's now */
	sup->connected = generation;
	sk_generations_collect(sup);
}

static void door_ready(struct sk_source *source, uint32_t events)
{
	struct sk_supervisor *sup;
	struct sk_received got;
	int err;

	(void)events;
	sup = (struct sk_supervisor *)((char *)source -
				       offsetof(struct sk_supervisor, door));
	err = sk_message_receive(source->fd, &got, sup->buffer,
				 sizeof(sup->buffer));
	if (err == -EAGAIN)
		return;
	if (err == -EPROTO) {
		refuse(sup, "a malformed message at the door");
		return;
	}
	if (err <= 0) {
		sk_loop_close(&sup->loop, source);
		return;
	}
	if (got.head.type == SK_MSG_CONFIG)
		take_config(sup, &got);
	else if (got.head.type == SK_MSG_CONNECT)
		take_connect(sup, &got);
	else
		refuse(sup, "an unknown message (%u) at the door",
		       got.head.type);
	sk_received_close(&got);
}

int sk_door_open(struct sk_supervisor *sup)
{
	int on = 1;

	sup->door.fd = SK_DOOR_FD;
	sup->door.ready = door_ready;
	if (setsockopt(SK_DOOR_FD, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) <
		    0 ||
	    fcntl(SK_DOOR_FD, F_SETFL,
		  fcntl(SK_DOOR_FD, F_GETFL) | O_NONBLOCK) < 0)
		return -errno;
	return sk_loop_add(&sup->loop, &sup->door, EPOLLIN);
}
