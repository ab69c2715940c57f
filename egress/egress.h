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
#include <sys/queue.h>

#include "control/control.h"
#include "egress/decode.h"
#include "egress/policy.h"
#include "ring/fetch.h"
#include "ring/ring.h"

#define EGRESS_HEADER_BYTES (48u * 1024u)
#define EGRESS_CONNECT_MS   10000L
#define EGRESS_READ	    32768L /* curl reads so much at a time */
#define EGRESS_SPARE	    32u	   /* calls that a peer keeps for later */

/* What an epoll event belongs to. */
enum source_kind { SOURCE_CONTROL, SOURCE_FILES, SOURCE_WAKE, SOURCE_SOCKET };

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
	struct curl_blob ca;	    /* of --ca-file; without: the system's */
	int audit;		    /* log allowed calls as well */
	int stopping;
	uint64_t next_tick; /* ms, monotonic: look at deadlines */
	int files;	    /* inotify descriptor, -1: none */
	struct source files_source;
	int outdated;		  /* the resolver's files are others now */
	struct source *discarded; /* freed at the end of the turn */

	STAILQ_HEAD(, saying) sayings; /* wait for the control socket */
	size_t sayings_size;
	unsigned long unsaid; /* there was no memory for them */
};

/* Why a transfer stands still in one direction. */
enum stall {
	STALL_NONE,
	STALL_PEER, /* window or body: a frame of this call will go on */
	STALL_RING  /* no room; goes on when the worker process made some */
};

struct call {
	LIST_ENTRY(call) link; /* the peer's active or spare calls */
	struct peer *peer;
	CURL *easy; /* kept from use to use */
	CURLU *url;
	struct curl_slist *headers;
	int running; /* `easy` is in the peer's multi handle */
	uint32_t slot;
	uint32_t serial;
	uint64_t head_deadline; /* ms, monotonic; 0 once the head is there */

	/* The FETCH payload; method and URL lie in it. */
	unsigned char *payload;
	struct sk_bytes method, target;

	/* Address check. */
	int private_ok; /* a private address may be dialled */
	int dialled;	/* some address was not refused */
	char refused[160];

	/* The request's body on its way to curl; `up` is a ring of bytes. */
	unsigned char *up;
	uint32_t up_size, up_start, up_used;
	uint32_t up_credit; /* taken by curl, not yet told */
	uint64_t up_left;   /* announced and not yet received */
	int up_known, up_end;
	enum stall up_stall;

	/* The reply. */
	char *lines; /* "name\0value\0" of the head, EGRESS_HEADER_BYTES */
	uint32_t lines_used, line_count;
	uint32_t status;
	char reason[64];
	char coding[16];
	int head_done, head_sent;
	uint32_t window;	 /* bytes of body that may still be sent */
	struct decoder *decoder; /* NULL: the body goes on as it came */
	unsigned char *held;	 /* encoded bytes that wait for room */
	size_t held_at, held_used;
	int undecoded; /* the decoder has to run before it gets more */
	enum stall down_stall;
	int done; /* curl has nothing more */

	enum sk_fail fail; /* 0: none yet */
	int logged;
	char fail_text[256];
	char curl_error[CURL_ERROR_SIZE];
};

LIST_HEAD(call_list, call);

struct peer {
	struct peer *next;
	struct egress *egress;
	uint64_t proc;
	struct policy *policy;
	struct sk_area area;
	int wake_worker; /* eventfd: we write */
	int wake_own;	 /* eventfd: in our epoll set */
	struct source wake_source;
	CURLM *multi;
	uint64_t timer; /* ms, monotonic, for curl; 0: none */
	struct call *calls[SK_CALLS];
	struct call_list active; /* all of `calls` */
	struct call_list spare;	 /* to be used again */
	uint32_t nspare;
	size_t decoders; /* bytes that the windows of decoders hold */
	int stuck;	 /* some call waits for room in the ring */
	int woken;	 /* the worker process may have made room */
	int dead;	 /* to be freed at the end of the turn */
};

/* loop.c */
uint64_t egress_now(void);
int egress_loop(struct egress *egress);
int egress_watch(struct egress *egress, int fd, uint32_t events,
		 struct source *source);
void egress_discard(struct egress *egress, struct source *source);

/* say.c: to the supervisor. What its socket does not take waits, in order. */
void egress_say(struct egress *egress, struct sk_message *head,
		const char *payload, size_t length);
void egress_say_waiting(struct egress *egress); /* at EPOLLOUT */
void egress_say_fini(struct egress *egress);
/* 1: so much waits that no new calls are to be begun. */
int egress_is_behind(const struct egress *egress);
void egress_log(struct egress *egress, const struct peer *peer,
		enum sk_level level, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* peer.c: takes ownership of the descriptors and of `policy` in every case. */
struct peer *peer_new(struct egress *egress, uint64_t proc,
		      struct policy *policy, const int fds[3]);
void peer_free(struct peer *peer);
void peer_hostile(struct peer *peer, const char *what);
void peer_receive(struct peer *peer);
void peer_resume(struct peer *peer);
int peer_flush(struct peer *peer); /* 1: there is more to do at once */
void peer_finished(struct peer *peer);
void peer_expire(struct peer *peer, uint64_t now);

/* call.c. Each may end the call (and free it) but those that say not. */
/* Takes `payload` (heap) over. 0, -EPROTO, -ENOMEM. */
int call_start(struct peer *peer, const struct sk_frame *frame,
	       unsigned char *payload);
/* A body frame, credit: 0 or -EPROTO. */
int call_body(struct call *call, const struct sk_frame *frame);
int call_credit(struct call *call, uint32_t bytes);
/* The ring has room again. */
void call_resume(struct call *call);
/* Notes why it fails; the first reason stays. Does not end it. */
void call_fail(struct call *call, enum sk_fail kind, const char *text);
/* The transfer is over (or never began): tells the worker process and frees
 * the call, now or when there is room. */
void call_end(struct call *call, CURLcode code);
void call_free(struct call *call);
/* Frees a spare one for good. */
void call_destroy(struct call *call);

/* request.c: from URL and header pairs to curl's options. */
/* Once for a handle. */
void request_setup(struct call *call);
/* 0, -EINVAL (curl cannot dial it), -ENOMEM. */
int request_url(struct call *call, const struct sk_url *url);
/* 0, -EPROTO (the peer breaks the protocol), -ENOMEM. */
int request_headers(struct call *call, struct sk_cursor *cursor,
		    uint32_t count);
void request_method(struct call *call, const char *method, uint64_t length);

/* reply.c */
/* 0, -EAGAIN (no room), or -EMSGSIZE (and call->fail says so). */
int reply_send_head(struct call *call);
/* Decodes what is held. 0: all of it, else it stands still or has failed. */
int reply_drain(struct call *call);
size_t call_on_header(char *line, size_t size, size_t count, void *data);
size_t call_on_write(char *bytes, size_t size, size_t count, void *data);

/* upload.c */
int upload_take(struct call *call, const unsigned char *data, uint32_t length,
		int end);
void upload_credit(struct call *call);
size_t call_on_read(char *to, size_t size, size_t count, void *data);

/* files.c */
/* Before the walls: a descriptor that is readable when a file of the resolver
 * was replaced, or -errno. */
int files_watch(void);
/* Reads what it says. 1: a file was replaced. */
int files_changed(int fd);

/* dial.c: the address check on what is really dialled. */
void dial_setup(struct call *call);

#endif
