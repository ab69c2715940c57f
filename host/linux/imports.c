/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's calls as programs see them. Each begins by looking whether the
 * thread's stack has room for the kernel: an overflow must never happen while
 * the kernel's lock is held.
 */
#include "host/linux/imports.h"

#include <stddef.h>

#include "host/linux/images.h"
#include "host/linux/runner.h"

static inline struct sk_runner *enter(struct w2c_kernel *kernel)
{
	struct sk_runner *r = (struct sk_runner *)kernel;

	if (__builtin_expect(
		    (uintptr_t)__builtin_frame_address(0) < r->stack_mark, 0))
		sk_runner_leave(r, SK_LEAVE_OVERFLOW);
	return r;
}

/* What a call answers that is not for the program. */
static __attribute__((noinline)) int64_t settle(struct sk_runner *r,
						int64_t result, uint32_t call)
{
	int32_t child;

	while (result == SK_CALL_PARK) {
		sk_task_park(r->task);
		result = sk_call_again(r->task);
	}
	if (result != SK_CALL_EXIT)
		return result;
	if (!r->parent)
		sk_runner_leave(r, SK_LEAVE_EXIT);
	child = sk_task_pid(r->task);
	sk_runner_child_over(r,
			     call == SK_SYS_exit_group || call == SK_SYS_exit);
	return child;
}

uint64_t w2c_kernel_syscall(struct w2c_kernel *kernel, uint32_t n, uint64_t a,
			    uint64_t b, uint64_t c, uint64_t d, uint64_t e,
			    uint64_t f)
{
	struct sk_runner *r = enter(kernel);
	const uint64_t args[6] = { a, b, c, d, e, f };
	int64_t result = sk_call(r->task, n, args);

	if (__builtin_expect(result <= SK_CALL_EXEC, 0))
		result = settle(r, result, n);
	return (uint64_t)result;
}

uint32_t w2c_kernel_nextsig(struct w2c_kernel *kernel, uint32_t frame)
{
	struct sk_runner *r = enter(kernel);
	int64_t result;

	while ((result = sk_next_signal(r->task, frame)) == SK_CALL_PARK)
		sk_task_park(r->task);
	if (result == SK_CALL_EXIT)
		result = settle(r, result, 0);
	return (uint32_t)result;
}

/* The child of a vfork gets a thread of its own at last. */
static int64_t exec_child(struct sk_runner *r, const struct sk_object *object)
{
	struct sk_task *child = r->task;
	int32_t pid = sk_task_pid(child);
	struct sk_runner *own = sk_runner_new();

	if (!own)
		return sk_exec_fail(child, -SK_ENOMEM);
	sk_runner_adopt(own, child);
	sk_runner_program(own, object);
	sk_runner_adopt(r, r->parent);
	r->parent = NULL;
	sk_runner_go(own);
	return pid;
}

uint32_t w2c_kernel_exec(struct w2c_kernel *kernel, uint32_t path,
			 uint32_t argv, uint32_t envp)
{
	struct sk_runner *r = enter(kernel);
	int64_t result = sk_exec(r->task, path, argv, envp);
	const struct sk_object *object;
	int err;

	while (result == SK_CALL_PARK) {
		sk_task_park(r->task);
		result = sk_call_again(r->task);
	}
	if (result == SK_CALL_EXIT)
		return (uint32_t)settle(r, result, 0);
	if (result != SK_CALL_EXEC)
		return (uint32_t)result;
	err = sk_images_load(r->task, &object);
	if (err)
		return (uint32_t)sk_exec_fail(r->task, err);
	if (r->parent)
		return (uint32_t)exec_child(r, object);
	sk_runner_program(r, object);
	sk_runner_leave(r, SK_LEAVE_EXEC);
}

uint32_t w2c_kernel_fork(struct w2c_kernel *kernel)
{
	struct sk_runner *r = enter(kernel);

	if (r->unwinding == SK_UNWIND_BACK) {
		r->unwinding = SK_UNWIND_NOT;
		r->object->stop_rewind(r->instance);
		return (uint32_t)r->fork_result;
	}
	/* Frames of the host's own, or a parent's, cannot be copied. */
	if (!r->object->start_unwind || r->nested || r->parent)
		return (uint32_t)-SK_EAGAIN;
	r->unwinding = SK_UNWIND_OUT;
	r->object->start_unwind(r->instance,
				r->object->fork_buffer(r->instance));
	return 0;
}

uint32_t w2c_kernel_vfork(struct w2c_kernel *kernel)
{
	struct sk_runner *r = enter(kernel);
	struct sk_task *parent = r->task, *child;
	int64_t pid;

	if (r->parent)
		return (uint32_t)-SK_EAGAIN;
	pid = sk_fork(parent, &child);
	if (pid < 0)
		return (uint32_t)pid;
	sk_runner_adopt(r, child);
	r->parent = parent;
	sk_task_face(child)->memory = sk_task_face(parent)->memory;
	atomic_store(&sk_task_face(child)->memory_size,
		     atomic_load(&sk_task_face(parent)->memory_size));
	return 0;
}

void sk_runner_child_over(struct sk_runner *r, int by_exit)
{
	struct sk_task *child = r->task;
	int32_t pid = sk_task_pid(child);

	sk_runner_adopt(r, r->parent);
	r->parent = NULL;
	sk_task_end(child);
	if (by_exit)
		return; /* libc goes on as the parent by itself */
	if (r->object->vfork_over)
		r->object->vfork_over(r->instance, (uint32_t)pid);
	sk_runner_leave(r, SK_LEAVE_EXIT);
}
