/* SPDX-License-Identifier: BSD-2-Clause */
/* The walls round the egress, tried from inside. */
#include "sk_test.h"

#include "sandbox/sandbox.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Runs `attempt` behind the walls, as nobody when root runs the test. Its wait
 * status; an attempt that returns exits with what it returns. */
static int inside(int (*attempt)(void))
{
	struct sk_sandbox sandbox = { .drop_user = geteuid() == 0,
				      .uid = 65534,
				      .gid = 65534 };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (sk_sandbox_network(&sandbox))
			_exit(99);
		_exit(attempt());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void assert_result(int (*attempt)(void), int result)
{
	int status = inside(attempt);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), result);
}

static void assert_killed(int (*attempt)(void))
{
	int status = inside(attempt);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}

static int result(long value)
{
	return value < 0 ? errno : 0;
}

static int open_secret(void)
{
	return result(syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
}

static int open_hosts(void)
{
	return result(syscall(SYS_openat, AT_FDCWD, "/etc/hosts", O_RDONLY));
}

static int open_certificates(void)
{
	return result(syscall(SYS_openat, AT_FDCWD, "/etc/ssl/openssl.cnf",
			      O_RDONLY));
}

static int write_file(void)
{
	return result(syscall(SYS_openat, AT_FDCWD, "/tmp/x",
			      O_WRONLY | O_CREAT, 0600));
}

SK_TEST(only_certificates_and_the_files_of_the_resolver_are_read)
{
	assert_result(open_hosts, 0);
	assert_result(open_certificates, 0);
	if (sk__landlock_version())
		assert_result(open_secret, EACCES);
}

SK_TEST(no_file_is_written)
{
	assert_result(write_file, EACCES);
}

static int unix_socket(void)
{
	return result(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
}

static int packet_socket(void)
{
	return result(syscall(SYS_socket, AF_PACKET, SOCK_RAW, 0));
}

SK_TEST(no_other_socket_than_internet_is_made)
{
	assert_result(unix_socket, EAFNOSUPPORT);
	assert_killed(packet_socket);
}

static int do_listen(void)
{
	int fd = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);

	return result(syscall(SYS_listen, fd, 1));
}

SK_TEST(listening_is_death)
{
	assert_killed(do_listen);
}

static int port; /* that the test listens on */

static int call_out(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return result(connect(fd, (struct sockaddr *)&at, sizeof(at)));
}

SK_TEST(connecting_works)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&at, &size);
	port = ntohs(at.sin_port);
	assert_result(call_out, 0);
	close(fd);
}

static int resolve(void)
{
	struct addrinfo *found = NULL;
	int err = getaddrinfo("localhost", "80", NULL, &found);

	if (!err)
		freeaddrinfo(found);
	return err ? 1 : 0;
}

SK_TEST(names_are_resolved)
{
	assert_result(resolve, 0);
}

static int run_program(void)
{
	char *argv[] = { "/bin/true", NULL };

	return result(syscall(SYS_execve, argv[0], argv, NULL));
}

static int fork_off(void)
{
	return result(syscall(SYS_fork));
}

static int write_and_run(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? errno : 0;
}

SK_TEST(no_program_is_run_or_made)
{
	assert_killed(run_program);
	assert_killed(fork_off);
	assert_killed(write_and_run);
}

static int who(void)
{
	return (int)geteuid();
}

SK_TEST(it_is_nobody_when_root_starts_it)
{
	if (geteuid() == 0)
		assert_result(who, 65534 & 0xff);
}
