/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <sys/stat.h>

int main(void)
{
	const char *file = "/tmp/sk-unlinked";
	char data[8];
	struct stat st;
	int fd = open(file, O_CREAT | O_TRUNC | O_RDWR, 0600);

	CHECK(fd >= 0);
	CHECK(write(fd, "selkie", 6) == 6);
	CHECK(unlink(file) == 0);
	CHECK(access(file, F_OK) == -1 && errno == ENOENT);
	CHECK(lseek(fd, 0, SEEK_SET) == 0);
	CHECK(read(fd, data, sizeof(data)) == 6);
	CHECK(memcmp(data, "selkie", 6) == 0);
	CHECK(fstat(fd, &st) == 0 && st.st_nlink == 0 && st.st_size == 6);
	CHECK(close(fd) == 0);
	return done();
}
