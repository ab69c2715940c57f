// SPDX-License-Identifier: BSD-2-Clause
/*
 * lib/url against npm's whatwg-url: every component after the parse, and after
 * each setter, of generated inputs (url/cases.mjs).
 *
 * usage: node url-differential.mjs --driver build/tests/url_driver
 *             [--count N] [--seed N] [--only CASE]
 */
// quick: --driver build/tests/url_driver --count 20000
// full: --driver build/tests/url_driver --count 100000
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import whatwg from 'whatwg-url';
import { makeCase } from './url/cases.mjs';
import { KNOWN } from './url/known.mjs';

const PARTS = [
	'href',
	'protocol',
	'username',
	'password',
	'host',
	'hostname',
	'port',
	'pathname',
	'search',
	'hash',
];
const SHOWN = [...PARTS, 'origin'];
const BATCH = 200;
const REPORTED = 20;

/** The strings that a case sends to the driver. */
function request(test) {
	if (test.kind === 'form') return ['form', test.input];
	const fields = ['url', test.input];
	if (test.base !== undefined) fields.push('base', test.base);
	for (const [part, value] of test.sets) fields.push(String(part), value);
	return fields;
}

function encode(fields) {
	const parts = [Buffer.alloc(4)];
	parts[0].writeUInt32LE(fields.length);
	for (const field of fields) {
		const bytes = Buffer.from(field, 'utf8');
		const length = Buffer.alloc(4);
		length.writeUInt32LE(bytes.length);
		parts.push(length, bytes);
	}
	return Buffer.concat(parts);
}

/** Reads answers off the driver's output. */
class Reader {
	#chunks;
	#buffer = Buffer.alloc(0);

	constructor(stream) {
		this.#chunks = stream[Symbol.asyncIterator]();
	}

	async #take(length) {
		while (this.#buffer.length < length) {
			const { value, done } = await this.#chunks.next();
			if (done) throw new Error('the driver ended early');
			this.#buffer = Buffer.concat([this.#buffer, value]);
		}
		const taken = this.#buffer.subarray(0, length);
		this.#buffer = this.#buffer.subarray(length);
		return taken;
	}

	async answer() {
		const fields = [];
		for (let left = (await this.#take(4)).readUInt32LE(); left > 0; left--) {
			const length = (await this.#take(4)).readUInt32LE();
			fields.push((await this.#take(length)).toString('utf8'));
		}
		return fields;
	}
}

/** What the oracle makes of a case, in the driver's form. */
function expected(test) {
	if (test.kind === 'form') {
		// A "?" in front is dropped by the constructor.
		const list = new whatwg.URLSearchParams(`?${test.input}`);
		return [list.toString(), ...[...list].flat()];
	}
	let url;
	try {
		url = new whatwg.URL(test.input, test.base);
	} catch {
		return ['failure'];
	}
	const out = SHOWN.map((name) => url[name]);
	for (const [part, value] of test.sets) {
		try {
			url[PARTS[part]] = value;
		} catch {
			// href throws, and the URL stays as it is
		}
		out.push(...SHOWN.map((name) => url[name]));
	}
	return out;
}

function firstDifference(ours, theirs) {
	for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
		if (ours[i] !== theirs[i]) {
			const step = Math.floor(i / SHOWN.length);
			return (
				`step ${step}, ${SHOWN[i % SHOWN.length]}: ours ${JSON.stringify(ours[i])}, ` +
				`oracle ${JSON.stringify(theirs[i])}`
			);
		}
	}
	return '';
}

async function ask(driver, reader, tests) {
	driver.stdin.write(Buffer.concat(tests.map((test) => encode(request(test)))));
	const answers = [];
	for (let i = 0; i < tests.length; i++) answers.push(await reader.answer());
	return answers;
}

const { values: options } = parseArgs({
	options: {
		driver: { type: 'string', default: 'build/tests/url_driver' },
		count: { type: 'string', default: '100000' },
		seed: { type: 'string', default: '1' },
		only: { type: 'string' },
	},
});
const seed = Number(options.seed);
const first = options.only === undefined ? 0 : Number(options.only);
const last = options.only === undefined ? Number(options.count) : first + 1;
const driver = spawn(options.driver, { stdio: ['pipe', 'pipe', 'inherit'] });
driver.on('error', (error) => {
	console.error(`${options.driver}: ${error.message}`);
	process.exit(2);
});
const ended = once(driver, 'close');
const reader = new Reader(driver.stdout);
let passed = 0;
let failed = 0;
let skipped = 0;

function verdict(good, name, details) {
	if (good) {
		passed++;
		return;
	}
	failed++;
	if (failed <= REPORTED) console.log(`FAILED ${name}\n  ${details}`);
}

driver.stdin.on('error', () => {});
console.log(`seed ${seed}, cases ${first} to ${last - 1}`);
const known = await ask(
	driver,
	reader,
	KNOWN.map((entry) => entry.test),
);
KNOWN.forEach((entry, i) => {
	const theirs = expected(entry.test);
	const ours = known[i];
	verdict(
		ours[0] === entry.ours && theirs[0] === entry.oracle,
		`known difference: ${entry.reason}`,
		`${JSON.stringify(entry.test)}\n  ours ${JSON.stringify(ours[0])}, oracle ${JSON.stringify(theirs[0])}`,
	);
});
for (let at = first; at < last; at += BATCH) {
	const tests = [];
	for (let i = at; i < Math.min(at + BATCH, last); i++) tests.push(makeCase(seed, i));
	const answers = await ask(driver, reader, tests);
	tests.forEach((test, i) => {
		const theirs = expected(test);
		const difference = firstDifference(answers[i], theirs);
		if (difference && KNOWN.some((entry) => entry.covers?.(test, answers[i], theirs))) {
			skipped++;
			return;
		}
		verdict(!difference, `case ${at + i}`, `${JSON.stringify(test)}\n  ${difference}`);
	});
}
driver.stdin.end();
const [status] = await ended;
if (status !== 0) verdict(false, 'driver', `ended with status ${status}`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed ? 1 : 0;
