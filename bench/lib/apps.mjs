// SPDX-License-Identifier: BSD-2-Clause
// Makes the Selkie apps that a bench wants, and finds Selkie's processes by what they run.

import { mkdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { output, port, selkie } from './paths.mjs';
import { commandLine, memory } from './proc.mjs';
import { Server } from './server.mjs';

/**
 * An app of `count` routes /0, /1, …, each with a worker file of its own.
 * @param {string} name
 * @param {number} count
 * @returns {string} its app file
 */
export function manyRoutes(name, count) {
	const folder = join(output, 'apps', name);
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const lines = [];
	for (let i = 0; i < count; i++) {
		writeFileSync(join(folder, `worker${i}.js`), `export default () => 'Route ${i}\\n';\n`);
		lines.push(`app.get('/${i}', './worker${i}.js');`);
	}
	writeFileSync(join(folder, 'app.js'), `${lines.join('\n')}\n`);
	return join(folder, 'app.js');
}

/**
 * @param {string} name
 * @param {string} app
 * @param {Record<string, string>} env
 */
export function startSelkie(name, app, env) {
	return Server.start(
		name,
		[selkie, app, '--port', String(port), '--workers', '1', '--access-log', 'off'],
		env,
	);
}

/**
 * What part of Selkie a process is.
 * @param {{pid: number, name: string}} entry
 */
function role({ pid, name }) {
	try {
		return basename(readlinkSync(`/proc/${pid}/exe`));
	} catch {
		return name;
	}
}

/**
 * The tree's processes with their part and memory. A zygote is the selkie-worker that has
 * selkie-worker children; a route's process has none.
 * @param {import('./proc.mjs').Tree} tree
 */
export function parts(tree) {
	const all = tree.processes().map((entry) => ({
		...entry,
		...memory(entry.pid),
		role: role(entry),
		line: commandLine(entry.pid),
	}));
	return all.map((entry) => ({
		...entry,
		role: entry.role === 'selkie-worker' && isZygote(entry, all) ? 'zygote' : entry.role,
	}));
}

function isZygote(entry, all) {
	const parent = all.find(({ pid }) => pid === entry.ppid);
	return parent?.role !== 'selkie-worker';
}
