/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <ftw.h>
#include <sys/stat.h>

static int seen;

static int visit(const char *path, const struct stat *st, int type,
		 struct FTW *where)
{
	(void)path;
	(void)st;
	(void)type;
	(void)where;
	seen++;
	return 0;
}

int main(void)
{
	char path[64 * 4 + 32] = "/tmp/sk-links";

	CHECK(mkdir("/tmp/sk-links", 0700) == 0);
	CHECK(symlink(".", "/tmp/sk-links/cur") == 0);
	CHECK(nftw("/tmp/sk-links", visit, 8, FTW_PHYS) == 0);
	CHECK(seen == 2);
	for (int i = 0; i < 50; i++)
		strcat(path, "/cur");
	CHECK(access(path, F_OK) == -1 && errno == ELOOP);
	CHECK(symlink("two", "/tmp/sk-links/one") == 0);
	CHECK(symlink("one", "/tmp/sk-links/two") == 0);
	CHECK(open("/tmp/sk-links/one", O_RDONLY) == -1 && errno == ELOOP);
	CHECK(unlink("/tmp/sk-links/one") == 0);
	CHECK(unlink("/tmp/sk-links/two") == 0);
	CHECK(unlink("/tmp/sk-links/cur") == 0);
	CHECK(rmdir("/tmp/sk-links") == 0);
	return done();
}
