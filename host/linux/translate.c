/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/linux/translate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/linux/embedded.h"
#include "host/linux/glue.h"
#include "host/linux/store.h"

#define PARTS_MAX 32
#define PART_SIZE (48 << 10) /* of WebAssembly for each file of C */
#define CC_FLAGS                                                               \
	"-O2", "-std=gnu11", "-w", "-fPIC", "-fvisibility=hidden",             \
		"-fno-strict-aliasing", "-fwrapv", "-ffp-contract=off",        \
		"-fno-stack-protector", "-fno-asynchronous-unwind-tables",     \
		"-fomit-frame-pointer", "-fno-plt", "-fcf-protection=none",    \
		"-U_FORTIFY_SOURCE", "-DNDEBUG"
#define VERSION "1 O2"

static struct {
	char wasm2c[PATH_MAX];
	const char *cc;
	const char *cpu;
	char version[64];
} tools;

extern char **environ;

static int on_path(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char file[PATH_MAX];

	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	for (; path && *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		snprintf(file, sizeof(file), "%.*s/%s", (int)(end - path), path,
			 name);
		if (access(file, X_OK) == 0)
			return 1;
	}
	return 0;
}

static void find_wasm2c(const char *self)
{
	const char *given = getenv("SELKIE_WASM2C");
	static const char *const places[] = {
		"../../../node_modules/wabt/bin/wasm2c", /* a build tree */
		"../../lib/selkie/wabt/bin/wasm2c",	 /* installed */
	};
	char folder[PATH_MAX];
	size_t i;

	if (given && *given) {
		snprintf(tools.wasm2c, sizeof(tools.wasm2c), "%s", given);
		return;
	}
	snprintf(folder, sizeof(folder), "%s", self);
	*strrchr(folder, '/') = '\0';
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char path[2 * PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", folder, places[i]);
		if (realpath(path, tools.wasm2c))
			return;
	}
	tools.wasm2c[0] = '\0';
}

void sk_translate_init(const char *self)
{
	const char *cc = getenv("SELKIE_CC");

	find_wasm2c(self);
	if (cc && *cc)
		tools.cc = cc;
	else
		tools.cc = on_path("gcc") ? "gcc" : on_path("cc") ? "cc" : NULL;
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("sse4.2") &&
	    __builtin_cpu_supports("popcnt"))
		tools.cpu = "-march=x86-64-v2";
#endif
	if (!tools.cpu)
		tools.cpu = "-fPIC";
	snprintf(tools.version, sizeof(tools.version), "%s %s %s", VERSION,
		 tools.cpu, tools.cc ? tools.cc : "");
}

const char *sk_translate_version(void)
{
	return tools.version;
}

/* Starts a command whose output goes to the file "said" of `folder`. */
static pid_t start(const char *folder, const char *const *argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		int out = chdir(folder)
				  ? -1
				  : open("said", O_WRONLY | O_CREAT | O_APPEND,
					 0600);
		int in = open("/dev/null", O_RDONLY);

		setpgid(0, 0); /* a terminal's ^C is not for the tools */
		dup2(in, 0);
		dup2(out, 1);
		dup2(out, 2);
		close_range(3, ~0U, 0);
		setpriority(PRIO_PROCESS, 0, 5);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	return pid;
}

static int finish(pid_t pid)
{
	int status;

	if (pid < 0)
		return -EAGAIN;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

static int run(const char *folder, const char *const *argv)
{
	return finish(start(folder, argv));
}

static int write_file(const char *folder, const char *name, const void *data,
		      size_t size)
{
	char path[PATH_MAX];
	FILE *f;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	if (fwrite(data, 1, size, f) != size)
		err = -EIO;
	if (fclose(f))
		err = -EIO;
	return err;
}

static int compile(const char *folder, unsigned parts)
{
	long most = sysconf(_SC_NPROCESSORS_ONLN);
	pid_t running[PARTS_MAX + 1];
	unsigned i, first = 0;
	int err = 0;

	for (i = 0; i <= parts; i++) {
		char source[32];
		const char *argv[] = { tools.cc, CC_FLAGS, tools.cpu,
				       "-c",	 source,   NULL };

		if (i == parts)
			snprintf(source, sizeof(source), "glue.c");
		else
			snprintf(source, sizeof(source), "p_%u.c", i);
		if (i - first >= (unsigned)most)
			err |= finish(running[first++]);
		running[i] = start(folder, argv);
	}
	while (first <= parts)
		err |= finish(running[first++]);
	return err ? -EIO : 0;
}

static int link_object(const char *folder, unsigned parts)
{
	const char *argv[PARTS_MAX + 24] = {
		tools.cc,
		"-shared",
		"-nostdlib",
		"-Wl,-Bsymbolic",
		"-Wl,-z,now",
		"-Wl,--hash-style=sysv",
		"-Wl,-z,max-page-size=4096",
		"-Wl,-z,nopack-relative-relocs",
		"-Wl,--no-warn-mismatch",
		"-Wl,-e,sk_object",
		"-Wl,--build-id=none",
		"-o",
		"program.so",
		"glue.o",
	};
	char names[PARTS_MAX][16];
	unsigned n = 14, i;

	for (i = 0; i < parts; i++) {
		snprintf(names[i], sizeof(names[i]), "p_%u.o", i);
		argv[n++] = names[i];
	}
	argv[n] = NULL;
	return run(folder, argv);
}

static void what_was_said(const char *folder, char *why, size_t size)
{
	char path[PATH_MAX];
	void *text;
	size_t length;

	snprintf(path, sizeof(path), "%s/said", folder);
	if (sk_store_read_file(path, &text, &length))
		return;
	snprintf(why, size, "%.*s", (int)(length > 400 ? 400 : length),
		 (char *)text);
	free(text);
}

/* The C: wasm2c's, our runtime's header, and what ties both together. */
static int write_c(const char *folder, unsigned parts, char *why, size_t size)
{
	static const char one[] = "#include \"wasm-rt.h\"\n";
	char count[32];
	const char *argv[] = {
		"node",
		tools.wasm2c,
		"--enable-exceptions",
		"--enable-multi-memory",
		"--enable-threads",
		"-n",
		"prog",
		count,
		"-o",
		"p.c",
		"program.wasm",
		NULL,
	};

	snprintf(count, sizeof(count), "--num-outputs=%u", parts);
	if (run(folder, argv)) {
		what_was_said(folder, why, size);
		return -ENOEXEC;
	}
	if (write_file(folder, "wasm-rt.h", sk_embedded_wasm_rt,
		       strlen(sk_embedded_wasm_rt)) ||
	    write_file(folder, "wasm-rt-exceptions.h", one, strlen(one)))
		return -EIO;
	return sk_glue_write(folder, why, size);
}

static int work(const char *folder, const void *wasm, size_t size,
		const char *name, char *why, size_t why_size)
{
	unsigned parts = (unsigned)(size / PART_SIZE) + 1;
	char path[PATH_MAX + 16];
	int err;

	if (parts > PARTS_MAX)
		parts = PARTS_MAX;
	if (parts == 1)
		parts = 2; /* one file would be laid out in another way */
	err = write_file(folder, "program.wasm", wasm, size);
	if (!err)
		err = write_c(folder, parts, why, why_size);
	if (err)
		return err;
	err = compile(folder, parts);
	if (!err)
		err = link_object(folder, parts);
	if (err) {
		what_was_said(folder, why, why_size);
		return err;
	}
	snprintf(path, sizeof(path), "%s/program.so", folder);
	return sk_store_take(path, name);
}

int sk_translate(const void *wasm, size_t size, const char *name, char *why,
		 size_t why_size)
{
	char folder[PATH_MAX];
	int err;

	if (!*tools.wasm2c || !on_path("node")) {
		snprintf(why, why_size,
			 "wasm2c is needed (npm ci; or SELKIE_WASM2C)");
		return -ENOENT;
	}
	if (!tools.cc) {
		snprintf(why, why_size, "a C compiler is needed (gcc)");
		return -ENOENT;
	}
	err = sk_store_work(folder, sizeof(folder));
	if (err)
		return err;
	err = work(folder, wasm, size, name, why, why_size);
	if (!getenv("SELKIE_KEEP"))
		sk_store_clean(folder);
	return err;
}
