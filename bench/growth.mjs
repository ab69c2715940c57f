// SPDX-License-Identifier: BSD-2-Clause
// node bench/growth.mjs [--quick]
//
// 1,000,000 requests over four routes: does any process grow after the first 100,000?

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parts, startSelkie } from './lib/apps.mjs';
import { benchRoot, output, port } from './lib/paths.mjs';
import { decimal, saveJson, saveSection, table } from './lib/report.mjs';
import { median, row } from './lib/stats.mjs';

const run = promisify(execFile);
const MB = 1e6;

/** @returns {Promise<number>} requests that were answered */
async function load(seconds) {
	const { stdout } = await run('wrk', [
		'-t1',
		'-c20',
		`-d${seconds}s`,
		'-s',
		join(benchRoot, 'wrk', 'mixed.lua'),
		`http://127.0.0.1:${port}/`,
	]);
	const { requests, errors } = JSON.parse(/^BENCH (.*)$/m.exec(stdout)?.[1] ?? '{}');
	const failed = Object.values(errors).reduce((sum, count) => sum + count, 0);
	if (failed > 0) throw new Error(`wrk's errors: ${JSON.stringify(errors)}`);
	return requests;
}

/** Each process's memory at rest: the median of five looks. */
async function atRest(tree) {
	await sleep(3000);
	const looks = [];
	for (let i = 0; i < 5; i++) {
		looks.push(parts(tree));
		await sleep(200);
	}
	return looks[0].map(({ pid, role }) => {
		const seen = looks.map((look) => look.find((part) => part.pid === pid)).filter(Boolean);
		return { pid, role, private: median(seen.map((part) => part.private)) / MB };
	});
}

/** @param {boolean} quick */
export async function main(quick) {
	const [early, late] = quick ? [10_000, 100_000] : [100_000, 1_000_000];
	console.log(`growth: ${late} requests`);
	const app = join(benchRoot, 'servers', 'selkie', 'app.js');
	const server = startSelkie('growth', app, { XDG_CACHE_HOME: join(output, 'cache') });
	let done = 0;
	let before;
	let after;
	let beforeAt;
	try {
		await server.answer({ path: '/hello' });
		while (done < early) done += await load(1);
		before = await atRest(server.tree);
		beforeAt = done;
		while (done < late) done += await load(5);
		after = await atRest(server.tree);
	} finally {
		await server.stop();
	}
	const grown = before.flatMap((old) =>
		after.filter(({ pid }) => pid === old.pid).map((now) => ({ old, now })),
	);
	const restarted = before.length - grown.length;
	for (const { old, now } of grown)
		console.log(`  ${old.role} ${old.pid}: ${decimal(old.private)} → ${decimal(now.private)} MB`);
	if (restarted > 0) console.log(`  ${restarted} processes ended in between`);
	saveJson(
		'growth',
		grown.map(({ old, now }) =>
			row(
				`${old.role} private memory after ${done} requests`,
				'MB',
				[now.private],
				`after ${beforeAt}`,
				[old.private],
			),
		),
	);
	saveSection(
		'growth',
		[
			'## Growth',
			`Private memory of every process at rest, after ${beforeAt.toLocaleString('en')} and after ` +
				`${done.toLocaleString('en')} requests (hello, JSON, echo of 1 KiB and 64 KiB) on 20 connections. ` +
				`Processes that ended in between: ${restarted}.`,
			table(
				['process', 'MB before', 'MB after', 'growth %'],
				grown.map(({ old, now }) => [
					old.role,
					decimal(old.private),
					decimal(now.private),
					decimal((now.private / old.private - 1) * 100, 1),
				]),
			),
		].join('\n\n'),
	);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	await main(process.argv.includes('--quick'));
