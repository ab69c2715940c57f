// SPDX-License-Identifier: BSD-2-Clause
// Starts one server under test, waits for its first right answer, and ends it for good.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { output, port } from './paths.mjs';
import { Tree } from './proc.mjs';

/**
 * @typedef {object} Definition one entry of servers/NAME/server.mjs
 * @property {string} name
 * @property {string} title as the tables show it
 * @property {string[]} cases
 * @property {() => string | undefined} missing why it cannot run here
 * @property {() => string} version
 * @property {(context: {case: string, port: number, folder: string}) =>
 *   {argv: string[], env?: Record<string, string>}} command
 */

const agent = new http.Agent({ keepAlive: false });

/**
 * @param {{path: string, method?: string, headers?: Record<string, string>, body?: string,
 *   port?: number}} what
 * @returns {Promise<{status: number, body: string}>}
 */
export function request(what) {
	return new Promise((resolve, reject) => {
		const { path, method = 'GET', headers = {}, body, port: at = port } = what;
		const where = { host: '127.0.0.1', port: at };
		const sent = http.request({ ...where, path, method, headers, agent }, (reply) => {
			let text = '';
			reply.setEncoding('utf8');
			reply.on('data', (piece) => {
				text += piece;
			});
			reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: text }));
			reply.on('error', reject);
		});
		sent.on('error', reject);
		sent.end(body);
	});
}

export class Server {
	/**
	 * @param {import('node:child_process').ChildProcess} child
	 * @param {Tree} tree
	 * @param {string} log
	 */
	constructor(child, tree, log) {
		this.child = child;
		this.tree = tree;
		this.log = log;
	}

	/**
	 * @param {string} name
	 * @param {string[]} argv
	 * @param {Record<string, string>} [env]
	 */
	static start(name, argv, env = {}) {
		mkdirSync(output, { recursive: true });
		const log = join(output, `${name}.log`);
		const descriptor = openSync(log, 'w');
		const child = spawn(argv[0], argv.slice(1), {
			stdio: ['ignore', descriptor, descriptor],
			env: { ...process.env, ...env },
		});
		closeSync(descriptor);
		child.on('error', () => {});
		return new Server(child, new Tree(child.pid ?? -1), log);
	}

	/**
	 * Asks again and again until the server answers at all.
	 * @param {{path: string, port?: number}} what
	 * @param {number} [patience] milliseconds
	 */
	async answer(what, patience = 15000) {
		const deadline = Date.now() + patience;
		for (;;) {
			try {
				return await request(what);
			} catch (error) {
				if (this.child.exitCode !== null || Date.now() > deadline)
					throw new Error(
						`no answer (${error}); its log:\n${readFileSync(this.log, 'utf8').slice(-2000)}`,
					);
			}
			await sleep(1);
		}
	}

	/** Ends the server; whatever is left of it after 10 seconds is killed and reported. */
	async stop() {
		this.tree.processes();
		if (this.child.exitCode === null && this.child.signalCode === null) {
			const ended = once(this.child, 'exit');
			this.child.kill('SIGTERM');
			await Promise.race([ended, sleep(10000, undefined, { ref: false })]);
		}
		for (let tries = 0; tries < 200 && this.tree.survivors().length > 0; tries++) await sleep(10);
		const left = this.tree.survivors();
		for (const { pid } of left) process.kill(pid, 'SIGKILL');
		if (left.length > 0)
			console.error(`  had to kill: ${left.map((p) => `${p.name} (${p.pid})`).join(', ')}`);
	}
}

/**
 * Starts a competitor for one case in a fresh folder of its own.
 * @param {Definition} definition
 * @param {string} caseName
 */
export function startServer(definition, caseName) {
	const folder = join(output, 'run', definition.name);
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const { argv, env } = definition.command({ case: caseName, port, folder });
	return Server.start(definition.name, argv, env);
}
