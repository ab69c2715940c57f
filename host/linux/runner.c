/* SPDX-License-Identifier: BSD-2-Clause */
#undef _FORTIFY_SOURCE /* longjmp from frames that a signal handler made */
#include "host/linux/runner.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/linux/futex.h"
#include "host/linux/images.h"
#include "host/linux/traps.h"

#define STACK_SIZE   (8 << 20)
#define KERNEL_STACK (128 << 10) /* what a call of the kernel may use */
#define IDLE_MAX     64

__thread struct sk_runner *sk_runner_current;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sk_runner *idle, *all;
static unsigned idle_count;

void sk_runner_leave(struct sk_runner *r, enum sk_leave why)
{
	longjmp(r->base, why);
}

void sk_runner_adopt(struct sk_runner *r, struct sk_task *task)
{
	struct sk_face *face = sk_task_face(task);

	r->task = task;
	r->imports.attention = (const volatile uint32_t *)&face->attention;
	face->host = r;
}

static int64_t cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The instance lies so that its memory's struct is where wasm-rt.h says. */
static void place_instance(struct sk_runner *r)
{
	r->instance = r->window->memory - SK_GUEST_MEMORY - r->object->memory;
}

static void load_next(struct sk_runner *r)
{
	struct sk_face *face = sk_task_face(r->task);

	if (r->commit)
		sk_exec_commit(r->task);
	r->commit = 0;
	r->object = r->next;
	r->next = NULL;
	place_instance(r);
	memset(r->instance, 0, r->object->instance_size);
	face->memory = r->window->memory;
	r->object->instantiate(r->instance, &r->imports);
}

static struct sk_runner *fork_child(struct sk_runner *r, struct sk_task *task)
{
	struct sk_runner *child = sk_runner_new();
	const struct sk_object *object = r->object;
	uint8_t *from = r->instance, *to;
	wasm_rt_memory_t *memory;
	wasm_rt_funcref_table_t *table;
	uint32_t i;

	if (!child)
		return NULL;
	child->object = object;
	memcpy(child->name, r->name, sizeof(child->name));
	place_instance(child);
	to = child->instance;
	memcpy(to, from, object->instance_size);
	memory = (wasm_rt_memory_t *)(to + object->memory);
	memory->data = child->window->memory;
	*(void **)(to + object->import) = &child->imports;
	if (sk_window_copy(child->window, r->window, memory->size,
			   *(uint32_t *)(from + object->stack_pointer)))
		goto failed;
	if (object->table) {
		table = (wasm_rt_funcref_table_t *)(to + object->table);
		table->data = sk_window_table(child->window, table->size);
		if (!table->data && table->size)
			goto failed;
		for (i = 0; i < table->size; i++) {
			table->data[i] = r->window->table[i];
			table->data[i].module_instance = to;
		}
	}
	sk_task_face(task)->memory = memory->data;
	atomic_store(&sk_task_face(task)->memory_size, (uint32_t)memory->size);
	sk_runner_adopt(child, task);
	child->unwinding = SK_UNWIND_BACK;
	child->fork_result = 0;
	return child;
failed:
	sk_runner_drop(child);
	return NULL;
}

/* The program's stack is in its memory now. */
static void fork_now(struct sk_runner *r)
{
	struct sk_runner *child;
	struct sk_task *task;
	int64_t pid;

	r->object->stop_unwind(r->instance);
	pid = sk_fork(r->task, &task);
	if (pid >= 0) {
		child = fork_child(r, task);
		if (child) {
			sk_runner_go(child);
		} else {
			sk_fork_undo(task);
			pid = -SK_EAGAIN;
		}
	}
	r->fork_result = (int32_t)pid;
	r->unwinding = SK_UNWIND_BACK;
}

static void exit_group(struct sk_runner *r, int status)
{
	const uint64_t args[6] = { (uint64_t)status };

	sk_call(r->task, SK_SYS_exit_group, args);
}

/* Runs until the program is left by its own return. */
static void run_program(struct sk_runner *r)
{
	for (;;) {
		if (r->unwinding == SK_UNWIND_BACK)
			r->object->start_rewind(
				r->instance,
				r->object->fork_buffer(r->instance));
		r->object->start(r->instance);
		if (r->unwinding != SK_UNWIND_OUT)
			break;
		fork_now(r);
	}
	exit_group(r, 0);
}

/* The stack is gone, and with it what a handler could return to. */
static void overflow(struct sk_runner *r)
{
	r->nested = 0;
	r->trap = (struct sk_trap){ SK_SIGSEGV, 2, 0, r->trap.pc,
				    "stack overflow" };
	sk_runner_trap(r);
}

static void run_task(struct sk_runner *r)
{
	/* volatile: it is read after a longjmp. */
	volatile int why = setjmp(r->base);

	r->target = NULL;
	r->nested = 0;
	switch (why) {
	case 0:
	case SK_LEAVE_EXEC:
		r->unwinding = r->next ? SK_UNWIND_NOT : r->unwinding;
		if (r->next)
			load_next(r);
		run_program(r);
		break;
	case SK_LEAVE_OVERFLOW:
		overflow(r);
		break;
	default:
		break;
	}
	if (r->parent) { /* a vfork child was killed: so is who shares it */
		struct sk_task *child = r->task;

		r->task = r->parent;
		r->parent = NULL;
		sk_task_end(child);
		exit_group(r, 128 + SK_SIGKILL);
	}
}

static int become_idle(struct sk_runner *r)
{
	int stay;

	pthread_mutex_lock(&lock);
	stay = idle_count < IDLE_MAX;
	if (stay) {
		r->next_idle = idle;
		idle = r;
		idle_count++;
	} else {
		if (r->all_next)
			r->all_next->all_prev = r->all_prev;
		if (r->all_prev)
			r->all_prev->all_next = r->all_next;
		else
			all = r->all_next;
	}
	pthread_mutex_unlock(&lock);
	return stay;
}

static void *thread_main(void *arg)
{
	struct sk_runner *r = arg;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	r->tid = (pid_t)syscall(SYS_gettid);
	r->stack_end = here - STACK_SIZE + SK_STACK_GUARD;
	r->stack_mark = r->stack_end + KERNEL_STACK;
	sk_runner_current = r;
	sk_traps_thread(r->signal_stack);
	do {
		struct sk_task *task;

		while (!atomic_load(&r->go))
			sk_futex_wait(&r->go, 0, SK_NEVER);
		atomic_store(&r->go, 0);
		r->cpu_base = cpu_now();
		run_task(r);
		task = r->task;
		r->task = NULL;
		atomic_store(&r->killed, 0);
		sk_window_put(r->window);
		r->window = NULL;
		sk_task_end(task);
	} while (become_idle(r));
	sk_traps_thread(NULL);
	munmap(r->signal_stack, SK_SIGNAL_STACK);
	free(r);
	return NULL;
}

static struct sk_runner *make_runner(void)
{
	struct sk_runner *r = calloc(1, sizeof(*r));
	pthread_attr_t attributes;
	int err;

	if (!r)
		return NULL;
	r->signal_stack = mmap(NULL, SK_SIGNAL_STACK, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r->signal_stack == MAP_FAILED)
		goto no_stack;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	pthread_attr_setguardsize(&attributes, SK_STACK_GUARD);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&r->thread, &attributes, thread_main, r);
	pthread_attr_destroy(&attributes);
	if (err)
		goto no_thread;
	pthread_mutex_lock(&lock);
	r->all_next = all;
	if (all)
		all->all_prev = r;
	all = r;
	pthread_mutex_unlock(&lock);
	return r;
no_thread:
	munmap(r->signal_stack, SK_SIGNAL_STACK);
no_stack:
	free(r);
	return NULL;
}

struct sk_runner *sk_runner_new(void)
{
	struct sk_window *window = sk_window_get();
	struct sk_runner *r;

	if (!window)
		return NULL;
	pthread_mutex_lock(&lock);
	r = idle;
	if (r) {
		idle = r->next_idle;
		idle_count--;
	}
	pthread_mutex_unlock(&lock);
	if (!r)
		r = make_runner();
	if (!r) {
		sk_window_put(window);
		return NULL;
	}
	r->window = window;
	r->unwinding = SK_UNWIND_NOT;
	r->object = r->next = NULL;
	r->commit = 0;
	return r;
}

void sk_runner_program(struct sk_runner *r, const struct sk_object *object)
{
	snprintf(r->name, sizeof(r->name), "%.63s", sk_image(r->task)->name);
	r->next = object;
	r->commit = 1;
}

void sk_runner_go(struct sk_runner *r)
{
	atomic_store(&r->go, 1);
	sk_futex_wake(&r->go);
}

void sk_runner_drop(struct sk_runner *r)
{
	sk_window_put(r->window);
	r->window = NULL;
	pthread_mutex_lock(&lock);
	r->next_idle = idle;
	idle = r;
	idle_count++;
	pthread_mutex_unlock(&lock);
}

int sk_runner_start(void *self, struct sk_task *child)
{
	const struct sk_object *object;
	struct sk_runner *r;
	int err = sk_images_load(child, &object);

	(void)self;
	if (err)
		return err;
	r = sk_runner_new();
	if (!r)
		return -SK_ENOMEM;
	sk_runner_adopt(r, child);
	sk_runner_program(r, object);
	sk_runner_go(r);
	return 0;
}

void sk_runner_terminate(void *self, struct sk_task *task)
{
	struct sk_runner *r = sk_task_face(task)->host;

	(void)self;
	if (!r)
		return;
	atomic_store(&r->killed, 1);
	syscall(SYS_tgkill, getpid(), r->tid, SK_KILL_SIGNAL);
}

int sk_runners_kill_again(void)
{
	struct sk_runner *r;
	int some = 0;

	pthread_mutex_lock(&lock);
	for (r = all; r; r = r->all_next) {
		if (!atomic_load(&r->killed))
			continue;
		some = 1;
		syscall(SYS_tgkill, getpid(), r->tid, SK_KILL_SIGNAL);
	}
	pthread_mutex_unlock(&lock);
	return some;
}
