// SPDX-License-Identifier: BSD-2-Clause
/*
 * The web APIs of the runtime, in the real engine: each file of
 * tests/conformance/runtime is run by `selkie-worker --eval` behind the prelude below, which
 * gives it test() and the assertions. Where a FILE.out lies beside a
 * file, what the file prints must be just that.
 *
 * usage: node tests/conformance/runtime.mjs [NAME…]
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const tree = join(here, '..', '..');
const cases = join(here, 'runtime');
const work = join(tree, 'build', 'conformance');
const worker = process.env.SELKIE_WORKER ?? join(tree, 'build/libexec/selkie/selkie-worker');

const MARK = '#result ';
const SECONDS = 60;

/** Runs inside the engine. Its text goes before each file. */
function prelude() {
	/** @type {{name: string, body: () => unknown}[]} */
	const tests = [];
	let assertions = 0;
	const show = (value) => {
		try {
			return typeof value === 'string'
				? JSON.stringify(value)
				: `${JSON.stringify(value) ?? value}`;
		} catch {
			return Object.prototype.toString.call(value);
		}
	};
	const check = (truth, message) => {
		assertions++;
		if (!truth) throw new Error(message);
	};
	const plain = (value) => {
		if (typeof value !== 'object' || value === null)
			return value === undefined ? '(undefined)' : value;
		if (ArrayBuffer.isView(value)) return Array.from(/** @type {any} */ (value));
		if (value instanceof ArrayBuffer) return Array.from(new Uint8Array(value));
		if (typeof value[Symbol.iterator] === 'function') return Array.from(value, plain);
		return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
	};
	const isKind = (error, kind) =>
		typeof kind === 'function' ? error instanceof kind : error?.name === kind;
	const kindName = (kind) => (typeof kind === 'function' ? kind.name : kind);
	Object.assign(globalThis, {
		test: (name, body) => tests.push({ name, body }),
		ok: (value, what = 'value') => check(value, `${what} is ${show(value)}`),
		equal: (got, wanted) =>
			check(Object.is(got, wanted), `got ${show(got)}, wanted ${show(wanted)}`),
		same: (got, wanted) => {
			const [a, b] = [JSON.stringify(plain(got)), JSON.stringify(plain(wanted))];
			check(a === b, `got ${a}, wanted ${b}`);
		},
		throws: (call, kind = TypeError) => {
			let error;
			let thrown = false;
			try {
				call();
			} catch (caught) {
				thrown = true;
				error = caught;
			}
			check(thrown, `nothing thrown, wanted ${kindName(kind)}`);
			check(isKind(error, kind), `threw ${error}, wanted ${kindName(kind)}`);
			return error;
		},
		rejects: async (promise, kind = TypeError) => {
			let error;
			let thrown = false;
			try {
				await (typeof promise === 'function' ? promise() : promise);
			} catch (caught) {
				thrown = true;
				error = caught;
			}
			check(thrown, `nothing rejected, wanted ${kindName(kind)}`);
			check(isKind(error, kind), `rejected with ${error}, wanted ${kindName(kind)}`);
			return error;
		},
		runTests: async () => {
			for (const { name, body } of tests) {
				let problem = null;
				try {
					await body();
				} catch (error) {
					problem = `${error?.name}: ${error?.message}`;
				}
				console.log(`#result ${JSON.stringify({ name, problem })}`);
			}
			console.log(`#result ${JSON.stringify({ assertions })}`);
		},
	});
}

function assemble(file) {
	const body = readFileSync(join(cases, file), 'utf8');
	const script = join(work, file);
	writeFileSync(
		script,
		`(${prelude})(); (async () => { 'use strict';\n${body}\nif (globalThis.plainOutput !== true) await runTests(); })();`,
	);
	return script;
}

/** @returns {Promise<{status: number | null, out: string, err: string}>} */
function run(script) {
	return new Promise((resolve) => {
		const child = spawn(worker, ['--eval', script], { stdio: ['ignore', 'pipe', 'pipe'] });
		let out = '';
		let err = '';
		const timer = setTimeout(() => child.kill('SIGKILL'), SECONDS * 1000);
		child.stdout.setEncoding('utf8').on('data', (text) => {
			out += text;
		});
		child.stderr.setEncoding('utf8').on('data', (text) => {
			err += text;
		});
		child.on('error', (error) => resolve({ status: null, out, err: error.message }));
		child.on('close', (status) => {
			clearTimeout(timer);
			resolve({ status, out, err });
		});
	});
}

const total = { passed: 0, failed: 0, assertions: 0 };

function fail(name, problem) {
	total.failed++;
	console.log(`not ok ${name}: ${problem}`);
}

function countResults(file, { status, out, err }) {
	let ended = false;
	for (const line of out.split('\n')) {
		if (!line.startsWith(MARK)) continue;
		const result = JSON.parse(line.slice(MARK.length));
		if (result.assertions !== undefined) {
			total.assertions += result.assertions;
			ended = true;
		} else if (result.problem === null) total.passed++;
		else fail(`${file}: ${result.name}`, result.problem);
	}
	if (!ended || status !== 0) fail(file, `ended with status ${status}\n${err}`);
}

/** The first line that differs. */
function compareOutput(file, { status, out, err }, wanted) {
	const [got, want] = [`${out}${err}`.split('\n'), wanted.split('\n')];
	const at = want.findIndex((line, i) => line !== got[i]);
	if (at >= 0)
		fail(
			file,
			`line ${at + 1}: got ${JSON.stringify(got[at])}, wanted ${JSON.stringify(want[at])}`,
		);
	else if (got.length !== want.length)
		fail(file, `prints more: ${JSON.stringify(got[want.length])}`);
	else if (status !== 0) fail(file, `ended with status ${status}`);
	else total.passed++;
	total.assertions += want.length - 1;
}

const names = process.argv.slice(2);
const files = readdirSync(cases)
	.filter((file) => file.endsWith('.js'))
	.filter((file) => names.length === 0 || names.includes(basename(file, '.js')))
	.sort();
mkdirSync(work, { recursive: true });
for (const file of files) {
	const result = await run(assemble(file));
	const expected = join(cases, file.replace(/\.js$/, '.out'));
	if (existsSync(expected)) compareOutput(file, result, readFileSync(expected, 'utf8'));
	else countResults(file, result);
}
console.log(`${total.assertions} assertions`);
console.log(`${total.passed} passed, ${total.failed} failed, 0 skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
