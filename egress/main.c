/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selkie-egress: started by the supervisor with descriptor 3, its control
 * socket. Nothing else reaches it, and it reaches the network and the
 * certificates only.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "egress/egress.h"

static const char usage[] =
	"usage: selkie-egress [--ca-file FILE] [--resolve HOST:PORT:ADDRESS]…\n"
	"                     [--audit]\n"
	"Started by selkie-supervisor with its control socket as descriptor "
	"3.\n";

static int parse_options(struct egress *egress, int argc, char **argv)
{
	static const struct option options[] = {
		{ "ca-file", required_argument, NULL, 'c' },
		{ "resolve", required_argument, NULL, 'r' },
		{ "audit", no_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	struct curl_slist *list;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			egress->ca_file = optarg;
			break;
		case 'r':
			list = curl_slist_append(egress->resolve, optarg);
			if (!list)
				return -ENOMEM;
			egress->resolve = list;
			break;
		case 'a':
			egress->audit = 1;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			return -EINVAL;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct egress egress = { .control = 3 };
	int err;

	prctl(PR_SET_NAME, "selkie-egress", 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		return 1;
	if (parse_options(&egress, argc, argv))
		return 2;
	if (fcntl(egress.control, F_GETFD) < 0) {
		fputs(usage, stderr);
		return 2;
	}
	egress.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (egress.epoll < 0)
		return 1;
	err = egress_loop(&egress);
	curl_slist_free_all(egress.resolve);
	curl_global_cleanup();
	close(egress.epoll);
	return err ? 1 : 0;
}
