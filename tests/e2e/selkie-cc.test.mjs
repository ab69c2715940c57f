// SPDX-License-Identifier: BSD-2-Clause
// What selkie-cc makes of its options, and what the programs import and export.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cc, compile, inspect, run, tree } from './program.mjs';

const skip = existsSync(join(tree, 'build/sysroot/made')) ? false : 'needs `make libc`';
const folder = mkdtempSync(join(tmpdir(), 'selkie-cc-'));
after(() => rmSync(folder, { recursive: true }));

const HELLO = `#include <stdio.h>
int main(int argc, char **argv) { printf("hello %d %s\\n", argc, argv[1]); return 3; }`;
const FORKS = `#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
int main(void) {
	int status;
	if (fork() == 0) return 7;
	wait(&status);
	printf("%d\\n", WEXITSTATUS(status));
	return 0;
}`;

const tool = (name, ...args) =>
	spawnSync(join(tree, 'build/bin', name), args, { encoding: 'utf8', cwd: folder });

test('a program imports the kernel only, and only what it uses', { skip }, () => {
	const { imports, exports } = inspect(compile(folder, 'hello', HELLO));
	assert.deepEqual(imports.sort(), ['kernel.nextsig', 'kernel.syscall']);
	assert.deepEqual(exports.sort(), ['__sk_fork_buffer', '__stack_pointer', '_start', 'memory']);
});

test('a program gets its arguments and its exit status out', { skip }, () => {
	const { status, stdout } = run(compile(folder, 'hello', HELLO, '-O2'), ['world']);
	assert.equal(stdout, 'hello 2 world\n');
	assert.equal(status, 3);
});

test('only a program that forks is made copyable', { skip }, () => {
	const forks = inspect(compile(folder, 'forks', FORKS));
	assert.ok(forks.imports.includes('kernel.fork'));
	for (const name of ['asyncify_start_unwind', 'asyncify_stop_rewind'])
		assert.ok(forks.exports.includes(name), name);
	assert.ok(!inspect(compile(folder, 'hello', HELLO)).exports.some((e) => /asyncify/.test(e)));
});

test('fork returns twice', { skip }, () => {
	assert.equal(run(compile(folder, 'forks', FORKS, '-O2')).stdout, '7\n');
});

test('debug information is kept with -g only, the names unless -s', { skip }, () => {
	assert.deepEqual(inspect(compile(folder, 'plain', HELLO)).sections, ['name']);
	assert.deepEqual(inspect(compile(folder, 'debug', HELLO, '-g')).sections, [
		'name',
		'.debug_info',
	]);
	assert.deepEqual(inspect(compile(folder, 'small', HELLO, '-s')).sections, []);
});

test('the memory has a maximum that can be chosen', { skip }, () => {
	const bytes = readFileSync(compile(folder, 'max', HELLO, '-Wl,--max-memory=16777216'));
	const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
		kernel: { syscall: () => 0n, nextsig: () => 0 },
	});
	const { memory } = /** @type {any} */ (instance.exports);
	assert.throws(() => memory.grow(256), RangeError);
});

test('options of other machines are accepted', { skip }, () => {
	compile(
		folder,
		'options',
		HELLO,
		'-fPIC',
		'-pie',
		'-march=native',
		'-pthread',
		'-static',
		'-Wl,-z,relro,--as-needed,-rpath,/usr/lib',
		'-lm',
		'-lpthread',
		'-ldl',
	);
});

test('a shared object is refused with a reason', { skip }, () => {
	const { status, stderr } = tool('selkie-cc', '-shared', 'x.c');
	assert.equal(status, 1);
	assert.match(stderr, /^selkie-cc: there are no shared objects/);
});

test('response files are read', { skip }, () => {
	writeFileSync(join(folder, 'r.c'), '#include <stdio.h>\nint main(void) { puts(TEXT); }\n');
	writeFileSync(join(folder, 'options'), `-o "r out.wasm" '-DTEXT="a b"'\n r.c\n`);
	const { status, stderr } = tool('selkie-cc', '@options');
	assert.equal(status, 0, stderr);
	assert.equal(run(join(folder, 'r out.wasm')).stdout, 'a b\n');
});

test('it compiles, archives and links in steps', { skip }, () => {
	writeFileSync(join(folder, 'part.c'), 'int part(void) { return 41; }\n');
	writeFileSync(
		join(folder, 'whole.c'),
		'int part(void);\nint main(void) { return part() + 1; }\n',
	);
	assert.equal(tool('selkie-cc', '-c', 'part.c', '-o', 'part.o').status, 0);
	assert.equal(tool('selkie-ar', 'rc', 'libpart.a', 'part.o').status, 0);
	assert.equal(tool('selkie-ranlib', 'libpart.a').status, 0);
	assert.equal(tool('selkie-cc', 'whole.c', '-L.', '-lpart', '-o', 'whole.wasm').status, 0);
	assert.equal(run(join(folder, 'whole.wasm')).status, 42);
});

test('an undefined function is an error of the linker', { skip }, () => {
	writeFileSync(join(folder, 'missing.c'), 'int no(void);\nint main(void) { return no(); }\n');
	const { status, stderr } = tool('selkie-cc', 'missing.c', '-o', 'missing.wasm');
	assert.notEqual(status, 0);
	assert.match(stderr, /undefined symbol: no/);
});

test('a failed compilation leaves its status and no program', { skip }, () => {
	writeFileSync(join(folder, 'wrong.c'), 'int main(void) { return }\n');
	assert.notEqual(tool('selkie-cc', 'wrong.c', '-o', 'wrong.wasm').status, 0);
	assert.ok(!existsSync(join(folder, 'wrong.wasm')));
});

test('each tool has --help and --version', { skip }, () => {
	for (const name of ['selkie-cc', 'selkie-ar', 'selkie-ranlib', 'selkie-nm', 'selkie-strip']) {
		const help = tool(name, '--help');
		assert.equal(help.status, 0, name);
		assert.match(help.stdout, new RegExp(`^usage: ${name} `));
		assert.match(tool(name, '--version').stdout, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ `));
	}
	assert.equal(tool('selkie-cc', '-dumpmachine').stdout, 'wasm32-linux-musl\n');
	assert.ok(existsSync(cc));
});

for (const [name, main] of [
	['no arguments', 'int main(void)'],
	['two', 'int main(int argc, char **argv)'],
	['an environment', 'int main(int argc, char **argv, char **envp)'],
	['old-style ones', 'int main(argc, argv) int argc; char **argv;'],
]) {
	test(`main may have ${name}`, { skip }, () => {
		const test =
			name === 'an environment'
				? "envp[0][0] == 'K'"
				: name === 'no arguments'
					? '1'
					: "argc == 2 && argv[1][0] == 'x'";
		const program = compile(
			folder,
			'main',
			`${main} { return ${test} ? 5 : 6; }`,
			'-std=gnu89',
			'-Wno-deprecated-non-prototype',
		);
		assert.equal(run(program, ['x'], { env: ['K=V'] }).status, 5);
	});
}
