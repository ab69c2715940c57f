/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#define RECORD 96
#define COUNT  10000

static void append(const char *file, char letter)
{
	char record[RECORD];
	int fd = open(file, O_WRONLY | O_APPEND);

	CHECK(fd >= 0);
	memset(record, letter, sizeof(record));
	record[RECORD - 1] = '\n';
	for (int i = 0; i < COUNT; i++)
		CHECK(write(fd, record, RECORD) == RECORD);
	_exit(0);
}

int main(void)
{
	const char *file = "/tmp/sk-append";
	int counts[2] = { 0, 0 };
	char record[RECORD];
	pid_t pids[2];
	int fd;

	fd = open(file, O_CREAT | O_TRUNC | O_RDONLY, 0600);
	CHECK(fd >= 0);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		CHECK(pids[i] >= 0);
		if (pids[i] == 0)
			append(file, 'a' + i);
	}
	for (int i = 0; i < 2; i++)
		CHECK(waited(pids[i]) == 0);
	while (read(fd, record, RECORD) == RECORD) {
		CHECK(record[0] == 'a' || record[0] == 'b');
		for (int i = 1; i < RECORD - 1; i++)
			CHECK(record[i] == record[0]);
		CHECK(record[RECORD - 1] == '\n');
		counts[record[0] - 'a']++;
	}
	CHECK(counts[0] == COUNT && counts[1] == COUNT);
	CHECK(unlink(file) == 0);
	return done();
}
