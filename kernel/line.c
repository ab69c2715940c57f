/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line discipline: from what is typed to what is read, with its echo; and
 * from what is written to what is shown.
 *
 * `in` is a ring with a mark per byte. Its first `committed` bytes can be
 * read; what lies behind them is the line that is being edited (in raw mode
 * that part is empty). A marked byte ends a line. ^D is a marked NUL, which
 * ends a line and is itself never read; a NUL that was typed has no mark.
 */
#include "tty.h"

#define ESCAPED 0x40

static bool has(const struct sk_tty *tty, uint32_t lflag)
{
	return tty->termios.lflag & lflag;
}

/* Whether a byte is one of the special characters (0 is none). */
static bool is(const struct sk_tty *tty, enum sk_tty_char which, uint8_t c)
{
	return c && c == tty->termios.cc[which];
}

static bool is_control(uint8_t c)
{
	return c < ' ' || c == 127;
}

/* A byte that continues a character of UTF-8 takes no column. */
static bool continues(const struct sk_tty *tty, uint8_t c)
{
	return (tty->termios.iflag & SK_IUTF8) && (c & 0xc0) == 0x80;
}

/* Output. */

static void show(struct sk_tty *tty, uint8_t c)
{
	sk_buffer_put(&tty->out, c);
}

static void show_tab(struct sk_tty *tty)
{
	uint32_t spaces = 8 - tty->column % 8;

	tty->column += spaces;
	if ((tty->termios.oflag & SK_TABDLY) != SK_TABDLY) {
		show(tty, '\t');
		return;
	}
	while (spaces--)
		show(tty, ' ');
}

static void show_return(struct sk_tty *tty)
{
	uint32_t oflag = tty->termios.oflag;

	if ((oflag & SK_ONOCR) && !tty->column)
		return;
	if (oflag & SK_OCRNL) {
		if (oflag & SK_ONLRET)
			tty->column = 0;
		show(tty, '\n');
		return;
	}
	tty->column = 0;
	show(tty, '\r');
}

static void show_processed(struct sk_tty *tty, uint8_t c)
{
	uint32_t oflag = tty->termios.oflag;

	if (!(oflag & SK_OPOST)) {
		show(tty, c);
		return;
	}
	switch (c) {
	case '\n':
		if (oflag & SK_ONLCR)
			show(tty, '\r');
		if (oflag & (SK_ONLCR | SK_ONLRET))
			tty->column = 0;
		show(tty, '\n');
		return;
	case '\r':
		show_return(tty);
		return;
	case '\t':
		show_tab(tty);
		return;
	case '\b':
		if (tty->column)
			tty->column--;
		break;
	default:
		if ((oflag & SK_OLCUC) && c >= 'a' && c <= 'z')
			c = (uint8_t)(c - 'a' + 'A');
		if (!is_control(c) && !continues(tty, c))
			tty->column++;
	}
	show(tty, c);
}

void sk_line_output(struct sk_tty *tty, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		show_processed(tty, bytes[i]);
}

/* Echo. */

static bool shown_escaped(const struct sk_tty *tty, uint8_t c)
{
	return has(tty, SK_ECHOCTL) && is_control(c) && c != '\t' &&
	       c != '\n';
}

static void echo(struct sk_tty *tty, uint8_t c)
{
	if (!has(tty, SK_ECHO))
		return;
	if (shown_escaped(tty, c)) {
		show_processed(tty, '^');
		c ^= ESCAPED;
	}
	show_processed(tty, c);
}

static void echo_newline(struct sk_tty *tty)
{
	if (has(tty, SK_ECHO) || (has(tty, SK_ECHONL) && has(tty, SK_ICANON)))
		show_processed(tty, '\n');
}

/* The ring. */

static uint32_t place(const struct sk_tty *tty, uint32_t at)
{
	return (tty->in.head + at) & (SK_LINE_SIZE - 1);
}

static bool ends_at(const struct sk_tty *tty, uint32_t at)
{
	uint32_t p = place(tty, at);

	return tty->in.ends[p / 32] >> p % 32 & 1;
}

static void set_end(struct sk_tty *tty, uint32_t at, bool end)
{
	uint32_t p = place(tty, at), bit = 1u << p % 32;

	if (end)
		tty->in.ends[p / 32] |= bit;
	else
		tty->in.ends[p / 32] &= ~bit;
}

static uint8_t byte_at(const struct sk_tty *tty, uint32_t at)
{
	return tty->in.bytes[place(tty, at)];
}

static void store(struct sk_tty *tty, uint8_t c, bool end)
{
	struct sk_line *in = &tty->in;

	if (in->used == SK_LINE_SIZE)
		return;
	in->bytes[place(tty, in->used)] = c;
	set_end(tty, in->used, end);
	in->used++;
	if (end)
		in->lines++;
	if (end || !has(tty, SK_ICANON))
		in->committed = in->used;
}

static void bell(struct sk_tty *tty)
{
	if (tty->termios.iflag & SK_IMAXBEL)
		show(tty, 7);
}

/* Stores a byte of a line that goes on; the last place is for its end. */
static void store_typed(struct sk_tty *tty, uint8_t c)
{
	if (has(tty, SK_ICANON) && tty->in.used >= SK_LINE_SIZE - 1) {
		bell(tty);
		return;
	}
	if (tty->in.used == tty->in.committed)
		tty->line_column = tty->column;
	echo(tty, c);
	store(tty, c, false);
}

static void store_end(struct sk_tty *tty, uint8_t c)
{
	store(tty, c, true);
}

/* Editing. */

static uint32_t column_after(const struct sk_tty *tty, uint32_t end)
{
	uint32_t column = tty->line_column;

	for (uint32_t at = tty->in.committed; at < end; at++) {
		uint8_t c = byte_at(tty, at);

		if (c == '\t')
			column += 8 - column % 8;
		else if (shown_escaped(tty, c))
			column += 2;
		else if (!is_control(c) && !continues(tty, c))
			column++;
	}
	return column;
}

/* Takes the youngest character off, with its picture when `shown`. */
static void rub_out(struct sk_tty *tty, bool shown)
{
	struct sk_line *in = &tty->in;
	uint32_t before = column_after(tty, in->used), after;
	bool tab;

	do
		in->used--;
	while (in->used > in->committed &&
	       continues(tty, byte_at(tty, in->used)));
	if (!shown)
		return;
	tab = byte_at(tty, in->used) == '\t';
	for (after = column_after(tty, in->used); before > after; before--) {
		show(tty, '\b');
		if (!tab) {
			show(tty, ' ');
			show(tty, '\b');
		}
		if (tty->column)
			tty->column--;
	}
}

static bool editing(const struct sk_tty *tty)
{
	return tty->in.used > tty->in.committed;
}

static void erase(struct sk_tty *tty)
{
	if (!editing(tty))
		return;
	rub_out(tty, has(tty, SK_ECHO) && has(tty, SK_ECHOE));
	if (has(tty, SK_ECHO) && !has(tty, SK_ECHOE))
		echo(tty, tty->termios.cc[SK_VERASE]);
}

static void erase_line(struct sk_tty *tty)
{
	bool picture = has(tty, SK_ECHO) && has(tty, SK_ECHOK) &&
		       has(tty, SK_ECHOKE) && has(tty, SK_ECHOE);

	while (editing(tty))
		rub_out(tty, picture);
	if (picture)
		return;
	echo(tty, tty->termios.cc[SK_VKILL]);
	if (has(tty, SK_ECHOK))
		echo_newline(tty);
}

static bool in_word(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static void erase_word(struct sk_tty *tty)
{
	bool picture = has(tty, SK_ECHO) && has(tty, SK_ECHOE);
	bool seen = false;

	while (editing(tty)) {
		bool word = in_word(byte_at(tty, tty->in.used - 1));

		if (seen && !word)
			break;
		seen |= word;
		rub_out(tty, picture);
	}
}

static void reprint(struct sk_tty *tty)
{
	echo(tty, tty->termios.cc[SK_VREPRINT]);
	show_processed(tty, '\n');
	tty->line_column = tty->column;
	for (uint32_t at = tty->in.committed; at < tty->in.used; at++)
		echo(tty, byte_at(tty, at));
}

/* Input: each of these says whether the byte was its own. */

static bool input_flow(struct sk_tty *tty, uint8_t c)
{
	bool stops = is(tty, SK_VSTOP, c), starts = is(tty, SK_VSTART, c);

	if (!(tty->termios.iflag & SK_IXON))
		return false;
	if (stops && !(starts && tty->stopped)) {
		tty->stopped = true;
		return true;
	}
	if (tty->stopped && (starts || (tty->termios.iflag & SK_IXANY)))
		tty->stopped = false;
	return starts;
}

static bool input_signal(struct sk_tty *tty, uint8_t c)
{
	int signo;

	if (!has(tty, SK_ISIG))
		return false;
	if (is(tty, SK_VINTR, c))
		signo = SK_SIGINT;
	else if (is(tty, SK_VQUIT, c))
		signo = SK_SIGQUIT;
	else if (is(tty, SK_VSUSP, c))
		signo = SK_SIGTSTP;
	else
		return false;
	if (!has(tty, SK_NOFLSH)) {
		sk_line_flush(tty);
		sk_buffer_drop(&tty->out, tty->out.used);
	}
	tty->stopped = false;
	echo(tty, c);
	sk_tty_signal(tty, signo);
	return true;
}

static bool input_edit(struct sk_tty *tty, uint8_t c)
{
	if (is(tty, SK_VERASE, c))
		erase(tty);
	else if (is(tty, SK_VKILL, c))
		erase_line(tty);
	else if (has(tty, SK_IEXTEN) && is(tty, SK_VWERASE, c))
		erase_word(tty);
	else if (has(tty, SK_IEXTEN) && has(tty, SK_ECHO) &&
		 is(tty, SK_VREPRINT, c))
		reprint(tty);
	else
		return false;
	return true;
}

static bool input_end(struct sk_tty *tty, uint8_t c)
{
	if (c == '\n') {
		echo_newline(tty);
		store_end(tty, c);
	} else if (is(tty, SK_VEOF, c)) {
		store_end(tty, 0);
	} else if (is(tty, SK_VEOL, c) ||
		   (has(tty, SK_IEXTEN) && is(tty, SK_VEOL2, c))) {
		echo(tty, c);
		store_end(tty, c);
	} else {
		return false;
	}
	return true;
}

/* The byte that ISTRIP, ICRNL and their kind make of it; -1: none. */
static int translate(const struct sk_tty *tty, uint8_t c)
{
	uint32_t iflag = tty->termios.iflag;

	if ((iflag & SK_IUCLC) && has(tty, SK_IEXTEN) && c >= 'A' && c <= 'Z')
		return c - 'A' + 'a';
	if (c == '\r')
		return iflag & SK_IGNCR ? -1 : iflag & SK_ICRNL ? '\n' : '\r';
	if (c == '\n' && (iflag & SK_INLCR))
		return '\r';
	return c;
}

void sk_line_input(struct sk_tty *tty, uint8_t byte)
{
	int c;

	if (tty->termios.iflag & SK_ISTRIP)
		byte &= 0x7f;
	if (tty->in.literal) {
		tty->in.literal = false;
		store_typed(tty, byte);
		return;
	}
	if (input_flow(tty, byte) || input_signal(tty, byte))
		return;
	c = translate(tty, byte);
	if (c < 0)
		return;
	byte = (uint8_t)c;
	if (has(tty, SK_ICANON)) {
		if (input_edit(tty, byte))
			return;
		if (has(tty, SK_IEXTEN) && is(tty, SK_VLNEXT, byte)) {
			tty->in.literal = true;
			if (has(tty, SK_ECHO) && has(tty, SK_ECHOCTL)) {
				show(tty, '^');
				show(tty, '\b');
			}
			return;
		}
		if (input_end(tty, byte))
			return;
	}
	store_typed(tty, byte);
}

bool sk_line_room(const struct sk_tty *tty)
{
	/* A line that is too long still takes its end, and rings meanwhile. */
	if (has(tty, SK_ICANON) && !tty->in.lines)
		return true;
	return tty->in.used < SK_LINE_SIZE - 1;
}

/* Reading. */

uint32_t sk_line_ready(const struct sk_tty *tty)
{
	return tty->in.committed;
}

static void drop(struct sk_tty *tty, uint32_t count)
{
	struct sk_line *in = &tty->in;

	for (uint32_t at = 0; at < count; at++) {
		if (ends_at(tty, at))
			in->lines--;
		set_end(tty, at, false);
	}
	in->head = place(tty, count);
	in->used -= count;
	in->committed -= count;
}

/* Up to `most` bytes of the first line, which may not be whole. */
static uint32_t line_length(const struct sk_tty *tty, uint32_t most,
			    bool *end_of_file)
{
	uint32_t at;

	*end_of_file = false;
	for (at = 0; at < tty->in.committed; at++) {
		bool end = ends_at(tty, at);

		/* A ^D right behind what fits goes with it. */
		if (end && !byte_at(tty, at)) {
			*end_of_file = true;
			return at;
		}
		if (at == most)
			return at;
		if (end)
			return at + 1;
	}
	return at;
}

int64_t sk_line_read(struct sk_tty *tty, struct sk_io *io)
{
	uint32_t most = io->left < SK_LINE_SIZE ? (uint32_t)io->left :
						  SK_LINE_SIZE;
	uint32_t count = tty->in.committed, done = 0;
	bool end_of_file = false;

	if (has(tty, SK_ICANON))
		count = line_length(tty, most, &end_of_file);
	if (count > most)
		count = most;
	while (done < count) {
		uint32_t at = place(tty, done), part = count - done;
		int64_t moved;

		if (part > SK_LINE_SIZE - at)
			part = SK_LINE_SIZE - at;
		moved = sk_io_put(io, tty->in.bytes + at, part);
		if (moved < 0)
			return moved;
		done += part;
	}
	drop(tty, count + end_of_file);
	return count;
}

void sk_line_flush(struct sk_tty *tty)
{
	memset(tty->in.ends, 0, sizeof(tty->in.ends));
	tty->in.head = tty->in.used = tty->in.committed = tty->in.lines = 0;
	tty->in.literal = false;
}

void sk_line_switch(struct sk_tty *tty)
{
	struct sk_line *in = &tty->in;
	uint32_t last = in->used - 1;

	/* What is there can be read at once, as bytes or as one line. */
	if (has(tty, SK_ICANON) && in->used && !ends_at(tty, last) &&
	    byte_at(tty, last)) {
		set_end(tty, last, true);
		in->lines++;
	}
	in->committed = in->used;
}
