/* SPDX-License-Identifier: BSD-2-Clause */
/* What survives the death of the supervisor; see store.h. */
#include "supervisor/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC	    0x736b73746f726531u /* "skstore1" */
#define PAGE	    4096u
#define NAME_BYTES  4096u
#define CONTENT_MAX (64u * 1024u * 1024u)
#define CHUNK	    65536u
#define FILE_SEALS  (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

struct header {
	uint64_t generation; /* of a text; a file has a name */
	uint64_t name;	     /* bytes of it, without NUL */
	uint64_t content;    /* bytes of it */
};

int sk_file_read(int fd, void *data, size_t length, uint64_t offset)
{
	char *at = data;
	ssize_t n;

	while (length) {
		n = pread(fd, at, length, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EPROTO;
		at += n;
		offset += (size_t)n;
		length -= (size_t)n;
	}
	return 0;
}

static int file_write(int fd, const void *data, size_t length, uint64_t offset)
{
	const char *at = data;
	ssize_t n;

	while (length) {
		n = pwrite(fd, at, length, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		offset += (size_t)n;
		length -= (size_t)n;
	}
	return 0;
}

/* Copies between descriptors, by offsets. 0 or -errno. */
static int file_copy(int to, uint64_t to_offset, int from, uint64_t from_offset,
		     uint64_t length)
{
	char chunk[CHUNK];
	size_t n;
	int err;

	for (; length; length -= n) {
		n = length < CHUNK ? (size_t)length : CHUNK;
		err = sk_file_read(from, chunk, n, from_offset);
		if (!err)
			err = file_write(to, chunk, n, to_offset);
		if (err)
			return err;
		from_offset += n;
		to_offset += n;
	}
	return 0;
}

int sk_store_create(void)
{
	struct sk_store_page page = { .magic = MAGIC };
	int fd, err;

	page.image[0].offset = PAGE;
	page.image[1].offset = PAGE;
	fd = memfd_create("selkie-store", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = ftruncate(fd, PAGE) < 0 ? -errno : 0;
	if (!err)
		err = file_write(fd, &page, sizeof(page), 0);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int sk_store_open(struct sk_store *store, int fd)
{
	struct stat st;
	void *page;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)PAGE)
		return -EPROTO;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	store->page = page;
	if (store->page->magic != MAGIC || store->page->current > 1) {
		munmap(page, PAGE);
		return -EPROTO;
	}
	store->fd = fd;
	return 0;
}

void sk_store_close(struct sk_store *store)
{
	munmap(store->page, PAGE);
	close(store->fd);
	store->page = NULL;
	store->fd = -1;
}

void sk_store_begin(struct sk_store_writer *writer, struct sk_store *store)
{
	uint32_t current = store->page->current;

	writer->store = store;
	writer->start = store->page->image[current].offset +
			store->page->image[current].length;
	/* Whole pages, so that the old image can be punched out. */
	writer->start = (writer->start + PAGE - 1) / PAGE * PAGE;
	writer->at = writer->start;
	writer->error = 0;
}

static void put(struct sk_store_writer *writer, const void *data, size_t length)
{
	if (!writer->error)
		writer->error =
			file_write(writer->store->fd, data, length, writer->at);
	writer->at += length;
}

void sk_store_file(struct sk_store_writer *writer, const char *name, int fd)
{
	struct header header = { .name = strlen(name) };
	struct stat st;

	if (!writer->error && fstat(fd, &st) < 0)
		writer->error = -errno;
	if (writer->error)
		return;
	header.content = (uint64_t)st.st_size;
	put(writer, &header, sizeof(header));
	put(writer, name, header.name);
	if (!writer->error)
		writer->error = file_copy(writer->store->fd, writer->at, fd, 0,
					  header.content);
	writer->at += header.content;
}

void sk_store_text(struct sk_store_writer *writer, uint64_t generation,
		   const char *text, size_t length)
{
	struct header header = { .generation = generation, .content = length };

	put(writer, &header, sizeof(header));
	put(writer, text, length);
}

int sk_store_commit(struct sk_store_writer *writer)
{
	struct sk_store_page *page = writer->store->page;
	uint32_t next = 1 - page->current;

	if (writer->error)
		return writer->error;
	page->image[next].offset = writer->start;
	page->image[next].length = writer->at - writer->start;
	page->current = next;
	(void)fallocate(writer->store->fd,
			FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, PAGE,
			(off_t)(writer->start - PAGE));
	return 0;
}

void sk_store_first(const struct sk_store *store,
		    struct sk_store_record *record)
{
	const struct sk_store_page *page = store->page;
	uint32_t current = page->current;

	memset(record, 0, sizeof(*record));
	record->next = page->image[current].offset;
	record->end = record->next + page->image[current].length;
}

int sk_store_next(const struct sk_store *store, struct sk_store_record *record)
{
	struct header header;
	int err;

	free(record->name);
	record->name = NULL;
	if (record->next == record->end)
		return 0;
	if (record->end - record->next < sizeof(header))
		return -EPROTO;
	err = sk_file_read(store->fd, &header, sizeof(header), record->next);
	if (err)
		return err;
	record->next += sizeof(header);
	if (header.name > NAME_BYTES || header.content > CONTENT_MAX ||
	    header.name + header.content > record->end - record->next)
		return -EPROTO;
	record->name = calloc(1, header.name + 1);
	if (!record->name)
		return -ENOMEM;
	err = sk_file_read(store->fd, record->name, header.name, record->next);
	if (err) {
		free(record->name);
		record->name = NULL;
		return err;
	}
	record->generation = header.generation;
	record->offset = record->next + header.name;
	record->length = header.content;
	record->next = record->offset + record->length;
	return 1;
}

char *sk_store_string(const struct sk_store *store,
		      const struct sk_store_record *record)
{
	char *text = malloc(record->length + 1);

	if (!text)
		return NULL;
	text[record->length] = 0;
	if (sk_file_read(store->fd, text, record->length, record->offset)) {
		free(text);
		return NULL;
	}
	return text;
}

int sk_store_memfd(const struct sk_store *store,
		   const struct sk_store_record *record)
{
	int fd, err;

	fd = memfd_create("selkie-bundle", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	err = file_copy(fd, 0, store->fd, record->offset, record->length);
	if (!err && fcntl(fd, F_ADD_SEALS, FILE_SEALS) < 0)
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}
