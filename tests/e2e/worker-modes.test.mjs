// SPDX-License-Identifier: BSD-2-Clause
// selkie-worker without a supervisor: an app file, and a script for tests.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('../../build/libexec/selkie/selkie-worker', import.meta.url));

/** Runs it; resolves to {code, signal, out, err}. */
function run(args, input = '') {
	return new Promise((resolve, reject) => {
		const child = spawn(worker, args);
		let out = '',
			err = '';
		child.stdout.on('data', (data) => {
			out += data;
		});
		child.stderr.on('data', (data) => {
			err += data;
		});
		child.on('error', reject);
		child.on('close', (code, signal) => resolve({ code, signal, out, err }));
		child.stdin.on('error', () => {});
		child.stdin.end(input);
	});
}

const appFile = (body) =>
	run(['--app-file', '/app/app.js'], `(async function (register) {\n${body}\n})`);

async function evaluate(script) {
	const folder = mkdtempSync(join(tmpdir(), 'selkie-eval-'));
	try {
		const file = join(folder, 'script.js');
		writeFileSync(file, script);
		return await run(['--eval', file]);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

test('an app file becomes JSON on stdout', async () => {
	const { code, out } = await appFile("app.port = 81; app.get('/a/:b', './a.js');");
	assert.equal(code, 0);
	const { port, routes } = JSON.parse(out);
	assert.equal(port, 81);
	assert.deepEqual(
		[routes[0].method, routes[0].pattern, routes[0].worker],
		['GET', '/a/:b', './a.js'],
	);
});

test('an app file may await', async () => {
	const { code, out } = await appFile(
		'await new Promise((go) => setTimeout(go, 20)); app.port = 82;',
	);
	assert.equal(code, 0);
	assert.equal(JSON.parse(out).port, 82);
});

test('what an app file logs does not mix with its data', async () => {
	const { code, out, err } = await appFile(
		"console.log('a word\\n{\"port\":1}'); console.warn('a warning'); app.port = 83;",
	);
	assert.equal(code, 0);
	const lines = out.trimEnd().split('\n');
	assert.equal(lines.length, 3);
	assert.deepEqual(lines.slice(0, 2), ['a word', '{"port":1}']);
	assert.equal(JSON.parse(lines[2]).port, 83);
	assert.match(err, /a warning/);
});

test('an app file that throws is described on stderr', async () => {
	const { code, out, err } = await appFile("throw new Error('no good');");
	assert.equal(code, 1);
	assert.equal(out, '');
	assert.match(err, /no good/);
	assert.match(err, /\/app\/app\.js/);
});

test('a syntax error is described on stderr', async () => {
	const { code, err } = await appFile('this is no JavaScript');
	assert.equal(code, 1);
	assert.match(err, /SyntaxError/);
});

test('an app file that loops is over its limit', async () => {
	const { code, err } = await appFile('for (;;);');
	assert.equal(code, 1);
	assert.equal(err, '/app/app.js: over its limit: 2 s of CPU time\n');
});

test('an app file that fills memory is over its limit', async () => {
	const { code, err } = await appFile('const a = []; for (;;) a.push(new Array(100).fill(1));');
	assert.equal(code, 1);
	assert.equal(err, '/app/app.js: over its limit: memory\n');
});

test('an app file that awaits for ever is over its limit', async () => {
	const { code, err } = await appFile('await new Promise(() => {});');
	assert.equal(code, 1);
	assert.equal(err, '/app/app.js: over its limit: 2 s of time\n');
});

test('nothing of the caller is in an app file’s reach', async () => {
	const { code, out } = await appFile(
		'app.host = [typeof process, typeof require, typeof native].join().toLowerCase();',
	);
	assert.equal(code, 0);
	assert.deepEqual(JSON.parse(out).host, ['undefined,undefined,undefined']);
});

test('a script logs in order, timers and microtasks too', async () => {
	const { code, out } = await evaluate(`
		setTimeout(() => console.log('timer'), 5);
		Promise.resolve().then(() => console.log('microtask'));
		console.log('script');`);
	assert.equal(code, 0);
	assert.equal(out, 'script\nmicrotask\ntimer\n');
});

test('a script that throws exits with 1', async () => {
	const { code, err } = await evaluate("throw new TypeError('broken');");
	assert.equal(code, 1);
	assert.match(err, /TypeError: broken/);
});

test('an unhandled rejection is logged and exits with 1', async () => {
	const { code, err } = await evaluate("Promise.reject(new Error('nobody'));");
	assert.equal(code, 1);
	assert.match(err, /nobody/);
});

test('a missing script is one line', async () => {
	const { code, err } = await run(['--eval', '/nowhere/script.js']);
	assert.equal(code, 1);
	assert.equal(err, '/nowhere/script.js: No such file or directory\n');
});
