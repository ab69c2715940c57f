/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SK_WASM_STDIO_H
#define SK_WASM_STDIO_H
#include <stddef.h>
size_t sk_format(char *to, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void sk_wasm_log(const char *line);
#define snprintf(...)	 ((int)sk_format(__VA_ARGS__))
#define sprintf(to, ...) ((int)sk_format(to, 1024, __VA_ARGS__))
#define stderr		 2
#define fprintf(stream, ...)                                                   \
	do {                                                                   \
		char line_[256];                                               \
		sk_format(line_, sizeof(line_), __VA_ARGS__);                  \
		sk_wasm_log(line_);                                            \
	} while (0)
#endif
