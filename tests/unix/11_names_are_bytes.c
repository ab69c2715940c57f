/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <dirent.h>
#include <sys/stat.h>

int main(void)
{
	const char *name = "fran\xe7"
			   "ais";
	char path[64];
	struct dirent *entry;
	int found = 0;
	DIR *folder;

	CHECK(mkdir("/tmp/sk-bytes", 0700) == 0);
	snprintf(path, sizeof(path), "/tmp/sk-bytes/%s", name);
	CHECK(close(open(path, O_CREAT | O_WRONLY, 0600)) == 0);
	folder = opendir("/tmp/sk-bytes");
	CHECK(folder != NULL);
	while ((entry = readdir(folder)))
		found += strcmp(entry->d_name, name) == 0;
	CHECK(found == 1);
	closedir(folder);
	CHECK(unlink(path) == 0);
	CHECK(rmdir("/tmp/sk-bytes") == 0);
	return done();
}
