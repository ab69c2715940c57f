/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"

#include <sys/ioctl.h>
#include <termios.h>

static volatile int resized;

static void on_resize(int signo)
{
	(void)signo;
	resized++;
}

static void reader(const char *name, int with_handler)
{
	struct winsize size;
	char line[16];
	int tty;
	ssize_t n;

	CHECK(setsid() > 0);
	tty = open(name, O_RDWR);
	CHECK(tty >= 0);
	ioctl(tty, TIOCSCTTY, 0);
	if (with_handler)
		handle(SIGWINCH, on_resize, 0);
	CHECK(write(tty, "r", 1) == 1);
	n = read(tty, line, sizeof(line));
	if (with_handler) {
		CHECK(n == -1 && errno == EINTR && resized == 1);
	} else {
		CHECK(n == 3 && memcmp(line, "hi\n", 3) == 0);
	}
	CHECK(ioctl(tty, TIOCGWINSZ, &size) == 0);
	CHECK(size.ws_row == 33 && size.ws_col == 99);
	_exit(0);
}

static void once(int with_handler)
{
	struct winsize size = { .ws_row = 33, .ws_col = 99 };
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char name[64], ready;
	pid_t pid;

	CHECK(master >= 0);
	CHECK(grantpt(master) == 0 && unlockpt(master) == 0);
	CHECK(ptsname_r(master, name, sizeof(name)) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		reader(name, with_handler);
	CHECK(read(master, &ready, 1) == 1 && ready == 'r');
	pause_ms(100);
	CHECK(ioctl(master, TIOCSWINSZ, &size) == 0);
	pause_ms(100);
	if (!with_handler)
		CHECK(write(master, "hi\n", 3) == 3);
	CHECK(waited(pid) == 0);
	close(master);
}

int main(void)
{
	once(0);
	once(1);
	return done();
}
