/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of AF_INET and AF_INET6. Both are worked on in one form: 16 bytes
 * (::ffff:a.b.c.d for the old ones) and a port. In this kernel there is the
 * loopback interface only; other addresses are the host's (remote.c).
 */
#include "socket.h"

#define PORT_FIRST   32768u
#define PORT_LAST    60999u
#define IN6_SIZE_MIN 24u

struct place {
	uint8_t addr[16];
	uint16_t port;
};

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
static const uint8_t zeros[16];

static bool is_old(const struct place *p)
{
	return !memcmp(p->addr, mapped, sizeof(mapped));
}

static bool is_any(const struct place *p)
{
	return !memcmp(p->addr, zeros, 16) ||
	       (is_old(p) && !memcmp(p->addr + 12, zeros, 4));
}

static bool is_local(const struct place *p)
{
	if (is_any(p))
		return true;
	if (is_old(p))
		return p->addr[12] == 127;
	return !memcmp(p->addr, zeros, 15) && p->addr[15] == 1;
}

static struct place place_of(const struct sk_name *name)
{
	struct place p = { .port = sk_inet_port(name) };

	if (name->family == SK_AF_INET) {
		memcpy(p.addr, mapped, sizeof(mapped));
		memcpy(p.addr + 12, name->in.addr, 4);
	} else {
		memcpy(p.addr, name->in6.addr, 16);
	}
	return p;
}

static void name_of(uint32_t domain, const struct place *p, struct sk_name *out)
{
	memset(out, 0, sizeof(*out));
	out->family = (uint16_t)domain;
	/* The port lies at the same place in both. */
	out->in.port[0] = (uint8_t)(p->port >> 8);
	out->in.port[1] = (uint8_t)p->port;
	if (domain == SK_AF_INET) {
		out->size = sizeof(out->in);
		memcpy(out->in.addr, p->addr + 12, 4);
	} else {
		out->size = sizeof(out->in6);
		memcpy(out->in6.addr, p->addr, 16);
	}
}

uint16_t sk_inet_port(const struct sk_name *name)
{
	return (uint16_t)(name->in.port[0] << 8 | name->in.port[1]);
}

int sk_inet_check(const struct sk_socket *s, const struct sk_name *name)
{
	struct place p;

	if (name->size < sizeof(name->in))
		return -SK_EINVAL;
	if (name->family != s->domain)
		return -SK_EAFNOSUPPORT;
	if (s->domain == SK_AF_INET)
		return 0;
	if (name->size < IN6_SIZE_MIN)
		return -SK_EINVAL;
	p = place_of(name);
	return s->v6_only && is_old(&p) ? -SK_ENETUNREACH : 0;
}

static struct place any(const struct sk_socket *s)
{
	struct place p = { 0 };

	if (s->domain == SK_AF_INET)
		memcpy(p.addr, mapped, sizeof(mapped));
	return p;
}

void sk_inet_any(const struct sk_socket *s, struct sk_name *out)
{
	struct place p = any(s);

	name_of(s->domain, &p, out);
}

/* Whether a bound socket hears what is sent to an address. */
static bool hears(const struct sk_socket *s, const struct place *to)
{
	struct place own = place_of(&s->name);

	if (own.port != to->port)
		return false;
	if (is_old(&own))
		return is_old(to) &&
		       (is_any(&own) || !memcmp(own.addr, to->addr, 16));
	if (is_any(&own))
		return !is_old(to) || !s->v6_only;
	return !memcmp(own.addr, to->addr, 16);
}

static bool same_kind(const struct sk_socket *a, const struct sk_socket *b)
{
	return a->domain != SK_AF_UNIX && a->type == b->type;
}

static bool both_share(const struct sk_socket *a, const struct sk_socket *b)
{
	if (a->reuse_port && b->reuse_port)
		return true;
	return a->reuse && b->reuse && b->state != SK_SOCKET_LISTENING;
}

static bool in_use(struct sk_net *net, struct sk_socket *s,
		   const struct place *p)
{
	struct sk_name name, old = s->name;
	bool used = false;

	name_of(s->domain, p, &name);
	s->name = name;
	SK_LIST_EACH(node, &net->bound)
	{
		struct sk_socket *other =
			SK_CONTAINER(node, struct sk_socket, bound);
		struct place there;

		if (other == s || !same_kind(other, s) || both_share(s, other))
			continue;
		there = place_of(&other->name);
		if (hears(other, p) || hears(s, &there)) {
			used = true;
			break;
		}
	}
	s->name = old;
	return used;
}

static int pick_port(struct sk_net *net, struct sk_socket *s, struct place *p)
{
	for (uint32_t i = 0; i <= PORT_LAST - PORT_FIRST; i++) {
		p->port = (uint16_t)(PORT_FIRST +
				     net->next_port++ %
					     (PORT_LAST - PORT_FIRST + 1));
		if (!in_use(net, s, p))
			return 0;
	}
	return -SK_EADDRINUSE;
}

static int take(struct sk_socket *s, struct place *p)
{
	struct sk_net *net = sk_net_get(s->kernel);
	int error = 0;

	if (!net)
		return -SK_ENOMEM;
	if (!p->port)
		error = pick_port(net, s, p);
	else if (in_use(net, s, p))
		error = -SK_EADDRINUSE;
	if (!error) {
		name_of(s->domain, p, &s->name);
		sk_list_add(&net->bound, &s->bound);
	}
	sk_net_check(s->kernel);
	return error;
}

int sk_inet_bind(struct sk_socket *s, const struct sk_name *name)
{
	struct place p;
	int error = sk_inet_check(s, name);

	if (error)
		return error;
	if (s->name.size)
		return -SK_EINVAL;
	p = place_of(name);
	return is_local(&p) ? take(s, &p) : -SK_EADDRNOTAVAIL;
}

int sk_inet_autobind(struct sk_socket *s)
{
	struct place p = any(s);

	return s->name.size ? 0 : take(s, &p);
}

/* 0.0.0.0 and :: as who is spoken to: this machine. */
static void make_loopback(struct place *p)
{
	if (is_old(p)) {
		p->addr[12] = 127;
		p->addr[15] = 1;
	} else {
		p->addr[15] = 1;
	}
}

void sk_inet_settle(struct sk_socket *s, const struct sk_name *to)
{
	struct place own = place_of(&s->name), there = place_of(to);

	if (!is_any(&own))
		return;
	memcpy(own.addr, there.addr, 16);
	if (is_any(&own))
		make_loopback(&own);
	name_of(s->domain, &own, &s->name);
}

void sk_inet_from(const struct sk_socket *s, const struct sk_socket *to,
		  struct sk_name *out)
{
	struct place p = place_of(&s->name);
	struct place there = place_of(&to->name);

	if (is_any(&p)) {
		if (is_old(&there))
			memcpy(p.addr, mapped, sizeof(mapped));
		make_loopback(&p);
	}
	name_of(to->domain, &p, out);
}

void sk_inet_accepted(struct sk_socket *child, const struct sk_socket *client)
{
	struct place own = place_of(&client->peer_name);
	struct place there = place_of(&client->name);

	if (is_any(&own))
		make_loopback(&own);
	name_of(child->domain, &own, &child->name);
	name_of(child->domain, &there, &child->peer_name);
}

/* How well a socket suits: 0 not at all. */
static int rank(const struct sk_socket *s, const struct sk_socket *from,
		const struct place *to)
{
	struct place own;

	if (!same_kind(s, from) || !hears(s, to))
		return 0;
	if (sk_socket_is_stream(s))
		return s->state == SK_SOCKET_LISTENING;
	if (s->state == SK_SOCKET_CONNECTED)
		return sk_inet_port(&s->peer_name) == sk_inet_port(&from->name)
			       ? 3
			       : 0;
	own = place_of(&s->name);
	return is_any(&own) ? 1 : 2;
}

int sk_inet_find(struct sk_socket *s, const struct sk_name *name,
		 struct sk_socket **out)
{
	struct sk_net *net = s->kernel->net;
	struct place to = place_of(name);
	int best = 0;

	if (!is_local(&to))
		return -SK_ENETUNREACH;
	if (is_any(&to))
		make_loopback(&to);
	if (!net)
		return -SK_ECONNREFUSED;
	SK_LIST_EACH(node, &net->bound)
	{
		struct sk_socket *there =
			SK_CONTAINER(node, struct sk_socket, bound);
		int now = rank(there, s, &to);

		if (now > best) {
			best = now;
			*out = there;
		}
	}
	return best ? 0 : -SK_ECONNREFUSED;
}

void sk_inet_listening(struct sk_socket *s, bool yes)
{
	const struct sk_host_net *net = s->kernel->host->net;

	if (net && net->listening)
		net->listening(s->kernel->self, sk_inet_port(&s->name), yes);
}
