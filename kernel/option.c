/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of sockets. Those that mean something only on a wire are taken and
 * have no effect; those of SOL_SOCKET that are integers stand in a table.
 */
#include "process.h"
#include "socket.h"

#define LEVEL_IP      0
#define LEVEL_TCP     6
#define LEVEL_IPV6    41
#define TCP_NODELAY   1
#define TCP_WIRE_LAST 37 /* TCP_MAXSEG .. : of a wire */
#define IPV6_V6ONLY   26

enum {
	SO_REUSEADDR = 2,
	SO_TYPE,
	SO_ERROR,
	SO_DONTROUTE,
	SO_BROADCAST,
	SO_SNDBUF,
	SO_RCVBUF,
	SO_KEEPALIVE,
	SO_OOBINLINE,
	SO_PRIORITY = 12,
	SO_LINGER,
	SO_REUSEPORT = 15,
	SO_PASSCRED,
	SO_PEERCRED,
	SO_RCVLOWAT,
	SO_SNDLOWAT,
	SO_RCVTIMEO_OLD,
	SO_SNDTIMEO_OLD,
	SO_ACCEPTCONN = 30,
	SO_PROTOCOL = 38,
	SO_DOMAIN,
	SO_RCVTIMEO = 66,
	SO_SNDTIMEO,
};

/* Where a switch stands, or NULL. */
static bool *switch_of(struct sk_socket *s, int level, int name)
{
	if (level == LEVEL_TCP && name == TCP_NODELAY)
		return sk_socket_is_stream(s) ? &s->no_delay : NULL;
	if (level == LEVEL_IPV6 && name == IPV6_V6ONLY)
		return s->domain == SK_AF_INET6 ? &s->v6_only : NULL;
	if (level != SK_SOL_SOCKET)
		return NULL;
	switch (name) {
	case SO_REUSEADDR:
		return &s->reuse;
	case SO_REUSEPORT:
		return &s->reuse_port;
	case SO_BROADCAST:
		return &s->broadcast;
	case SO_KEEPALIVE:
		return &s->keep_alive;
	case SO_OOBINLINE:
		return &s->oob_inline;
	case SO_PASSCRED:
		return &s->pass_cred;
	default:
		return NULL;
	}
}

/* Options of a wire that this kernel has not: taken, without effect. */
static bool of_a_wire(const struct sk_socket *s, int level, int name)
{
	if (s->domain == SK_AF_UNIX)
		return level == SK_SOL_SOCKET && name == SO_DONTROUTE;
	return level == LEVEL_IP || level == LEVEL_IPV6 ||
	       (level == LEVEL_TCP && sk_socket_is_stream(s) &&
		name <= TCP_WIRE_LAST) ||
	       (level == SK_SOL_SOCKET && name == SO_DONTROUTE);
}

static int64_t *time_of(struct sk_socket *s, int name)
{
	if (name == SO_RCVTIMEO || name == SO_RCVTIMEO_OLD)
		return &s->receive_time;
	if (name == SO_SNDTIMEO || name == SO_SNDTIMEO_OLD)
		return &s->send_time;
	return NULL;
}

#define USEC_MAX 1000000

/* A timeval, of 64 or (the old options) 32 bits a field. */
static int set_time(struct sk_task *t, int64_t *time, int name, sk_user from,
		    uint32_t size)
{
	struct sk_abi_timeval tv;
	int32_t old[2];
	int error;

	if (name < SO_RCVTIMEO) {
		if (size < sizeof(old))
			return -SK_EINVAL;
		error = sk_copy_in(t, old, from, sizeof(old));
		tv = (struct sk_abi_timeval){ old[0], old[1] };
	} else {
		if (size < sizeof(tv))
			return -SK_EINVAL;
		error = sk_copy_in(t, &tv, from, sizeof(tv));
	}
	if (error)
		return error;
	if (tv.usec < 0 || tv.usec >= USEC_MAX)
		return -SK_EDOM;
	*time = tv.sec < 0 || tv.sec > INT32_MAX
			? 0
			: tv.sec * 1000000000 + tv.usec * 1000;
	return 0;
}

static int set_linger(struct sk_task *t, struct sk_socket *s, sk_user from,
		      uint32_t size)
{
	int32_t value[2];
	int error;

	if (size < sizeof(value))
		return -SK_EINVAL;
	error = sk_copy_in(t, value, from, sizeof(value));
	if (error)
		return error;
	s->linger_on = value[0] != 0;
	s->linger = value[1];
	return 0;
}

/* Doubled, as Linux tells it; the ring of a stream stays what it is. */
static uint32_t buffer_size(int32_t value)
{
	uint32_t size = value < 0 ? 0 : (uint32_t)value;

	if (size > 212992)
		size = 212992;
	return size < 1152 ? 2304 : size * 2;
}

static int set_number(struct sk_socket *s, int name, int32_t value)
{
	switch (name) {
	case SO_SNDBUF:
		s->send_size = buffer_size(value);
		return 0;
	case SO_RCVBUF:
		s->receive_size = buffer_size(value);
		return 0;
	case SO_PRIORITY:
		s->priority = value;
		return 0;
	case SO_RCVLOWAT:
		return 0;
	default:
		return -SK_ENOPROTOOPT;
	}
}

int64_t sk_sys_setsockopt(struct sk_task *t, const uint64_t *a)
{
	int level = (int)a[1], name = (int)a[2], error;
	struct sk_socket *s = sk_socket_of(t, (int)a[0], &error);
	sk_user from = (sk_user)a[3];
	uint32_t size = (uint32_t)a[4];
	int32_t value;
	bool *on;

	if (!s)
		return error;
	if (level == SK_SOL_SOCKET && time_of(s, name))
		return set_time(t, time_of(s, name), name, from, size);
	if (level == SK_SOL_SOCKET && name == SO_LINGER)
		return set_linger(t, s, from, size);
	on = switch_of(s, level, name);
	if (!on && of_a_wire(s, level, name))
		return 0;
	if (size < sizeof(value))
		return -SK_EINVAL;
	error = sk_copy_in(t, &value, from, sizeof(value));
	if (error)
		return error;
	if (!on)
		return level == SK_SOL_SOCKET ? set_number(s, name, value)
					      : -SK_ENOPROTOOPT;
	if (on == &s->v6_only && s->name.size)
		return -SK_EINVAL;
	*on = value != 0;
	return 0;
}

static int get_number(struct sk_socket *s, int name, int32_t *out)
{
	switch (name) {
	case SO_TYPE:
		*out = (int32_t)s->type;
		return 0;
	case SO_ERROR:
		if (s->remote)
			sk_remote_step(s);
		*out = -sk_socket_error(s);
		return 0;
	case SO_SNDBUF:
		*out = (int32_t)s->send_size;
		return 0;
	case SO_RCVBUF:
		*out = (int32_t)s->receive_size;
		return 0;
	case SO_PRIORITY:
		*out = s->priority;
		return 0;
	case SO_RCVLOWAT:
	case SO_SNDLOWAT:
		*out = 1;
		return 0;
	case SO_ACCEPTCONN:
		*out = s->state == SK_SOCKET_LISTENING;
		return 0;
	case SO_PROTOCOL:
		*out = (int32_t)s->protocol;
		return 0;
	case SO_DOMAIN:
		*out = (int32_t)s->domain;
		return 0;
	default:
		return -SK_ENOPROTOOPT;
	}
}

/* The value of an option; its size, or -errno. */
static int64_t get(struct sk_socket *s, int level, int name, int32_t out[4])
{
	const bool *on = switch_of(s, level, name);
	const int64_t *time = time_of(s, name);

	out[0] = on && *on;
	if (on || of_a_wire(s, level, name))
		return sizeof(out[0]);
	if (level != SK_SOL_SOCKET)
		return -SK_ENOPROTOOPT;
	if (time && name < SO_RCVTIMEO) {
		out[0] = (int32_t)(*time / 1000000000);
		out[1] = (int32_t)(*time % 1000000000 / 1000);
		return 8;
	}
	if (time) {
		struct sk_abi_timeval tv = { *time / 1000000000,
					     *time % 1000000000 / 1000 };

		memcpy(out, &tv, sizeof(tv));
		return sizeof(tv);
	}
	if (name == SO_LINGER) {
		out[0] = s->linger_on;
		out[1] = s->linger;
		return 8;
	}
	if (name == SO_PEERCRED) {
		out[0] = s->pid;
		out[1] = (int32_t)s->kernel->uid;
		out[2] = (int32_t)s->kernel->gid;
		return 12;
	}
	return get_number(s, name, out) ? -SK_ENOPROTOOPT : 4;
}

int64_t sk_sys_getsockopt(struct sk_task *t, const uint64_t *a)
{
	int32_t value[4] = { 0 };
	uint32_t room;
	int error;
	struct sk_socket *s = sk_socket_of(t, (int)a[0], &error);
	int64_t size;

	if (!s)
		return error;
	error = sk_copy_in(t, &room, (sk_user)a[4], sizeof(room));
	if (error)
		return error;
	if ((int32_t)room < 0)
		return -SK_EINVAL;
	size = get(s, (int)a[1], (int)a[2], value);
	if (size < 0)
		return size;
	if (room > size)
		room = (uint32_t)size;
	error = sk_copy_out(t, (sk_user)a[3], value, room);
	return error ? error
		     : sk_copy_out(t, (sk_user)a[4], &room, sizeof(room));
}
