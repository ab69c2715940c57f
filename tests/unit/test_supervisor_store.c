/* SPDX-License-Identifier: BSD-2-Clause */
// link: supervisor/store.c
#include "sk_test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "supervisor/store.h"

static void open_store(struct sk_store *store)
{
	int fd = sk_store_create();

	assert_true(fd >= 0);
	assert_int_equal(sk_store_open(store, fd), 0);
}

static int file_with(const char *text)
{
	int fd = memfd_create("file", 0);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

static void save(struct sk_store *store, uint64_t generation, const char *text,
		 const char *name, const char *content)
{
	struct sk_store_writer writer;
	int fd = file_with(content);

	sk_store_begin(&writer, store);
	sk_store_file(&writer, name, fd);
	sk_store_text(&writer, generation, text, strlen(text));
	assert_int_equal(sk_store_commit(&writer), 0);
	close(fd);
}

static void expect(struct sk_store *store, uint64_t generation,
		   const char *text, const char *name, const char *content)
{
	struct sk_store_record record;
	char bytes[64] = "", *string;
	int fd;

	sk_store_first(store, &record);
	assert_int_equal(sk_store_next(store, &record), 1);
	assert_string_equal(record.name, name);
	fd = sk_store_memfd(store, &record);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), strlen(content));
	assert_string_equal(bytes, content);
	assert_true(fcntl(fd, F_GET_SEALS) & F_SEAL_WRITE);
	close(fd);
	assert_int_equal(sk_store_next(store, &record), 1);
	assert_string_equal(record.name, "");
	assert_int_equal(record.generation, generation);
	string = sk_store_string(store, &record);
	assert_string_equal(string, text);
	free(string);
	assert_int_equal(sk_store_next(store, &record), 0);
}

SK_TEST(new_store_is_empty)
{
	struct sk_store_record record;
	struct sk_store store;

	open_store(&store);
	sk_store_first(&store, &record);
	assert_int_equal(sk_store_next(&store, &record), 0);
	sk_store_close(&store);
}

SK_TEST(store_gives_back_the_last_image)
{
	struct sk_store store;

	open_store(&store);
	save(&store, 1, "{\"one\":1}", "/b1.js", "bundle one");
	expect(&store, 1, "{\"one\":1}", "/b1.js", "bundle one");
	save(&store, 0, "{}", "/b2.js", "");
	expect(&store, 0, "{}", "/b2.js", "");
	sk_store_close(&store);
}

SK_TEST(store_is_read_by_another_process_that_inherits_it)
{
	struct sk_store store, other;

	open_store(&store);
	save(&store, 7, "seven", "/f", "content");
	assert_int_equal(sk_store_open(&other, dup(store.fd)), 0);
	expect(&other, 7, "seven", "/f", "content");
	sk_store_close(&other);
	sk_store_close(&store);
}

SK_TEST(image_that_was_not_committed_does_not_count)
{
	struct sk_store_writer writer;
	struct sk_store store;

	open_store(&store);
	save(&store, 1, "kept", "/f", "x");
	sk_store_begin(&writer, &store);
	sk_store_text(&writer, 2, "half", 4);
	expect(&store, 1, "kept", "/f", "x");
	/* A writer that failed changes nothing. */
	sk_store_file(&writer, "/bad", -1);
	assert_int_equal(sk_store_commit(&writer), -EBADF);
	expect(&store, 1, "kept", "/f", "x");
	sk_store_close(&store);
}

SK_TEST(thousand_images_take_the_memory_of_few)
{
	struct sk_store store;
	struct stat st;
	char *big = malloc(100001);
	int i;

	memset(big, 'x', 100000);
	big[100000] = 0;
	open_store(&store);
	for (i = 0; i < 1000; i++)
		save(&store, (uint64_t)i, big, "/f", "x");
	expect(&store, 999, big, "/f", "x");
	assert_int_equal(fstat(store.fd, &st), 0);
	assert_true(st.st_blocks * 512 < 1000000);
	free(big);
	sk_store_close(&store);
}

SK_TEST(damaged_store_is_an_error_and_nothing_worse)
{
	struct sk_store_record record;
	struct sk_store store;
	uint64_t huge = UINT64_MAX / 2;
	uint64_t at;
	int i;

	open_store(&store);
	save(&store, 1, "text", "/f", "content");
	at = store.page->image[store.page->current].offset;
	for (i = 0; i < 3; i++) {
		assert_int_equal(pwrite(store.fd, &huge, sizeof(huge),
					(off_t)(at + (uint64_t)i * 8)),
				 sizeof(huge));
		sk_store_first(&store, &record);
		while (sk_store_next(&store, &record) == 1)
			;
	}
	assert_int_equal(sk_store_next(&store, &record), -EPROTO);
	sk_store_close(&store);
	assert_int_equal(sk_store_open(&store, file_with("no store")), -EPROTO);
}
