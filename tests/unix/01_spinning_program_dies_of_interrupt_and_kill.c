/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <sys/ioctl.h>
#include <termios.h>

static volatile unsigned turns;

static pid_t spinner(void)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0)
		for (;;)
			turns++;
	pause_ms(50);
	return pid;
}

/* The same with ^C typed at its terminal. */
static void typed(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char name[64];
	pid_t pid;
	int status;

	CHECK(master >= 0);
	CHECK(grantpt(master) == 0 && unlockpt(master) == 0);
	CHECK(ptsname_r(master, name, sizeof(name)) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		int tty;

		CHECK(setsid() > 0);
		tty = open(name, O_RDWR);
		CHECK(tty >= 0);
		ioctl(tty, TIOCSCTTY, 0);
		CHECK(write(tty, "r", 1) == 1);
		for (;;)
			turns++;
	}
	char ready;
	CHECK(read(master, &ready, 1) == 1 && ready == 'r');
	CHECK(write(master, "\003", 1) == 1);
	status = waited(pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

int main(void)
{
	pid_t pid = spinner();
	int status;

	CHECK(kill(pid, SIGINT) == 0);
	status = waited(pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	pid = spinner();
	CHECK(kill(pid, SIGKILL) == 0);
	status = waited(pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	typed();
	return done();
}
