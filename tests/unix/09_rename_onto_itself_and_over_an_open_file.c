/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

static void put(const char *file, const char *text)
{
	int fd = open(file, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	CHECK(fd >= 0);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

int main(void)
{
	char data[8];
	int fd;

	put("/tmp/sk-a", "new");
	put("/tmp/sk-b", "old");
	CHECK(rename("/tmp/sk-a", "/tmp/sk-a") == 0);
	CHECK(access("/tmp/sk-a", F_OK) == 0);
	fd = open("/tmp/sk-b", O_RDONLY);
	CHECK(fd >= 0);
	CHECK(rename("/tmp/sk-a", "/tmp/sk-b") == 0);
	CHECK(access("/tmp/sk-a", F_OK) == -1 && errno == ENOENT);
	CHECK(read(fd, data, 8) == 3 && memcmp(data, "old", 3) == 0);
	close(fd);
	fd = open("/tmp/sk-b", O_RDONLY);
	CHECK(read(fd, data, 8) == 3 && memcmp(data, "new", 3) == 0);
	CHECK(unlink("/tmp/sk-b") == 0);
	return done();
}
