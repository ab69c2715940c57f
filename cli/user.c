/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/user.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/text.h"

/* Exit statuses of the child that tries; 1 and above: the path's N-th slash. */
#define PASSES	0
#define UNKNOWN 255

const char *sk_user_of_gateway(void)
{
	if (geteuid() != 0)
		return NULL;
	return getpwnam("www-data") ? "www-data" : "nobody";
}

/* Which slash of the path ends the folder that is closed. */
static int first_closed(char *path)
{
	int slash = 1;

	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (access(path, X_OK) < 0)
			return slash;
		*at = '/';
		slash++;
	}
	if (access(path, R_OK | X_OK) < 0)
		return slash;
	return PASSES;
}

static int try_as(const struct passwd *user, char *path)
{
	if (initgroups(user->pw_name, user->pw_gid) < 0 ||
	    setgid(user->pw_gid) < 0 || setuid(user->pw_uid) < 0)
		return UNKNOWN;
	return first_closed(path);
}

char *sk_user_blocked(const char *name, const char *folder)
{
	const struct passwd *user = getpwnam(name);
	char *path = sk_copy(folder);
	pid_t pid = user ? fork() : -1;
	int status = 0;
	char *end;
	int slash;

	if (pid == 0)
		_exit(try_as(user, path));
	if (pid > 0)
		waitpid(pid, &status, 0);
	slash = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : UNKNOWN;
	if (slash == PASSES) {
		free(path);
		return NULL;
	}
	end = path;
	while (slash-- > 0 && end)
		end = strchr(end + 1, '/');
	if (end)
		*end = '\0';
	return path;
}
