/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * selkie-cc: clang for programs of Selkie's kernel. It tells clang the target,
 * the headers and libc, leaves out what has no meaning there, and makes the
 * stack of a program copyable when the linked program turns out to fork.
 */
#include "cc.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char usage[] =
	"usage: selkie-cc [OPTION…] FILE…\n"
	"\n"
	"Compiles and links programs for Selkie's kernel, as cc does. Options "
	"are\n"
	"clang's; those that make no sense for WebAssembly are accepted and "
	"left\n"
	"out. A program that forks gets a copyable stack, loops can be\n"
	"interrupted by signals, and debug information goes unless -g is "
	"given.\n"
	"\n"
	"  -Wl,-z,stack-size=N   the stack, in bytes [1 MiB]\n"
	"  -Wl,--max-memory=N    the most memory a process may have [2 GiB]\n"
	"  --help, --version     this text; the version\n"
	"\n"
	"SELKIE_CLANG and SELKIE_WASM_OPT name other programs to run.\n";

void sk_args_add(struct sk_args *a, const char *arg)
{
	if (a->n + 2 > a->room) {
		a->room = a->room ? a->room * 2 : 64;
		a->v = realloc(a->v, a->room * sizeof *a->v);
		if (!a->v)
			sk_die("out of memory");
	}
	a->v[a->n++] = arg;
	a->v[a->n] = NULL;
}

char *sk_format(const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		sk_die("out of memory");
	va_end(ap);
	return text;
}

void sk_die(const char *format, ...)
{
	va_list ap;

	fputs("selkie-cc: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

int sk_run(const struct sk_args *a)
{
	pid_t pid;
	int status, err;

	err = posix_spawnp(&pid, a->v[0], NULL, NULL, (char **)a->v, environ);
	if (err)
		sk_die("%s: %s", a->v[0], strerror(err));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			sk_die("wait: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The folder that bin/selkie-cc stands in: build/, or a prefix. */
static char *root_of_self(void)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	int up;

	if (n < 0)
		sk_die("/proc/self/exe: %s", strerror(errno));
	self[n] = 0;
	for (up = 0; up < 2; up++) {
		char *slash = strrchr(self, '/');

		if (slash)
			*slash = 0;
	}
	return sk_format("%s", self);
}

static char *first_there(const char *root, const char *const *places)
{
	for (; *places; places++) {
		char *path = sk_format("%s/%s", root, *places);

		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

static void find_places(struct sk_places *p)
{
	static const char *const sysroots[] = { "sysroot", "lib/selkie/sysroot",
						NULL };
	static const char *const opts[] = {
		"lib/selkie/binaryen/bin/wasm-opt",
		"../node_modules/binaryen/bin/wasm-opt", NULL
	};
	char *root = root_of_self();

	p->sysroot = first_there(root, sysroots);
	if (!p->sysroot)
		sk_die("there is no libc under %s: run `make libc`", root);
	p->plugin = sk_format("%s/lib/selkie/selkie-pass.so", root);
	p->clang = getenv("SELKIE_CLANG");
	if (!p->clang)
		p->clang = SK_CLANG;
	p->wasm_opt = getenv("SELKIE_WASM_OPT");
	if (!p->wasm_opt)
		p->wasm_opt = first_there(root, opts);
	if (!p->wasm_opt)
		p->wasm_opt = "wasm-opt";
	free(root);
}

static void add_compiler(struct sk_args *a, const struct sk_places *p)
{
	static const char *const fixed[] = {
		"--target=wasm32-unknown-unknown",
		/* Code asks for Linux by these. */
		"-D__linux__=1",
		"-D__linux=1",
		"-D__unix__=1",
		"-D__unix=1",
		"-D__selkie__=1",
		/* setjmp by exceptions, in the form that all hosts know. */
		"-mllvm",
		"-wasm-enable-sjlj",
		"-mexception-handling",
		"-mllvm",
		"-wasm-use-legacy-eh=true",
		/* What cc let pass when most programs were written. */
		"-Wno-error=incompatible-pointer-types",
		"-Wno-error=incompatible-function-pointer-types",
		"-Wno-error=int-conversion",
		"-Wno-error=implicit-int",
		"-nostdlibinc",
		"-Wno-unused-command-line-argument",
		NULL,
	};
	const char *const *f;

	sk_args_add(a, p->clang);
	for (f = fixed; *f; f++)
		sk_args_add(a, *f);
	sk_args_add(a, sk_format("--sysroot=%s", p->sysroot));
	sk_args_add(a, "-isystem");
	sk_args_add(a, sk_format("%s/include", p->sysroot));
	sk_args_add(a, sk_format("-fpass-plugin=%s", p->plugin));
}

static void add_linker(struct sk_args *a, const struct sk_options *o,
		       const struct sk_places *p)
{
	/*
	 * The stack lies first, so that an overflow traps and overwrites
	 * nothing. Handlers are named by table index: 0 to 7 stay free, since
	 * SIG_DFL, SIG_IGN and SIG_HOLD are such numbers.
	 */
	static const char before[] = "-Wl,--stack-first,-z,stack-size=1048576,"
				     "--table-base=8,--max-memory=2147483648,"
				     "--export-if-defined=__stack_pointer,"
				     "--export-if-defined=__sk_fork_buffer";

	sk_args_add(a, "--no-wasm-opt");
	sk_args_add(a, "-nostdlib");
	if (o->relocatable)
		return;
	if (!o->debug)
		sk_args_add(a,
			    o->strip ? "-Wl,--strip-all" : "-Wl,--strip-debug");
	sk_args_add(a, before);
	if (!o->no_start)
		sk_args_add(a, sk_format("%s/lib/crt1.o", p->sysroot));
}

static void add_libraries(struct sk_args *a, const struct sk_options *o,
			  const struct sk_places *p)
{
	if (o->relocatable)
		return;
	sk_args_add(a, sk_format("-L%s/lib", p->sysroot));
	if (o->no_libraries)
		return;
	sk_args_add(a, "-lc");
	sk_args_add(a, "-lclang_rt.builtins-wasm32");
}

int main(int argc, char **argv)
{
	struct sk_args given = { 0 }, a = { 0 };
	struct sk_options o = { .output = "a.out" };
	struct sk_places p;
	size_t i;
	int status;

	sk_options_expand(&given, argc - 1, argv + 1);
	sk_options_read(&o, &given);
	if (o.help) {
		fputs(usage, stdout);
		return 0;
	}
	if (o.version) {
		puts("selkie-cc " SK_VERSION
		     " (for wasm32-linux-musl, by " SK_CLANG ")");
		return 0;
	}
	if (o.machine) {
		puts("wasm32-linux-musl");
		return 0;
	}
	find_places(&p);
	add_compiler(&a, &p);
	if (o.links)
		add_linker(&a, &o, &p);
	for (i = 0; i < o.kept.n; i++)
		sk_args_add(&a, o.kept.v[i]);
	if (o.links)
		add_libraries(&a, &o, &p);
	status = sk_run(&a);
	if (!status && o.links && !o.relocatable)
		status = sk_link_finish(&o, &p);
	return status;
}
