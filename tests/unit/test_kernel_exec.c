/* SPDX-License-Identifier: BSD-2-Clause */
// link: kernel
#include "sk_test.h"
#include "tests/kernel/rig.h"

#define AT ((uint64_t)SK_AT_FDCWD)
static const char wasm[] = "\0asm\1\0\0\0";

static void put(struct sk_task *t, const char *path, const char *bytes,
		uint32_t size, uint32_t mode)
{
	int64_t fd = RIG(t, openat, AT, rig_str(t, path),
			 SK_O_CREAT | SK_O_TRUNC | SK_O_WRONLY, mode);

	assert_true(fd >= 0);
	assert_int_equal(
		RIG(t, write, (uint64_t)fd, rig_put(t, bytes, size), size),
		size);
	RIG(t, close, (uint64_t)fd);
}

static void put_program(struct sk_task *t, const char *path)
{
	put(t, path, wasm, 8, 0755);
}

static void put_script(struct sk_task *t, const char *path, const char *text)
{
	put(t, path, text, (uint32_t)strlen(text), 0755);
}

/* A vector of up to 8 strings, ended by NULL. */
static sk_user vector(struct sk_task *t, const char *const *strings)
{
	sk_user pointers[9] = { 0 };

	for (int i = 0; strings[i]; i++)
		pointers[i] = rig_str(t, strings[i]);
	return rig_put(t, pointers, sizeof(pointers));
}
#define VECTOR(t, ...) vector(t, (const char *const[]){ __VA_ARGS__, NULL })

static int64_t exec(struct sk_task *t, const char *path, sk_user argv,
		    sk_user envp)
{
	return RIG(t, execve, rig_str(t, path), argv, envp);
}

/* What a program would see: "argv0|argv1|;env0|" of a block of sk_args. */
static void check_args(struct sk_task *t, const char *expected)
{
	uint32_t size = (uint32_t)RIG(t, sk_args, 0, 0);
	sk_user at = rig_room(t, size);
	const sk_user *words = rig_at(t, at);
	char text[1024] = "";

	assert_int_equal(RIG(t, sk_args, at, size - 1), -SK_ERANGE);
	assert_int_equal(RIG(t, sk_args, at, size), size);
	for (sk_user i = 0; i < words[0]; i++) {
		strcat(text, rig_at(t, words[1 + i]));
		strcat(text, "|");
	}
	strcat(text, ";");
	words += words[0] + 1;
	assert_int_equal(*words++, 0);
	for (; *words; words++) {
		strcat(text, rig_at(t, *words));
		strcat(text, "|");
	}
	assert_string_equal(text, expected);
	assert_int_equal(words[1], 6); /* AT_PAGESZ */
	assert_int_equal(words[2], 65536);
}

SK_TEST(exec_hands_over_arguments_and_environment)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	char bytes[8];

	put_program(t, "/prog");
	assert_int_equal(exec(t, "/prog", VECTOR(t, "a", "", "c"),
			      VECTOR(t, "X=1", "Y=2")),
			 RIG_EXEC);
	assert_string_equal(sk_image(t)->name, "prog");
	assert_int_equal(sk_image(t)->size, 8);
	assert_int_equal(sk_image_read(t, 0, bytes, 8), 8);
	assert_memory_equal(bytes, wasm, 8);
	assert_int_equal(sk_image_read(t, 8, bytes, 8), 0);
	assert_int_equal(sk_exec_commit(t), 0);
	check_args(t, "a||c|;X=1|Y=2|");
	rig_free(r);
}

SK_TEST(exec_that_failed_leaves_the_program_as_it_was)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	put_program(t, "/prog");
	exec(t, "/prog", VECTOR(t, "a"), 0);
	sk_exec_commit(t);
	assert_int_equal(exec(t, "/prog", VECTOR(t, "b"), 0), RIG_EXEC);
	assert_int_equal((int32_t)sk_exec_fail(t, -SK_ENOEXEC), -SK_ENOEXEC);
	check_args(t, "a|;");
	assert_int_equal(exec(t, "/none", VECTOR(t, "b"), 0), -SK_ENOENT);
	assert_int_equal(exec(t, "", VECTOR(t, "b"), 0), -SK_ENOENT);
	put(t, "/data", wasm, 8, 0644);
	assert_int_equal(exec(t, "/data", VECTOR(t, "b"), 0), -SK_EACCES);
	put_script(t, "/text", "echo hello\n");
	assert_int_equal(exec(t, "/text", VECTOR(t, "b"), 0), -SK_ENOEXEC);
	assert_int_equal(exec(t, "/", VECTOR(t, "b"), 0), -SK_EACCES);
	assert_int_equal(RIG(t, execve, RIG_MEMORY - 1, 0, 0), -SK_ENOENT);
	assert_int_equal(RIG(t, execve, RIG_MEMORY, 0, 0), -SK_EFAULT);
	assert_int_equal(exec(t, "/prog", RIG_MEMORY, 0), -SK_EFAULT);
	check_args(t, "a|;");
	rig_free(r);
}

SK_TEST(a_script_runs_its_interpreter_with_one_argument)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	put_program(t, "/sh");
	put_script(t, "/s1", "#! /sh  -e  -x \necho");
	assert_int_equal(exec(t, "/s1", VECTOR(t, "zero", "one"), 0), RIG_EXEC);
	sk_exec_commit(t);
	check_args(t, "/sh|-e  -x|/s1|one|;");
	put_script(t, "/s2", "#!/s1");
	assert_int_equal(exec(t, "/s2", VECTOR(t, "zero", "one"), 0), RIG_EXEC);
	sk_exec_commit(t);
	check_args(t, "/sh|-e  -x|/s1|/s2|one|;");
	rig_free(r);
}

SK_TEST(scripts_of_scripts_end)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	put_script(t, "/loop", "#!/loop\n");
	assert_int_equal(exec(t, "/loop", VECTOR(t, "x"), 0), -SK_ELOOP);
	put_script(t, "/none", "#!\n");
	assert_int_equal(exec(t, "/none", VECTOR(t, "x"), 0), -SK_ENOEXEC);
	put_script(t, "/lost", "#!/not/there\n");
	assert_int_equal(exec(t, "/lost", VECTOR(t, "x"), 0), -SK_ENOENT);
	rig_free(r);
}

SK_TEST(exec_without_argv_has_one_empty_argument)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	put_program(t, "/prog");
	assert_int_equal(exec(t, "/prog", 0, 0), RIG_EXEC);
	sk_exec_commit(t);
	check_args(t, "|;");
	rig_free(r);
}

SK_TEST(arguments_of_more_than_2_mib_are_e2big)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	sk_user big = rig_room(t, 400000), vec, *words;

	put_program(t, "/prog");
	memset(rig_at(t, big), 'x', 399999);
	vec = rig_room(t, 4 * 8);
	words = rig_at(t, vec);
	for (int i = 0; i < 6; i++)
		words[i] = big;
	assert_int_equal(exec(t, "/prog", vec, 0), -SK_E2BIG);
	words[5] = 0;
	assert_int_equal(exec(t, "/prog", vec, 0), RIG_EXEC);
	sk_exec_commit(t);
	assert_true(RIG(t, sk_args, 0, 0) > 2000000);
	rig_free(r);
}

SK_TEST(exec_closes_cloexec_and_resets_handlers)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	const struct sk_abi_sigaction handler = { .handler = 99 };
	const struct sk_abi_sigaction ignore = { .handler = SK_SIG_IGN };
	sk_user old = rig_room(t, sizeof(handler));
	const struct sk_abi_sigaction *now = rig_at(t, old);

	put_program(t, "/prog");
	assert_int_equal(
		RIG(t, openat, AT, rig_str(t, "/prog"), SK_O_CLOEXEC, 0), 0);
	assert_int_equal(RIG(t, openat, AT, rig_str(t, "/prog"), 0, 0), 1);
	RIG(t, rt_sigaction, SK_SIGUSR1, rig_put(t, &handler, sizeof(handler)),
	    0, 8);
	RIG(t, rt_sigaction, SK_SIGUSR2, rig_put(t, &ignore, sizeof(ignore)), 0,
	    8);
	exec(t, "/prog", VECTOR(t, "x"), 0);
	sk_exec_commit(t);
	assert_int_equal(RIG(t, close, 0), -SK_EBADF);
	assert_int_equal(RIG(t, close, 1), 0);
	RIG(t, rt_sigaction, SK_SIGUSR1, 0, old, 8);
	assert_int_equal(now->handler, SK_SIG_DFL);
	RIG(t, rt_sigaction, SK_SIGUSR2, 0, old, 8);
	assert_int_equal(now->handler, SK_SIG_IGN);
	rig_free(r);
}

SK_TEST(a_process_that_is_killed_while_it_loads_does_not_start)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	put_program(t, "/prog");
	exec(t, "/prog", VECTOR(t, "x"), 0);
	RIG(r->init, kill, 2, SK_SIGKILL);
	assert_int_equal(sk_exec_commit(t), SK_CALL_EXIT);
	rig_end(t);
	rig_free(r);
}

static int64_t spawn(struct sk_task *t, const char *path,
		     const struct sk_abi_spawn *attributes, sk_user envp)
{
	return RIG(
		t, sk_spawn, rig_str(t, path), VECTOR(t, "spawned", "1"), envp,
		attributes ? rig_put(t, attributes, sizeof(*attributes)) : 0);
}

SK_TEST(spawn_starts_a_child_on_the_image)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	put_program(t, "/prog");
	assert_int_equal(spawn(t, "/prog", NULL, VECTOR(t, "A=b")), 3);
	assert_int_equal(r->started, 1);
	assert_string_equal(sk_image(r->last_started)->name, "prog");
	assert_int_equal(sk_exec_commit(r->last_started), 0);
	check_args(r->last_started, "spawned|1|;A=b|");
	RIG(r->last_started, exit_group, 4);
	assert_int_equal(RIG(t, wait4, 3, 0, 0, 0), 3);
	rig_free(r);
}

SK_TEST(spawn_that_fails_leaves_no_child)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);

	put_program(t, "/prog");
	assert_int_equal(spawn(t, "/none", NULL, 0), -SK_ENOENT);
	r->refuse_start = true;
	assert_int_equal(spawn(t, "/prog", NULL, 0), -SK_ENOEXEC);
	assert_int_equal(RIG(t, wait4, (uint64_t)-1, 0, 0, 0), -SK_ECHILD);
	rig_free(r);
}

SK_TEST(spawn_searches_along_the_path_it_is_given)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	const struct sk_abi_spawn search = { .flags = SK_SPAWN_SEARCH };

	RIG(t, mkdirat, AT, rig_str(t, "/one"), 0755);
	RIG(t, mkdirat, AT, rig_str(t, "/two"), 0755);
	put(t, "/one/prog", wasm, 8, 0644);
	assert_int_equal(spawn(t, "prog", &search, VECTOR(t, "PATH=/x:/one")),
			 -SK_EACCES);
	assert_int_equal(spawn(t, "prog", &search, VECTOR(t, "PATH=/x:/two")),
			 -SK_ENOENT);
	put_program(t, "/two/prog");
	assert_true(spawn(t, "prog", &search,
			  VECTOR(t, "Z=1", "PATH=/x:/one:/two")) > 0);
	assert_int_equal(spawn(t, "prog", &search, 0), -SK_ENOENT);
	assert_true(spawn(t, "two/prog", &search, 0) > 0);
	rig_free(r);
}

SK_TEST(spawn_acts_on_the_childs_files_only)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	struct sk_abi_spawn_action actions[4] = { 0 };
	struct sk_abi_spawn attributes = { .action_count = 4 };
	sk_user cwd = rig_room(t, 16);

	put_program(t, "/prog");
	RIG(t, mkdirat, AT, rig_str(t, "/dir"), 0755);
	RIG(t, openat, AT, rig_str(t, "/prog"), 0, 0);
	RIG(t, openat, AT, rig_str(t, "/prog"), SK_O_CLOEXEC, 0);
	actions[0] = (struct sk_abi_spawn_action){
		.kind = SK_SPAWN_OPEN, .fd = 5, .path = rig_str(t, "/prog")
	};
	actions[1] = (struct sk_abi_spawn_action){ .kind = SK_SPAWN_DUP2,
						   .from = 1,
						   .fd = 1 };
	actions[2] =
		(struct sk_abi_spawn_action){ .kind = SK_SPAWN_CLOSE, .fd = 0 };
	actions[3] = (struct sk_abi_spawn_action){ .kind = SK_SPAWN_CHDIR,
						   .path = rig_str(t, "/dir") };
	attributes.actions = rig_put(t, actions, sizeof(actions));
	assert_int_equal(spawn(t, "../prog", &attributes, 0), 3);
	sk_exec_commit(r->last_started);
	assert_int_equal(RIG(r->last_started, close, 0), -SK_EBADF);
	assert_int_equal(RIG(r->last_started, close, 1), 0);
	assert_int_equal(RIG(r->last_started, close, 5), 0);
	assert_int_equal(RIG(t, close, 5), -SK_EBADF);
	assert_int_equal(RIG(t, close, 0), 0);
	assert_int_equal(RIG(t, getcwd, cwd, 16), 2);
	assert_string_equal(rig_at(t, cwd), "/");

	actions[3].path = rig_str(t, "/nowhere");
	attributes.actions = rig_put(t, actions, sizeof(actions));
	assert_int_equal(spawn(t, "../prog", &attributes, 0), -SK_ENOENT);
	rig_free(r);
}

SK_TEST(spawn_sets_group_mask_and_defaults)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init), *child;
	const struct sk_abi_sigaction ignore = { .handler = SK_SIG_IGN };
	const struct sk_abi_spawn attributes = {
		.flags = SK_SPAWN_SETPGROUP | SK_SPAWN_SETSIGMASK |
			 SK_SPAWN_SETSIGDEF,
		.sigmask = { SK_SIG_BIT(SK_SIGUSR2) },
		.sigdefault = { SK_SIG_BIT(SK_SIGUSR1) },
	};
	sk_user at;

	put_program(t, "/prog");
	RIG(t, rt_sigaction, SK_SIGUSR1, rig_put(t, &ignore, sizeof(ignore)), 0,
	    8);
	assert_int_equal(spawn(t, "/prog", &attributes, 0), 3);
	child = r->last_started;
	sk_exec_commit(child);
	assert_int_equal(RIG(child, getpgid, 0), 3);
	at = rig_room(child, 8);
	RIG(child, rt_sigprocmask, 0, 0, at, 8);
	assert_int_equal(*(uint64_t *)rig_at(child, at),
			 SK_SIG_BIT(SK_SIGUSR2));
	assert_int_equal(RIG(child, kill, 3, SK_SIGUSR1), RIG_EXITED);
	/* A child that has called exec stays in its group. */
	assert_int_equal(spawn(t, "/prog", NULL, 0), 4);
	sk_exec_commit(r->last_started);
	assert_int_equal(RIG(t, setpgid, 4, 0), -SK_EACCES);
	rig_free(r);
}

static void spawn_and_exec(uint32_t fail_at)
{
	struct rig *r = rig_new();
	struct sk_task *t = rig_fork(r, r->init);
	const struct sk_abi_spawn search = { .flags = SK_SPAWN_SEARCH };

	put_program(t, "/sh");
	put_script(t, "/prog", "#!/sh x\n");
	r->fail_at = fail_at;
	if (spawn(t, "prog", &search, VECTOR(t, "PATH=:/")) > 0)
		sk_exec_commit(r->last_started);
	if (exec(t, "/prog", VECTOR(t, "x"), VECTOR(t, "y")) == RIG_EXEC)
		sk_exec_commit(t);
	rig_free(r);
}

SK_TEST(spawn_and_exec_without_memory_leave_nothing_behind)
{
	rig_sweep(spawn_and_exec);
}
