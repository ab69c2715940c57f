/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sk_args: the block that a program begins with, as a 32-bit Linux has it on
 * the stack: argc, argv, 0, envp, 0, the auxiliary vector, then the bytes that
 * they point to.
 */
#include "calls.h"
#include "copy.h"
#include "exec.h"

enum {
	AT_NULL = 0,
	AT_PAGESZ = 6,
	AT_UID = 11,
	AT_EUID = 12,
	AT_GID = 13,
	AT_EGID = 14,
	AT_CLKTCK = 17,
	AT_SECURE = 23,
	AT_RANDOM = 25,
	AT_EXECFN = 31,
};

#define AUX_PAIRS    10
#define RANDOM_BYTES 16

const char *sk_args_execfn(const char *args, uint32_t strings)
{
	while (strings--)
		args += strlen(args) + 1;
	return args;
}

/* Where the parts begin, from the start of the block. */
struct layout {
	uint32_t aux, random, strings, size;
};

static struct layout lay_out(const struct sk_process *p)
{
	struct layout l;

	l.aux = 4 * (1 + p->argc + 1 + p->envc + 1);
	l.random = l.aux + 8 * AUX_PAIRS;
	l.strings = l.random + RANDOM_BYTES;
	l.size = (l.strings + p->args_size + 7) & ~7u;
	return l;
}

/* `count` pointers to the strings at `*string`, then a 0. */
static int put_pointers(struct sk_task *t, sk_user *to, sk_user *string,
			const char **at, uint32_t count)
{
	for (uint32_t i = 0; i <= count; i++) {
		sk_user pointer = i < count ? *string : 0;
		uint32_t size;

		if (sk_copy_out(t, *to, &pointer, 4))
			return -SK_EFAULT;
		*to += 4;
		if (i == count)
			return 0;
		size = (uint32_t)strlen(*at) + 1;
		*at += size;
		*string += size;
	}
	return 0;
}

static int put_aux(struct sk_task *t, sk_user block, const struct layout *l,
		   sk_user execfn)
{
	const struct sk_process *p = t->process;
	const uint32_t aux[AUX_PAIRS * 2] = {
		AT_PAGESZ,	   65536,     AT_CLKTCK, 100,	  AT_UID,
		p->uid[0],	   AT_EUID,   p->uid[1], AT_GID,  p->gid[0],
		AT_EGID,	   p->gid[1], AT_SECURE, 0,	  AT_RANDOM,
		block + l->random, AT_EXECFN, execfn,	 AT_NULL, 0,
	};

	return sk_copy_out(t, block + l->aux, aux, sizeof(aux));
}

static int put_block(struct sk_task *t, sk_user block, const struct layout *l)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_process *p = t->process;
	const char *at = p->args ? p->args : "";
	sk_user to = block + 4, string = block + l->strings;
	uint8_t random[RANDOM_BYTES];
	int error;

	k->host->random(k->self, random, sizeof(random));
	error = sk_copy_out(t, block, &p->argc, 4);
	if (!error)
		error = put_pointers(t, &to, &string, &at, p->argc);
	if (!error)
		error = put_pointers(t, &to, &string, &at, p->envc);
	if (!error)
		error = put_aux(t, block, l, string);
	if (!error)
		error = sk_copy_out(t, block + l->random, random,
				    sizeof(random));
	if (!error)
		error = sk_copy_out(t, block + l->strings, p->args,
				    p->args_size);
	return error;
}

int64_t sk_sys_sk_args(struct sk_task *t, const uint64_t *a)
{
	struct layout l = lay_out(t->process);
	int error;

	if ((uint32_t)a[1] < l.size)
		return a[1] ? -SK_ERANGE : (int64_t)l.size;
	error = put_block(t, (sk_user)a[0], &l);
	return error ? error : (int64_t)l.size;
}
