// SPDX-License-Identifier: BSD-2-Clause
// cases-unix.md, by the programs of tests/unix: each is compiled for Linux
// (which shows that the program is right) and by selkie-cc for our kernel.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = join(root, 'tests/unix');
const selkie = join(root, 'build/bin/selkie');
const programs = existsSync(join(root, 'build/programs/dash'));
/** @type {string} */
let folder;

before(() => {
	folder = mkdtempSync(join(tmpdir(), 'selkie-unix-'));
	mkdirSync(join(root, 'build/tests'), { recursive: true });
});
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * @param {string} command @param {string[]} args
 * @returns {Promise<{status: number, stdout: string, stderr: string}>}
 */
function run(command, args) {
	return new Promise((resolve) => {
		const env = { ...process.env, SELKIE_CC: join(root, 'tests/posix/quick-cc') };
		execFile(command, args, { timeout: 120000, env }, (error, stdout, stderr) => {
			const status = error ? (typeof error.code === 'number' ? error.code : 999) : 0;
			resolve({ status, stdout, stderr });
		});
	});
}

const flags = ['-std=c11', '-D_GNU_SOURCE', '-O1', '-Wall', '-Wextra', '-Werror'];

for (const file of readdirSync(sources).filter((name) => name.endsWith('.c'))) {
	const name = file.slice(0, -2);
	test(name.replaceAll('_', ' '), async () => {
		for (const side of ['linux', 'selkie']) {
			const compiler = side === 'linux' ? 'gcc' : join(root, 'build/bin/selkie-cc');
			const program = join(folder, `${name}.${side === 'linux' ? 'elf' : 'wasm'}`);
			const built = await run(compiler, [...flags, join(sources, file), '-o', program]);
			assert.equal(built.status, 0, `${side}: ${built.stderr}`);
			const ran =
				side === 'linux' ? await run(program, []) : await run(selkie, ['run', '--no-tty', program]);
			assert.deepEqual(
				{ status: ran.status, stdout: ran.stdout },
				{ status: 0, stdout: 'ok\n' },
				`${side}: ${ran.stdout}${ran.stderr}`,
			);
			// Whoever runs the kernel is told of a trap, nothing else.
			if (side === 'selkie' && name.startsWith('15')) {
				assert.match(ran.stderr, /^selkie: .*: unreachable code in \w+\n$/);
			} else assert.equal(ran.stderr, '');
		}
	});
}

/** @param {string} script */
const shell = (script) => run(selkie, ['run', '--no-tty', 'dash', '-c', script]);
const needs = { skip: programs ? false : 'make programs was not run' };

test('yes into head ends', needs, async () => {
	assert.deepEqual(await shell('yes | head -n 1; echo $?'), {
		status: 0,
		stdout: 'y\n0\n',
		stderr: '',
	});
});

test('the shell lives on after what is no program', needs, async () => {
	const { status, stdout, stderr } = await shell(
		'printf "\\1\\2x" > /tmp/bad; chmod 755 /tmp/bad; /tmp/bad; echo $?; /tmp/missing; echo $?; no-such; echo $?',
	);
	assert.equal(status, 0);
	assert.deepEqual(stdout.trim().split('\n').slice(-2), ['127', '127']);
	assert.match(stderr, /missing: not found/);
	assert.match(stderr, /no-such: not found/);
});

test('two hundred subshells and twelve at once', needs, async () => {
	const { status, stdout } = await shell(
		'i=0; while [ $i -lt 200 ]; do (exit 0) || exit 1; i=$((i+1)); done; for n in 1 2 3 4 5 6 7 8 9 10 11 12; do (echo $n) & done; wait; echo end',
	);
	assert.equal(status, 0);
	assert.equal(stdout.trim().split('\n').length, 13);
});
