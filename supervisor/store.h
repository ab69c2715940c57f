/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must survive the death of the supervisor: the configurations and the
 * bundles that they name, in a memfd that watcher and supervisor inherit.
 *
 * The first page says where the current image lies. An image is written
 * behind the current one and made current by one atomic store, so that a
 * supervisor that dies while it writes loses nothing. What lies
 * before the current image is punched out; the file only grows in offsets.
 */
#ifndef SK_STORE_H
#define SK_STORE_H

#include <stddef.h>
#include <stdint.h>

struct sk_store_page {
	uint64_t magic;
	_Atomic uint32_t current;  /* which of the two images */
	_Atomic uint32_t finished; /* the supervisor ended on purpose */
	struct {
		uint64_t offset;
		uint64_t length;
	} image[2];
};

struct sk_store {
	int fd;
	struct sk_store_page *page;
};

/* A new memfd with an empty store, close-on-exec, or -errno. */
int sk_store_create(void);

/* Maps the store in `fd`, which now belongs to it. 0, -EPROTO or -errno. */
int sk_store_open(struct sk_store *store, int fd);
void sk_store_close(struct sk_store *store);

/* --- writing: begin, any number of files and texts, then commit --- */

struct sk_store_writer {
	struct sk_store *store;
	uint64_t start;
	uint64_t at;
	int error; /* the first failure; later calls do nothing */
};

void sk_store_begin(struct sk_store_writer *writer, struct sk_store *store);

/* Copies the content of `fd` under the name `name`. */
void sk_store_file(struct sk_store_writer *writer, const char *name, int fd);

/* A configuration as it was received. */
void sk_store_text(struct sk_store_writer *writer, uint64_t generation,
		   const char *text, size_t length);

/* Makes the image current. 0, or -errno and the old one stays. */
int sk_store_commit(struct sk_store_writer *writer);

/* --- reading the current image --- */

struct sk_store_record {
	uint64_t generation; /* of a text */
	char *name;	     /* of a file, NUL-terminated; empty: a text */
	uint64_t offset;     /* of the content in the memfd */
	uint64_t length;
	uint64_t next;
	uint64_t end;
};

/* Begins before the first record. */
void sk_store_first(const struct sk_store *store,
		    struct sk_store_record *record);

/* Steps to the next record. 1: there is one; its name lives until the next
 * step. 0: there are no more, nothing is left to free. -EPROTO or -errno. */
int sk_store_next(const struct sk_store *store, struct sk_store_record *record);

/* Content of a record: as a heap string with a NUL after it (or NULL), or as a
 * sealed memfd (or -errno). */
char *sk_store_string(const struct sk_store *store,
		      const struct sk_store_record *record);
int sk_store_memfd(const struct sk_store *store,
		   const struct sk_store_record *record);

/* Reads exactly `length` bytes at `offset`. 0, -EPROTO at an early end, or
 * -errno. */
int sk_file_read(int fd, void *data, size_t length, uint64_t offset);

#endif
