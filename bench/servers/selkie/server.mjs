// SPDX-License-Identifier: BSD-2-Clause

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { selkie } from '../../lib/paths.mjs';

const app = fileURLToPath(new URL('app.js', import.meta.url));

/** @param {number} workers */
const variant = (workers, name = `selkie-${workers}`, program = selkie) => ({
	name,
	title: `**Selkie**, ${workers} nginx worker${workers > 1 ? 's' : ''}`,
	cases: ['hello', 'json', 'echo'],
	missing: () => (existsSync(program) ? undefined : program),
	version: () => execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().split(' ').pop(),
	command: ({ port }) => ({
		argv: [program, app, '--port', String(port), '--workers', String(workers), '--access-log', 'off'],
	}),
});

/** Another build, to compare a change with what was before it. */
const other = process.env.BENCH_OTHER;

export default [variant(1), variant(2), ...(other ? [variant(1, 'other', other)] : [])];
