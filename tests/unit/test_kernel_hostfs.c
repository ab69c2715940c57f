/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
// link: host/linux/files.c host/linux/streams.c
#include "sk_test.h"
#include "host/linux/host.h"
#include "tests/kernel/rig.h"
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#define AT SK_AT_FDCWD

static char folder[64];

static int descriptors;

static int open_descriptors(void)
{
	int n = 0;

	for (int fd = 3; fd < 100; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* A kernel with an empty folder of this machine at /h. */
static struct rig *start_with(uint32_t fail_at)
{
	struct rig *r = rig_new_with(NULL, fail_at);
	int handle;

	descriptors = open_descriptors();
	snprintf(folder, sizeof(folder), "/tmp/selkie-hostfs-XXXXXX");
	assert_non_null(mkdtemp(folder));
	handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(handle >= 0);
	umask(0);
	if (!r) {
		close(handle);
		rmdir(folder);
		return NULL;
	}
	r->host.files = &sk_host_files_linux;
	sk_mount(r->init, "hostfs", NULL, "/h", 0, handle);
	RIG(r->init, chdir, rig_str(r->init, "/h"));
	return r;
}

static struct rig *start(void)
{
	return start_with(0);
}

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void stop(struct rig *r)
{
	rig_free(r);
	nftw(folder, remove_one, 10, FTW_DEPTH | FTW_PHYS);
	assert_int_equal(open_descriptors(), descriptors);
}

static const char *outside(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

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

static int64_t remove_name(struct sk_task *t, const char *path, int flags)
{
	return RIG(t, unlinkat, AT, rig_str(t, path), flags);
}

static int64_t rename_to(struct sk_task *t, const char *from, const char *to)
{
	return RIG(t, renameat, AT, rig_str(t, from), AT, rig_str(t, to));
}

SK_TEST(files_of_the_host_are_read_and_written)
{
	struct rig *r = start();
	struct sk_task *t = r->init;
	char text[16] = "";
	int fd;

	put_file(t, "f", "from inside");
	fd = open(outside("f"), O_RDWR);
	assert_int_equal(read(fd, text, 11), 11);
	assert_string_equal(text, "from inside");
	assert_int_equal(pwrite(fd, "FROM", 4, 0), 4);
	close(fd);
	assert_string_equal(get_file(t, "f"), "FROM inside");
	assert_int_equal(open_at(t, "none", SK_O_RDONLY), -SK_ENOENT);
	stop(r);
}

SK_TEST(a_file_of_the_host_lives_without_its_name)
{
	struct rig *r = start();
	struct sk_task *t = r->init;
	sk_user to = rig_room(t, 16);
	sk_user st = rig_room(t, sizeof(struct sk_abi_stat));
	int64_t fd;

	put_file(t, "f", "data");
	fd = open_at(t, "f", SK_O_RDWR);
	assert_int_equal(remove_name(t, "f", 0), 0);
	assert_int_equal(RIG(t, read, fd, to, 16), 4);
	assert_int_equal(RIG(t, write, fd, to, 4), 4);
	assert_int_equal(RIG(t, fstat, fd, st), 0);
	assert_int_equal(((struct sk_abi_stat *)rig_at(t, st))->size, 8);
	assert_int_equal(((struct sk_abi_stat *)rig_at(t, st))->nlink, 0);
	assert_int_equal(RIG(t, close, fd), 0);
	stop(r);
}

SK_TEST(appends_to_a_file_of_the_host_go_to_its_end)
{
	struct rig *r = start();
	struct sk_task *t = r->init;
	int64_t a = open_at(t, "f", SK_O_CREAT | SK_O_WRONLY | SK_O_APPEND);
	int64_t b = open_at(t, "f", SK_O_WRONLY | SK_O_APPEND);

	assert_int_equal(RIG(t, write, a, rig_str(t, "one "), 4), 4);
	assert_int_equal(RIG(t, write, b, rig_str(t, "two "), 4), 4);
	assert_int_equal(RIG(t, write, a, rig_str(t, "three"), 5), 5);
	assert_string_equal(get_file(t, "f"), "one two three");
	RIG(t, close, a);
	RIG(t, close, b);
	stop(r);
}

SK_TEST(names_of_the_host_move_and_go)
{
	struct rig *r = start();
	struct sk_task *t = r->init;
	sk_user to = rig_room(t, 64);

	assert_int_equal(RIG(t, mkdirat, AT, rig_str(t, "d"), 0750), 0);
	put_file(t, "d/f", "x");
	assert_int_equal(RIG(t, chdir, rig_str(t, "d")), 0);
	assert_int_equal(rename_to(t, "/h/d", "/h/e"), 0);
	assert_int_equal(RIG(t, getcwd, to, 64), 5);
	assert_string_equal(rig_at(t, to), "/h/e");
	assert_string_equal(get_file(t, "f"), "x");
	assert_int_equal(rename_to(t, "f", "../g"), 0);
	assert_string_equal(get_file(t, "/h/g"), "x");
	assert_int_equal(RIG(t, chdir, rig_str(t, "/h")), 0);
	assert_int_equal(remove_name(t, "e", 0), -SK_EISDIR);
	assert_int_equal(remove_name(t, "e", SK_AT_REMOVEDIR), 0);
	assert_int_equal(
		RIG(t, linkat, AT, rig_str(t, "g"), AT, rig_str(t, "h"), 0), 0);
	assert_int_equal(remove_name(t, "g", 0), 0);
	assert_string_equal(get_file(t, "h"), "x");
	assert_int_equal(RIG(t, fchmodat, AT, rig_str(t, "h"), 0600), 0);
	stop(r);
}

SK_TEST(nothing_outside_of_the_folder_is_reached)
{
	struct rig *r = start();
	struct sk_task *t = r->init;

	assert_int_equal(symlink("/etc", outside("abs")), 0);
	assert_int_equal(symlink("../../../../../etc/passwd", outside("rel")),
			 0);
	assert_int_equal(mkfifo(outside("fifo"), 0600), 0);
	assert_null(get_file(t, "abs/passwd"));
	assert_null(get_file(t, "rel"));
	assert_null(get_file(t, "../../../etc/passwd"));
	assert_int_equal(open_at(t, "fifo", SK_O_RDONLY), -SK_ENXIO);
	assert_int_equal(
		RIG(t, symlinkat, rig_str(t, "rel"), AT, rig_str(t, "two")), 0);
	assert_int_equal(open_at(t, "two", SK_O_RDONLY), -SK_ENOENT);
	stop(r);
}

SK_TEST(folders_of_the_host_are_listed_whole)
{
	struct rig *r = start();
	struct sk_task *t = r->init;
	sk_user at = rig_room(t, 300);
	int64_t fd, n;
	int seen = 0;

	for (int i = 0; i < 700; i++) {
		char name[32];

		snprintf(name, sizeof(name), "some-longer-name-%d", i);
		close(open(outside(name), O_CREAT | O_WRONLY, 0600));
	}
	fd = open_at(t, ".", SK_O_RDONLY | SK_O_DIRECTORY);
	while ((n = RIG(t, getdents64, fd, at, 300)) > 0)
		for (uint32_t used = 0; used < n; seen++)
			used += ((struct sk_abi_dirent *)rig_at(t, at + used))
					->reclen;
	assert_int_equal(n, 0);
	assert_int_equal(seen, 702);
	RIG(t, close, fd);
	stop(r);
}

SK_TEST(an_overlay_keeps_the_hosts_files_as_they_are)
{
	struct rig *r = start();
	struct sk_task *t = r->init;

	put_file(t, "f", "below");
	assert_int_equal(sk_mount(t, "overlay", "/h", "/o", 0, -1), 0);
	put_file(t, "/o/f", "above");
	put_file(t, "/o/g", "new");
	assert_string_equal(get_file(t, "/o/f"), "above");
	assert_string_equal(get_file(t, "/h/f"), "below");
	assert_null(get_file(t, "/h/g"));
	stop(r);
}

static void many_things(uint32_t fail_at)
{
	struct rig *r = start_with(fail_at);
	struct sk_task *t;
	int64_t fd;

	if (!r)
		return;
	t = r->init;
	RIG(t, mkdirat, AT, rig_str(t, "d"), 0755);
	fd = open_at(t, "d/f", SK_O_CREAT | SK_O_RDWR | SK_O_APPEND);
	RIG(t, write, fd, 0, 10000);
	RIG(t, pread64, fd, 0, 10000, 0);
	rename_to(t, "d/f", "g");
	RIG(t, symlinkat, rig_str(t, "g"), AT, rig_str(t, "l"));
	get_file(t, "l");
	fd = open_at(t, ".", SK_O_RDONLY);
	RIG(t, getdents64, fd, rig_room(t, 512), 512);
	sk_mount(t, "overlay", "/h:", "/o", 0, -1);
	fd = open_at(t, "/o/g", SK_O_RDWR);
	RIG(t, write, fd, 0, 5000);
	remove_name(t, "/o/l", 0);
	remove_name(t, "g", 0);
	stop(r);
}

SK_TEST(no_failing_allocation_leaks_a_handle)
{
	rig_sweep(many_things);
}
