/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

int main(int argc, char **argv)
{
	const char *file = "/tmp/sk-offset";
	char c, a[12], b[12];
	int fd, twin;
	pid_t pid;

	if (argc == 3) {
		CHECK(fcntl(atoi(argv[1]), F_GETFD) == -1 && errno == EBADF);
		CHECK(fcntl(atoi(argv[2]), F_GETFD) == 0);
		return 0;
	}
	fd = open(file, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK(write(fd, "abc", 3) == 3 && lseek(fd, 0, SEEK_SET) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		CHECK(read(fd, &c, 1) == 1 && c == 'a');
		_exit(0);
	}
	CHECK(waited(pid) == 0);
	CHECK(read(fd, &c, 1) == 1 && c == 'b');
	twin = dup(fd);
	CHECK(twin >= 0);
	CHECK(read(twin, &c, 1) == 1 && c == 'c');
	CHECK(lseek(fd, 0, SEEK_CUR) == 3);
	CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	CHECK(fcntl(twin, F_GETFD) == 0);
	snprintf(a, sizeof(a), "%d", fd);
	snprintf(b, sizeof(b), "%d", twin);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		execl("/proc/self/exe", argv[0], a, b, (char *)NULL);
		_exit(99);
	}
	CHECK(waited(pid) == 0);
	CHECK(unlink(file) == 0);
	return done();
}
