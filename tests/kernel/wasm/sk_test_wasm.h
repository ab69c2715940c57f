/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What sk_test.h is where no operating system is: each test is an export that
 * Node calls in an instance of its own (run.mjs), and the assertions are ours.
 */
#ifndef SK_TEST_WASM_H
#define SK_TEST_WASM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SK_TEST(test_name)                                                     \
	__attribute__((export_name("test " #test_name))) void test_name(void); \
	void test_name(void)

_Noreturn void sk_wasm_fail(const char *file, int line, const char *what);
void sk_wasm_equal(int64_t a, int64_t b, const char *file, int line,
		   const char *what);

#define SK_CHECK(condition, what)                                              \
	((condition) ? (void)0 : sk_wasm_fail(__FILE__, __LINE__, what))
#define assert_true(a)	   SK_CHECK(a, #a)
#define assert_false(a)	   SK_CHECK(!(a), "not " #a)
#define assert_null(a)	   SK_CHECK(!(a), #a " is NULL")
#define assert_non_null(a) SK_CHECK(a, #a " is not NULL")
#define assert_int_equal(a, b)                                                 \
	sk_wasm_equal((int64_t)(a), (int64_t)(b), __FILE__, __LINE__, #a)
#define assert_string_equal(a, b)	    SK_CHECK(!strcmp(a, b), #a)
#define assert_memory_equal(a, b, size)	    SK_CHECK(!memcmp(a, b, size), #a)
#define assert_memory_not_equal(a, b, size) SK_CHECK(memcmp(a, b, size), #a)

#endif
