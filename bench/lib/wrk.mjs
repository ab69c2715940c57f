// SPDX-License-Identifier: BSD-2-Clause
// One run of wrk, with one thread, and what the server spent on it.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { benchRoot, port } from './paths.mjs';

const run = promisify(execFile);
const script = join(benchRoot, 'wrk', 'measure.lua');

/** @typedef {{rps: number, mean: number, stdev: number, p50: number, p99: number, max: number,
 *   cpu: number, requests: number}} Sample times and CPU a request in microseconds */

/**
 * @param {{case: string, connections: number, seconds: number,
 *   tree: import('./proc.mjs').Tree}} what
 * @returns {Promise<Sample>}
 */
export async function measure({ case: caseName, connections, seconds, tree }) {
	const before = tree.cpu();
	const { stdout } = await run(
		'wrk',
		[
			'-t1',
			'--timeout',
			'30s',
			`-c${connections}`,
			`-d${seconds}s`,
			'-s',
			script,
			`http://127.0.0.1:${port}/${caseName}?x=1`,
		],
		{ env: { ...process.env, BENCH_CASE: caseName } },
	);
	const spent = tree.cpu() - before;
	const line = /^BENCH (.*)$/m.exec(stdout);
	if (!line) throw new Error(`wrk said:\n${stdout}`);
	const { duration, requests, errors, mean, stdev, p50, p99, max } = JSON.parse(line[1]);
	const failed = Object.entries(errors).filter(([, count]) => count > 0);
	if (failed.length > 0 || requests === 0)
		throw new Error(`wrk counted ${requests} requests, errors: ${JSON.stringify(errors)}`);
	return {
		rps: requests / (duration / 1e6),
		mean,
		stdev,
		p50,
		p99,
		max,
		cpu: (spent / requests) * 1e6,
		requests,
	};
}
