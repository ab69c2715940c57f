/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/file.h"
#include "cli/nginx.h"
#include "cli/port.h"
#include "cli/rundir.h"
#include "cli/site.h"
#include "cli/table.h"
#include "cli/user.h"
#include "cli/walls.h"
#include "cli/watch.h"

struct serve {
	const struct sk_options *options;
	const struct sk_places *places;
	struct sk_site site; /* what nginx serves now */
	struct sk_rundir run;
	struct sk_nginx nginx;
	struct sk_watch watch;
	int terminal;	     /* our output was one when we began */
	long long revive_at; /* 0: the supervisor is there */
};

#define REVIVE_EVERY 1000 /* ms */

static int block_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int check_programs(const struct sk_places *places)
{
	if (!places->nginx)
		sk_complain("nginx is not installed: apt-get install nginx");
	else if (!places->module)
		sk_complain("ngx_http_selkie_module.so is missing; it belongs "
			    "in ../lib/selkie beside %s",
			    places->self);
	else if (!places->supervisor)
		sk_complain("selkie-supervisor is missing; it belongs in "
			    "../libexec/selkie beside %s",
			    places->self);
	else
		return 0;
	return -ENOENT;
}

static int check_walls(const struct sk_options *options)
{
	char *missing = options->require_sandbox ? sk_walls_missing() : NULL;
	int result = 0;

	if (missing && *missing) {
		sk_complain("--require-sandbox: this system lacks %s; "
			    "selkie doctor says how to get it",
			    missing);
		result = -EPERM;
	}
	free(missing);
	return result;
}

/* Lines for people; a log gets one line and what is missing. */
static void announce(const struct serve *serve)
{
	const struct sk_address *address = &serve->site.address;
	char *url = sk_address_url(address);
	char *missing = sk_walls_missing();

	if (serve->terminal) {
		printf("\n  %sselkie%s %s   %s%s%s\n\n",
		       sk_term_tint(stdout, SK_TINT_BOLD),
		       sk_term_tint(stdout, SK_TINT_PLAIN), SK_VERSION,
		       sk_term_tint(stdout, SK_TINT_GREEN), url,
		       sk_term_tint(stdout, SK_TINT_PLAIN));
		sk_table_print(stdout, serve->site.app.data);
		putchar('\n');
		if (sk_port_is_loopback(address->interface))
			printf("  %slistening on %s only; "
			       "--interface 0.0.0.0 opens it%s\n",
			       sk_term_tint(stdout, SK_TINT_DIM),
			       address->interface,
			       sk_term_tint(stdout, SK_TINT_PLAIN));
		if (*missing)
			printf("  %sthe sandbox lacks %s "
			       "(see selkie doctor)%s\n",
			       sk_term_tint(stdout, SK_TINT_YELLOW), missing,
			       sk_term_tint(stdout, SK_TINT_PLAIN));
		putchar('\n');
		fflush(stdout);
	} else {
		sk_say("listening on %s", url);
		if (*missing)
			sk_warn("the sandbox lacks %s; see selkie doctor",
				missing);
	}
	free(missing);
	free(url);
}

static void say_how_nginx_ended(const struct sk_nginx *nginx, const char *when)
{
	if (WIFSIGNALED(nginx->status))
		sk_complain("nginx was ended by signal %d %s",
			    WTERMSIG(nginx->status), when);
	else
		sk_complain("nginx ended with status %d %s",
			    WEXITSTATUS(nginx->status), when);
}

/* Starts nginx. -EINTR: the user ended it meanwhile. */
static int start(struct serve *serve)
{
	const struct sk_address *address = &serve->site.address;
	int result = sk_nginx_start(&serve->nginx, serve->places->nginx,
				    serve->run.path);

	if (result) {
		sk_complain("cannot run %s: %s", serve->places->nginx,
			    strerror(-result));
		return result;
	}
	result = sk_nginx_wait(&serve->nginx, serve->run.path,
			       address->interface, address->port);
	if (result == -ECHILD)
		say_how_nginx_ended(&serve->nginx,
				    "before it listened; its lines above say "
				    "why");
	else if (result == -ETIMEDOUT)
		sk_complain("nginx does not listen after 20 s");
	return result;
}

static void watch_site(struct serve *serve, const struct sk_site *site,
		       int failed)
{
	if (serve->options->watch)
		sk_watch_set(&serve->watch, &site->app.inputs, failed);
}

/* Keeps the port that is in use when the same is asked for again. */
static int settle_address(struct serve *serve, struct sk_site *site)
{
	if (sk_address_same(&site->address, &serve->site.address)) {
		site->address.port = serve->site.address.port;
		return 0;
	}
	return sk_port_check(site->address.interface, &site->address.port);
}

/* Gives nginx the new site. On failure the old one is served on. */
static int change_to(struct serve *serve, struct sk_site *site)
{
	int moved = !sk_address_same(&site->address, &serve->site.address);
	int result = settle_address(serve, site);
	char *url;

	if (!result)
		result = sk_site_write(site, serve->options, serve->places,
				       serve->run.path);
	if (!result)
		result = sk_nginx_reload(&serve->nginx);
	if (result)
		return result;
	sk_site_fini(&serve->site);
	serve->site = *site;
	memset(site, 0, sizeof(*site));
	if (moved) {
		url = sk_address_url(&serve->site.address);
		sk_say("listening on %s", url);
		free(url);
	}
	return 0;
}

static void say_changed(const struct sk_list *changed)
{
	if (changed->count == 1)
		sk_say("%s changed", sk_path_show(changed->items[0]));
	else if (changed->count)
		sk_say("%s and %zu more changed",
		       sk_path_show(changed->items[0]), changed->count - 1);
}

/* SIGHUP, or `changed` files. */
static void reload(struct serve *serve, const struct sk_list *changed)
{
	long long began = sk_now();
	struct sk_site site;
	int result;

	if (changed)
		say_changed(changed);
	result = sk_site_make(&site, serve->options, serve->places);
	watch_site(serve, &site, result || site.app.broken);
	if (!result && changed && !strcmp(site.data, serve->site.data)) {
		sk_say("nothing to reload");
		goto out;
	}
	if (!result)
		result = change_to(serve, &site);
	if (result == -ETIMEDOUT)
		sk_complain("nginx did not take the new configuration; its "
			    "lines above say why");
	if (result) {
		sk_complain("not reloaded: the app is served as it was");
		goto out;
	}
	sk_app_explain(&serve->site.app);
	sk_say("reloaded in %lld ms", sk_now() - began);
out:
	sk_site_fini(&site);
}

/* A terminal that hangs up takes its foreground programs along; a SIGHUP that
 * somebody sends is a wish to reload. */
static int hung_up(const struct serve *serve, int from_kernel)
{
	struct pollfd poller = { .fd = 1 };

	if (from_kernel)
		return 1;
	return serve->terminal && poll(&poller, 1, 0) > 0 &&
	       (poller.revents & (POLLHUP | POLLERR));
}

/* The supervisor and its watcher start each other; the upper one of them is our
 * child, since nginx lets it go. When both have ended at the same time, only
 * nginx's master can start them: it does so at a reload. */
static void revive(struct serve *serve)
{
	long long now = sk_now();

	if (sk_process_has_child(getpid(), "selkie-supervisor"))
		serve->revive_at = 0;
	else if (!serve->revive_at)
		serve->revive_at = now;
	if (serve->revive_at && now >= serve->revive_at) {
		serve->revive_at = now + REVIVE_EVERY;
		sk_warn("the supervisor has gone; nginx starts it again");
		sk_nginx_reload(&serve->nginx);
	}
}

static int patience(const struct serve *serve)
{
	long long left = serve->revive_at - sk_now();

	if (!serve->revive_at)
		return -1;
	return left > 0 ? (int)left : 0;
}

/* Until the user or nginx ends it. The exit status. */
static int attend(struct serve *serve)
{
	struct pollfd pollers[2] = {
		{ .fd = serve->nginx.signals, .events = POLLIN },
		{ .fd = serve->watch.fd, .events = POLLIN },
	};

	for (;;) {
		int from_kernel = 0;
		int orphans;
		int signal;

		if (poll(pollers, 2, patience(serve)) < 0 && errno != EINTR)
			return 1;
		if (pollers[1].revents & POLLIN) {
			struct sk_list changed = { 0 };

			if (sk_watch_read(&serve->watch, &changed))
				reload(serve, &changed);
			sk_list_fini(&changed);
		}
		orphans = sk_nginx_reap(&serve->nginx);
		if (!serve->nginx.pid) {
			say_how_nginx_ended(&serve->nginx, "by itself");
			return 1;
		}
		if (orphans || serve->revive_at)
			revive(serve);
		signal = sk_signal_take(serve->nginx.signals, 0, &from_kernel);
		if (signal == SIGINT || signal == SIGTERM ||
		    (signal == SIGHUP && hung_up(serve, from_kernel)))
			return 0;
		if (signal == SIGHUP)
			reload(serve, NULL);
	}
}

static int run(struct serve *serve)
{
	int result;
	int status;

	if (sk_rundir_open(&serve->run, sk_user_of_gateway() != NULL) ||
	    sk_site_write(&serve->site, serve->options, serve->places,
			  serve->run.path))
		return 1;
	if (serve->options->watch) {
		result = sk_watch_open(&serve->watch);
		if (result) {
			sk_complain("cannot watch files: %s",
				    strerror(-result));
			return 1;
		}
		watch_site(serve, &serve->site, serve->site.app.broken != 0);
	}
	result = start(serve);
	if (result) {
		status = result == -EINTR ? 0 : 1;
	} else {
		announce(serve);
		status = attend(serve);
		if (status == 0 && serve->terminal)
			sk_say("finishing what runs");
	}
	sk_nginx_stop(&serve->nginx);
	return status;
}

int sk_serve(const struct sk_options *options, const struct sk_places *places)
{
	struct serve serve = { .options = options,
			       .places = places,
			       .watch = { .fd = -1 } };
	int status = 1;

	if (check_programs(places) || check_walls(options))
		return 1;
	if (sk_site_make(&serve.site, options, places) ||
	    sk_port_check(serve.site.address.interface,
			  &serve.site.address.port))
		goto out;
	sk_app_explain(&serve.site.app);
	serve.terminal = sk_term_is_terminal(stdout);
	serve.nginx.signals = block_signals();
	if (serve.nginx.signals < 0) {
		sk_complain("cannot wait for signals: %s", strerror(errno));
		goto out;
	}
	status = run(&serve);
	close(serve.nginx.signals);
	sk_watch_close(&serve.watch);
	sk_rundir_close(&serve.run);
out:
	sk_site_fini(&serve.site);
	return status;
}

int sk_serve_check(const struct sk_options *options,
		   const struct sk_places *places)
{
	struct sk_site site;
	int status = 1;

	if (sk_site_make(&site, options, places) == 0) {
		sk_table_print(stdout, site.app.data);
		fflush(stdout);
		sk_app_warn(&site.app);
		sk_app_explain(&site.app);
		status = site.app.broken ? 1 : 0;
		if (check_walls(options))
			status = 1;
	}
	sk_site_fini(&site);
	return status;
}

int sk_serve_print_config(const struct sk_options *options,
			  const struct sk_places *places)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct sk_site site;
	int status = 1;

	if (check_programs(places))
		return 1;
	if (sk_site_make(&site, options, places) == 0 &&
	    (site.address.port ||
	     sk_port_check(site.address.interface, &site.address.port) == 0)) {
		char *run;
		char *text;

		if (geteuid() == 0)
			run = sk_copy("/run/selkie");
		else
			run = sk_format("%s/selkie",
					runtime && *runtime ? runtime : "/tmp");
		text = sk_site_conf(&site, options, places, run, NULL);
		printf("# Before nginx starts: mkdir -p %s\n%s", run, text);
		free(text);
		free(run);
		status = 0;
	}
	sk_site_fini(&site);
	return status;
}
