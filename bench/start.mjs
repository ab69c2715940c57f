// SPDX-License-Identifier: BSD-2-Clause
// node bench/start.mjs [--quick]
//
// How long `selkie app.js` takes to its first reply with a cold and a warm cache, beside other
// servers; how long a route's process takes to its first reply; what idle routes weigh.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { manyRoutes, parts, startSelkie } from './lib/apps.mjs';
import { cases } from './lib/cases.mjs';
import { output } from './lib/paths.mjs';
import { decimal, saveJson, saveSection, table } from './lib/report.mjs';
import { request, startServer } from './lib/server.mjs';
import { median, row } from './lib/stats.mjs';

const cache = join(output, 'cache');
const routes = 30;
const rivals = ['node', 'bun', 'deno', 'workerd', 'nginx'];

/** @returns {Promise<number>} milliseconds from the spawn to the first right answer */
async function firstReply(start, ask) {
	const begun = performance.now();
	const server = start();
	try {
		const reply = await server.answer(ask);
		const took = performance.now() - begun;
		if (reply.status !== 200) throw new Error(`status ${reply.status}: ${reply.body}`);
		return took;
	} finally {
		await server.stop();
	}
}

function emptyCache() {
	rmSync(cache, { recursive: true, force: true });
	mkdirSync(cache, { recursive: true });
}

/** Selkie cold, Selkie warm, then each rival, all in turn. */
async function startTimes(rounds) {
	const env = { XDG_CACHE_HOME: cache };
	const app = manyRoutes('one', 1);
	const selkie = () => firstReply(() => startSelkie('start', app, env), { path: '/0' });
	/** @type {Record<string, number[]>} */
	const times = { cold: [], warm: [] };
	for (let round = 0; round < rounds; round++) {
		emptyCache();
		times.cold.push(await selkie());
		times.warm.push(await selkie());
		for (const name of rivals) {
			const { default: definitions } = await import(`./servers/${name}/server.mjs`);
			const [definition] = definitions;
			if (definition.missing()) continue;
			times[name] ??= [];
			times[name].push(await firstReply(() => startServer(definition, 'hello'), cases.hello.ask));
		}
	}
	return times;
}

/** @param {string} path @returns {Promise<number>} milliseconds to the whole reply */
async function timed(path) {
	const begun = performance.now();
	const reply = await request({ path });
	const took = performance.now() - begun;
	if (reply.status !== 200) throw new Error(`${path}: status ${reply.status}: ${reply.body}`);
	return took;
}

/** Each route's first and second reply in a server that is up, then the weight at rest. */
async function manyIdle() {
	const app = manyRoutes('thirty', routes);
	const server = startSelkie('idle', app, { XDG_CACHE_HOME: cache });
	try {
		await server.answer({ path: '/nothing-here' });
		const first = [];
		const second = [];
		for (let i = 0; i < routes; i++) {
			first.push(await timed(`/${i}`));
			second.push(await timed(`/${i}`));
		}
		await sleep(5000);
		return { first, second, parts: parts(server.tree) };
	} finally {
		await server.stop();
	}
}

const MB = 1e6;

function idleRows(idle) {
	const own = idle.parts.filter(({ role }) => role === 'selkie-worker').map((p) => p.private / MB);
	const all = idle.parts.reduce((sum, part) => sum + part.pss, 0) / MB;
	const started = idle.first.map((took, i) => took - idle.second[i]);
	return { own, all, started };
}

function weightTable(idle) {
	const roles = [...new Set(idle.parts.map(({ role }) => role))];
	const rows = roles.map((role) => {
		const members = idle.parts.filter((part) => part.role === role);
		return [
			role,
			String(members.length),
			decimal(median(members.map((part) => part.private)) / MB),
			decimal(members.reduce((sum, part) => sum + part.pss, 0) / MB),
		];
	});
	return table(['process', 'count', 'private MB, median', 'PSS MB, all'], rows);
}

/** @param {boolean} quick */
export async function main(quick) {
	console.log('start: first replies');
	const times = await startTimes(quick ? 2 : 11);
	for (const [name, values] of Object.entries(times))
		console.log(`  ${name.padEnd(8)} ${decimal(median(values), 1)} ms`);
	console.log(`start: ${routes} routes`);
	const idle = await manyIdle();
	const { own, all, started } = idleRows(idle);
	console.log(
		`  a route's first reply ${decimal(median(idle.first), 1)} ms, its second ${decimal(median(idle.second), 1)} ms`,
	);
	console.log(
		`  a route's process ${decimal(median(own))} MB private, ${routes} idle routes ${decimal(all, 1)} MB PSS in all`,
	);

	const rivalNames = Object.keys(times).filter((name) => name !== 'cold' && name !== 'warm');
	saveJson('start', [
		row('first reply, cold cache', 'ms', times.cold),
		...rivalNames.map((name) =>
			row('first reply, warm cache', 'ms', times.warm, name, times[name]),
		),
		row("a route's first reply beyond its second", 'ms', started),
		row('private memory of an idle route process', 'MB', own),
		row(`PSS of all, ${routes} idle routes`, 'MB', [all]),
	]);
	const titles = { cold: '**Selkie**, cold cache', warm: '**Selkie**, warm cache' };
	const line = ([name, values]) => [
		titles[name] ?? name,
		...[median(values), Math.min(...values), Math.max(...values)].map((ms) => decimal(ms, 0)),
	];
	const order = Object.entries(times).sort(([, a], [, b]) => median(a) - median(b));
	saveSection(
		'start',
		[
			'## Starting',
			`From the spawn to the first right reply, asked again each millisecond; ${times.warm.length} rounds in turn.`,
			table(['server', 'median ms', 'min', 'max'], order.map(line)),
			`The first reply of a route whose process has to be started takes ${decimal(median(idle.first), 1)} ms ` +
				`(worst of ${routes}: ${decimal(Math.max(...idle.first), 1)}), the second ${decimal(median(idle.second), 1)} ms: ` +
				`starting it costs ${decimal(median(started), 1)} ms.`,
			`${routes} routes, each used twice, idle for 5 s, weigh ${decimal(all, 1)} MB (PSS) in all:`,
			weightTable(idle),
		].join('\n\n'),
	);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	await main(process.argv.includes('--quick'));
