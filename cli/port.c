/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/port.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/file.h"
#include "cli/term.h"
#include "cli/text.h"

#define OTHER_PORTS 20

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t make_address(union address *out, const char *text, int port)
{
	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
		out->v4.sin_family = AF_INET;
		out->v4.sin_port = htons((uint16_t)port);
		return sizeof(out->v4);
	}
	inet_pton(AF_INET6, text, &out->v6.sin6_addr);
	out->v6.sin6_family = AF_INET6;
	out->v6.sin6_port = htons((uint16_t)port);
	return sizeof(out->v6);
}

/* Tries to listen. The port that it got, or -errno. */
static int try_port(const char *text, int port)
{
	union address address;
	socklen_t length = make_address(&address, text, port);
	int on = 1;
	int result;
	int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, &address.any, length) < 0 || listen(fd, 1) < 0 ||
	    getsockname(fd, &address.any, &length) < 0)
		result = -errno;
	else if (address.any.sa_family == AF_INET)
		result = ntohs(address.v4.sin_port);
	else
		result = ntohs(address.v6.sin6_port);
	close(fd);
	return result;
}

/* The inode of the socket that listens on `port`, whatever its address, or 0.
 * Lines of /proc/net/tcp: "sl: LOCAL:PORT REMOTE:PORT STATE … inode". */
static unsigned long listener_inode(const char *table, int port)
{
	FILE *file = fopen(table, "re");
	unsigned long found = 0;
	char line[512];

	while (file && !found && fgets(line, sizeof(line), file)) {
		unsigned local;
		unsigned state;
		unsigned long inode;

		if (sscanf(line,
			   " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x %*s %*s %*s "
			   "%*u %*d %lu",
			   &local, &state, &inode) == 3 &&
		    local == (unsigned)port && state == 0x0a)
			found = inode;
	}
	if (file)
		fclose(file);
	return found;
}

static int process_holds(const char *pid, const char *socket)
{
	char *folder = sk_format("/proc/%s/fd", pid);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		char target[64];
		ssize_t length = readlinkat(dirfd(dir), entry->d_name, target,
					    sizeof(target) - 1);

		target[length > 0 ? length : 0] = '\0';
		found = !strcmp(target, socket);
	}
	if (dir)
		closedir(dir);
	free(folder);
	return found;
}

/* " (by pid 12, node)", or "" when this user may not know. */
static char *who_listens(int port)
{
	unsigned long inode = listener_inode("/proc/net/tcp", port);
	struct sk_text name = { 0 };
	char *who = NULL;
	struct dirent *entry;
	char *socket;
	DIR *dir;

	if (!inode)
		inode = listener_inode("/proc/net/tcp6", port);
	socket = sk_format("socket:[%lu]", inode);
	dir = inode ? opendir("/proc") : NULL;
	while (dir && !who && (entry = readdir(dir))) {
		char *path;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9' ||
		    !process_holds(entry->d_name, socket))
			continue;
		path = sk_format("/proc/%s/comm", entry->d_name);
		sk_file_read(path, &name);
		if (name.length)
			name.data[name.length - 1] = '\0';
		who = sk_format(" (by pid %s, %s)", entry->d_name,
				sk_text_string(&name));
		free(path);
	}
	if (dir)
		closedir(dir);
	free(socket);
	sk_text_fini(&name);
	return who ? who : sk_copy("");
}

static int next_free(const char *address, int port)
{
	for (int i = 1; i <= OTHER_PORTS && port + i <= 65535; i++)
		if (try_port(address, port + i) > 0)
			return port + i;
	return 0;
}

static void explain(const char *address, int port, int error)
{
	char *who;

	if (error == EADDRINUSE) {
		int other = next_free(address, port);

		who = who_listens(port);
		sk_complain("port %d on %s is in use%s; try --port %d", port,
			    address, who, other);
		free(who);
	} else if (error == EACCES) {
		sk_complain("port %d needs root (or CAP_NET_BIND_SERVICE); "
			    "try --port 8080",
			    port);
	} else if (error == EADDRNOTAVAIL) {
		sk_complain("no interface of this machine has the address %s",
			    address);
	} else {
		sk_complain("cannot listen on port %d of %s: %s", port, address,
			    strerror(error));
	}
}

int sk_port_check(const char *address, int *port)
{
	int got = try_port(address, *port);

	if (got < 0) {
		explain(address, *port, -got);
		return got;
	}
	*port = got;
	return 0;
}

int sk_port_accepts(const char *text, int port)
{
	union address address;
	socklen_t length = make_address(&address, text, port);
	int accepted;
	int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	accepted = connect(fd, &address.any, length) == 0;
	close(fd);
	return accepted;
}

char *sk_port_name(const char *address, int port)
{
	if (strchr(address, ':'))
		return sk_format("[%s]:%d", address, port);
	return sk_format("%s:%d", address, port);
}

int sk_port_is_loopback(const char *address)
{
	return sk_starts_with(address, "127.") || !strcmp(address, "::1");
}
