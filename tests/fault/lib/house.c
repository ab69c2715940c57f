/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays nginx for the tests of the supervisor; see house.h. */
#include "tests/fault/lib/house.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define SUPERVISOR "build/tests/sanitized_supervisor"
#define ALL_SEALS  (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW)
#define PATIENCE   60000 /* ms */

const char *house_egress = "build/libexec/selkie/selkie-egress";

static void exec_supervisor(const struct house *house, int door,
			    const char *worker, const char *format)
{
	char path[128];
	int log;

	snprintf(path, sizeof(path), "%s/log", house->dir);
	log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	dup2(log, 1);
	dup2(log, 2);
	dup2(door, 200);
	dup2(200, 3); /* and 200 is left open, for it to close */
	execl(SUPERVISOR, "selkie-supervisor", "--debug", "--worker", worker,
	      "--egress", house_egress, "--log-format", format, NULL);
	_exit(127);
}

void house_open(struct house *house, const char *worker, const char *format)
{
	int pair[2];

	memset(house, 0, sizeof(*house));
	strcpy(house->dir, "/tmp/selkie-house-XXXXXX");
	assert_non_null(mkdtemp(house->dir));
	assert_int_equal(sk_control_pair(pair), 0);
	house->pid = fork();
	if (house->pid == 0)
		exec_supervisor(house, pair[1], worker, format);
	assert_true(house->pid > 0);
	close(pair[1]);
	house->door = pair[0];
}

void house_config_raw(struct house *house, const char *text, size_t length,
		      int seals)
{
	struct sk_message head = { .type = SK_MSG_CONFIG,
				   .generation = ++house->generation };
	int fd, err;

	fd = memfd_create("config", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(write(fd, text, length), length);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	while ((err = sk_message_send(house->door, &head, NULL, 0, &fd, 1)) ==
	       -EAGAIN)
		usleep(1000);
	assert_int_equal(err, 0);
	close(fd);
}

static unsigned hash(const char *text)
{
	unsigned value = 5381;

	while (*text)
		value = value * 33 + (unsigned char)*text++;
	return value;
}

static void write_bundle(const struct house *house, const char *bundle,
			 char *path, size_t size)
{
	int fd;

	snprintf(path, size, "%s/%08x.js", house->dir, hash(bundle));
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_int_equal(write(fd, bundle, strlen(bundle)), strlen(bundle));
	close(fd);
}

static int print_route(const struct house *house,
		       const struct house_route *route, char *out, size_t size)
{
	const char *limits =
		route->limits ? route->limits : "\"cpu\":1000,\"wall\":30000";
	char bundle[160] = "null", error[160] = "null", path[128] = "";

	if (route->bundle) {
		write_bundle(house, route->bundle, path, sizeof(path));
		snprintf(bundle, sizeof(bundle), "\"%s\"", path);
	} else {
		snprintf(error, sizeof(error), "\"%s\"", route->error);
	}
	return snprintf(
		out, size,
		"{\"method\":\"GET\",\"pattern\":\"%s\",\"worker\":\"/w.js\","
		"\"file\":\"/app.js\",\"line\":1,\"bundle\":%s,\"map\":null,"
		"\"error\":%s,\"identity\":\"%s%08x\",\"policy\":%s,"
		"\"limits\":{\"memory\":134217728,%s},\"processes\":%d}",
		route->pattern, bundle, error, path,
		hash(limits) ^ hash(route->policy ? route->policy : "{}"),
		route->policy ? route->policy : "{}", limits,
		route->processes ? route->processes : 1);
}

void house_config(struct house *house, const struct house_route *routes,
		  size_t count)
{
	size_t size = 1024 + count * 1024, used, i;
	char *text = malloc(size);

	used = (size_t)snprintf(
		text, size,
		"{\"version\":1,\"log\":\"text\",\"egress\":%s,\"apps\":[{"
		"\"version\":1,\"app\":\"/app.js\","
		"\"limits\":{\"idle\":300000},\"routes\":[",
		house->egress ? house->egress : "{}");
	for (i = 0; i < count; i++) {
		if (i)
			text[used++] = ',';
		used += (size_t)print_route(house, &routes[i], text + used,
					    size - used);
	}
	used += (size_t)snprintf(text + used, size - used,
				 "],\"statics\":[],\"inputs\":[]}]}");
	house_config_raw(house, text, used, ALL_SEALS);
	free(text);
}

int house_connect(struct house *house, uint64_t generation)
{
	struct sk_message head = { .type = SK_MSG_CONNECT,
				   .generation = generation };
	int pair[2], err;

	assert_int_equal(sk_control_pair(pair), 0);
	while ((err = sk_message_send(house->door, &head, NULL, 0, &pair[1],
				      1)) == -EAGAIN)
		usleep(1000);
	assert_int_equal(err, 0);
	close(pair[1]);
	return pair[0];
}

/* --- what runs --- */

struct entry {
	pid_t pid;
	pid_t session;
	char state;
	char comm[32];
};

static int read_entry(const char *name, struct entry *entry)
{
	char path[64], text[512], *first, *last;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	first = strchr(text, '(');
	last = strrchr(text, ')');
	entry->pid = atoi(text);
	snprintf(entry->comm, sizeof(entry->comm), "%.*s",
		 (int)(last - first - 1), first + 1);
	return sscanf(last + 1, " %c %*d %*d %d", &entry->state,
		      &entry->session) == 2;
}

/* Counts the living of that name (NULL: any) and tells one of them. */
static int search(const struct house *house, const char *comm, pid_t *pid)
{
	struct dirent *file;
	struct entry entry;
	int count = 0;
	DIR *proc;

	proc = opendir("/proc");
	while ((file = readdir(proc))) {
		if (*file->d_name < '0' || *file->d_name > '9' ||
		    !read_entry(file->d_name, &entry) || entry.state == 'Z' ||
		    entry.session != house->pid ||
		    (comm && strcmp(entry.comm, comm)))
			continue;
		count++;
		if (pid)
			*pid = entry.pid;
	}
	closedir(proc);
	return count;
}

pid_t house_pid(const struct house *house, const char *comm)
{
	pid_t pid = 0;

	search(house, comm, &pid);
	return pid;
}

int house_count(const struct house *house, const char *comm)
{
	return search(house, comm, NULL);
}

int house_descriptors(pid_t pid)
{
	char path[64];
	int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* --- the log --- */

static char *read_log(const struct house *house)
{
	char path[128], *text = NULL;
	size_t size = 0;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/log", house->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	do {
		size += (size_t)n;
		text = realloc(text, size + 65536);
		n = fd < 0 ? 0 : read(fd, text + size, 65535);
	} while (n > 0);
	text[size] = 0;
	if (fd >= 0)
		close(fd);
	return text;
}

int house_log_count(const struct house *house, const char *text)
{
	char *log = read_log(house), *at = log;
	int count = 0;

	while ((at = strstr(at, text))) {
		at++;
		count++;
	}
	free(log);
	return count;
}

int house_log_has(const struct house *house, const char *text)
{
	int i;

	for (i = 0; i < PATIENCE / 10; i++) {
		char *log = read_log(house);
		int found = strstr(log, text) != NULL;

		free(log);
		if (found)
			return 1;
		usleep(10000);
	}
	return 0;
}

static void remove_dir(const struct house *house)
{
	char path[sizeof(house->dir) + 300];
	struct dirent *file;
	DIR *dir;

	dir = opendir(house->dir);
	while ((file = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", house->dir, file->d_name);
		unlink(path);
	}
	closedir(dir);
	rmdir(house->dir);
}

void house_close(struct house *house)
{
	char *log;
	int spoke;

	close(house->door);
	/* It is a zombie until it is waited for, and no zombie counts. */
	HOUSE_WAIT(house_count(house, NULL) == 0);
	waitpid(house->pid, NULL, 0);
	log = read_log(house);
	spoke = strstr(log, "Sanitizer") || strstr(log, "runtime error");
	if (spoke)
		fprintf(stderr, "%s\n", log);
	free(log);
	remove_dir(house);
	if (spoke)
		fail_msg("a sanitizer spoke");
}

/* --- clients --- */

void client_send(int client, enum sk_message_type type, uint64_t proc,
		 uint32_t route, uint32_t index, const char *text)
{
	struct sk_message head = {
		.type = type, .proc = proc, .route = route, .index = index
	};

	assert_int_equal(
		sk_message_send(client, &head, text, strlen(text), NULL, 0), 0);
}

int client_hear(int client, struct answer *answer)
{
	struct pollfd ask = { .fd = client, .events = POLLIN };
	static unsigned char buffer[SK_MESSAGE_MAX + 1];
	int got;

	assert_int_equal(poll(&ask, 1, PATIENCE), 1);
	got = sk_message_receive(client, &answer->got, buffer, sizeof(buffer));
	if (got <= 0)
		return 0;
	snprintf(answer->text, sizeof(answer->text), "%s",
		 (char *)answer->got.payload);
	return 1;
}

void client_attach(int client, uint32_t route, uint32_t index, int patient,
		   struct answer *answer)
{
	int i;

	for (i = 0; i < 100; i++) {
		client_send(client, SK_MSG_ATTACH, 0, route, index, "");
		do {
			assert_true(client_hear(client, answer));
		} while (answer->got.head.type != SK_MSG_ATTACHED &&
			 answer->got.head.type != SK_MSG_UNAVAILABLE);
		if (!patient || answer->got.head.type == SK_MSG_ATTACHED)
			return;
		usleep((unsigned)answer->got.head.value * 1000 + 1000);
	}
}

void answer_close(struct answer *answer)
{
	sk_received_close(&answer->got);
}
