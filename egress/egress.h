/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The egress, in one thread: an epoll loop; a *peer* for each worker process
 * that may call out; a *call* for each fetch. docs/egress.md has the protocol.
 *
 * Ownership: the egress owns its peers, a peer its calls and its own curl
 * multi handle. Connections are never shared between peers, so one that was dialled
 * for a route with wider grants cannot serve another.
 */
#ifndef SK_EGRESS_H
#define SK_EGRESS_H

#include <curl/curl.h>
#include <stdint.h>

#include "control/control.h"
#include "egress/policy.h"
#include "ring/fetch.h"
#include "ring/ring.h"

#define EGRESS_HEADER_BYTES (48u * 1024u)
#define EGRESS_CONNECT_MS   10000L
#define EGRESS_HEAD_MS	    30000u

/* What an epoll event belongs to. */
enum source_kind { SOURCE_CONTROL, SOURCE_WAKE, SOURCE_SOCKET };

struct source {
	enum source_kind kind;
	struct peer *peer;
	int fd;
	struct source *next; /* once discarded */
	int discarded;
};

struct egress {
	int epoll;
	int control; /* to the supervisor */
	struct source control_source;
	struct peer *peers;
	struct curl_slist *resolve; /* operator's HOST:PORT:ADDRESS */
	const char *ca_file;	    /* NULL: the system's */
	int audit;		    /* log allowed calls as well */
	int stopping;
	uint64_t next_tick;	  /* ms, monotonic: look at deadlines */
	struct source *discarded; /* freed at the end of the turn */
};

struct call {
	struct peer *peer;
	CURL *easy;
	CURLU *url;
	struct curl_slist *headers;
	uint32_t slot;
	uint32_t serial;
	uint64_t head_deadline; /* ms, monotonic; 0 once the head is there */
	int private_ok;		/* a private address may be dialled */

	/* The request's body on its way to curl; `up` is a ring of bytes. */
	unsigned char *up;
	uint32_t up_start, up_used;
	uint32_t up_credit; /* taken by curl, not yet told */
	uint64_t up_left;   /* announced and not yet received */
	int up_known, up_end, up_paused;

	/* The reply. */
	char *lines; /* "name\0value\0" of the head, EGRESS_HEADER_BYTES */
	uint32_t lines_used, line_count;
	uint32_t status;
	char reason[64];
	int head_done, head_sent, encoded, no_decode;
	uint32_t window; /* bytes of body that may still be sent */
	uint64_t decoded;
	int down_paused;
	int ending; /* the last frame waits for room */

	enum sk_fail fail; /* 0: none yet */
	char fail_text[256];
	char curl_error[CURL_ERROR_SIZE];
};

struct peer {
	struct peer *next;
	struct egress *egress;
	uint64_t proc;
	char *route;
	struct policy *policy;
	struct sk_area area;
	int wake_worker; /* eventfd: we write */
	int wake_own;	 /* eventfd: in our epoll set */
	struct source wake_source;
	CURLM *multi;
	uint64_t timer; /* ms, monotonic, for curl; 0: none */
	struct call *calls[SK_CALLS];
	uint32_t active;
	int woken; /* the worker process made room */
	int dead;  /* to be freed at the end of the turn */
};

/* loop.c */
uint64_t egress_now(void);
int egress_loop(struct egress *egress);
int egress_watch(struct egress *egress, int fd, uint32_t events,
		 struct source *source);
void egress_discard(struct egress *egress, struct source *source);
void egress_log(struct egress *egress, const struct peer *peer,
		enum sk_level level, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* peer.c: takes ownership of the descriptors and of `policy` in every case. */
struct peer *peer_new(struct egress *egress, uint64_t proc, const char *route,
		      struct policy *policy, const int fds[3]);
void peer_free(struct peer *peer);
void peer_hostile(struct peer *peer, const char *what);
void peer_receive(struct peer *peer);
void peer_resume(struct peer *peer);
int peer_flush(struct peer *peer); /* 1: there is more to do at once */
void peer_finished(struct peer *peer);
void peer_expire(struct peer *peer, uint64_t now);

/* call.c */
/* 0, -EPROTO, -ENOMEM. */
int call_start(struct peer *peer, const struct sk_frame *frame,
	       unsigned char *payload);
int call_body(struct call *call, const unsigned char *data, uint32_t length,
	      int end);
void call_credit(struct call *call, uint32_t bytes);
void call_resume(struct call *call);
void call_fail(struct call *call, enum sk_fail kind, const char *text);
/* The transfer is over (or never began): tells the worker process and frees
 * the call, now or when the ring has room (call_resume). */
void call_end(struct call *call, CURLcode code);
void call_free(struct call *call);

/* reply.c, upload.c */
int reply_send_head(struct call *call);
size_t call_on_header(char *line, size_t size, size_t count, void *data);
size_t call_on_write(char *bytes, size_t size, size_t count, void *data);
size_t call_on_read(char *to, size_t size, size_t count, void *data);

/* dial.c: the address check on what is really dialled. */
void dial_setup(struct call *call);

#endif
