// SPDX-License-Identifier: BSD-2-Clause
// `selkie run`: mounts, environment, streams, statuses, traps, the terminal
// and its walls, with programs that selkie-cc compiles here.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const selkie = join(root, 'build/bin/selkie');
const env = { ...process.env, SELKIE_CC: join(root, 'tests/posix/quick-cc') };
/** @type {string} */
let folder;

/** One program that does what its first argument says. */
const source = `
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int zero;
static sigjmp_buf back;

static int divide(int by) { return 7 / by; }
static int wild(unsigned at) { return *(volatile int *)at; }
static int deep(int n) { volatile char room[512]; room[0] = n; return deep(n + 1) + room[0]; }
static void caught(int signo) { printf("caught %d\\n", signo); siglongjmp(back, 1); }

static int many(int count, int at_once)
{
	int i, left = 0;

	for (i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0) { if (at_once) pause(); _exit(0); }
		if (pid < 0) { perror("fork"); return 1; }
		if (!at_once) waitpid(pid, NULL, 0); else left++;
	}
	if (at_once) { signal(SIGTERM, SIG_IGN); kill(0, SIGTERM); }
	while (left && wait(NULL) > 0) left--;
	printf("%d\\n", count);
	return left;
}

int main(int argc, char **argv)
{
	const char *what = argv[1];
	char text[256];

	if (!strcmp(what, "exit")) return atoi(argv[2]);
	if (!strcmp(what, "divide")) return divide(zero);
	if (!strcmp(what, "wild")) return wild(0xfff00000u);
	if (!strcmp(what, "deep")) return deep(0);
	if (!strcmp(what, "spin")) { puts("spins"); fflush(stdout); while (!zero); }
	if (!strcmp(what, "kill")) raise(atoi(argv[2]));
	if (!strcmp(what, "env")) return puts(getenv(argv[2]) ? getenv(argv[2]) : "-") < 0;
	if (!strcmp(what, "many")) return many(atoi(argv[2]), argc > 3);
	if (!strcmp(what, "catch")) {
		signal(SIGFPE, caught);
		if (!sigsetjmp(back, 1)) zero = divide(zero);
		puts("alive");
		return 0;
	}
	if (!strcmp(what, "copy")) {
		ssize_t n;
		while ((n = read(0, text, sizeof(text))) > 0)
			if (write(1, text, n) != n) return 1;
		return 0;
	}
	if (!strcmp(what, "cat")) {
		int fd = open(argv[2], O_RDONLY);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
		if (n < 0) { printf("%s\\n", strerror(errno)); return 1; }
		return write(1, text, n) != n;
	}
	if (!strcmp(what, "write")) {
		int fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (fd < 0) { printf("%s\\n", strerror(errno)); return 1; }
		return write(fd, argv[3], strlen(argv[3])) < 0;
	}
	return 99;
}
`;

/**
 * @param {string[]} args @param {string} [input]
 * @returns {Promise<{status: number, stdout: string, stderr: string}>}
 */
function run(args, input) {
	return new Promise((resolve) => {
		const command = ['run', '--no-tty', ...args];
		const child = execFile(
			selkie,
			command,
			{ timeout: 120000, env, maxBuffer: 1 << 24 },
			(error, stdout, stderr) => {
				const status = error ? (typeof error.code === 'number' ? error.code : 999) : 0;
				resolve({ status, stdout, stderr });
			},
		);
		child.stdin?.end(input ?? '');
	});
}

/** @param {string[]} args */
const program = (...args) => run([join(folder, 'p.wasm'), ...args]);

before(async () => {
	folder = mkdtempSync(join(tmpdir(), 'selkie-run-'));
	writeFileSync(join(folder, 'p.c'), source);
	await new Promise((resolve, reject) =>
		execFile(
			join(root, 'build/bin/selkie-cc'),
			['-O1', join(folder, 'p.c'), '-o', join(folder, 'p.wasm')],
			(error, _out, text) => (error ? reject(new Error(text)) : resolve(undefined)),
		),
	);
	mkdirSync(join(folder, 'shared'));
	writeFileSync(join(folder, 'shared/file'), 'from the host');
	symlinkSync('/etc/passwd', join(folder, 'shared/out'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('the exit status is the program’s', async () => {
	assert.equal((await program('exit', '0')).status, 0);
	assert.equal((await program('exit', '42')).status, 42);
	assert.equal((await program('kill', '15')).status, 143);
});

test('what is missing is 127, what is no program 126', async () => {
	assert.equal((await run(['no-such-program'])).status, 127);
	writeFileSync(join(folder, 'bad.wasm'), '\0asm, but no program');
	assert.equal((await run([join(folder, 'bad.wasm')])).status, 126);
});

test('standard streams pass through, a megabyte of them', async () => {
	const text = 'selkie\n'.repeat(150000);
	const { status, stdout } = await run([join(folder, 'p.wasm'), 'copy'], text);
	assert.equal(status, 0);
	assert.equal(stdout, text);
});

test('variables are set, and nothing of the host’s gets in', async () => {
	const p = join(folder, 'p.wasm');
	assert.equal((await run(['--env', 'A=b c', p, 'env', 'A'])).stdout, 'b c\n');
	assert.equal((await run([p, 'env', 'SELKIE_CC'])).stdout, '-\n');
});

test('no file of the host is there unless it is mounted', async () => {
	assert.equal((await program('cat', '/etc/passwd')).stdout, 'No such file or directory\n');
	assert.equal((await program('cat', join(folder, 'shared/file'))).status, 1);
});

test('a mounted folder is read and written, and links do not leave it', async () => {
	const p = join(folder, 'p.wasm');
	const mount = ['--mount', `hostfs:${folder}/shared:/mnt`];
	assert.equal((await run([...mount, p, 'cat', '/mnt/file'])).stdout, 'from the host');
	assert.equal((await run([...mount, p, 'cat', '/mnt/out'])).stdout, 'No such file or directory\n');
	assert.equal((await run([...mount, p, 'cat', '/mnt/../etc/passwd'])).status, 1);
	assert.equal((await run([...mount, p, 'write', '/mnt/new', 'hello'])).status, 0);
	assert.equal(readFileSync(join(folder, 'shared/new'), 'utf8'), 'hello');
});

test('a folder mounted with :ro is not written', async () => {
	const { stdout } = await run([
		'--mount',
		`hostfs:${folder}/shared:/mnt:ro`,
		join(folder, 'p.wasm'),
		'write',
		'/mnt/no',
		'x',
	]);
	assert.equal(stdout, 'Read-only file system\n');
});

test('traps end the program alone and name its function', async () => {
	for (const [what, status, text] of [
		['divide', 136, 'division by zero'],
		['wild', 139, 'wild access'],
		['deep', 139, ''],
	]) {
		const ran = await program(String(what));
		assert.equal(ran.status, status, ran.stderr);
		assert.match(ran.stderr, new RegExp(`^selkie: p \\(\\d+\\): .*${text}.* in \\w+\n$`));
	}
});

test('a handler of a trap leaves by longjmp', async () => {
	const { status, stdout } = await program('catch');
	assert.equal(status, 0);
	assert.equal(stdout, 'caught 8\nalive\n');
});

test('a spinning program dies of SIGTERM to selkie run', async () => {
	const child = spawn(selkie, ['run', '--no-tty', join(folder, 'p.wasm'), 'spin'], { env });
	await new Promise((resolve) => child.stdout.once('data', resolve));
	const { pid } = child;
	const kernel = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
	process.kill(Number(kernel), 'SIGTERM');
	assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 143);
});

test('the process that runs programs has no memory that is written and run', async () => {
	const child = spawn(selkie, ['run', '--no-tty', join(folder, 'p.wasm'), 'spin'], { env });
	await new Promise((resolve) => child.stdout.once('data', resolve));
	const { pid } = child;
	const kernel = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
	const status = readFileSync(`/proc/${kernel}/status`, 'utf8');
	assert.match(status, /^Seccomp:\t2$/m);
	assert.match(status, /^NoNewPrivs:\t1$/m);
	if (process.getuid?.() === 0)
		assert.doesNotMatch(readFileSync(`/proc/${kernel}/maps`, 'utf8'), /^\S+ .w.?x/m);
	child.kill('SIGTERM');
	process.kill(Number(kernel), 'SIGTERM');
	await new Promise((resolve) => child.once('exit', resolve));
});

test('two hundred processes at once', async () => {
	const { status, stdout } = await program('many', '200', 'at-once');
	assert.equal(status, 0);
	assert.equal(stdout, '200\n');
});

test('ten thousand processes one after another', async () => {
	const { status, stdout } = await program('many', '10000');
	assert.equal(status, 0);
	assert.equal(stdout, '10000\n');
});

test('an unknown mount is refused with its reason', async () => {
	const ran = await run(['--mount', 'nfs:/x:/y', 'dash']);
	assert.equal(ran.status, 2);
	assert.match(ran.stderr, /it begins with hostfs, memfs, zip, tar or overlay/);
});
