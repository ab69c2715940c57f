/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

int main(void)
{
	const char *file = "/tmp/sk-no-program";
	char *args[] = { "x", NULL };
	int fd = open(file, O_CREAT | O_TRUNC | O_WRONLY, 0700);

	CHECK(fd >= 0);
	CHECK(write(fd, "\1\2\3\4not", 7) == 7);
	close(fd);
	CHECK(execv(file, args) == -1 && errno == ENOEXEC);
	CHECK(execv("/tmp/sk-missing", args) == -1 && errno == ENOENT);
	CHECK(execv("/tmp", args) == -1 && errno == EACCES);
	CHECK(unlink(file) == 0);
	return done();
}
