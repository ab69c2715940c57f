// SPDX-License-Identifier: BSD-2-Clause
// node bench/profile.mjs SERVER CASE [CONNECTIONS] [SECONDS]
//
// Where a server's CPU time goes: perf samples its whole tree while wrk runs. Needs
// linux-perf and permission to sample (root, or kernel.perf_event_paranoid <= 1).

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cases, check } from './lib/cases.mjs';
import { definitions } from './lib/definitions.mjs';
import { output } from './lib/paths.mjs';
import { startServer } from './lib/server.mjs';
import { startUpstream } from './lib/upstream.mjs';
import { measure } from './lib/wrk.mjs';

const [name, caseName = 'hello', connections = '100', seconds = '4'] = process.argv.slice(2);
const definition = (await definitions()).find((entry) => entry.name === name);
if (!definition || !(caseName in cases)) {
	console.error('usage: node bench/profile.mjs SERVER CASE [CONNECTIONS] [SECONDS]');
	process.exit(1);
}

/** @param {string[]} options of perf report */
function report(data, ...options) {
	const text = execFileSync(
		'perf',
		['report', '-i', data, '--stdio', '--no-children', '-g', 'none', ...options],
		{
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'ignore'],
		},
	);
	return text
		.split('\n')
		.filter((line) => /^\s*\d/.test(line))
		.slice(0, 60)
		.join('\n');
}

const upstream = cases[caseName].upstream ? await startUpstream() : undefined;
const server = startServer(definition, caseName);
try {
	await server.answer(cases[caseName].ask);
	await check(caseName);
	const { tree } = server;
	await measure({ case: caseName, connections: 10, seconds: 2, tree });
	const pids = tree.processes().map(({ pid }) => pid);
	const data = join(output, `${name}-${caseName}.perf`);
	const perf = spawn(
		'perf',
		['record', '-q', '-g', '-e', 'cpu-clock', '-F', '1999', '-o', data, '-p', pids.join(',')],
		{
			stdio: ['ignore', 'inherit', 'inherit'],
		},
	);
	const ended = once(perf, 'exit');
	const sample = await measure({
		case: caseName,
		connections: Number(connections),
		seconds: Number(seconds),
		tree,
	});
	perf.kill('SIGINT');
	await ended;
	console.log(`${Math.round(sample.rps)} requests/s, ${sample.cpu.toFixed(1)} µs CPU a request`);
	console.log(`\nby process and object\n${report(data, '--sort', 'comm,dso')}`);
	console.log(`\nby function\n${report(data, '--sort', 'comm,dso,symbol')}`);
	console.log(`\ncall chains: perf report -i ${data}`);
} finally {
	await server.stop();
	await upstream?.stop();
}
