/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests that register themselves: SK_TEST(name) { … }, one behaviour
 * each. The including file is a whole cmocka program; this header supplies
 * main(), which runs each test in a process of its own, so that a crash or a
 * leaked descriptor of one test never touches the next.
 *
 * usage: test_x [SUBSTRING]   only the tests whose name contains it
 */
#ifndef SK_TEST_H
#define SK_TEST_H

#ifdef __wasm__
#include "tests/kernel/wasm/sk_test_wasm.h"
#else

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

struct sk_test {
	const char *name;
	void (*run)(void **state);
};

#define SK_TEST(test_name)                                                     \
	static void test_name(void **state);                                   \
	static const struct sk_test sk_entry_##test_name = { #test_name,       \
							     test_name };      \
	__attribute__((used, section("sk_tests"))) static const struct sk_test \
		*const sk_pointer_##test_name = &sk_entry_##test_name;         \
	static void test_name(void **state __attribute__((unused)))

extern const struct sk_test *const __start_sk_tests[];
extern const struct sk_test *const __stop_sk_tests[];

/* The child's exit status: 0 passed, 77 skipped, else failed. */
static int sk_test_run_one(const struct sk_test *test)
{
	struct CMUnitTest one = { test->name, test->run, NULL, NULL, NULL };
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int failed;

		cmocka_set_message_output(CM_OUTPUT_TAP);
		failed = _cmocka_run_group_tests(test->name, &one, 1, NULL,
						 NULL);
		fflush(NULL);
		exit(failed ? 1 : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	if (WIFSIGNALED(status))
		printf("# %s: killed by signal %d\n", test->name,
		       WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	const struct sk_test *const *at;
	int passed = 0, failed = 0;

	for (at = __start_sk_tests; at < __stop_sk_tests; at++) {
		if (argc > 1 && !strstr((*at)->name, argv[1]))
			continue;
		if (sk_test_run_one(*at)) {
			printf("FAILED %s\n", (*at)->name);
			failed++;
		} else {
			passed++;
		}
	}
	printf("%d passed, %d failed, 0 skipped\n", passed, failed);
	return failed || !passed;
}

#endif
#endif
