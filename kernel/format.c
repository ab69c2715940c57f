/* SPDX-License-Identifier: BSD-2-Clause */
/* sk_format: the part of snprintf that the kernel's own texts need. */
#include <stdarg.h>

#include "state.h"

struct out {
	char *to;
	size_t size, at; /* at: what all would take */
};

static void put(struct out *o, char c)
{
	if (o->at + 1 < o->size)
		o->to[o->at] = c;
	o->at++;
}

static void pad(struct out *o, char with, int count)
{
	while (count-- > 0)
		put(o, with);
}

struct spec {
	int width;
	bool zero, left;
};

static void put_string(struct out *o, const struct spec *s, const char *text)
{
	int length = (int)strlen(text);

	if (!s->left)
		pad(o, ' ', s->width - length);
	for (const char *at = text; *at; at++)
		put(o, *at);
	if (s->left)
		pad(o, ' ', s->width - length);
}

static void put_number(struct out *o, const struct spec *s, uint64_t value,
		       unsigned base, bool negative)
{
	char digits[24];
	int length = 0, width = s->width - negative;

	do
		digits[length++] = "0123456789abcdef"[value % base];
	while (value /= base);
	if (!s->left && !s->zero)
		pad(o, ' ', width - length);
	if (negative)
		put(o, '-');
	if (s->zero && !s->left)
		pad(o, '0', width - length);
	for (int i = length; i-- > 0;)
		put(o, digits[i]);
	if (s->left)
		pad(o, ' ', width - length);
}

static const char *read_spec(const char *at, struct spec *s, int *longs)
{
	*s = (struct spec){ 0 };
	*longs = 0;
	for (; *at == '0' || *at == '-'; at++) {
		s->zero |= *at == '0';
		s->left |= *at == '-';
	}
	for (; *at >= '0' && *at <= '9'; at++)
		s->width = s->width * 10 + (*at - '0');
	for (; *at == 'l'; at++)
		++*longs;
	return at;
}

static uint64_t next_unsigned(va_list *args, int longs)
{
	if (longs == 2)
		return va_arg(*args, unsigned long long);
	return longs ? va_arg(*args, unsigned long)
		     : va_arg(*args, unsigned int);
}

static int64_t next_signed(va_list *args, int longs)
{
	if (longs == 2)
		return va_arg(*args, long long);
	return longs ? va_arg(*args, long) : va_arg(*args, int);
}

static void put_one(struct out *o, char kind, const struct spec *s, int longs,
		    va_list *args)
{
	int64_t value;

	switch (kind) {
	case 'd':
	case 'i':
		value = next_signed(args, longs);
		put_number(o, s,
			   value < 0 ? 0 - (uint64_t)value : (uint64_t)value,
			   10, value < 0);
		break;
	case 'u':
		put_number(o, s, next_unsigned(args, longs), 10, false);
		break;
	case 'x':
		put_number(o, s, next_unsigned(args, longs), 16, false);
		break;
	case 'o':
		put_number(o, s, next_unsigned(args, longs), 8, false);
		break;
	case 's':
		put_string(o, s, va_arg(*args, const char *));
		break;
	case 'c':
		put(o, (char)va_arg(*args, int));
		break;
	default:
		put(o, kind);
	}
}

size_t sk_format(char *to, size_t size, const char *format, ...)
{
	struct out o = { .to = to, .size = size };
	struct spec s;
	va_list args;
	int longs;

	va_start(args, format);
	for (; *format; format++) {
		if (*format != '%') {
			put(&o, *format);
			continue;
		}
		format = read_spec(format + 1, &s, &longs);
		put_one(&o, *format, &s, longs, &args);
	}
	va_end(args);
	if (size)
		to[o.at < size ? o.at : size - 1] = 0;
	return o.at;
}
