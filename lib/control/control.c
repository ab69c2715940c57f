/* SPDX-License-Identifier: BSD-2-Clause */
/* Control messages over SEQPACKET sockets; see control.h. */
#include "control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Room for the descriptors and one struct ucred, aligned for cmsghdr. */
union ancillary {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(SK_MESSAGE_FDS * sizeof(int)) +
		   CMSG_SPACE(sizeof(struct ucred))];
};

int sk_control_pair(int pair[2])
{
	int type = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;
	int on = 1;
	int err;

	if (socketpair(AF_UNIX, type, 0, pair) < 0)
		return -errno;
	/* The kernel notes who sent a message only if an end asked for it by
	 * then, and nginx sends before the supervisor has begun to run. */
	if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0) {
		err = -errno;
		close(pair[0]);
		close(pair[1]);
		return err;
	}
	return 0;
}

int sk_message_send(int sock, struct sk_message *head, const void *payload,
		    size_t length, const int *fds, int nfds)
{
	union ancillary control;
	struct iovec iov[2];
	struct msghdr msg;
	struct cmsghdr *cmsg;
	size_t size;
	ssize_t n;

	if (length > SK_MESSAGE_MAX || nfds < 0 || nfds > SK_MESSAGE_FDS)
		return -EMSGSIZE;
	head->length = (uint32_t)length;
	iov[0].iov_base = head;
	iov[0].iov_len = sizeof(*head);
	iov[1].iov_base = (void *)payload;
	iov[1].iov_len = length;
	memset(&msg, 0, sizeof(msg));
	msg.msg_iov = iov;
	msg.msg_iovlen = length ? 2 : 1;
	if (nfds > 0) {
		size = (size_t)nfds * sizeof(int);
		memset(&control, 0, sizeof(control));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(size);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(size);
		memcpy(CMSG_DATA(cmsg), fds, size);
	}
	do {
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* Keeps the first SK_MESSAGE_FDS descriptors. A hostile peer may send more
 * than fit the contract: those are closed, and 1 is returned. */
static int take_fds(const struct cmsghdr *cmsg, struct sk_received *out)
{
	size_t count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	const unsigned char *at = CMSG_DATA(cmsg);
	int fd, extra = 0;

	for (; count; count--, at += sizeof(int)) {
		memcpy(&fd, at, sizeof(int));
		if (out->nfds < SK_MESSAGE_FDS) {
			out->fds[out->nfds++] = fd;
		} else {
			close(fd);
			extra = 1;
		}
	}
	return extra;
}

static int take_ancillary(struct msghdr *msg, struct sk_received *out)
{
	struct cmsghdr *cmsg;
	struct ucred cred;
	int extra = 0;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET)
			continue;
		if (cmsg->cmsg_type == SCM_RIGHTS) {
			extra |= take_fds(cmsg, out);
		} else if (cmsg->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&cred, CMSG_DATA(cmsg), sizeof(cred));
			out->has_cred = 1;
			out->uid = cred.uid;
			out->pid = cred.pid;
		}
	}
	return extra;
}

int sk_message_receive(int sock, struct sk_received *out, void *buffer,
		       size_t size)
{
	union ancillary control;
	struct iovec iov[2];
	struct msghdr msg;
	ssize_t n;
	int i, extra;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < SK_MESSAGE_FDS; i++)
		out->fds[i] = -1;
	iov[0].iov_base = &out->head;
	iov[0].iov_len = sizeof(out->head);
	iov[1].iov_base = buffer;
	iov[1].iov_len = size - 1;
	memset(&msg, 0, sizeof(msg));
	msg.msg_iov = iov;
	msg.msg_iovlen = 2;
	msg.msg_control = &control;
	msg.msg_controllen = sizeof(control);
	do {
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	extra = take_ancillary(&msg, out);
	/* SEQPACKET reports the end as an empty message; ours never are. */
	if (n == 0 && out->nfds == 0)
		return 0;
	if (extra || (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ||
	    (size_t)n < sizeof(out->head) ||
	    (size_t)n - sizeof(out->head) != out->head.length) {
		sk_received_close(out);
		return -EPROTO;
	}
	out->payload = buffer;
	out->length = out->head.length;
	out->payload[out->length] = 0;
	return 1;
}

void sk_received_close(struct sk_received *received)
{
	int i;

	for (i = 0; i < SK_MESSAGE_FDS; i++) {
		if (received->fds[i] >= 0)
			close(received->fds[i]);
		received->fds[i] = -1;
	}
	received->nfds = 0;
}
