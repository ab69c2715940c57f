/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of the host for hostfs. A handle is a descriptor. Names are single
 * components, opened beneath their folder without following a link; what is
 * neither a file nor a folder nor a link (devices, sockets, fifos) stays the
 * host's own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/linux/host.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

static int answer(long result)
{
	return result < 0 ? -errno : (int)result;
}

static int is_plain(mode_t mode)
{
	return S_ISREG(mode) || S_ISDIR(mode);
}

static int host_flags(uint32_t flags)
{
	static const struct {
		uint32_t ours;
		int theirs;
	} map[] = {
		{ SK_O_CREAT, O_CREAT }, { SK_O_EXCL, O_EXCL },
		{ SK_O_TRUNC, O_TRUNC }, { SK_O_APPEND, O_APPEND },
		{ SK_O_DSYNC, O_DSYNC }, { SK_O_DIRECTORY, O_DIRECTORY },
	};
	int out = (int)(flags & SK_O_ACCMODE);
	size_t i;

	for (i = 0; i < sizeof(map) / sizeof(*map); i++)
		if (flags & map[i].ours)
			out |= map[i].theirs;
	return out | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
}

static int file_open(void *self, int dir, const char *name, uint32_t flags,
		     uint32_t mode, int *handle)
{
	struct open_how how = {
		.flags = (uint64_t)(uint32_t)host_flags(flags),
		.mode = flags & SK_O_CREAT ? mode & 07777 : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS,
	};
	struct stat st;
	int fd;

	(void)self;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !S_ISLNK(st.st_mode) && !is_plain(st.st_mode))
		return -SK_ENXIO;
	fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !is_plain(st.st_mode)) {
		close(fd);
		return -SK_ENXIO;
	}
	*handle = fd;
	return 0;
}

static void file_close(void *self, int handle)
{
	(void)self;
	close(handle);
}

static void put_time(struct sk_abi_timespec *to, const struct timespec *from)
{
	to->sec = from->tv_sec;
	to->nsec = from->tv_nsec;
}

static int file_stat(void *self, int dir, const char *name,
		     struct sk_abi_stat *out)
{
	struct stat st;

	(void)self;
	if (name ? fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)
		 : fstat(dir, &st))
		return -errno;
	memset(out, 0, sizeof(*out));
	out->dev = st.st_dev;
	out->ino = st.st_ino;
	out->mode = st.st_mode;
	out->nlink = (uint32_t)st.st_nlink;
	out->uid = st.st_uid;
	out->gid = st.st_gid;
	out->rdev = st.st_rdev;
	out->size = st.st_size;
	out->blksize = (int32_t)st.st_blksize;
	out->blocks = st.st_blocks;
	put_time(&out->atime, &st.st_atim);
	put_time(&out->mtime, &st.st_mtim);
	put_time(&out->ctime, &st.st_ctim);
	return 0;
}

static int64_t file_read(void *self, int handle, void *to, size_t size,
			 int64_t offset)
{
	ssize_t n;

	(void)self;
	if (offset < 0)
		return sk_stream_read(handle, to, size);
	n = pread(handle, to, size, offset);
	return n < 0 ? -errno : n;
}

static int64_t file_write(void *self, int handle, const void *from, size_t size,
			  int64_t offset)
{
	ssize_t n;

	(void)self;
	if (offset < 0)
		return sk_stream_write(handle, from, size);
	n = pwrite(handle, from, size, offset);
	return n < 0 ? -errno : n;
}

static int file_truncate(void *self, int handle, int64_t size)
{
	(void)self;
	return answer(ftruncate(handle, size));
}

static int file_sync(void *self, int handle)
{
	(void)self;
	return answer(fsync(handle));
}

/* Takes "." and ".." out of what getdents64 gave; what is left. */
static size_t without_dots(char *buffer, size_t size)
{
	size_t at = 0, kept = 0;

	while (at < size) {
		struct sk_abi_dirent *d = (void *)(buffer + at);
		size_t length = d->reclen;

		if (strcmp(d->name, ".") && strcmp(d->name, "..")) {
			memmove(buffer + kept, d, length);
			kept += length;
		}
		at += length;
	}
	return kept;
}

/* Linux's entries have the layout of ours. */
static int64_t file_list(void *self, int dir, int64_t at, void *to, size_t size)
{
	int64_t result;

	(void)self;
	pthread_mutex_lock(&list_lock);
	result = lseek(dir, at, SEEK_SET) < 0 ? -errno : 0;
	while (result == 0) {
		long n = syscall(SYS_getdents64, dir, to, size);

		if (n <= 0) {
			result = n < 0 ? -errno : 0;
			break;
		}
		result = (int64_t)without_dots(to, (size_t)n);
	}
	pthread_mutex_unlock(&list_lock);
	return result;
}

static int file_mkdir(void *self, int dir, const char *name, uint32_t mode)
{
	(void)self;
	return answer(mkdirat(dir, name, mode & 07777));
}

static int file_unlink(void *self, int dir, const char *name, int is_dir)
{
	(void)self;
	return answer(unlinkat(dir, name, is_dir ? AT_REMOVEDIR : 0));
}

static int file_rename(void *self, int from_dir, const char *from, int to_dir,
		       const char *to, uint32_t flags)
{
	(void)self;
	/* glibc's makes a call that the filter forbids when flags are 0. */
	return answer(
		syscall(SYS_renameat2, from_dir, from, to_dir, to, flags));
}

static int file_link(void *self, int from_dir, const char *from, int to_dir,
		     const char *to)
{
	(void)self;
	return answer(linkat(from_dir, from, to_dir, to, 0));
}

/* A link is only text to the host: the kernel follows it, in its own tree. */
static int file_symlink(void *self, const char *target, int dir,
			const char *name)
{
	(void)self;
	return answer(symlinkat(target, dir, name));
}

static int64_t file_readlink(void *self, int dir, const char *name, char *to,
			     size_t size)
{
	ssize_t n = readlinkat(dir, name, to, size);

	(void)self;
	return n < 0 ? -errno : n;
}

static int file_chmod(void *self, int dir, const char *name, uint32_t mode)
{
	struct stat st;

	(void)self;
	if (!name)
		return answer(fchmod(dir, mode & 07777));
	/* fchmodat follows links, which have no mode of their own. */
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -SK_EOPNOTSUPP;
	return answer(fchmodat(dir, name, mode & 07777, 0));
}

static struct timespec host_time(int64_t ns)
{
	struct timespec t = { 0, UTIME_OMIT };

	if (ns == INT64_MIN)
		return t;
	t.tv_sec = ns / 1000000000;
	t.tv_nsec = ns % 1000000000;
	if (t.tv_nsec < 0) {
		t.tv_sec--;
		t.tv_nsec += 1000000000;
	}
	return t;
}

static int file_utimes(void *self, int dir, const char *name, int64_t atime,
		       int64_t mtime)
{
	const struct timespec times[2] = { host_time(atime), host_time(mtime) };

	(void)self;
	if (!name)
		return answer(futimens(dir, times));
	return answer(utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW));
}

static int file_statfs(void *self, int handle, struct sk_abi_statfs *out)
{
	struct statfs st;

	(void)self;
	if (fstatfs(handle, &st))
		return -errno;
	memset(out, 0, sizeof(*out));
	out->type = (uint32_t)st.f_type;
	out->bsize = (uint32_t)st.f_bsize;
	out->blocks = st.f_blocks;
	out->bfree = st.f_bfree;
	out->bavail = st.f_bavail;
	out->files = st.f_files;
	out->ffree = st.f_ffree;
	out->namelen = (uint32_t)st.f_namelen;
	out->frsize = (uint32_t)st.f_frsize;
	return 0;
}

const struct sk_host_files sk_host_files_linux = {
	.open = file_open,
	.close = file_close,
	.stat = file_stat,
	.read = file_read,
	.write = file_write,
	.truncate = file_truncate,
	.sync = file_sync,
	.list = file_list,
	.mkdir = file_mkdir,
	.unlink = file_unlink,
	.rename = file_rename,
	.link = file_link,
	.symlink = file_symlink,
	.readlink = file_readlink,
	.chmod = file_chmod,
	.utimes = file_utimes,
	.statfs = file_statfs,
	.poll = sk_stream_poll,
	.watch = sk_stream_watch,
	.unwatch = sk_stream_unwatch,
};
