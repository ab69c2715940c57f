/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/file.h"
#include "cli/term.h"

#define RUN_NAME "selkie-run-"

/* root's own runtime folder is closed to nginx's workers. */
static const char *parent_folder(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const char *temp = getenv("TMPDIR");

	if (geteuid() == 0)
		return access("/run", W_OK) == 0 ? "/run" : "/tmp";
	if (runtime && *runtime == '/' && access(runtime, W_OK) == 0)
		return runtime;
	if (temp && *temp == '/' && access(temp, W_OK) == 0)
		return temp;
	return "/tmp";
}

/* Takes a lock. The descriptor, or -1 while somebody else has it. */
static int take_lock(const char *path, int flags)
{
	int fd = open(path, O_RDWR | O_NOFOLLOW | flags, 0600);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The lock of a new folder. It gets its name when it is held already, or
 * another command could take the folder for one that was left behind. The
 * descriptor stays open in nginx, which may outlive a killed command. */
static int make_lock(const char *folder)
{
	char *early = sk_format("%s/lock.new", folder);
	char *path = sk_format("%s/lock", folder);
	int fd = take_lock(early, O_CREAT | O_EXCL);

	if (fd >= 0 && rename(early, path) < 0) {
		close(fd);
		fd = -1;
	}
	free(path);
	free(early);
	return fd;
}

static void remove_if_left(const char *path)
{
	struct stat info;
	char *lock;
	int fd;

	if (lstat(path, &info) < 0 || !S_ISDIR(info.st_mode) ||
	    info.st_uid != geteuid())
		return;
	/* A folder without a lock file is one that is just being made. */
	lock = sk_format("%s/lock", path);
	fd = take_lock(lock, O_CLOEXEC);
	free(lock);
	if (fd < 0)
		return;
	sk_folder_remove(path);
	close(fd);
}

static void remove_leftovers(const char *parent)
{
	DIR *dir = opendir(parent);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path;

		if (!sk_starts_with(entry->d_name, RUN_NAME))
			continue;
		path = sk_format("%s/%s", parent, entry->d_name);
		remove_if_left(path);
		free(path);
	}
	if (dir)
		closedir(dir);
}

int sk_rundir_open(struct sk_rundir *rundir, int shared)
{
	const char *parent = parent_folder();
	char *path = sk_format("%s/" RUN_NAME "XXXXXX", parent);
	int result;

	remove_leftovers(parent);
	rundir->lock = -1;
	if (!mkdtemp(path)) {
		result = -errno;
		sk_complain("cannot make a folder under %s: %s", parent,
			    strerror(errno));
		free(path);
		return result;
	}
	rundir->path = path;
	rundir->lock = make_lock(path);
	if (rundir->lock < 0 || (shared && chmod(path, 0711) < 0)) {
		result = errno ? -errno : -EIO;
		sk_complain("cannot use %s: %s", path, strerror(-result));
		sk_rundir_close(rundir);
		return result;
	}
	return 0;
}

void sk_rundir_close(struct sk_rundir *rundir)
{
	if (!rundir->path)
		return;
	sk_folder_remove(rundir->path);
	close(rundir->lock);
	free(rundir->path);
	memset(rundir, 0, sizeof(*rundir));
}
