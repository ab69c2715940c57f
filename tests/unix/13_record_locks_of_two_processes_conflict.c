/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

int main(void)
{
	const char *file = "/tmp/sk-locks";
	struct flock lock = { .l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_start = 10,
			      .l_len = 10 };
	int fd = open(file, O_CREAT | O_TRUNC | O_RDWR, 0600);
	pid_t parent = getpid(), pid;

	CHECK(fd >= 0);
	CHECK(fcntl(fd, F_SETLK, &lock) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		struct flock mine = lock;

		CHECK(fcntl(fd, F_SETLK, &mine) == -1);
		CHECK(errno == EAGAIN || errno == EACCES);
		mine.l_start = 15;
		CHECK(fcntl(fd, F_GETLK, &mine) == 0);
		CHECK(mine.l_type == F_WRLCK && mine.l_pid == parent);
		CHECK(mine.l_start == 10 && mine.l_len == 10);
		mine = lock;
		mine.l_start = 20;
		CHECK(fcntl(fd, F_SETLK, &mine) == 0);
		mine = lock;
		CHECK(fcntl(fd, F_SETLKW, &mine) == 0);
		_exit(0);
	}
	pause_ms(150);
	lock.l_type = F_UNLCK;
	CHECK(fcntl(fd, F_SETLK, &lock) == 0);
	CHECK(waited(pid) == 0);
	CHECK(unlink(file) == 0);
	return done();
}
