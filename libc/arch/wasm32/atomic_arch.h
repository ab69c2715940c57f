/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Without threads the compiler makes plain loads and stores of these, and
 * instructions of WebAssembly's threads once it is told that there are any.
 */
#define a_cas a_cas
static inline int a_cas(volatile int *p, int test, int set)
{
	return __sync_val_compare_and_swap(p, test, set);
}

#define a_swap a_swap
static inline int a_swap(volatile int *p, int v)
{
	return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);
}

#define a_fetch_add a_fetch_add
static inline int a_fetch_add(volatile int *p, int v)
{
	return __sync_fetch_and_add(p, v);
}

#define a_and a_and
static inline void a_and(volatile int *p, int v)
{
	__sync_fetch_and_and(p, v);
}

#define a_or a_or
static inline void a_or(volatile int *p, int v)
{
	__sync_fetch_and_or(p, v);
}

#define a_store a_store
static inline void a_store(volatile int *p, int v)
{
	__atomic_store_n(p, v, __ATOMIC_SEQ_CST);
}

#define a_barrier a_barrier
static inline void a_barrier(void)
{
	__sync_synchronize();
}

#define a_crash a_crash
static inline void a_crash(void)
{
	__builtin_trap();
}

#define a_clz_32 a_clz_32
static inline int a_clz_32(uint32_t x)
{
	return __builtin_clz(x);
}

#define a_ctz_32 a_ctz_32
static inline int a_ctz_32(uint32_t x)
{
	return __builtin_ctz(x);
}

#define a_ctz_64 a_ctz_64
static inline int a_ctz_64(uint64_t x)
{
	return __builtin_ctzll(x);
}
