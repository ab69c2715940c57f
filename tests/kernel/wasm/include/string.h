/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SK_WASM_STRING_H
#define SK_WASM_STRING_H
#include <stddef.h>
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *s, int byte, size_t size);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strcat(char *to, const char *from);
char *strcpy(char *to, const char *from);
char *strstr(const char *in, const char *what);
#endif
