/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/site.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/conf.h"
#include "cli/file.h"
#include "cli/port.h"
#include "cli/user.h"

#define CONNECTIONS 8192

/* nginx's workers read static folders, and as root they are somebody else. */
static int check_folders(const json_t *app)
{
	const char *user = sk_user_of_gateway();
	json_t *folder;
	int result = 0;
	size_t i;

	json_array_foreach(json_object_get(app, "statics"), i, folder)
	{
		const char *path =
			json_string_value(json_object_get(folder, "folder"));
		char *blocked = user ? sk_user_blocked(user, path) : NULL;
		char *text;

		if (!blocked)
			continue;
		text = sk_format(
			"%s:%lld: static folder %s: %s is closed to %s, who "
			"serves it when selkie runs as root; move the app, "
			"chmod o+x that folder, or run selkie as another user",
			sk_path_show(json_string_value(
				json_object_get(folder, "file"))),
			(long long)json_integer_value(
				json_object_get(folder, "line")),
			path, blocked, user);
		sk_problem(text);
		free(text);
		free(blocked);
		result = -EINVAL;
	}
	return result;
}

int sk_site_make(struct sk_site *site, const struct sk_options *options,
		 const struct sk_places *places)
{
	int result;

	memset(site, 0, sizeof(*site));
	result = sk_app_compile(&site->app, options->app, places);
	sk_app_speak(&site->app, options->print_config ? stderr : stdout);
	if (!result)
		result = check_folders(site->app.data);
	if (!result)
		result = sk_address_wish(&site->address, options,
					 site->app.data);
	if (!result)
		site->data = json_dumps(site->app.data, JSON_COMPACT);
	return result;
}

void sk_site_fini(struct sk_site *site)
{
	sk_app_fini(&site->app);
	sk_address_fini(&site->address);
	free(site->data);
	memset(site, 0, sizeof(*site));
}

/* Half the processors: the other half is the routes'. */
static int normal_workers(void)
{
	cpu_set_t set;
	int count = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		count = CPU_COUNT(&set);
	return count <= 2 ? 1 : count / 2;
}

static int most_connections(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 ||
	    files.rlim_max / 2 > CONNECTIONS)
		return CONNECTIONS;
	return (int)files.rlim_max / 2;
}

char *sk_site_conf(const struct sk_site *site, const struct sk_options *options,
		   const struct sk_places *places, const char *run,
		   const char *data)
{
	char *name = sk_port_name(site->address.interface, site->address.port);
	struct sk_conf conf = {
		.module = places->module,
		.app = json_string_value(
			json_object_get(site->app.data, "app")),
		.data = data,
		.run = run,
		.address = name,
		.user = sk_user_of_gateway(),
		.workers =
			options->workers ? options->workers : normal_workers(),
		.connections = most_connections(),
		.dual = !strcmp(site->address.interface, "::"),
		.access_log = options->access_log,
		.colour = *sk_term_tint(stdout, SK_TINT_RED) != '\0',
		.format = options->format,
		.resolve = &options->resolve,
		.ca_file = options->ca_file,
		.audit = options->audit,
	};
	char *text = sk_conf_text(&conf);

	free(name);
	return text;
}

static int write_one(const char *path, const char *text)
{
	int result = sk_file_write(path, text, strlen(text), 0600);

	if (result)
		sk_complain("cannot write %s: %s", path, strerror(-result));
	return result;
}

int sk_site_write(const struct sk_site *site, const struct sk_options *options,
		  const struct sk_places *places, const char *run)
{
	char *data = sk_format("%s/app.json", run);
	char *conf = sk_format("%s/nginx.conf", run);
	char *text = sk_site_conf(site, options, places, run, data);
	int result = write_one(data, site->data);

	if (!result)
		result = write_one(conf, text);
	free(text);
	free(conf);
	free(data);
	return result;
}
