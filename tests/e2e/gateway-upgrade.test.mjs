// SPDX-License-Identifier: BSD-2-Clause
// nginx's binary upgrade: SIGUSR2 starts a second master beside the first, with
// a supervisor and route processes of its own; the first one is then told to go.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { nginx, prepare } from './gateway.mjs';
import { assertCleanLog, isAlive, processesIn, processOf, request, until } from './lib.mjs';

const FILES = {
	'app.js': `app.get('/count', './count.js'); app.get('/slow', './slow.js');`,
	'count.js': `let n = 0; export default () => String(++n);`,
	'slow.js': `export default async () => {
		console.log('the handler waits');
		await new Promise((resolve) => setTimeout(resolve, 1000));
		return 'slow but whole';
	};`,
};

/**
 * nginx as a daemon: only as one does it take SIGUSR2. What it prints goes to a
 * file.
 */
async function startDaemon(t) {
	const { folder, ports } = await prepare(t, {
		usePeer: false,
		files: FILES,
		server: (directive) => directive.replace(/ data=\S+?;/, ';'),
	});
	const file = join(folder, 'log');
	const log = openSync(file, 'w');
	const conf = join(folder, 'nginx.conf');
	writeFileSync(conf, readFileSync(conf, 'utf8').replace('daemon off;', 'daemon on;'));
	const starter = spawn(nginx, ['-p', folder, '-c', conf, '-e', 'stderr'], {
		cwd: folder,
		env: { PATH: process.env.PATH, SELKIE_CACHE: join(folder, 'cache') },
		stdio: ['ignore', log, log],
	});
	closeSync(log);
	assert.deepEqual(await once(starter, 'exit'), [0, null]);
	t.after(() => {
		for (const { pid } of processesIn(folder)) process.kill(pid, 'SIGKILL');
	});
	const server = {
		log: () => readFileSync(file, 'utf8'),
		get: (path) => request(`http://127.0.0.1:${ports[0]}${path}`, { agent: false }),
		processes: (name = '') => processesIn(folder).filter((one) => one.name.startsWith(name)),
		/** The master whose number is in the file of this name. */
		master(name) {
			try {
				return processOf(Number(readFileSync(join(folder, name), 'utf8')));
			} catch {
				return undefined;
			}
		},
	};
	const answers = async () => (await server.get('/count').catch(() => undefined))?.status === 200;
	await until(answers, 'nginx');
	return server;
}

test('a binary upgrade loses no request, and leaves one supervisor', async (t) => {
	const server = await startDaemon(t);
	const bad = [];
	let running = true;
	t.after(() => {
		running = false;
	});
	const load = (async () => {
		while (running) {
			const { status } = await server.get('/count').catch((error) => ({ status: String(error) }));
			if (status !== 200) bad.push(status);
		}
	})();
	const [supervisor] = server.processes('selkie-super');
	const old = server.master('nginx.pid');
	assert.ok(old);
	const slow = server.get('/slow');
	await until(() => server.log().includes('the handler waits'));

	process.kill(old.pid, 'SIGUSR2');
	await until(() => server.processes('selkie-super').length === 2, 'a second supervisor');
	const fresh = await until(() => {
		const master = server.master('nginx.pid');
		return master !== undefined && master.pid !== old.pid && master;
	});
	await until(() => server.processes('nginx').some(({ parent }) => parent === fresh.pid));
	process.kill(old.pid, 'SIGQUIT');
	assert.equal((await slow).text, 'slow but whole');
	await until(() => !isAlive(old), 'the old master ends');
	await until(() => !isAlive(supervisor), 'its supervisor ends with it');

	assert.equal((await server.get('/count')).status, 200);
	assert.equal(server.processes('selkie-super').length, 1);
	running = false;
	await load;
	assert.deepEqual(bad, []);
	process.kill(fresh.pid, 'SIGQUIT');
	await until(() => server.processes().length === 0, 'all of the new nginx ends');
	assertCleanLog(server.log());
});
