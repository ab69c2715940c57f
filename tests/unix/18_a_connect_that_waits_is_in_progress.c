/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

int main(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof(to);
	int error = -1;
	socklen_t error_len = sizeof(error);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int client, server;
	struct pollfd fd = { .events = POLLOUT };
	char c;

	CHECK(listener >= 0);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(listener, (struct sockaddr *)&to, sizeof(to)) == 0);
	CHECK(listen(listener, 5) == 0);
	CHECK(getsockname(listener, (struct sockaddr *)&to, &len) == 0);
	CHECK(ntohs(to.sin_port) != 0);
	client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	CHECK(client >= 0);
	CHECK(connect(client, (struct sockaddr *)&to, sizeof(to)) == -1);
	CHECK(errno == EINPROGRESS);
	fd.fd = client;
	CHECK(poll(&fd, 1, 10000) == 1 && fd.revents == POLLOUT);
	CHECK(getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &error_len) ==
	      0);
	CHECK(error == 0);
	server = accept(listener, NULL, NULL);
	CHECK(server >= 0);
	CHECK(write(client, "q", 1) == 1);
	CHECK(read(server, &c, 1) == 1 && c == 'q');
	return done();
}
