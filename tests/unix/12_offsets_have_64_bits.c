/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <sys/stat.h>

int main(void)
{
	const off_t far = (off_t)4 << 30;
	const char *file = "/tmp/sk-far";
	struct stat st;
	char c = 0;
	ssize_t n;
	int fd = open(file, O_CREAT | O_TRUNC | O_RDWR, 0600);

	CHECK(fd >= 0);
	CHECK(lseek(fd, far, SEEK_SET) == far);
	n = write(fd, "z", 1);
	if (n == 1) {
		CHECK(fstat(fd, &st) == 0 && st.st_size == far + 1);
		CHECK(pread(fd, &c, 1, far) == 1 && c == 'z');
		CHECK(pread(fd, &c, 1, far - 1) == 1 && c == 0);
	} else {
		CHECK(errno == ENOSPC || errno == EFBIG);
	}
	CHECK(unlink(file) == 0);
	return done();
}
