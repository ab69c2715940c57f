// SPDX-License-Identifier: BSD-2-Clause
/* The walls of lib/sandbox, tried from inside. */
#include "sk_test.h"

#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Runs `attempt` behind the walls. Its wait status; an attempt that returns
 * exits with what it returns. */
static int inside(int (*attempt)(void))
{
	struct sk_sandbox sandbox = { .writes_stdio = 1 };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (sk_sandbox_enter(&sandbox) || sk_sandbox_close(&sandbox))
			_exit(99);
		_exit(attempt());
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void assert_refused(int (*attempt)(void), int error)
{
	int status = inside(attempt);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), error);
}

static void assert_killed(int (*attempt)(void))
{
	int status = inside(attempt);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}

/* System calls by number: sanitizers and libc do more than one. */
static int result(long value)
{
	return value < 0 ? errno : 0;
}

static int open_file(void)
{
	return result(syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
}

SK_TEST(no_file_is_opened)
{
	assert_refused(open_file, EACCES);
}

static int stat_file(void)
{
	char buffer[512];

	return result(
		syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", buffer, 0));
}

SK_TEST(no_file_is_looked_at)
{
	assert_refused(stat_file, EACCES);
}

static int make_socket(void)
{
	return result(syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
}

SK_TEST(socket_ends_the_process)
{
	assert_killed(make_socket);
}

static int run_program(void)
{
	char *const argv[] = { "true", NULL };

	return result(syscall(SYS_execve, "/bin/true", argv, argv + 1));
}

SK_TEST(exec_ends_the_process)
{
	assert_killed(run_program);
}

static int make_process(void)
{
	return result(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

SK_TEST(fork_ends_the_process)
{
	assert_killed(make_process);
}

static int make_process_by_clone3(void)
{
	return result(syscall(SYS_clone3, NULL, 0));
}

SK_TEST(clone3_is_not_there)
{
	assert_refused(make_process_by_clone3, ENOSYS);
}

static int trace_parent(void)
{
	return result(syscall(SYS_ptrace, 16, getppid(), 0, 0));
}

SK_TEST(ptrace_ends_the_process)
{
	assert_killed(trace_parent);
}

static int signal_init(void)
{
	return result(syscall(SYS_tgkill, 1, 1, 0));
}

SK_TEST(signal_to_another_process_ends_the_process)
{
	assert_killed(signal_init);
}

static int map_code(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? errno : 0;
}

SK_TEST(memory_is_not_mapped_executable)
{
	assert_refused(map_code, EACCES);
}

static int make_code(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return result(mprotect(at, 4096, PROT_READ | PROT_EXEC));
}

SK_TEST(memory_is_not_made_executable)
{
	assert_refused(make_code, EACCES);
}

static int regain_dumpable(void)
{
	return result(syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0));
}

SK_TEST(prctl_but_for_names_ends_the_process)
{
	assert_killed(regain_dumpable);
}

static void *start_thread(void *arg)
{
	return arg;
}

static int use_threads(void)
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, start_thread, NULL);

	return err ? err : pthread_join(thread, NULL);
}

SK_TEST(threads_start)
{
	assert_refused(use_threads, 0);
}

static int use_old_descriptor(void)
{
	char byte;

	return result(syscall(SYS_read, 40, &byte, 1));
}

SK_TEST(descriptors_of_the_parent_are_closed)
{
	assert_int_equal(dup2(0, 40), 40);
	assert_refused(use_old_descriptor, EBADF);
}

SK_TEST(kept_descriptors_stay_open)
{
	const int keep[] = { 50, 40 };
	struct sk_sandbox sandbox = { .keep = keep,
				      .nkeep = 2,
				      .writes_stdio = 1 };
	int status;
	pid_t pid;

	assert_int_equal(dup2(0, 40), 40);
	assert_int_equal(dup2(0, 45), 45);
	assert_int_equal(dup2(0, 50), 50);
	pid = fork();
	if (pid == 0) {
		if (sk_sandbox_enter(&sandbox))
			_exit(99);
		_exit((fcntl(40, F_GETFD) >= 0) +
		      (fcntl(50, F_GETFD) >= 0) * 2 +
		      (fcntl(45, F_GETFD) >= 0) * 4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, W_EXITCODE(3, 0));
}

SK_TEST(user_and_group_are_given_up)
{
	struct sk_sandbox sandbox = {
		.writes_stdio = 1, .drop_user = 1, .uid = 65534, .gid = 65534
	};
	int status;
	pid_t pid;

	if (geteuid() != 0)
		return;
	pid = fork();
	if (pid == 0) {
		if (sk_sandbox_enter(&sandbox))
			_exit(99);
		_exit(getuid() == 65534 && getegid() == 65534 &&
		      setuid(0) != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, W_EXITCODE(1, 0));
}

SK_TEST(probe_names_every_layer)
{
	struct sk_sandbox_layer layers[SK_SANDBOX_LAYERS];
	int i;

	assert_int_equal(sk_sandbox_probe(layers, SK_SANDBOX_LAYERS),
			 SK_SANDBOX_LAYERS);
	for (i = 0; i < SK_SANDBOX_LAYERS; i++) {
		assert_true(strlen(layers[i].name) > 0);
		/* What is not on says what is lost. */
		assert_int_equal(layers[i].state == SK_SANDBOX_ON,
				 strlen(layers[i].hint) == 0);
	}
}

SK_TEST(missing_layers_are_named)
{
	struct sk_sandbox sandbox = { .missing = 1u << 1 | 1u << 4 };
	char text[256];

	sk_sandbox_missing(&sandbox, text, sizeof(text));
	assert_string_equal(text, "user of its own, landlock");
}

/* A process that was given fewer descriptors than the walls leave. */
SK_TEST(limits_that_are_lower_already_stay)
{
	struct rlimit few = { 64, 64 };
	struct sk_sandbox sandbox = { 0 };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (setrlimit(RLIMIT_NOFILE, &few) ||
		    sk_sandbox_enter(&sandbox))
			_exit(99);
		_exit(getrlimit(RLIMIT_NOFILE, &few) || few.rlim_cur != 64);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}
