/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
// wasm
#include "sk_test.h"
#include "tests/kernel/rig.h"

#define AT SK_AT_FDCWD

static int64_t open_at(struct sk_task *t, const char *path, uint32_t flags)
{
	return RIG(t, openat, AT, rig_str(t, path), flags, 0644);
}

static void put_file(struct sk_task *t, const char *path, const char *text)
{
	int64_t fd = open_at(t, path, SK_O_CREAT | SK_O_TRUNC | SK_O_WRONLY);
	uint32_t n = (uint32_t)strlen(text);

	assert_true(fd >= 0);
	assert_int_equal(RIG(t, write, fd, rig_put(t, text, n), n), n);
	assert_int_equal(RIG(t, close, fd), 0);
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

static int64_t stat_of(struct sk_task *t, const char *path,
		       struct sk_abi_stat *st)
{
	sk_user to = rig_room(t, sizeof(*st));
	int64_t result = RIG(t, newfstatat, AT, rig_str(t, path), to, 0);

	memcpy(st, rig_at(t, to), sizeof(*st));
	return result;
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

static int64_t link_to(struct sk_task *t, const char *target, const char *path)
{
	return RIG(t, symlinkat, rig_str(t, target), AT, rig_str(t, path));
}

static int64_t seek(struct sk_task *t, int64_t fd, int64_t at, int whence)
{
	sk_user to = rig_room(t, 8);
	int64_t result = RIG(t, lseek, fd, at, to, whence), where;

	memcpy(&where, rig_at(t, to), 8);
	return result ? result : where;
}

SK_TEST(what_is_written_is_read_again)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	struct sk_abi_stat st;

	put_file(t, "/hello", "hello, world");
	assert_string_equal(get_file(t, "/hello"), "hello, world");
	assert_int_equal(stat_of(t, "hello", &st), 0);
	assert_int_equal(st.size, 12);
	assert_int_equal(st.mode, SK_S_IFREG | 0644);
	assert_int_equal(st.nlink, 1);
	put_file(t, "/hello", "ho");
	assert_string_equal(get_file(t, "/hello"), "ho");
	rig_free(r);
}

SK_TEST(open_says_what_is_wrong)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;

	put_file(t, "file", "x");
	assert_int_equal(make_dir(t, "dir"), 0);
	assert_int_equal(open_at(t, "none", SK_O_RDONLY), -SK_ENOENT);
	assert_int_equal(open_at(t, "", SK_O_RDONLY), -SK_ENOENT);
	assert_int_equal(open_at(t, "none/x", SK_O_CREAT), -SK_ENOENT);
	assert_int_equal(open_at(t, "file/x", SK_O_RDONLY), -SK_ENOTDIR);
	assert_int_equal(open_at(t, "file/", SK_O_RDONLY), -SK_ENOTDIR);
	assert_int_equal(open_at(t, "file", SK_O_DIRECTORY), -SK_ENOTDIR);
	assert_int_equal(open_at(t, "dir", SK_O_WRONLY), -SK_EISDIR);
	assert_int_equal(open_at(t, "dir", SK_O_CREAT), -SK_EISDIR);
	assert_int_equal(open_at(t, "new/", SK_O_CREAT | SK_O_RDWR),
			 -SK_EISDIR);
	assert_int_equal(open_at(t, "file", SK_O_CREAT | SK_O_EXCL),
			 -SK_EEXIST);
	assert_int_equal(RIG(t, openat, 77, rig_str(t, "file"), 0, 0),
			 -SK_EBADF);
	assert_int_equal(RIG(t, openat, AT, 0xfffffff0, 0, 0), -SK_EFAULT);
	rig_free(r);
}

SK_TEST(names_have_limits)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	char name[SK_PATH_MAX + 16];

	memset(name, 'n', sizeof(name));
	name[255] = '\0';
	put_file(t, name, "ok");
	assert_string_equal(get_file(t, name), "ok");
	name[255] = 'n';
	name[256] = '\0';
	assert_int_equal(open_at(t, name, SK_O_RDONLY), -SK_ENAMETOOLONG);
	name[256] = 'n';
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(open_at(t, name, SK_O_RDONLY), -SK_ENAMETOOLONG);
	put_file(t, "\xe7", "bytes");
	assert_string_equal(get_file(t, "\xe7"), "bytes");
	rig_free(r);
}

SK_TEST(an_unlinked_file_lives_until_close)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	sk_user to = rig_room(t, 16);
	int64_t fd;

	put_file(t, "f", "data");
	fd = open_at(t, "f", SK_O_RDONLY);
	assert_int_equal(remove_name(t, "f", 0), 0);
	assert_int_equal(open_at(t, "f", SK_O_RDONLY), -SK_ENOENT);
	assert_int_equal(RIG(t, read, fd, to, 16), 4);
	assert_memory_equal(rig_at(t, to), "data", 4);
	rig_free(r);
}

SK_TEST(files_have_holes_and_64_bit_offsets)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	int64_t fd = open_at(t, "big", SK_O_CREAT | SK_O_RDWR);
	int64_t far = INT64_C(5) << 30;
	sk_user to = rig_room(t, 64);
	struct sk_kernel_usage u;
	struct sk_abi_stat st;

	assert_int_equal(seek(t, fd, far, SK_SEEK_SET), far);
	assert_int_equal(RIG(t, write, fd, rig_str(t, "end"), 3), 3);
	assert_int_equal(stat_of(t, "big", &st), 0);
	assert_int_equal(st.size, far + 3);
	assert_true(st.blocks * 512 < 1 << 20);
	sk_kernel_usage(r->k, &u);
	assert_true(u.bytes < 1 << 20);
	assert_int_equal(RIG(t, pread64, fd, to, 64, far - 32), 35);
	assert_memory_equal(rig_at(t, to + 32), "end", 3);
	assert_int_equal(((char *)rig_at(t, to))[31], 0);
	assert_int_equal(RIG(t, pwrite64, fd, to, 1, INT64_C(1) << 60),
			 -SK_EFBIG);
	assert_int_equal(RIG(t, ftruncate, fd, 10), 0);
	assert_int_equal(RIG(t, ftruncate, fd, far + 3), 0);
	assert_int_equal(RIG(t, pread64, fd, to, 3, far), 3);
	assert_int_equal(((char *)rig_at(t, to))[0], 0);
	rig_free(r);
}

SK_TEST(any_piece_of_a_large_file_is_what_was_written)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	int64_t fd = open_at(t, "f", SK_O_CREAT | SK_O_RDWR);
	sk_user at = rig_room(t, 70000), back = rig_room(t, 70000);
	uint8_t *out = rig_at(t, at), *in = rig_at(t, back);
	static uint8_t model[400000];
	uint32_t seed = 7;

	for (int i = 0; i < 300; i++) {
		uint32_t where, size;

		seed = seed * 1103515245 + 12345;
		where = seed / 7 % 330000;
		seed = seed * 1103515245 + 12345;
		size = 1 + seed / 7 % 69999;
		for (uint32_t n = 0; n < size; n++)
			out[n] = (uint8_t)(seed >> (n % 24)) ^ (uint8_t)n;
		if (i % 3) {
			memcpy(model + where, out, size);
			assert_int_equal(RIG(t, pwrite64, fd, at, size, where),
					 size);
		} else {
			int64_t n = RIG(t, pread64, fd, back, size, where);

			assert_true(n >= 0);
			assert_memory_equal(in, model + where, n);
		}
		if (i % 50 == 49) {
			memset(model + where, 0, sizeof(model) - where);
			assert_int_equal(RIG(t, ftruncate, fd, where), 0);
		}
	}
	rig_free(r);
}

SK_TEST(appends_go_to_the_end)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	int64_t a = open_at(t, "log", SK_O_CREAT | SK_O_WRONLY | SK_O_APPEND);
	int64_t b = open_at(t, "log", SK_O_WRONLY | SK_O_APPEND);

	assert_int_equal(RIG(t, write, a, rig_str(t, "one "), 4), 4);
	assert_int_equal(RIG(t, write, b, rig_str(t, "two "), 4), 4);
	assert_int_equal(RIG(t, write, a, rig_str(t, "three"), 5), 5);
	assert_string_equal(get_file(t, "log"), "one two three");
	rig_free(r);
}

SK_TEST(vectors_move_all_their_parts)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	int64_t fd = open_at(t, "v", SK_O_CREAT | SK_O_RDWR);
	struct sk_abi_iovec v[3] = { { rig_str(t, "abc"), 3 },
				     { 0, 0 },
				     { rig_str(t, "defg"), 4 } };
	sk_user at = rig_put(t, v, sizeof(v));

	assert_int_equal(RIG(t, writev, fd, at, 3), 7);
	assert_string_equal(get_file(t, "v"), "abcdefg");
	assert_int_equal(RIG(t, pwritev, fd, at, 1, 7), 3);
	assert_string_equal(get_file(t, "v"), "abcdefgabc");
	assert_int_equal(RIG(t, preadv, fd, at, 1, 3), 3);
	assert_memory_equal(rig_at(t, v[0].base), "def", 3);
	assert_int_equal(RIG(t, readv, fd, at, 2000), -SK_EINVAL);
	rig_free(r);
}

SK_TEST(loops_of_links_end)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;

	assert_int_equal(link_to(t, "b", "a"), 0);
	assert_int_equal(link_to(t, "a", "b"), 0);
	assert_int_equal(open_at(t, "a", SK_O_RDONLY), -SK_ELOOP);
	assert_int_equal(open_at(t, "a", SK_O_RDWR | SK_O_CREAT), -SK_ELOOP);
	assert_int_equal(link_to(t, ".", "cur"), 0);
	put_file(t, "f", "here");
	assert_string_equal(get_file(t, "cur/cur/cur/f"), "here");
	rig_free(r);
}

SK_TEST(links_lead_where_they_point)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	sk_user to = rig_room(t, 64);

	assert_int_equal(make_dir(t, "/d"), 0);
	assert_int_equal(make_dir(t, "/d/e"), 0);
	assert_int_equal(link_to(t, "../d/e", "/d/up"), 0);
	assert_int_equal(link_to(t, "/d/up/new", "/dangling"), 0);
	put_file(t, "/dangling", "made");
	assert_string_equal(get_file(t, "/d/e/new"), "made");
	assert_string_equal(get_file(t, "/d/up/new"), "made");
	assert_string_equal(get_file(t, "/d/up/../e/new"), "made");
	assert_int_equal(open_at(t, "/d/up", SK_O_NOFOLLOW), -SK_ELOOP);
	assert_int_equal(open_at(t, "/dangling", SK_O_CREAT | SK_O_EXCL),
			 -SK_EEXIST);
	assert_int_equal(RIG(t, readlinkat, AT, rig_str(t, "/d/up"), to, 64),
			 6);
	assert_memory_equal(rig_at(t, to), "../d/e", 6);
	assert_int_equal(RIG(t, readlinkat, AT, rig_str(t, "/d"), to, 64),
			 -SK_EINVAL);
	rig_free(r);
}

SK_TEST(folders_are_listed_while_they_change)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	sk_user at = rig_room(t, 256);
	int64_t fd, n;
	int seen = 0;

	assert_int_equal(make_dir(t, "d"), 0);
	for (int i = 0; i < 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "d/%d", i);
		put_file(t, name, "");
	}
	fd = open_at(t, "d", SK_O_RDONLY | SK_O_DIRECTORY);
	while ((n = RIG(t, getdents64, fd, at, 256)) > 0) {
		for (uint32_t used = 0; used < n;) {
			struct sk_abi_dirent *e = rig_at(t, at + used);
			char name[300];

			used += e->reclen;
			if (e->name[0] == '.')
				continue;
			seen++;
			snprintf(name, sizeof(name), "d/%s", e->name);
			assert_int_equal(remove_name(t, name, 0), 0);
		}
	}
	assert_int_equal(n, 0);
	assert_int_equal(seen, 100);
	assert_int_equal(RIG(t, getdents64, fd, at, 8), 0);
	assert_int_equal(seek(t, fd, 0, SK_SEEK_SET), 0);
	assert_int_equal(RIG(t, getdents64, fd, at, 8), -SK_EINVAL);
	assert_int_equal(remove_name(t, "d", 0), -SK_EISDIR);
	assert_int_equal(remove_name(t, "d", SK_AT_REMOVEDIR), 0);
	assert_int_equal(RIG(t, getdents64, fd, at, 256), -SK_ENOENT);
	rig_free(r);
}

SK_TEST(rename_replaces_and_refuses)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	sk_user to = rig_room(t, 8);
	int64_t fd;

	put_file(t, "a", "new");
	put_file(t, "b", "old");
	fd = open_at(t, "b", SK_O_RDONLY);
	assert_int_equal(rename_to(t, "a", "a"), 0);
	assert_int_equal(rename_to(t, "a", "b"), 0);
	assert_int_equal(RIG(t, read, fd, to, 8), 3);
	assert_memory_equal(rig_at(t, to), "old", 3);
	assert_string_equal(get_file(t, "b"), "new");
	assert_null(get_file(t, "a"));
	assert_int_equal(make_dir(t, "d"), 0);
	assert_int_equal(make_dir(t, "d/e"), 0);
	assert_int_equal(rename_to(t, "d", "d/e/f"), -SK_EINVAL);
	assert_int_equal(rename_to(t, "d/e", "d"), -SK_ENOTEMPTY);
	assert_int_equal(rename_to(t, "b", "d"), -SK_EISDIR);
	assert_int_equal(rename_to(t, "d", "b"), -SK_ENOTDIR);
	assert_int_equal(rename_to(t, "none", "x"), -SK_ENOENT);
	assert_int_equal(rename_to(t, "d/.", "x"), -SK_EBUSY);
	assert_int_equal(make_dir(t, "x"), 0);
	assert_int_equal(rename_to(t, "d", "x"), 0);
	assert_int_equal(make_dir(t, "x/e/new"), 0);
	assert_int_equal(RIG(t, renameat2, AT, rig_str(t, "b"), AT,
			     rig_str(t, "x"), SK_RENAME_NOREPLACE),
			 -SK_EEXIST);
	assert_int_equal(RIG(t, renameat2, AT, rig_str(t, "b"), AT,
			     rig_str(t, "x"), SK_RENAME_EXCHANGE),
			 0);
	assert_string_equal(get_file(t, "x"), "new");
	rig_free(r);
}

SK_TEST(hard_links_share_one_file)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	struct sk_abi_stat st;

	put_file(t, "a", "x");
	assert_int_equal(make_dir(t, "d"), 0);
	assert_int_equal(
		RIG(t, linkat, AT, rig_str(t, "a"), AT, rig_str(t, "b"), 0), 0);
	assert_int_equal(
		RIG(t, linkat, AT, rig_str(t, "d"), AT, rig_str(t, "e"), 0),
		-SK_EPERM);
	put_file(t, "b", "both");
	assert_string_equal(get_file(t, "a"), "both");
	assert_int_equal(stat_of(t, "a", &st), 0);
	assert_int_equal(st.nlink, 2);
	assert_int_equal(rename_to(t, "a", "b"), 0);
	assert_int_equal(remove_name(t, "a", 0), 0);
	assert_string_equal(get_file(t, "b"), "both");
	rig_free(r);
}

SK_TEST(getcwd_follows_renames_and_removal)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	sk_user to = rig_room(t, 64);

	assert_int_equal(make_dir(t, "/a"), 0);
	assert_int_equal(make_dir(t, "/a/b"), 0);
	assert_int_equal(RIG(t, chdir, rig_str(t, "/a/b")), 0);
	assert_int_equal(rename_to(t, "/a", "/z"), 0);
	assert_int_equal(RIG(t, getcwd, to, 64), 5);
	assert_string_equal(rig_at(t, to), "/z/b");
	assert_int_equal(RIG(t, getcwd, to, 4), -SK_ERANGE);
	assert_int_equal(remove_name(t, "/z/b", SK_AT_REMOVEDIR), 0);
	assert_int_equal(RIG(t, getcwd, to, 64), -SK_ENOENT);
	assert_int_equal(open_at(t, "x", SK_O_CREAT), -SK_ENOENT);
	assert_int_equal(RIG(t, chdir, rig_str(t, "..")), 0);
	assert_int_equal(RIG(t, getcwd, to, 64), 3);
	rig_free(r);
}

SK_TEST(dup_and_fork_share_one_offset)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init), *child;
	sk_user to = rig_room(t, 8);
	int64_t fd, two;

	put_file(t, "f", "abcdef");
	fd = open_at(t, "f", SK_O_RDONLY);
	two = RIG(t, dup, fd);
	assert_int_equal(RIG(t, read, fd, to, 2), 2);
	assert_int_equal(RIG(t, read, two, to, 2), 2);
	assert_memory_equal(rig_at(t, to), "cd", 2);
	child = rig_fork(r, t);
	assert_int_equal(RIG(child, read, fd, to, 2), 2);
	assert_memory_equal(rig_at(child, to), "ef", 2);
	assert_int_equal(RIG(t, read, fd, to, 2), 0);
	rig_free(r);
}

SK_TEST(descriptors_are_the_lowest_that_are_free)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	int64_t fd = open_at(t, "f", SK_O_CREAT | SK_O_RDWR);

	assert_int_equal(fd, 0);
	for (int i = 1; i < 40; i++)
		assert_int_equal(RIG(t, dup, 0), i);
	assert_int_equal(RIG(t, close, 7), 0);
	assert_int_equal(RIG(t, close, 3), 0);
	assert_int_equal(RIG(t, close, 3), -SK_EBADF);
	assert_int_equal(RIG(t, dup, 0), 3);
	assert_int_equal(RIG(t, dup, 0), 7);
	assert_int_equal(RIG(t, dup, 0), 40);
	assert_int_equal(RIG(t, dup3, 0, 500, SK_O_CLOEXEC), 500);
	assert_int_equal(RIG(t, fcntl, 500, SK_F_GETFD), SK_FD_CLOEXEC);
	assert_int_equal(RIG(t, fcntl, 0, SK_F_GETFD), 0);
	assert_int_equal(RIG(t, dup3, 0, 0, 0), -SK_EINVAL);
	assert_int_equal(RIG(t, dup3, 0, 5000000, 0), -SK_EBADF);
	assert_int_equal(RIG(t, fcntl, 0, SK_F_DUPFD, 100), 100);
	assert_int_equal(RIG(t, close_range, 4, 400, 0), 0);
	assert_int_equal(RIG(t, fcntl, 100, SK_F_GETFD), -SK_EBADF);
	assert_int_equal(RIG(t, dup, 0), 4);
	assert_int_equal(RIG(t, fcntl, 500, SK_F_GETFL) & SK_O_ACCMODE,
			 SK_O_RDWR);
	rig_free(r);
}

static int64_t lock(struct sk_task *t, int64_t fd, int command, int type,
		    int64_t start, int64_t len)
{
	struct sk_abi_flock fl = { .type = (int16_t)type,
				   .start = start,
				   .len = len };

	return RIG(t, fcntl, fd, (uint64_t)command,
		   rig_put(t, &fl, sizeof(fl)));
}

SK_TEST(record_locks_of_two_processes_conflict)
{
	struct rig *r = rig_new();
	struct sk_task *a = rig_fork(r, r->init), *b;
	int64_t fd = open_at(a, "f", SK_O_CREAT | SK_O_RDWR);

	b = rig_fork(r, a);
	assert_int_equal(lock(a, fd, SK_F_SETLK, SK_F_WRLCK, 10, 10), 0);
	assert_int_equal(lock(b, fd, SK_F_SETLK, SK_F_RDLCK, 19, 1),
			 -SK_EAGAIN);
	assert_int_equal(lock(b, fd, SK_F_SETLK, SK_F_WRLCK, 20, 5), 0);
	assert_int_equal(lock(a, fd, SK_F_SETLK, SK_F_UNLCK, 12, 2), 0);
	assert_int_equal(lock(b, fd, SK_F_SETLK, SK_F_WRLCK, 12, 2), 0);
	assert_int_equal(lock(b, fd, SK_F_SETLKW, SK_F_WRLCK, 10, 1),
			 RIG_PARKED);
	assert_int_equal(lock(a, fd, SK_F_SETLKW, SK_F_WRLCK, 20, 1),
			 -SK_EDEADLK);
	assert_int_equal(RIG(a, close, RIG(a, dup, fd)), 0);
	assert_true(rig_woken(b));
	assert_int_equal(rig_again(b), 0);
	rig_free(r);
}

SK_TEST(open_file_locks_belong_to_the_open_file)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	int64_t a = open_at(t, "f", SK_O_CREAT | SK_O_RDWR);
	int64_t b = open_at(t, "f", SK_O_RDWR);

	assert_int_equal(lock(t, a, SK_F_OFD_SETLK, SK_F_WRLCK, 0, 0), 0);
	assert_int_equal(lock(t, b, SK_F_OFD_SETLK, SK_F_RDLCK, 5, 1),
			 -SK_EAGAIN);
	assert_int_equal(RIG(t, close, a), 0);
	assert_int_equal(lock(t, b, SK_F_OFD_SETLK, SK_F_RDLCK, 5, 1), 0);
	a = open_at(t, "f", SK_O_RDWR);
	assert_int_equal(RIG(t, flock, a, SK_LOCK_EX), 0);
	assert_int_equal(RIG(t, flock, b, SK_LOCK_SH | SK_LOCK_NB), -SK_EAGAIN);
	assert_int_equal(RIG(t, flock, a, SK_LOCK_UN), 0);
	assert_int_equal(RIG(t, flock, b, SK_LOCK_SH), 0);
	rig_free(r);
}

SK_TEST(mounts_cover_folders)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	sk_user to = rig_room(t, 64);
	struct sk_abi_stat a, b;

	assert_int_equal(sk_mount(t, "memfs", NULL, "/mnt/deep", 0, -1), 0);
	put_file(t, "/mnt/deep/f", "in");
	assert_int_equal(stat_of(t, "/mnt/deep/..", &a), 0);
	assert_int_equal(stat_of(t, "/mnt", &b), 0);
	assert_int_equal(a.ino, b.ino);
	assert_int_equal(RIG(t, chdir, rig_str(t, "/mnt/deep")), 0);
	assert_int_equal(RIG(t, getcwd, to, 64), 10);
	assert_string_equal(rig_at(t, to), "/mnt/deep");
	assert_int_equal(rename_to(t, "f", "/f"), -SK_EXDEV);
	assert_int_equal(remove_name(t, "/mnt/deep", SK_AT_REMOVEDIR),
			 -SK_EBUSY);
	assert_int_equal(RIG(t, umount2, rig_str(t, "/mnt/deep"), 0),
			 -SK_EBUSY);
	assert_int_equal(RIG(t, chdir, rig_str(t, "/")), 0);
	assert_int_equal(RIG(t, umount2, rig_str(t, "/mnt/deep"), 0), 0);
	assert_null(get_file(t, "/mnt/deep/f"));
	assert_int_equal(sk_mount(t, "memfs", NULL, "/ro", SK_MOUNT_RDONLY, -1),
			 0);
	assert_int_equal(open_at(t, "/ro/x", SK_O_CREAT | SK_O_RDWR),
			 -SK_EROFS);
	rig_free(r);
}

SK_TEST(devices_and_proc_answer)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	sk_user to = rig_room(t, 64);
	int64_t fd;

	assert_int_equal(sk_mount(t, "devfs", NULL, "/dev", 0, -1), 0);
	assert_int_equal(sk_mount(t, "procfs", NULL, "/proc", 0, -1), 0);
	fd = open_at(t, "/dev/null", SK_O_RDWR);
	assert_int_equal(RIG(t, write, fd, to, 64), 64);
	assert_int_equal(RIG(t, read, fd, to, 64), 0);
	fd = open_at(t, "/dev/full", SK_O_RDWR);
	assert_int_equal(RIG(t, write, fd, to, 64), -SK_ENOSPC);
	fd = open_at(t, "/dev/zero", SK_O_RDWR);
	*(char *)rig_at(t, to) = 1;
	assert_int_equal(RIG(t, read, fd, to, 64), 64);
	assert_int_equal(*(char *)rig_at(t, to), 0);
	put_file(t, "/dev/shm/x", "shared");
	assert_string_equal(get_file(t, "/dev/shm/x"), "shared");
	assert_string_equal(get_file(t, "/proc/self/comm"), "init\n");
	assert_non_null(strstr(get_file(t, "/proc/1/stat"), "1 (init) R 0"));
	assert_non_null(
		strstr(get_file(t, "/proc/mounts"), "devfs /dev devfs rw 0 0"));
	assert_null(get_file(t, "/proc/99/stat"));
	put_file(t, "/f", "by link");
	fd = open_at(t, "/f", SK_O_RDONLY);
	assert_int_equal(RIG(t, dup3, fd, 9, 0), 9);
	assert_string_equal(get_file(t, "/dev/fd/9"), "by link");
	assert_int_equal(
		RIG(t, readlinkat, AT, rig_str(t, "/proc/self/fd/9"), to, 64),
		2);
	rig_free(r);
}

SK_TEST(shared_mappings_are_written_back)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	sk_user at = 65536 * 8;
	int64_t fd;

	put_file(t, "f", "hello world");
	fd = open_at(t, "f", SK_O_RDWR);
	assert_int_equal(RIG(t, mmap, at, 4096, SK_PROT_READ | SK_PROT_WRITE,
			     SK_MAP_SHARED, fd, 0),
			 at);
	assert_int_equal(RIG(t, close, fd), 0);
	assert_string_equal(rig_at(t, at), "hello world");
	memcpy(rig_at(t, at), "HELLO", 5);
	assert_int_equal(RIG(t, msync, at, 4096, SK_MS_SYNC), 0);
	assert_string_equal(get_file(t, "f"), "HELLO world");
	memcpy(rig_at(t, at), "J", 1);
	assert_int_equal(RIG(t, munmap, at, 4096), 0);
	assert_string_equal(get_file(t, "f"), "JELLO world");
	rig_free(r);
}

SK_TEST(a_process_sees_its_own_mappings_in_its_files)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	sk_user a = 65536 * 8, b = 65536 * 9;
	int64_t fd;

	put_file(t, "f", "hello world");
	fd = open_at(t, "f", SK_O_RDWR);
	assert_int_equal(RIG(t, mmap, a, 11, SK_PROT_READ | SK_PROT_WRITE,
			     SK_MAP_SHARED, fd, 0),
			 a);
	memcpy(rig_at(t, a), "HELLO", 5);
	assert_string_equal(get_file(t, "f"), "HELLO world");
	memcpy(rig_at(t, a), "J", 1);
	assert_int_equal(
		RIG(t, mmap, b, 11, SK_PROT_READ, SK_MAP_SHARED, fd, 0), b);
	assert_string_equal(rig_at(t, b), "JELLO world");
	assert_int_equal(RIG(t, pwrite64, fd, rig_str(t, "W"), 1, 6), 1);
	assert_string_equal(rig_at(t, a), "JELLO World");
	rig_free(r);
}

SK_TEST(copies_between_files_need_no_program)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	int64_t in, out;

	put_file(t, "a", "0123456789");
	in = open_at(t, "a", SK_O_RDONLY);
	out = open_at(t, "b", SK_O_CREAT | SK_O_RDWR);
	assert_int_equal(RIG(t, sendfile, out, in, 0, 100), 10);
	assert_int_equal(seek(t, in, 0, SK_SEEK_CUR), 10);
	assert_string_equal(get_file(t, "b"), "0123456789");
	assert_int_equal(seek(t, in, 5, SK_SEEK_SET), 5);
	assert_int_equal(RIG(t, copy_file_range, in, 0, out, 0, 3, 0), 3);
	assert_string_equal(get_file(t, "b"), "0123456789567");
	rig_free(r);
}

SK_TEST(times_are_set_as_asked)
{
	struct rig *r = rig_new();
	struct sk_task *t = r->init;
	struct sk_abi_timespec ts[2] = { { 100, 5 }, { 200, 7 } };
	struct sk_abi_stat st;

	put_file(t, "f", "x");
	assert_int_equal(RIG(t, utimensat, AT, rig_str(t, "f"),
			     rig_put(t, ts, sizeof(ts)), 0),
			 0);
	assert_int_equal(stat_of(t, "f", &st), 0);
	assert_int_equal(st.atime.sec, 100);
	assert_int_equal(st.mtime.nsec, 7);
	ts[0].nsec = SK_UTIME_OMIT;
	ts[1].nsec = 1000000000;
	assert_int_equal(RIG(t, utimensat, AT, rig_str(t, "f"),
			     rig_put(t, ts, sizeof(ts)), 0),
			 -SK_EINVAL);
	rig_free(r);
}

static void many_things(uint32_t fail_at)
{
	struct rig *r = rig_new_with(NULL, fail_at);
	struct sk_task *t;
	int64_t fd;

	if (!r)
		return;
	t = r->init;
	sk_mount(t, "devfs", NULL, "/dev", 0, -1);
	sk_mount(t, "procfs", NULL, "/proc", 0, -1);
	make_dir(t, "/d");
	link_to(t, "/d", "/l");
	fd = open_at(t, "/l/f", SK_O_CREAT | SK_O_RDWR);
	RIG(t, pwrite64, fd, 4096, 60000, 1000);
	RIG(t, pwrite64, fd, 4096, 60000, 20000000);
	lock(t, fd, SK_F_SETLK, SK_F_WRLCK, 0, 100);
	lock(t, fd, SK_F_SETLK, SK_F_UNLCK, 10, 10);
	RIG(t, flock, fd, SK_LOCK_EX);
	RIG(t, mmap, 65536, 4096, 3, SK_MAP_SHARED, fd, 0);
	RIG(t, linkat, AT, rig_str(t, "/d/f"), AT, rig_str(t, "/d/g"), 0);
	rename_to(t, "/d/g", "/h");
	get_file(t, "/proc/self/status");
	get_file(t, "/dev/fd/0");
	RIG(t, memfd_create, rig_str(t, "m"), 0);
	RIG(t, openat, AT, rig_str(t, "/d"), SK_O_TMPFILE | SK_O_RDWR, 0600);
	RIG(t, dup3, fd, 200, 0);
	remove_name(t, "/h", 0);
	rig_free(r);
}

SK_TEST(no_failing_allocation_leaks)
{
	rig_sweep(many_things);
}
