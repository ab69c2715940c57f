/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets. socket.c: their life and open files; connect.c: listening and
 * connecting; bytes.c and packets.c: what streams and datagrams carry;
 * message.c: the calls that send and receive; option.c; unix.c and inet.c:
 * names; remote.c: streams to the world outside.
 */
#ifndef SK_SOCKET_H
#define SK_SOCKET_H

#include "buffer.h"
#include "file.h"
#include "stream.h"

#define SK_NAME_SIZE	 128u
#define SK_SOCKET_BUFFER 131072u /* bytes in flight each way */
#define SK_RIGHTS_MAX	 253u
#define SK_MESSAGES_MAX	 256u

/* An address as programs have it; size 0: none. */
struct sk_name {
	uint32_t size;
	union {
		uint16_t family;
		struct sk_abi_sockaddr_in in;
		struct sk_abi_sockaddr_in6 in6;
		struct sk_abi_sockaddr_un un;
		uint8_t bytes[SK_NAME_SIZE];
	};
};

/* Open files on their way, owned. */
struct sk_rights {
	struct sk_list link; /* in sk_socket.rights */
	uint64_t at;	     /* the byte of the stream that they came with */
	uint32_t count;
	struct sk_file *files[];
};

/* A datagram or a packet. */
struct sk_packet {
	struct sk_list link; /* in sk_socket.packets */
	struct sk_name from;
	struct sk_rights *rights;
	size_t size;
	uint8_t bytes[];
};

enum sk_socket_state {
	SK_SOCKET_NEW,
	SK_SOCKET_LISTENING,
	SK_SOCKET_CONNECTING,
	SK_SOCKET_CONNECTED,
	SK_SOCKET_ENDED, /* it was connected, or was refused */
};

struct sk_socket {
	struct sk_kernel *kernel;
	uint32_t domain, type, protocol;
	enum sk_socket_state state;
	struct sk_list bound; /* in sk_net.bound while it has a name there */
	struct sk_path path;  /* what bind made: inode->special is this */
	struct sk_name name, peer_name;
	struct sk_socket
		*peer; /* that of a stream; of a datagram socket, below */
	struct sk_list followers,
		follows; /* datagram sockets connected to me */

	/* What came in. */
	struct sk_buffer in;
	uint64_t in_at; /* bytes of the stream that were read */
	struct sk_list rights;
	struct sk_list packets;
	uint32_t packet_count;
	size_t packet_bytes;
	bool in_closed, out_closed;
	bool announced; /* a connect that did not block: the next says 0 */
	int error;	/* SO_ERROR */

	/* Listening: sockets that wait to be accepted, and to get there. */
	struct sk_list accepts, waiting;
	struct sk_list link; /* in one of these of the listener */
	struct sk_socket *listener;
	uint32_t accept_count, backlog;

	struct sk_waitq in_changed;  /* to be read, accepted; the state */
	struct sk_waitq out_changed; /* room to write */

	/* Options. */
	bool reuse, reuse_port, keep_alive, broadcast, no_delay, v6_only,
		oob_inline, pass_cred, linger_on;
	int32_t linger, priority;
	uint32_t send_size, receive_size;
	int64_t send_time, receive_time; /* ns; 0: for ever */
	int32_t pid;			 /* SO_PEERCRED of the peer */
	uint32_t uid, gid;

	/* A stream of the host (remote.c). */
	bool remote;
	struct sk_host_watch watch;
};

/* Names of the whole kernel; made with the first socket that needs one. */
struct sk_net {
	struct sk_list bound; /* sk_socket.bound */
	uint32_t next_port, next_name;
};

/* One send or receive. */
struct sk_message {
	struct sk_io io;
	uint32_t flags; /* SK_MSG_* of the caller; O_NONBLOCK is in io.flags */
	struct sk_name name;	  /* send: to whom; receive: from whom */
	struct sk_rights *rights; /* owned by the caller */
	uint32_t out_flags;	  /* receive: SK_MSG_TRUNC ... */
	bool want_rights;
};

static inline bool sk_socket_is_stream(const struct sk_socket *s)
{
	return s->type == SK_SOCK_STREAM;
}

/* Connected by packets or bytes, not by a name only. */
static inline bool sk_socket_is_pair(const struct sk_socket *s)
{
	return s->type != SK_SOCK_DGRAM;
}

/* socket.c. free: of a socket without a file, or at its file's release. */
int sk_socket_new(struct sk_kernel *k, uint32_t domain, uint32_t type,
		  struct sk_socket **out);
void sk_socket_free(struct sk_socket *s);
/* A file for a socket, which it takes over (also on failure). */
int sk_socket_file(struct sk_socket *s, uint32_t flags, struct sk_file **out);
/* The same with a descriptor; on failure the socket is as it was. */
int64_t sk_socket_install(struct sk_task *t, struct sk_socket *s,
			  uint32_t flags);
/* The socket of a descriptor; NULL with *error. */
struct sk_socket *sk_socket_of(struct sk_task *t, int fd, int *error);
/* Takes SO_ERROR away: 0 or -errno. */
int sk_socket_error(struct sk_socket *s);
void sk_socket_wake(struct sk_socket *s);
struct sk_net *sk_net_get(struct sk_kernel *k); /* NULL: no memory */
void sk_net_check(struct sk_kernel *k);		/* frees what is empty */
/*
 * The end of a call that found nothing to do: -SK_EAGAIN, a park until
 * `time` ns (0: for ever) have passed, then -SK_EAGAIN.
 */
int64_t sk_socket_wait(struct sk_socket *s, struct sk_task *t,
		       struct sk_waitq *q, const struct sk_message *m,
		       int64_t time);

/* connect.c */
void sk_socket_pair(struct sk_socket *a, struct sk_socket *b);
/* Begins to connect a stream to a listener: state or error say how it went. */
int sk_socket_dial(struct sk_socket *s, struct sk_socket *listener);
/* The peer is gone, or will send no more. */
void sk_socket_part(struct sk_socket *s);
void sk_socket_unlisten(struct sk_socket *s);

/* bytes.c, packets.c. The count, -errno or -SK_PARK. */
int64_t sk_bytes_send(struct sk_socket *s, struct sk_task *t,
		      struct sk_message *m);
int64_t sk_bytes_receive(struct sk_socket *s, struct sk_task *t,
			 struct sk_message *m);
void sk_rights_free(struct sk_kernel *k, struct sk_rights *r);
int64_t sk_packet_send(struct sk_socket *s, struct sk_task *t,
		       struct sk_message *m);
int64_t sk_packet_receive(struct sk_socket *s, struct sk_task *t,
			  struct sk_message *m);
void sk_packets_drop(struct sk_socket *s);
bool sk_packet_room(const struct sk_socket *to);

/* message.c */
int64_t sk_socket_send(struct sk_socket *s, struct sk_task *t,
		       struct sk_message *m);
int64_t sk_socket_receive(struct sk_socket *s, struct sk_task *t,
			  struct sk_message *m);
int sk_name_in(struct sk_task *t, struct sk_name *name, sk_user from,
	       uint32_t size);
/* Writes what fits at `to` and the whole size at `size`. */
int sk_name_out(struct sk_task *t, const struct sk_name *name, sk_user to,
		sk_user size);

/* unix.c, inet.c: what depends on the domain. */
int sk_unix_bind(struct sk_socket *s, struct sk_task *t,
		 const struct sk_name *name);
void sk_unix_unbind(struct sk_socket *s);
/* Who has a name; borrowed. -SK_ECONNREFUSED and errors of a walk. */
int sk_unix_find(struct sk_task *t, const struct sk_name *name, uint32_t type,
		 struct sk_socket **out);
int sk_inet_bind(struct sk_socket *s, const struct sk_name *name);
/* A port of its own, for who connects, listens or sends without. */
int sk_inet_autobind(struct sk_socket *s);
/* A socket that connects to a name in this kernel: its own full name. */
void sk_inet_settle(struct sk_socket *s, const struct sk_name *to);
/* The name that `to` sees as the sender's. */
void sk_inet_from(const struct sk_socket *s, const struct sk_socket *to,
		  struct sk_name *out);
/* -SK_ECONNREFUSED (nobody), -SK_ENETUNREACH (not in this kernel). */
int sk_inet_find(struct sk_socket *s, const struct sk_name *name,
		 struct sk_socket **out);
int sk_inet_check(const struct sk_socket *s, const struct sk_name *name);
void sk_inet_any(const struct sk_socket *s, struct sk_name *out);
/* The names of the accepted end of a connection. */
void sk_inet_accepted(struct sk_socket *child, const struct sk_socket *client);
uint16_t sk_inet_port(const struct sk_name *name);
void sk_inet_listening(struct sk_socket *s, bool yes);

/* remote.c */
int64_t sk_remote_connect(struct sk_socket *s, const struct sk_name *name);
void sk_remote_step(struct sk_socket *s); /* connecting: looks again */
int64_t sk_remote_send(struct sk_socket *s, struct sk_task *t,
		       struct sk_message *m);
int64_t sk_remote_receive(struct sk_socket *s, struct sk_task *t,
			  struct sk_message *m);
uint32_t sk_remote_poll(struct sk_socket *s);
int sk_remote_shutdown(struct sk_socket *s, int how);
void sk_remote_close(struct sk_socket *s);

#endif
