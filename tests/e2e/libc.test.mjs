// SPDX-License-Identifier: BSD-2-Clause
// libc beyond what musl itself is: what our layer and the compiler's plug-in
// add, on a host that is small enough to see through.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { compile, run, tree } from './program.mjs';

const skip = existsSync(join(tree, 'build/sysroot/made')) ? false : 'needs `make libc`';
const folder = mkdtempSync(join(tmpdir(), 'selkie-libc-'));
after(() => rmSync(folder, { recursive: true }));

const HEADERS = [
	'errno',
	'fcntl',
	'iconv',
	'locale',
	'math',
	'pthread',
	'regex',
	'setjmp',
	'signal',
	'spawn',
	'stdio',
	'stdlib',
	'string',
	'sys/mman',
	'sys/stat',
	'sys/wait',
	'time',
	'unistd',
];

let count = 0;

/** Runs the body of a main, at -O0 and at -O2; answers what it printed. */
function main(body, options = {}) {
	const text = `#define _GNU_SOURCE
${HEADERS.map((name) => `#include <${name}.h>`).join('\n')}
extern char **environ;
${options.outside ?? ''}
int main(int argc, char **argv) {
	setvbuf(stdout, 0, _IOLBF, 0);
	(void)argc, (void)argv;
	${body}
	return 0;
}`;
	const results = ['-O0', '-O2'].map((level) => {
		const program = compile(
			folder,
			`t${count++}`,
			text,
			level,
			'-Wno-unused-function',
			...(options.flags ?? []),
		);
		return run(program, options.args ?? [], options);
	});
	assert.equal(results[0].stdout, results[1].stdout);
	assert.equal(results[0].status, results[1].status);
	return results[1];
}

const other = () =>
	compile(
		folder,
		'other',
		'#include <stdio.h>\nint main(int c, char **v) { puts(v[c - 1]); return c; }',
	);

test('printf, locale, regex, iconv and math are there', { skip }, () => {
	const { stdout } = main(`
	regex_t re;
	char in[] = "\\xe9", out[8] = { 0 }, *ip = in, *op = out;
	size_t il = 1, ol = 8;
	iconv_t c = iconv_open("UTF-8", "LATIN1");
	printf("%.3f %Lf %lld\\n", sqrt(2) + sin(0), 3.25L, -5000000000LL);
	printf("%d\\n", regcomp(&re, "a(b+)c", REG_EXTENDED) || regexec(&re, "xabbbc", 0, 0, 0));
	iconv(c, &ip, &il, &op, &ol);
	printf("%d %d\\n", (unsigned char)out[0], (unsigned char)out[1]);
	printf("%d\\n", !!setlocale(LC_ALL, "C.UTF-8"));`);
	assert.equal(stdout, '1.414 3.250000 -5000000000\n0\n195 169\n1\n');
});

test('time and offsets have 64 bits', { skip }, () => {
	const { stdout, seeks } = main(`
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	lseek(0, 5000000000, SEEK_SET);
	printf("%zu %zu %lld %ld %s\\n", sizeof(time_t), sizeof(off_t), (long long)t.tv_sec,
	    t.tv_nsec, strerror(errno));`);
	assert.equal(stdout, '8 8 1234567890123 5 Invalid seek\n');
	assert.deepEqual(seeks, [5000000000n]);
});

test('memory given back is used again, and is zero when mapped', { skip }, () => {
	const { stdout } = main(`
	for (int round = 0; round < 200; round++) {
		size_t size = (1 + round % 7) * 100000;
		char *a = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		char *b = malloc(size), *c = calloc(3, size);
		for (size_t i = 0; i < size; i++)
			if (a[i] || c[i])
				return 1;
		memset(a, 1, size), memset(b, 2, size), memset(c, 3, 3 * size);
		c = realloc(c, 5 * size);
		if (c[3 * size - 1] != 3)
			return 2;
		munmap(a, size), free(b), free(c);
	}
	printf("%d\\n", __builtin_wasm_memory_size(0) < 200);`);
	assert.equal(stdout, '1\n');
});

test('memory that is not there is ENOMEM, and the program goes on', { skip }, () => {
	const { stdout } = main(
		`
	static char *parts[100];
	int n = 0;
	while (n < 100 && (parts[n] = malloc(1 << 20)))
		n++;
	printf("%d %d\\n", n > 10 && n < 40, errno == ENOMEM);
	free(parts[3]);
	printf("%d\\n", malloc(1 << 19) != 0);`,
		{ flags: ['-Wl,--max-memory=33554432'] },
	);
	assert.equal(stdout, '1 1\n1\n');
});

test('a file can be mapped', { skip }, () => {
	const path = join(folder, 'mapped');
	writeFileSync(path, 'bytes of a file');
	const { stdout } = main(
		`
	int fd = open(argv[1], O_RDONLY);
	char *p = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	puts(p);
	printf("%d\\n", munmap(p, 4096));`,
		{ args: [path] },
	);
	assert.equal(stdout, 'bytes of a file\n0\n');
});

test('setjmp returns what longjmp says, from any depth', { skip }, () => {
	const { stdout } = main(
		`
	volatile int tries = 0;
	int got = setjmp(buf);
	if (got < 3 && tries++ < 5)
		deep(20, got + 1);
	printf("%d %d\\n", got, tries);
	got = _setjmp(buf);
	if (!got)
		_longjmp(buf, 0);
	printf("%d\\n", got);
	got = setjmp(outer);
	if (!got) {
		if (!setjmp(buf))
			longjmp(outer, 9);
	}
	printf("%d\\n", got);`,
		{
			outside: `static jmp_buf buf, outer;
static void deep(int n, int value) { if (n) deep(n - 1, value); else longjmp(buf, value); }`,
		},
	);
	assert.equal(stdout, '3 3\n1\n9\n');
});

const HANDLERS = `static volatile sig_atomic_t got;
static sigjmp_buf back;
static void one(int n) { got = n; }
static void three(int n, siginfo_t *info, void *c) { got = 100 * n + info->si_signo + !c; }
static void leave(int n) { siglongjmp(back, n); }
static int blocked(int n) { sigset_t s; sigprocmask(0, 0, &s); return sigismember(&s, n); }
static void nested(int n) { if (n == SIGUSR1) { raise(SIGUSR2); got = got * 10 + 1; }
	else got = got * 10 + 2; }
static void masked(int n) { got = blocked(SIGUSR1) + 2 * blocked(SIGUSR2) + 4 * (n == SIGUSR1); }
`;

test('handlers run with one argument or three, and raise() runs them at once', { skip }, () => {
	const { stdout } = main(
		`
	struct sigaction a = { .sa_sigaction = three, .sa_flags = SA_SIGINFO };
	signal(SIGUSR1, one);
	sigaction(SIGUSR2, &a, 0);
	raise(SIGUSR1);
	printf("%d\\n", got);
	raise(SIGUSR2);
	printf("%d\\n", got);`,
		{ outside: HANDLERS },
	);
	assert.equal(stdout, '10\n1212\n');
});

test('handlers of old-style types run too', { skip }, () => {
	const { stdout } = main(
		`
	struct sigaction a = { 0 };
	a.sa_handler = (void (*)(int))number;
	signal(SIGUSR1, (void (*)(int))nothing);
	sigaction(SIGUSR2, &a, 0);
	raise(SIGUSR1);
	printf("%d\\n", got);
	raise(SIGUSR2);
	printf("%d\\n", got);`,
		{
			outside: `static volatile sig_atomic_t got;
static void nothing() { got = 1; }
static int number(int n) { return got = n; }`,
			flags: ['-std=gnu89', '-Wno-deprecated-non-prototype', '-Wno-cast-function-type-mismatch'],
		},
	);
	assert.equal(stdout, '1\n12\n');
});

test('a handler runs with its mask, which goes when it returns', { skip }, () => {
	const { stdout } = main(
		`
	struct sigaction a = { .sa_handler = masked };
	sigaddset(&a.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &a, 0);
	raise(SIGUSR1);
	printf("%d %d %d\\n", got, blocked(SIGUSR1), blocked(SIGUSR2));
	signal(SIGUSR1, nested), signal(SIGUSR2, nested);
	got = 0;
	raise(SIGUSR1);
	printf("%d\\n", got);`,
		{ outside: HANDLERS },
	);
	assert.equal(stdout, '7 0 0\n21\n');
});

test('a blocked signal waits until it is unblocked', { skip }, () => {
	const { stdout } = main(
		`
	sigset_t s;
	sigemptyset(&s), sigaddset(&s, SIGUSR1);
	signal(SIGUSR1, one);
	sigprocmask(SIG_BLOCK, &s, 0);
	raise(SIGUSR1);
	printf("%d\\n", got);
	sigprocmask(SIG_UNBLOCK, &s, 0);
	printf("%d\\n", got);`,
		{ outside: HANDLERS },
	);
	assert.equal(stdout, '0\n10\n');
});

test('siglongjmp leaves a handler, with the mask and for good', { skip }, () => {
	const { stdout } = main(
		`
	signal(SIGUSR1, leave);
	volatile int times = 0;
	int n = sigsetjmp(back, 1);
	printf("%d %d\\n", n, blocked(SIGUSR1));
	if (times++ < 2)
		raise(SIGUSR1);
	if (!fork())
		_exit(3);
	wait(&n);
	printf("%d\\n", WEXITSTATUS(n));`,
		{ outside: HANDLERS },
	);
	assert.equal(stdout, '0 0\n10 0\n10 0\n3\n');
});

test('a loop that only computes is interrupted, and a handler may jump out of it', { skip }, () => {
	const { stdout, polls } = main(
		`
	signal(SIGINT, leave);
	int n = sigsetjmp(back, 1);
	if (!n)
		for (;;)
			;
	printf("%d\\n", n);`,
		{ outside: HANDLERS, interruptAt: 5 },
	);
	assert.equal(stdout, '2\n');
	assert.ok(polls >= 5);
});

test('a handler that counts stops a loop without calls', { skip }, () => {
	const { stdout } = main(
		`
	unsigned x = 1;
	signal(SIGINT, one);
	while (!got)
		x = x * 1664525 + 1013904223;
	printf("%d\\n", got);`,
		{ outside: HANDLERS, interruptAt: 20 },
	);
	assert.equal(stdout, '2\n');
});

test('a loop that is known to be short does not ask', { skip }, () => {
	const { stdout, polls } = main(`
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += argv[0][i % 2];
	printf("%d\\n", sum > 0);`);
	assert.equal(stdout, '1\n');
	assert.equal(polls, 0);
});

test('fork copies the memory, and stack and buffers with it', { skip }, () => {
	const { stdout } = main(`
	int status, local = 1;
	char *heap = strdup("parent");
	pid_t pid = fork();
	if (!pid) {
		local = 2, strcpy(heap, "child");
		printf("%d %s\\n", local, heap);
		exit(4);
	}
	waitpid(pid, &status, 0);
	printf("%d %s %d\\n", local, heap, WEXITSTATUS(status));`);
	assert.equal(stdout, '2 child\n1 parent 4\n');
});

test('fork works below setjmp, in recursion and again in the child', { skip }, () => {
	const { stdout } = main(
		`
	if (!setjmp(buf))
		tree(3);
	puts("back");`,
		{
			outside: `static jmp_buf buf;
static void tree(int n) {
	int status = 0;
	if (!n) longjmp(buf, 1);
	if (!fork()) { tree(n - 1); }
	wait(&status);
	printf("%d %d\\n", n, WEXITSTATUS(status));
	_exit(n);
}`,
		},
	);
	assert.equal(stdout, 'back\n1 0\n2 1\n3 2\n');
});

test('vfork goes on in the parent after exec, _exit and a failed exec', { skip }, () => {
	const { stdout } = main(
		`
	int status;
	pid_t a = vfork();
	if (!a) { execl("/bin/other", "other", "x", (char *)0); _exit(9); }
	wait(&status);
	printf("%d %d\\n", a > 0, WEXITSTATUS(status));
	pid_t b = vfork();
	if (!b) _exit(7);
	wait(&status);
	printf("%d %d\\n", b > a, WEXITSTATUS(status));
	if (!vfork()) { execl("/nowhere", "x", (char *)0); _exit(errno); }
	wait(&status);
	printf("%d\\n", WEXITSTATUS(status));`,
		{ programs: { '/bin/other': other() } },
	);
	assert.equal(stdout, 'x\n1 2\n1 7\n2\n');
});

test('posix_spawn is one call, and posix_spawnp looks along PATH', { skip }, () => {
	const { stdout, calls } = main(
		`
	int status, e;
	pid_t pid;
	char *args[] = { "other", "y", 0 };
	e = posix_spawnp(&pid, "other", 0, 0, args, environ);
	wait(&status);
	printf("%d %d %d\\n", e, pid > 0, WEXITSTATUS(status));
	printf("%d\\n", posix_spawn(&pid, "/nowhere", 0, 0, args, environ));
	printf("%d\\n", system("exit"));`,
		{
			programs: { '/bin/other': other(), '/bin/sh': other() },
			env: ['PATH=/nowhere:/bin'],
			calls: [],
		},
	);
	assert.equal(stdout, 'y\n0 1 2\n2\nexit\n768\n');
	assert.ok(calls.every((n) => n !== 220 && n !== 221));
});

test('execve becomes the other program', { skip }, () => {
	const { stdout, status } = main(`execl("/bin/other", "other", "z", (char *)0);`, {
		programs: { '/bin/other': other() },
	});
	assert.equal(stdout, 'z\n');
	assert.equal(status, 2);
});

test('a thread is EAGAIN, and what needs none works', { skip }, () => {
	const { stdout } = main(`
	pthread_t t;
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static _Thread_local int mine = 5;
	printf("%s\\n", strerror(pthread_create(&t, 0, (void *(*)(void *))abort, 0)));
	printf("%d %d %d\\n", pthread_mutex_lock(&m), pthread_mutex_unlock(&m), mine);`);
	assert.equal(stdout, 'Resource temporarily unavailable\n0 0 5\n');
});

test('abort ends as SIGABRT, and atexit runs at exit', { skip }, () => {
	assert.equal(main('abort();').status, 134);
	const { stdout } = main('atexit(last); exit(0);', {
		outside: 'static void last(void) { puts("last"); }',
	});
	assert.equal(stdout, 'last\n');
});

test('constructors run before main', { skip }, () => {
	const { stdout } = main('puts("main");', {
		outside: '__attribute__((constructor)) static void first(void) { puts("first"); }',
	});
	assert.equal(stdout, 'first\nmain\n');
});
