/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plays nginx for the tests of the supervisor: the door, configurations,
 * clients. Everything that the supervisor starts is in one session, so that
 * what is left over is seen.
 */
#ifndef SK_HOUSE_H
#define SK_HOUSE_H

#include "control/control.h"

struct house {
	pid_t pid; /* what we started: the session of them all */
	int door;
	char dir[64]; /* bundles, and the log as "log" */
	uint64_t generation;
	const char *egress; /* what configurations say of it; NULL: nothing */
};

struct house_route {
	const char *pattern;
	const char *bundle; /* its content; NULL: `error` */
	const char *error;
	const char *limits; /* JSON members, or NULL for the defaults */
	const char *policy; /* JSON, or NULL: nothing is granted */
	int processes;
};

struct answer {
	struct sk_received got; /* its descriptors are the test's */
	char text[4096];
};

/* The program that is started as egress; the real one. */
extern const char *house_egress;

/* Starts a supervisor with the given worker program. */
void house_open(struct house *house, const char *worker, const char *format);

/* Sends the next configuration. */
void house_config(struct house *house, const struct house_route *routes,
		  size_t count);

/* The same with any text and seals. */
void house_config_raw(struct house *house, const char *text, size_t length,
		      int seals);

/* A client of a generation. */
int house_connect(struct house *house, uint64_t generation);

/* Closes the door and waits until all have ended; fails when they do not, or
 * when a sanitizer spoke. */
void house_close(struct house *house);

/* A process of the house by its name (comm), or 0. */
pid_t house_pid(const struct house *house, const char *comm);
int house_count(const struct house *house, const char *comm);
int house_descriptors(pid_t pid);

/* Waits up to 60 s until the log holds `text`; 0 when it never does. */
int house_log_has(const struct house *house, const char *text);
int house_log_count(const struct house *house, const char *text);

/* Waits until `condition` holds, 20 s at most. */
#define HOUSE_WAIT(condition)                                                  \
	do {                                                                   \
		int wait_;                                                     \
		for (wait_ = 0; !(condition) && wait_ < 2000; wait_++)         \
			usleep(10000);                                         \
		assert_true(condition);                                        \
	} while (0)

void client_send(int client, enum sk_message_type type, uint64_t proc,
		 uint32_t route, uint32_t index, const char *text);

/* The next message to a client; fails after 60 s. 0: the supervisor closed. */
int client_hear(int client, struct answer *answer);

/* ATTACH and its answer. Retries while it is UNAVAILABLE for a short time if
 * `patient`. */
void client_attach(int client, uint32_t route, uint32_t index, int patient,
		   struct answer *answer);

void answer_close(struct answer *answer);

#endif
