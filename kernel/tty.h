/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Terminals. Each is a pty: what is written to its master is typed, what is
 * written to its slave is shown. tty.c: sessions, job control, settings;
 * line.c: the line discipline; pty.c: the open files of both sides.
 */
#ifndef SK_TTY_H
#define SK_TTY_H

#include "buffer.h"
#include "file.h"

/* Settings: as asm-generic has them. */
#define SK_ISTRIP 040u
#define SK_INLCR 0100u
#define SK_IGNCR 0200u
#define SK_ICRNL 0400u
#define SK_IUCLC 01000u
#define SK_IXON 02000u
#define SK_IXANY 04000u
#define SK_IMAXBEL 020000u
#define SK_IUTF8 040000u
#define SK_OPOST 1u
#define SK_OLCUC 2u
#define SK_ONLCR 4u
#define SK_OCRNL 010u
#define SK_ONOCR 020u
#define SK_ONLRET 040u
#define SK_TABDLY 014000u
#define SK_CFLAGS_NEW (017u | 060u | 0200u) /* B38400 CS8 CREAD */
#define SK_ISIG 1u
#define SK_ICANON 2u
#define SK_ECHO 010u
#define SK_ECHOE 020u
#define SK_ECHOK 040u
#define SK_ECHONL 0100u
#define SK_NOFLSH 0200u
#define SK_TOSTOP 0400u
#define SK_ECHOCTL 01000u
#define SK_ECHOKE 04000u
#define SK_IEXTEN 0100000u
enum sk_tty_char {
	SK_VINTR, SK_VQUIT, SK_VERASE, SK_VKILL, SK_VEOF, SK_VTIME, SK_VMIN,
	SK_VSWTC, SK_VSTART, SK_VSTOP, SK_VSUSP, SK_VEOL, SK_VREPRINT,
	SK_VDISCARD, SK_VWERASE, SK_VLNEXT, SK_VEOL2,
};

#define SK_LINE_SIZE 4096u /* a power of two */
#define SK_TTY_OUT 16384u

/* What was typed and not read yet. */
struct sk_line {
	uint8_t bytes[SK_LINE_SIZE];
	uint32_t ends[SK_LINE_SIZE / 32]; /* a line ends with this byte */
	uint32_t head, used;
	uint32_t committed; /* of used: what can be read, whole lines */
	uint32_t lines;
	bool literal; /* ^V came: the next byte means itself */
};

struct sk_tty {
	struct sk_kernel *kernel;
	struct sk_tty *next; /* in sk_kernel.ttys, by index */
	uint32_t refs; /* open files of both sides, processes */
	uint32_t index; /* N of /dev/pts/N */
	struct sk_abi_termios termios;
	struct sk_abi_winsize size;

	struct sk_line in;
	struct sk_buffer out; /* shown, and not yet read from the master */
	uint32_t column; /* where the cursor is */
	uint32_t line_column; /* where it was when the line began */
	bool stopped; /* by ^S */

	bool master, locked, exclusive;
	bool left; /* the slave's last file was closed */
	uint32_t slaves; /* open files */
	uint32_t hangups; /* slave files of before are dead */
	int32_t sid, pgid; /* whose terminal; 0: nobody's */

	struct sk_waitq in_changed; /* to be read; room to type */
	struct sk_waitq out_changed; /* to be read from the master; room */
};

/* tty.c. put frees the last one. */
int sk_tty_new(struct sk_kernel *k, struct sk_tty **out);
void sk_tty_put(struct sk_tty *tty);
/* Ends the session's use of it: signals, and no slave file works again. */
void sk_tty_hangup(struct sk_tty *tty);
/* A session leader without a terminal takes it. */
void sk_tty_adopt(struct sk_tty *tty, struct sk_task *t);
void sk_tty_signal(struct sk_tty *tty, int signo);
/*
 * Whether the task may use its terminal: 0; or -SK_ERESTART after SIGTTIN or
 * SIGTTOU went to its group; or -SK_EIO.
 */
int sk_tty_allow(struct sk_tty *tty, struct sk_task *t, int signo);
int64_t sk_tty_ioctl(struct sk_tty *tty, struct sk_task *t, uint32_t request,
    sk_user arg, bool master);

/* line.c. The callers wake in_changed and out_changed. */
void sk_line_input(struct sk_tty *tty, uint8_t byte);
/* Whether a byte may be typed (when not, the master's writer waits). */
bool sk_line_room(const struct sk_tty *tty);
/* How many bytes a read would find now; for a line, at least 1. */
uint32_t sk_line_ready(const struct sk_tty *tty);
int64_t sk_line_read(struct sk_tty *tty, struct sk_io *io);
void sk_line_flush(struct sk_tty *tty);
/* ICANON was changed. */
void sk_line_switch(struct sk_tty *tty);
void sk_line_output(struct sk_tty *tty, const uint8_t *bytes, size_t count);

#endif
