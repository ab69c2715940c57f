/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
// link: -lz
#include "sk_test.h"
#include "tests/kernel/rig.h"
#include <zlib.h>

#define AT SK_AT_FDCWD

static int64_t open_at(struct sk_task *t, const char *path, uint32_t flags)
{
	return RIG(t, openat, AT, rig_str(t, path), flags, 0644);
}

static void put_bytes(struct sk_task *t, const char *path, const void *bytes,
		      size_t size)
{
	int64_t fd = open_at(t, path, SK_O_CREAT | SK_O_TRUNC | SK_O_WRONLY);
	const uint8_t *at = bytes;
	sk_user room = rig_room(t, 4096);

	assert_true(fd >= 0);
	while (size) {
		uint32_t n = size < 4096 ? (uint32_t)size : 4096;

		memcpy(rig_at(t, room), at, n);
		assert_int_equal(RIG(t, write, fd, room, n), n);
		at += n;
		size -= n;
	}
	assert_int_equal(RIG(t, close, fd), 0);
}

static void put_file(struct sk_task *t, const char *path, const char *text)
{
	put_bytes(t, path, text, strlen(text));
}

static const char *get_file(struct sk_task *t, const char *path)
{
	sk_user to = rig_room(t, 256);
	int64_t fd = open_at(t, path, SK_O_RDONLY), n;

	if (fd < 0)
		return NULL;
	n = RIG(t, read, fd, to, 255);
	*(char *)rig_at(t, to + (n > 0 ? (uint32_t)n : 0)) = '\0';
	RIG(t, close, fd);
	return n < 0 ? NULL : rig_at(t, to);
}

static int64_t make_dir(struct sk_task *t, const char *path)
{
	return RIG(t, mkdirat, AT, rig_str(t, path), 0755);
}

static int64_t rename_to(struct sk_task *t, const char *from, const char *to)
{
	return RIG(t, renameat, AT, rig_str(t, from), AT, rig_str(t, to));
}

static int64_t remove_name(struct sk_task *t, const char *path, int flags)
{
	return RIG(t, unlinkat, AT, rig_str(t, path), flags);
}

/* The names of a folder, sorted, each with a blank behind it. */
static const char *names(struct sk_task *t, const char *path)
{
	static char all[50][64], text[4096];
	sk_user at = rig_room(t, 1024);
	int64_t fd = open_at(t, path, SK_O_RDONLY | SK_O_DIRECTORY), n;
	int count = 0;

	while ((n = RIG(t, getdents64, fd, at, 1024)) > 0) {
		for (uint32_t used = 0; used < n;) {
			struct sk_abi_dirent *e = rig_at(t, at + used);

			used += e->reclen;
			if (strcmp(e->name, ".") && strcmp(e->name, ".."))
				snprintf(all[count++], 64, "%s", e->name);
		}
	}
	qsort(all, (size_t)count, 64,
	      (int (*)(const void *, const void *))strcmp);
	text[0] = '\0';
	for (int i = 0; i < count; i++) {
		strcat(text, all[i]);
		strcat(text, " ");
	}
	RIG(t, close, fd);
	return text;
}

static void lower_tree(struct sk_task *t)
{
	make_dir(t, "/low");
	make_dir(t, "/low/d");
	make_dir(t, "/low/d/e");
	put_file(t, "/low/a", "lower a");
	put_file(t, "/low/b", "lower b");
	put_file(t, "/low/d/x", "lower x");
	make_dir(t, "/up");
}

SK_TEST(an_overlay_never_changes_its_lower_tree)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	int64_t fd, old;

	lower_tree(t);
	assert_int_equal(sk_mount(t, "overlay", "/low:/up", "/o", 0, -1), 0);
	assert_string_equal(names(t, "/o"), "a b d ");
	assert_string_equal(names(t, "/up"), "");
	assert_string_equal(get_file(t, "/o/d/x"), "lower x");
	old = open_at(t, "/o/a", SK_O_RDONLY);
	fd = open_at(t, "/o/a", SK_O_WRONLY | SK_O_APPEND);
	assert_int_equal(RIG(t, write, fd, rig_str(t, "!"), 1), 1);
	assert_string_equal(get_file(t, "/o/a"), "lower a!");
	assert_string_equal(get_file(t, "/low/a"), "lower a");
	assert_string_equal(get_file(t, "/up/a"), "lower a!");
	assert_int_equal(RIG(t, pread64, old, rig_room(t, 16), 16, 0), 8);
	put_file(t, "/o/d/new", "new");
	assert_string_equal(names(t, "/o/d"), "e new x ");
	assert_string_equal(names(t, "/low/d"), "e x ");
	rig_free(r);
}

SK_TEST(an_overlay_hides_what_was_removed)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;

	lower_tree(t);
	assert_int_equal(sk_mount(t, "overlay", "/low:", "/o", 0, -1), 0);
	assert_int_equal(remove_name(t, "/o/a", 0), 0);
	assert_null(get_file(t, "/o/a"));
	assert_string_equal(names(t, "/o"), "b d ");
	put_file(t, "/o/a", "again");
	assert_string_equal(get_file(t, "/o/a"), "again");
	assert_int_equal(remove_name(t, "/o/d", SK_AT_REMOVEDIR),
			 -SK_ENOTEMPTY);
	assert_int_equal(remove_name(t, "/o/d/x", 0), 0);
	assert_int_equal(remove_name(t, "/o/d/e", SK_AT_REMOVEDIR), 0);
	assert_int_equal(remove_name(t, "/o/d", SK_AT_REMOVEDIR), 0);
	assert_int_equal(make_dir(t, "/o/d"), 0);
	assert_string_equal(names(t, "/o/d"), "");
	assert_string_equal(names(t, "/low/d"), "e x ");
	assert_int_equal(open_at(t, "/o/.wh.q", SK_O_CREAT | SK_O_RDWR),
			 -SK_EPERM);
	rig_free(r);
}

SK_TEST(an_overlay_renames_files_and_new_folders)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;

	lower_tree(t);
	assert_int_equal(sk_mount(t, "overlay", "/low:", "/o", 0, -1), 0);
	assert_int_equal(rename_to(t, "/o/a", "/o/b"), 0);
	assert_string_equal(get_file(t, "/o/b"), "lower a");
	assert_string_equal(names(t, "/o"), "b d ");
	assert_int_equal(rename_to(t, "/o/d", "/o/z"), -SK_EXDEV);
	assert_int_equal(make_dir(t, "/o/n"), 0);
	put_file(t, "/o/n/f", "f");
	assert_int_equal(rename_to(t, "/o/n", "/o/m"), 0);
	assert_string_equal(get_file(t, "/o/m/f"), "f");
	assert_int_equal(rename_to(t, "/o/m", "/o/d/e"), 0);
	assert_string_equal(get_file(t, "/o/d/e/f"), "f");
	assert_string_equal(names(t, "/o"), "b d ");
	rig_free(r);
}

static void overlay_things(uint32_t fail_at)
{
	struct rig *r = rig_new_with(NULL, fail_at);
	struct sk_task *t;
	int64_t fd;

	if (!r)
		return;
	t = r->init;
	make_dir(t, "/low");
	make_dir(t, "/low/d");
	fd = open_at(t, "/low/d/f", SK_O_CREAT | SK_O_RDWR);
	RIG(t, write, fd, 0, 5000);
	sk_mount(t, "overlay", "/low", "/o", 0, -1);
	fd = open_at(t, "/o/d/f", SK_O_RDWR);
	RIG(t, write, fd, 0, 10);
	fd = open_at(t, "/o", SK_O_RDONLY);
	RIG(t, getdents64, fd, rig_room(t, 512), 512);
	rename_to(t, "/o/d/f", "/o/g");
	RIG(t, symlinkat, rig_str(t, "x"), AT, rig_str(t, "/o/l"));
	RIG(t, linkat, AT, rig_str(t, "/o/g"), AT, rig_str(t, "/o/h"), 0);
	remove_name(t, "/o/g", 0);
	remove_name(t, "/o/d", SK_AT_REMOVEDIR);
	make_dir(t, "/o/d");
	rig_free(r);
}

SK_TEST(an_overlay_leaks_nothing_when_memory_ends)
{
	rig_sweep(overlay_things);
}

/* A real tar archive, made by tar. */
static size_t tar_of(const char *format, int width, uint8_t *to, size_t room)
{
	char command[512];
	size_t n;
	FILE *p;

	snprintf(command, sizeof(command),
		 "d=$(mktemp -d) && cd $d && mkdir -p one/two && "
		 "printf hello >one/file && ln one/file hard && "
		 "ln -s one/file soft && printf deep >one/two/%0*d && "
		 "touch -d @1000000000 one/file && chmod 640 one/file && "
		 "tar --format=%s -cf - . && rm -rf $d",
		 width, 7, format);
	p = popen(command, "r");
	n = fread(to, 1, room, p);
	assert_int_equal(pclose(p), 0);
	return n;
}

SK_TEST(tar_archives_are_mounted_in_place)
{
	static const char *const formats[] = { "ustar", "gnu", "pax" };
	static uint8_t bytes[1 << 18];
	char deep[200];

	for (int i = 0; i < 3; i++) {
		struct rig *r = rig_new();
		struct sk_task *t = r->init;
		int width = i ? 150 : 90; /* beyond 100 only with tricks */
		size_t size = tar_of(formats[i], width, bytes, sizeof(bytes));
		sk_user st = rig_room(t, sizeof(struct sk_abi_stat));
		struct sk_abi_stat *s;

		snprintf(deep, sizeof(deep), "/t/one/two/%0*d", width, 7);
		put_bytes(t, "/a.tar", bytes, size);
		assert_int_equal(sk_mount(t, "tar", "/a.tar", "/t", 0, -1), 0);
		assert_string_equal(names(t, "/t"), "hard one soft ");
		assert_string_equal(get_file(t, "/t/one/file"), "hello");
		assert_string_equal(get_file(t, "/t/hard"), "hello");
		assert_string_equal(get_file(t, "/t/soft"), "hello");
		assert_string_equal(get_file(t, deep), "deep");
		assert_int_equal(RIG(t, newfstatat, AT,
				     rig_str(t, "/t/one/file"), st, 0),
				 0);
		s = rig_at(t, st);
		assert_int_equal(s->mtime.sec, 1000000000);
		assert_int_equal(s->mode, SK_S_IFREG | 0640);
		assert_int_equal(s->nlink, 2);
		assert_int_equal(open_at(t, "/t/x", SK_O_CREAT | SK_O_RDWR),
				 -SK_EROFS);
		rig_free(r);
	}
}

/* A zip archive of one file, deflated at a level (0: stored). */
static size_t zip_of(const char *name, const uint8_t *data, uint32_t size,
		     int level, uint8_t *to)
{
	uint32_t len = (uint32_t)strlen(name), packed = size, crc;
	uint8_t *body = to + 30 + len, *at;
	uint16_t method = level ? 8 : 0;

	crc = (uint32_t)crc32(0, data, size);
	if (level) {
		z_stream z = { .next_in = (uint8_t *)(uintptr_t)data,
			       .avail_in = size,
			       .next_out = body,
			       .avail_out = size + size / 10 + 1000 };

		deflateInit2(&z, level, Z_DEFLATED, -15, 8,
			     level == 5 ? Z_FIXED : Z_DEFAULT_STRATEGY);
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		packed = (uint32_t)z.total_out;
		deflateEnd(&z);
	} else {
		memcpy(body, data, size);
	}
	memset(to, 0, 30);
	memcpy(to, "PK\3\4", 4);
	memcpy(to + 8, &method, 2);
	memcpy(to + 26, &len, 2);
	memcpy(to + 30, name, len);
	at = body + packed;
	memset(at, 0, 46 + len + 22);
	memcpy(at, "PK\1\2", 4);
	memcpy(at + 10, &method, 2);
	at[14] = 0x21; /* the first of January 1980 */
	memcpy(at + 16, &crc, 4);
	memcpy(at + 20, &packed, 4);
	memcpy(at + 24, &size, 4);
	memcpy(at + 28, &len, 2);
	memcpy(at + 46, name, len);
	memcpy(at + 46 + len, "PK\5\6", 4);
	len += 46;
	packed = (uint32_t)(at - to);
	memcpy(at + len + 12, &len, 4);
	memcpy(at + len + 16, &packed, 4);
	return packed + len + 22;
}

SK_TEST(zip_archives_are_inflated_as_zlib_deflates)
{
	static uint8_t data[300000], archive[400000];
	uint32_t seed = 1;

	for (size_t i = 0; i < sizeof(data); i++) {
		seed = seed * 1103515245 + 12345;
		data[i] = (uint8_t)(i % 7 && i > 1000
					    ? data[i - 1 - (seed >> 16) % 900]
					    : seed >> 20);
	}
	for (int level = 0; level <= 9; level++) {
		struct rig *r = rig_new();
		struct sk_task *t = r->init;
		size_t size =
			zip_of("d/f", data, sizeof(data), level, archive + 100);
		sk_user to = rig_room(t, 65536);
		int64_t fd;

		/* Something in front of it. */
		put_bytes(t, "/a.zip", archive, size + 100);
		assert_int_equal(sk_mount(t, "zip", "/a.zip", "/z", 0, -1), 0);
		fd = open_at(t, "/z/d/f", SK_O_RDONLY);
		for (uint32_t at = 0; at < sizeof(data); at += 60000) {
			assert_int_equal(RIG(t, pread64, fd, to, 60000, at),
					 60000);
			assert_memory_equal(rig_at(t, to), data + at, 60000);
		}
		rig_free(r);
	}
}

SK_TEST(bad_zip_archives_are_errors)
{
	static uint8_t data[20000], archive[40000];
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	size_t size;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * i >> 5);
	size = zip_of("f", data, sizeof(data), 6, archive);
	for (uint32_t at = 0; at < size; at += at < 60 ? 1 : 37) {
		archive[at] ^= 0x5a;
		put_bytes(t, "/a.zip", archive, size);
		if (!sk_mount(t, "zip", "/a.zip", "/z", 0, -1)) {
			int64_t fd = open_at(t, "/z/f", SK_O_RDONLY);

			if (fd >= 0) {
				RIG(t, pread64, fd, 0, 4096, 0);
				RIG(t, close, fd);
			}
			RIG(t, umount2, rig_str(t, "/z"), 0);
		}
		archive[at] ^= 0x5a;
		rig_of(t)->used = 8192;
	}
	put_bytes(t, "/a.zip", archive, size);
	assert_int_equal(sk_mount(t, "zip", "/a.zip", "/z", 0, -1), 0);
	assert_non_null(get_file(t, "/z/f"));
	put_file(t, "/none", "this is no archive");
	assert_int_equal(sk_mount(t, "zip", "/none", "/q", 0, -1), -SK_EINVAL);
	assert_int_equal(sk_mount(t, "tar", "/none", "/q", 0, -1), -SK_EINVAL);
	rig_free(r);
}

SK_TEST(a_mount_on_the_root_becomes_the_root)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	sk_user to = rig_room(t, 64);

	lower_tree(t);
	assert_int_equal(sk_mount(t, "overlay", "/low", "/", 0, -1), 0);
	assert_string_equal(names(t, "/"), "a b d ");
	assert_int_equal(RIG(t, chdir, rig_str(t, "/d/../..")), 0);
	assert_int_equal(RIG(t, getcwd, to, 64), 2);
	assert_string_equal(names(t, "."), "a b d ");
	rig_free(r);
}
