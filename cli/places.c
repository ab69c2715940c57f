/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/places.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/file.h"
#include "cli/text.h"

static char *if_there(char *path, int how)
{
	if (access(path, how) == 0)
		return path;
	free(path);
	return NULL;
}

/* People start nginx as root from /usr/sbin, which a plain user's PATH
 * often lacks. */
static char *on_path(const char *name)
{
	const char *path = getenv("PATH");
	char *all = sk_format("%s:/usr/local/sbin:/usr/sbin:/usr/bin",
			      path ? path : "/usr/local/bin");
	char *rest = all;
	char *found = NULL;
	char *folder;

	while (!found && (folder = strsep(&rest, ":")))
		if (*folder == '/')
			found = if_there(sk_format("%s/%s", folder, name),
					 X_OK);
	free(all);
	return found;
}

char *sk_place_command(void)
{
	char *found = on_path("selkie");
	char *there = found ? realpath(found, NULL) : NULL;
	char *self = realpath("/proc/self/exe", NULL);
	int same = there && self && !strcmp(there, self);

	free(found);
	free(there);
	if (self && !same)
		return self;
	free(self);
	return sk_copy("selkie");
}

static char *named_by(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value ? sk_copy(value) : NULL;
}

/* npm's esbuild is a launcher in JavaScript unless its install script ran;
 * the native program lies in a package of its own. */
static char *tree_esbuild(const char *folder)
{
	struct utsname machine;
	const char *cpu;
	char *name;
	char *path;

	if (uname(&machine) < 0)
		return NULL;
	cpu = !strcmp(machine.machine, "aarch64") ? "arm64" : "x64";
	name = sk_format("../../node_modules/@esbuild/linux-%s/bin/esbuild",
			 cpu);
	path = sk_path_resolve(folder, name);
	free(name);
	return if_there(path, X_OK);
}

void sk_places_init(struct sk_places *places)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *folder;

	memset(places, 0, sizeof(*places));
	self[length > 0 ? length : 0] = '\0';
	places->self = sk_copy(self);
	folder = sk_path_folder(self);
	places->worker = if_there(
		sk_path_resolve(folder, "../libexec/selkie/selkie-worker"),
		X_OK);
	places->supervisor = if_there(
		sk_path_resolve(folder, "../libexec/selkie/selkie-supervisor"),
		X_OK);
	places->egress = if_there(
		sk_path_resolve(folder, "../libexec/selkie/selkie-egress"),
		X_OK);
	places->run = if_there(
		sk_path_resolve(folder, "../libexec/selkie/selkie-run"), X_OK);
	places->module = if_there(
		sk_path_resolve(folder,
				"../lib/selkie/ngx_http_selkie_module.so"),
		R_OK);
	places->esbuild = named_by("SELKIE_ESBUILD");
	if (!places->esbuild)
		places->esbuild = tree_esbuild(folder);
	if (!places->esbuild)
		places->esbuild = on_path("esbuild");
	places->nginx = named_by("SELKIE_NGINX");
	if (!places->nginx)
		places->nginx = on_path("nginx");
	free(folder);
}

void sk_places_fini(struct sk_places *places)
{
	free(places->self);
	free(places->worker);
	free(places->supervisor);
	free(places->egress);
	free(places->run);
	free(places->module);
	free(places->esbuild);
	free(places->nginx);
	memset(places, 0, sizeof(*places));
}

char *sk_place_stamp(const char *path)
{
	struct stat info;

	if (stat(path, &info) < 0)
		return sk_copy(path);
	return sk_format("%s %lld %lld.%09ld", path, (long long)info.st_size,
			 (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}
