/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's one lock: 0 free, 1 held, 2 held and somebody may wait for it.
 *
 * Who is to be woken (wait.c) is noted while the lock is held and woken after
 * it was given back, so that a woken task does not run into the lock. A noted
 * word may be gone by then: waking is an address and a look-up, no access.
 */
#include "state.h"

/* How often to look before sleeping: about 2 us, as long as most calls. */
#define SPINS 200

#if defined(__x86_64__)
#define relax() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define relax() __asm__ volatile("yield")
#else
#define relax() atomic_signal_fence(memory_order_seq_cst)
#endif

static bool take(struct sk_kernel *k)
{
	uint32_t free = 0;

	return atomic_compare_exchange_strong_explicit(
		&k->lock, &free, 1, memory_order_acquire, memory_order_relaxed);
}

bool sk_lock_try(struct sk_kernel *k)
{
	return take(k);
}

void sk_lock(struct sk_kernel *k)
{
	if (take(k))
		return;
	for (int i = 0; i < SPINS; i++) {
		relax();
		if (!atomic_load_explicit(&k->lock, memory_order_relaxed) &&
		    take(k))
			return;
	}
	while (atomic_exchange_explicit(&k->lock, 2, memory_order_acquire))
		k->host->wait(k->self, &k->lock, 2, SK_NEVER);
}

void sk_unlock(struct sk_kernel *k)
{
	_Atomic uint32_t *words[SK_WAKES];
	uint32_t count = k->wake_count;

	for (uint32_t i = 0; i < count; i++)
		words[i] = k->wakes[i];
	k->wake_count = 0;
	if (atomic_exchange_explicit(&k->lock, 0, memory_order_release) == 2)
		k->host->wake(k->self, &k->lock);
	for (uint32_t i = 0; i < count; i++)
		k->host->wake(k->self, words[i]);
}

void sk_lock_breathe(struct sk_kernel *k)
{
	if (atomic_load_explicit(&k->lock, memory_order_relaxed) != 2 &&
	    !k->wake_count)
		return;
	sk_unlock(k);
	sk_lock(k);
}

void sk_lock_wake(struct sk_kernel *k, _Atomic uint32_t *word)
{
	if (k->wake_count < SK_WAKES)
		k->wakes[k->wake_count++] = word;
	else
		k->host->wake(k->self, word);
}
