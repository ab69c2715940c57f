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
#include <sys/stat.h>
#include <unistd.h>

#include "egress/egress.h"
#include "sandbox/sandbox.h"

#define CONTROL_FD 3
#define CA_MAX	   (16 * 1024 * 1024)

static const char usage[] =
	"usage: selkie-egress [--ca-file FILE] [--resolve HOST:PORT:ADDRESS]…\n"
	"                     [--audit] [--uid N --gid N]\n"
	"Started by selkie-supervisor with its control socket as descriptor "
	"3.\n";

struct options {
	const char *ca_file;
	int drop_user;
	uid_t uid;
	gid_t gid;
};

static int add_resolve(struct egress *egress, const char *text)
{
	struct curl_slist *list = curl_slist_append(egress->resolve, text);

	if (!list)
		return -ENOMEM;
	egress->resolve = list;
	return 0;
}

static int parse_options(struct egress *egress, struct options *out, int argc,
			 char **argv)
{
	static const struct option options[] = {
		{ "ca-file", required_argument, NULL, 'c' },
		{ "resolve", required_argument, NULL, 'r' },
		{ "audit", no_argument, NULL, 'a' },
		{ "uid", required_argument, NULL, 'u' },
		{ "gid", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int c, err = 0;

	while (!err && (c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			out->ca_file = optarg;
			break;
		case 'r':
			err = add_resolve(egress, optarg);
			break;
		case 'a':
			egress->audit = 1;
			break;
		case 'u':
			out->drop_user = 1;
			out->uid = (uid_t)strtoul(optarg, NULL, 10);
			break;
		case 'g':
			out->gid = (gid_t)strtoul(optarg, NULL, 10);
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			err = -EINVAL;
		}
	}
	return err;
}

/* Read while everything may still be read. 0 or -errno. */
static int read_ca(struct egress *egress, const char *path)
{
	struct stat st;
	ssize_t n;
	char *data;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_size > CA_MAX) {
		close(fd);
		return -EFBIG;
	}
	data = malloc((size_t)st.st_size + 1);
	n = data ? read(fd, data, (size_t)st.st_size) : -1;
	close(fd);
	if (n != st.st_size) {
		free(data);
		return -EIO;
	}
	egress->ca.data = data;
	egress->ca.len = (size_t)n;
	egress->ca.flags = CURL_BLOB_NOCOPY;
	return 0;
}

static int confine(struct egress *egress, const struct options *options)
{
	const int keep[] = { CONTROL_FD, egress->epoll, egress->files };
	struct sk_sandbox sandbox = {
		.keep = keep,
		.nkeep = egress->files < 0 ? 2 : 3,
		.drop_user = options->drop_user,
		.uid = options->uid,
		.gid = options->gid,
		.die_with_parent = 1,
	};
	int err = sk_sandbox_network(&sandbox);
	char missing[256];

	if (err) {
		egress_log(egress, NULL, SK_LEVEL_ERROR, "sandbox: %s",
			   strerror(-err));
		return err;
	}
	/* A user of its own is root's to give; the start says so once. */
	if (sk_sandbox_missing(&sandbox, missing, sizeof(missing)))
		egress_log(egress, NULL, SK_LEVEL_DEBUG,
			   "layers of the sandbox that this system lacks: %s",
			   missing);
	return 0;
}

static int serve(struct egress *egress, const struct options *options)
{
	int err = options->ca_file ? read_ca(egress, options->ca_file) : 0;

	if (err) {
		egress_log(egress, NULL, SK_LEVEL_ERROR, "cannot read %s: %s",
			   options->ca_file, strerror(-err));
		return err;
	}
	egress->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (egress->epoll < 0)
		return -errno;
	/* Without inotify a replaced file is noticed at the next start. */
	egress->files = files_watch();
	err = confine(egress, options);
	if (!err)
		err = egress_loop(egress);
	close(egress->epoll);
	free(egress->ca.data);
	return err;
}

int main(int argc, char **argv)
{
	struct egress egress = { .control = CONTROL_FD };
	struct options options = { 0 };
	int err;

	prctl(PR_SET_NAME, "selkie-egress", 0, 0, 0);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		return 1;
	if (parse_options(&egress, &options, argc, argv))
		return 2;
	STAILQ_INIT(&egress.sayings);
	if (fcntl(egress.control, F_GETFD) < 0) {
		fputs(usage, stderr);
		return 2;
	}
	err = serve(&egress, &options);
	curl_slist_free_all(egress.resolve);
	curl_global_cleanup();
	return err ? 1 : 0;
}
