/* SPDX-License-Identifier: BSD-2-Clause */
/* The system as a whole: its name, its figures, random bytes, prctl. */
#include "calls.h"
#include "copy.h"
#include "process.h"

#define PR_GET_DUMPABLE	    3
#define PR_SET_DUMPABLE	    4
#define PR_SET_NAME	    15
#define PR_GET_NAME	    16
#define PR_SET_NO_NEW_PRIVS 38
#define PR_GET_NO_NEW_PRIVS 39

#define GRND_FLAGS 7

int64_t sk_sys_uname(struct sk_task *t, const uint64_t *a)
{
	struct sk_abi_utsname name = {
		/* Its numbers and meanings are Linux's. */
		.sysname = "Linux",	.release = "6.1.0-selkie",
		.version = "#1 Selkie", .machine = "wasm32",
		.domainname = "(none)",
	};

	memcpy(name.nodename, sk_kernel_of(t)->hostname, sizeof(name.nodename));
	return sk_copy_out(t, (sk_user)a[0], &name, sizeof(name));
}

int64_t sk_sys_sethostname(struct sk_task *t, const uint64_t *a)
{
	char name[sizeof(sk_kernel_of(t)->hostname)] = { 0 };

	if (t->process->uid[1])
		return -SK_EPERM;
	if ((int32_t)a[1] < 0 || (uint32_t)a[1] > sizeof(name) - 1)
		return -SK_EINVAL;
	if (sk_copy_in(t, name, (sk_user)a[0], (uint32_t)a[1]))
		return -SK_EFAULT;
	memcpy(sk_kernel_of(t)->hostname, name, sizeof(name));
	return 0;
}

/* In units of 4 KiB: the kernel's limit may be 4 GiB and more. */
int64_t sk_sys_sysinfo(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	struct sk_abi_sysinfo info = { .mem_unit = 4096 };

	info.uptime =
		(uint32_t)((sk_now(k, SK_CLOCK_MONOTONIC) - k->boot_monotonic) /
			   1000000000);
	info.totalram = (uint32_t)(k->max_bytes / 4096);
	info.freeram = (uint32_t)((k->max_bytes - k->bytes) / 4096);
	info.procs = (uint16_t)k->process_count;
	return sk_copy_out(t, (sk_user)a[0], &info, sizeof(info));
}

int64_t sk_sys_getrandom(struct sk_task *t, const uint64_t *a)
{
	struct sk_kernel *k = sk_kernel_of(t);
	uint32_t size = (uint32_t)a[1], done = 0;
	uint8_t bytes[256];

	if ((uint32_t)a[2] & ~GRND_FLAGS)
		return -SK_EINVAL;
	if (size > INT32_MAX)
		size = INT32_MAX;
	while (done < size) {
		uint32_t part = size - done;

		if (part > sizeof(bytes))
			part = sizeof(bytes);
		k->host->random(k->self, bytes, part);
		if (sk_copy_out(t, (sk_user)a[0] + done, bytes, part))
			return done ? (int64_t)done : -SK_EFAULT;
		done += part;
	}
	return done;
}

static int64_t set_name(struct sk_task *t, sk_user from)
{
	char name[sizeof(t->process->name)];
	int64_t length = sk_copy_string(t, name, from, sizeof(name));

	if (length < 0 && length != -SK_ENAMETOOLONG)
		return length;
	name[sizeof(name) - 1] = 0;
	memcpy(t->process->name, name, sizeof(name));
	return 0;
}

int64_t sk_sys_prctl(struct sk_task *t, const uint64_t *a)
{
	switch ((int32_t)a[0]) {
	case PR_SET_NAME:
		return set_name(t, (sk_user)a[1]);
	case PR_GET_NAME:
		return sk_copy_out(t, (sk_user)a[1], t->process->name,
				   sizeof(t->process->name));
	case PR_GET_DUMPABLE:
		return 0;
	case PR_SET_DUMPABLE:
		return (uint32_t)a[1] > 1 ? -SK_EINVAL : 0;
	case PR_SET_NO_NEW_PRIVS:
		return (uint32_t)a[1] == 1 ? 0 : -SK_EINVAL;
	case PR_GET_NO_NEW_PRIVS:
		return 1; /* no program has more rights than its caller */
	}
	return -SK_EINVAL;
}
