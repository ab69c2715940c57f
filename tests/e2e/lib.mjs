// SPDX-License-Identifier: BSD-2-Clause
// Runs the real `selkie` for a test, and sees to it that nothing of it stays:
//
//	const app = await serve(t, {
//		"app.js": `app.get('/', 'hello.js')`,
//		"hello.js": `export default () => 'Hello'`,
//	});
//	assert.equal((await app.request("/")).text, "Hello");
//
// When the test ends, the server is stopped, and the test fails unless it
// exited as it should, left no process, no file and no alert in its log.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	chmodSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RawConnection, rawRequest, request } from './http.mjs';
import { isAlive, memoryOf, processesOf, processTree } from './processes.mjs';

export * from './http.mjs';
export * from './processes.mjs';

/** The source tree, and the command under test. */
export const tree = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const selkie = process.env.SELKIE ?? join(tree, 'build/bin/selkie');

/** Programs with sanitizers: each keeps up to 256 MiB of freed memory aside. */
export const sanitized = selkie.includes('/build/san/');

/** SELKIE_ESBUILD=/usr/bin/esbuild tests Debian's in place of npm's. */
export const chosenEsbuild = process.env.SELKIE_ESBUILD
	? { SELKIE_ESBUILD: process.env.SELKIE_ESBUILD }
	: {};

/** The tier that runs: tests of the full tier do more of the same. */
export const full = process.env.SELKIE_TIER === 'full';

/** How long a test waits for what must happen; it asserts no time. */
export const patience = 20_000;

const BAD_LOG =
	/\[(?:alert|emerg)\]|AddressSanitizer|LeakSanitizer|UndefinedBehaviorSanitizer|runtime error:|Assertion .* failed|exited on signal/;

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until `condition()` returns something true, and returns it. */
export async function until(condition, what = 'what the test waits for', limit = patience) {
	const end = Date.now() + limit;
	for (;;) {
		const result = await condition();
		if (result) return result;
		if (Date.now() > end) assert.fail(`${what} did not happen in ${limit} ms`);
		await sleep(20);
	}
}

/** A port of 127.0.0.1 that nothing listens on just now. */
export async function freePort() {
	const server = net.createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = /** @type {net.AddressInfo} */ (server.address());
	server.close();
	await once(server, 'close');
	return port;
}

/**
 * Writes `files` (name → text or bytes) to a new folder that others may read
 * and that is removed after the test.
 */
export function folderOf(t, files = {}) {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), 'selkie-test-')));
	chmodSync(folder, 0o755);
	t?.after(() => rmSync(folder, { recursive: true, force: true }));
	writeFiles(folder, files);
	return folder;
}

export function writeFiles(folder, files) {
	for (const [name, content] of Object.entries(files)) {
		const path = join(folder, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, content);
	}
}

/** Runs a command to its end. @param {string} command @param {string[]} [args] @param {import('node:child_process').SpawnOptionsWithoutStdio & {input?: string}} [options] @returns {Promise<{status: number | null, signal: string | null, stdout: string, stderr: string}>} */
export async function run(command, args = [], { input = '', ...options } = {}) {
	const child = spawn(command, args, options);
	let stdout = '';
	let stderr = '';
	child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
	child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
	child.stdin.on('error', () => {});
	child.stdin.end(input);
	const [status, signal] = await once(child, 'close');
	return { status, signal, stdout, stderr };
}

/** A program that serves until it is stopped. */
export class Service {
	stdout = '';
	stderr = '';
	#exited;
	#closed;
	#stopped = false;
	#watch = new Set();

	constructor(command, args, options) {
		this.child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
		this.pid = /** @type {number} */ (this.child.pid);
		this.child.stdout.setEncoding('utf8').on('data', (text) => this.#heard('stdout', text));
		this.child.stderr.setEncoding('utf8').on('data', (text) => this.#heard('stderr', text));
		this.#exited = once(this.child, 'exit').then(([status, signal]) => ({ status, signal }));
		this.#closed = once(this.child, 'close').then(() => {
			this.exit = { status: this.child.exitCode, signal: this.child.signalCode };
			this.#heard('stderr', '');
		});
		for (const end of [this.#exited, this.#closed]) end.catch(() => {});
	}

	#heard(stream, text) {
		this[stream] += text;
		for (const look of this.#watch) look();
	}

	/** All that it has printed. */
	get output() {
		return this.stdout + this.stderr;
	}

	/**
	 * Waits until its output matches, and returns the match. Only what came
	 * after `from` (a `mark()`) counts.
	 */
	async prints(pattern, { from = [0, 0], limit = patience } = {}) {
		let look;
		let timer;
		try {
			return await new Promise((resolve, reject) => {
				const fail = (why) =>
					reject(new Error(`${why} before it printed ${pattern}; it printed:\n${this.output}`));
				look = () => {
					const found = this.#since(from).match(pattern);
					if (found) resolve(found);
					else if (this.exit) fail(`the program ended (${this.exit.status ?? this.exit.signal})`);
				};
				timer = setTimeout(() => fail(`${limit} ms passed`), limit);
				this.#watch.add(look);
				look();
			});
		} finally {
			clearTimeout(timer);
			this.#watch.delete(look);
		}
	}

	/** Where its output ends now, for `prints(…, {from})`. */
	mark() {
		return [this.stdout.length, this.stderr.length];
	}

	#since(from) {
		return this.stdout.slice(from[0]) + this.stderr.slice(from[1]);
	}

	/** Waits for its end. @returns {Promise<{status: number | null, signal: string | null}>} */
	ended() {
		return this.#exited;
	}

	signal(name) {
		this.child.kill(name);
	}

	/** It and its descendants. */
	processes() {
		return processTree(this.pid);
	}

	/** Its descendants of one name, such as "selkie-worker" or "nginx". */
	processesNamed(name) {
		return this.processes().filter((process) => process.name === name);
	}

	/** Bytes that it and its descendants hold, shared pages counted once. */
	memory() {
		let sum = 0;
		for (const { pid } of this.processes()) {
			try {
				sum += memoryOf(pid).pss;
			} catch {
				// It ended since the list was made.
			}
		}
		return sum;
	}

	/**
	 * Stops it and checks that it ended well and alone.
	 * @param {{signal?: NodeJS.Signals, status?: number | null}} [expected]
	 *   status null: any end will do (the test killed it)
	 */
	async stop({ signal = 'SIGTERM', status = 0 } = {}) {
		if (this.#stopped) return;
		this.#stopped = true;
		const before = this.processes();
		if (!this.exit) this.child.kill(signal);
		const timer = setTimeout(() => this.child.kill('SIGKILL'), patience);
		const exit = await this.#exited;
		clearTimeout(timer);
		const left = await leftover(before);
		for (const { pid } of left) process.kill(pid, 'SIGKILL');
		await this.#closed;
		if (status !== null)
			assert.equal(
				exit.status ?? exit.signal,
				status,
				`the server's exit status; it printed:\n${this.output}`,
			);
		assert.deepEqual(left, [], 'processes are left over');
	}
}

/** Those of `processes` that do not end by themselves. */
async function leftover(processes, limit = 8000) {
	const end = Date.now() + limit;
	for (;;) {
		const left = processes.filter(isAlive);
		if (left.length === 0 || Date.now() > end) return left;
		await sleep(20);
	}
}

/** Fails when a log has a line that no run of a server may have. */
export function assertCleanLog(text, allow) {
	const bad = text.split('\n').filter((line) => BAD_LOG.test(line) && !allow?.test(line));
	assert.deepEqual(bad, [], 'lines in the log that must not be there');
}

/**
 * @typedef {object} ServeOptions
 * @property {string} [app]  the app file's name; app.js
 * @property {string[]} [args]  further arguments of `selkie`
 * @property {Record<string, string>} [env]
 * @property {RegExp} [allow]  lines in the log that this test provokes
 */

/** `selkie app.js` with its folder and its port. */
export class App extends Service {
	/** @param {string} folder @param {number} port @param {ServeOptions} [options] */
	constructor(folder, port, { app = 'app.js', args = [], env = {}, allow } = {}) {
		for (const name of ['run', 'tmp', 'home'])
			mkdirSync(join(folder, `.test/${name}`), { recursive: true });
		super(selkie, [join(folder, app), '--port', String(port), ...args], {
			cwd: folder,
			env: {
				PATH: process.env.PATH ?? '',
				HOME: join(folder, '.test/home'),
				TMPDIR: join(folder, '.test/tmp'),
				XDG_RUNTIME_DIR: join(folder, '.test/run'),
				SELKIE_CACHE: join(folder, '.test/cache'),
				...chosenEsbuild,
				...env,
			},
		});
		this.folder = folder;
		this.port = port;
		this.url = `http://127.0.0.1:${port}`;
		this.agent = new http.Agent({ keepAlive: true });
		this.allow = allow;
	}

	/** Sends one request on a kept connection. */
	request(path, options = {}) {
		return request(this.url + path, { agent: this.agent, ...options });
	}

	/** The standard fetch, with a path in place of a URL. */
	fetch(path, init) {
		return fetch(this.url + path, init);
	}

	/** Sends exactly these bytes; reads one reply. */
	raw(bytes, options) {
		return rawRequest(this.port, bytes, options);
	}

	connect() {
		return RawConnection.open(this.port);
	}

	write(files) {
		writeFiles(this.folder, files);
	}

	async stop(expected) {
		this.agent.destroy();
		await super.stop(expected);
		assertCleanLog(this.stderr, this.allow);
		assert.deepEqual(processesOf(this.folder), [], 'processes of this app are left over');
		const files = ['run', 'tmp'].flatMap((name) =>
			readdirSync(join(this.folder, '.test', name)).map((file) => `${name}/${file}`),
		);
		assert.deepEqual(files, [], 'files are left in the temporary folders');
	}
}

/**
 * Serves an app made of `files` until the test ends.
 * @param {import("node:test").TestContext} t
 * @param {Record<string, string | Uint8Array>} files
 * @param {ServeOptions} [options]
 */
export function serve(t, files, options = {}) {
	return serveAt(t, () => files, options);
}

/**
 * The same for an app that names its own port.
 * @param {import("node:test").TestContext} t
 * @param {(port: number) => Record<string, string | Uint8Array>} make
 * @param {ServeOptions} [options]
 */
export async function serveAt(t, make, options = {}) {
	const port = await freePort();
	const folder = folderOf(undefined, make(port));
	const app = new App(folder, port, options);
	t.after(async () => {
		try {
			await app.stop();
		} finally {
			t.diagnostic(`the app printed:\n${app.output.slice(-8000)}`);
			rmSync(folder, { recursive: true, force: true });
		}
	});
	await app.prints(/listening on http:\S+/);
	return app;
}
