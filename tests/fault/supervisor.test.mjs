// SPDX-License-Identifier: BSD-2-Clause
// Runs each SK_TEST of the supervisor's drivers as a test of its own.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';

for (const driver of ['supervisor', 'supervisor_egress', 'supervisor_worker']) {
	const source = readFileSync(new URL(`${driver}.c`, import.meta.url), 'utf8');
	for (const [, name] of source.matchAll(/^SK_TEST\((\w+)\)/gm))
		test(name, (t) => {
			const run = spawnSync(`build/tests/${driver}`, [name], {
				encoding: 'utf8',
				timeout: 120_000,
			});
			assert.equal(run.status, 0, run.stdout + run.stderr);
			if (/# SKIP/i.test(run.stdout)) t.skip('a long test');
		});
}
