/* SPDX-License-Identifier: BSD-2-Clause */
/* Between fork and exec; see child.h. */
#include "supervisor/child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

/* The limit that nginx gave us: set once at start, before any fork. */
static struct rlimit inherited;

void sk_child_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &inherited) < 0)
		return;
	limit = inherited;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void sk_child_reset(void)
{
	sigset_t none;
	int i;

	for (i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (inherited.rlim_max)
		setrlimit(RLIMIT_NOFILE, &inherited);
}

int sk_open_again(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}
