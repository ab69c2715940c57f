/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selkie-supervisor: started by nginx's master with the door as descriptor 3.
 * The process that nginx starts becomes the watcher; it starts the supervisor
 * proper with `--role` in front of the same arguments (pair.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervisor/child.h"
#include "supervisor/supervisor.h"

#define WORKER "selkie-worker"
#define EGRESS "selkie-egress"

static const char usage[] =
	"usage: selkie-supervisor [--worker PATH] [--egress PATH]\n"
	"                         [--worker-user NAME]\n"
	"                         [--log-format text|json] [--debug]\n"
	"\n"
	"Started by nginx with the Selkie module; descriptor 3 is the door.\n"
	"  --worker PATH        selkie-worker (default: next to this program)\n"
	"  --egress PATH        selkie-egress, likewise\n"
	"  --worker-user NAME   who worker processes and the egress run as, "
	"when\n"
	"                       started by root (default: nobody)\n"
	"  --log-format FORMAT  of the log on stdout and stderr\n"
	"  --debug              log starts and ends of processes too\n";

__attribute__((noreturn)) static void die(const char *what, const char *why)
{
	fprintf(stderr, "selkie-supervisor: %s: %s\n", what, why);
	exit(1);
}

static void parse(struct sk_options *options)
{
	static const struct option known[] = {
		{ "worker", required_argument, NULL, 'w' },
		{ "egress", required_argument, NULL, 'e' },
		{ "worker-user", required_argument, NULL, 'u' },
		{ "log-format", required_argument, NULL, 'l' },
		{ "debug", no_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(options->argc, options->argv, "", known,
				NULL)) != -1) {
		if (c == 'w') {
			options->worker = optarg;
		} else if (c == 'e') {
			options->egress = optarg;
		} else if (c == 'u') {
			options->worker_user = optarg;
		} else if (c == 'l' && !strcmp(optarg, "json")) {
			options->format = SK_LOG_JSON;
		} else if (c == 'l' && strcmp(optarg, "text")) {
			die(optarg, "is no log format (text or json)");
		} else if (c == 'd') {
			options->debug = 1;
		} else if (c == 'h' || c == 'v') {
			puts(c == 'h' ? usage : SK_VERSION);
			exit(0);
		} else if (c == '?') {
			exit(1);
		}
	}
	if (optind < options->argc)
		die(options->argv[optind], "is no option");
}

/* A program next to this one, on the heap. */
static char *find_beside(const char *name)
{
	char self[PATH_MAX], *slash, *path;
	ssize_t n;

	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		die("/proc/self/exe", strerror(errno));
	self[n] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	if (asprintf(&path, "%s/%s", self, name) < 0)
		die(name, "out of memory");
	return path;
}

static void find_user(struct sk_options *options)
{
	struct passwd *user;

	if (geteuid() != 0)
		return;
	user = getpwnam(options->worker_user);
	if (!user)
		die(options->worker_user, "no such user");
	if (user->pw_uid == 0)
		die(options->worker_user, "worker processes never run as root");
	options->uid = user->pw_uid;
	options->gid = user->pw_gid;
}

/* Descriptors 0 to 2 exist, 0 is /dev/null, 3 is the door, all beyond `last`
 * are closed. */
static void tidy_descriptors(unsigned last)
{
	socklen_t size = sizeof(int);
	int fd, type = 0;

	if (getsockopt(SK_DOOR_FD, SOL_SOCKET, SO_TYPE, &type, &size) < 0 ||
	    type != SOCK_SEQPACKET)
		die("descriptor 3 is not the door",
		    "nginx starts this program");
	close_range(last + 1, ~0u, 0);
	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (fd < 0)
			die("/dev/null", strerror(errno));
		if (fd <= STDERR_FILENO)
			fcntl(fd, F_SETFD, 0);
	} while (fd <= STDERR_FILENO);
	dup2(fd, STDIN_FILENO);
	close(fd);
}

static void make_store(void)
{
	int fd = sk_store_create();

	if (fd < 0)
		die("cannot make the store", strerror(-fd));
	if (fd == SK_STORE_FD) {
		fcntl(fd, F_SETFD, 0);
		return;
	}
	dup2(fd, SK_STORE_FD);
	close(fd);
}

int main(int argc, char **argv)
{
	/* Static, so that what it points to is never taken for a leak. */
	static struct sk_options options = { .worker_user = "nobody" };
	const char *role = NULL;
	pid_t peer = 0;

	if (argc > 3 && !strcmp(argv[1], "--role")) {
		role = argv[2];
		peer = (pid_t)atoi(argv[3]);
		argv[3] = argv[0];
		argv += 3;
		argc -= 3;
	}
	options.argc = argc;
	options.argv = argv;
	parse(&options);
	if (!options.worker)
		options.worker = find_beside(WORKER);
	if (!options.egress)
		options.egress = find_beside(EGRESS);
	find_user(&options);
	tidy_descriptors(role ? SK_STORE_FD : SK_DOOR_FD);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	sk_child_raise();
	if (!role) {
		/* ^C on nginx's terminal is not for us. */
		setsid();
		make_store();
	}
	if (role && !strcmp(role, "supervisor"))
		return sk_supervisor_run(&options, peer);
	return sk_watcher_run(&options, peer);
}
