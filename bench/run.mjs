// SPDX-License-Identifier: BSD-2-Clause
// node bench/run.mjs [--quick] [--only NAME]... [--servers NAME,NAME] [--rounds N] [--seconds N]
//
// Requests a second, latency, CPU and memory of Selkie and of what people use instead. The
// servers take turns within each round, each started afresh, so that a slow minute of the
// machine meets all of them. Asserts no time.

import { parseArgs } from 'node:util';
import { cases, check } from './lib/cases.mjs';
import { definitions } from './lib/definitions.mjs';
import { caseRows, caseSection } from './lib/loadreport.mjs';
import { saveJson, saveSection } from './lib/report.mjs';
import { startServer } from './lib/server.mjs';
import { startUpstream } from './lib/upstream.mjs';
import { measure } from './lib/wrk.mjs';

/** How many connections a case is measured at. */
const connectionsOf = (caseName) => cases[caseName].connections ?? [1, 10, 100];

/** Benches that are programs of their own; each has `export async function main(quick)`. */
const others = ['start', 'growth'];

/** Who runs a case: those that are here; the others are named. */
function present(all, caseName, wanted) {
	return all.filter((definition) => {
		if (!definition.cases.includes(caseName)) return false;
		if (wanted && !wanted.includes(definition.name)) return false;
		const missing = definition.missing();
		if (missing) console.log(`  ${definition.name} skipped: no ${missing}`);
		return !missing;
	});
}

/** One server's turn: fresh process, right answer, warm-up, then every connection count. */
async function turn(definition, caseName, { seconds, warmup }) {
	const server = startServer(definition, caseName);
	try {
		await server.answer(cases[caseName].ask);
		await check(caseName);
		const { tree } = server;
		await measure({ case: caseName, connections: 10, seconds: warmup, tree });
		const samples = {};
		for (const connections of connectionsOf(caseName))
			samples[connections] = await measure({ case: caseName, connections, seconds, tree });
		return { samples, memory: tree.pss() };
	} finally {
		await server.stop();
	}
}

async function runCase(caseName, all, options) {
	console.log(`${caseName}: ${options.rounds} rounds, ${options.seconds} s a measurement`);
	// A server that fails once is out of this case: its medians would mean nothing.
	const upstream = cases[caseName].upstream ? await startUpstream() : undefined;
	const results = new Map(present(all, caseName, options.servers).map((server) => [server, []]));
	for (let round = 1; round <= options.rounds; round++) {
		for (const server of results.keys()) {
			const result = await turn(server, caseName, options).catch((error) => {
				console.error(`  round ${round} ${server.name} FAILED: ${error.message}`);
				process.exitCode = 1;
				results.delete(server);
			});
			if (!result) continue;
			results.get(server).push(result);
			const rates = connectionsOf(caseName).map((c) => Math.round(result.samples[c].rps));
			console.log(`  round ${round} ${server.name.padEnd(10)} ${rates.join(' ')} requests/s`);
		}
	}
	await upstream?.stop();
	return [...results].map(([server, rounds]) => ({
		name: server.name,
		title: server.title,
		version: server.version(),
		rounds,
	}));
}

const { values } = parseArgs({
	options: {
		quick: { type: 'boolean', default: false },
		only: { type: 'string', multiple: true },
		servers: { type: 'string' },
		rounds: { type: 'string' },
		seconds: { type: 'string' },
	},
});
const options = {
	rounds: Number(values.rounds ?? (values.quick ? 1 : 5)),
	seconds: Number(values.seconds ?? (values.quick ? 1 : 3)),
	warmup: values.quick ? 1 : 2,
	servers: values.servers?.split(','),
};
const chosen = values.only ?? [...Object.keys(cases), ...others];
const unknown = chosen.filter((name) => !(name in cases) && !others.includes(name));
if (unknown.length > 0) {
	console.error(`no such bench: ${unknown.join(', ')}`);
	process.exit(1);
}

const all = await definitions();
for (const name of chosen.filter((name) => name in cases)) {
	const measured = await runCase(name, all, options);
	saveJson(name, caseRows(name, measured, connectionsOf(name)));
	saveSection(name, caseSection(cases[name], measured, connectionsOf(name), options));
}
for (const name of chosen.filter((name) => others.includes(name))) {
	const { main } = await import(`./${name}.mjs`);
	await main(values.quick);
}
