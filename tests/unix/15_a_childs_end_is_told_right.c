/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

static volatile int children;

static void on_child(int signo)
{
	(void)signo;
	children++;
}

int main(void)
{
	pid_t pid;
	int status;

	handle(SIGCHLD, on_child, SA_RESTART);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		__builtin_trap();
	status = waited(pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGILL);
	CHECK(children == 1);

	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		_exit(3);
	status = waited(pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	CHECK(children == 2);
	CHECK(waitpid(-1, &status, 0) == -1 && errno == ECHILD);
	return done();
}
