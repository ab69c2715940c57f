// SPDX-License-Identifier: BSD-2-Clause

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { selkie } from '../../lib/paths.mjs';

const app = fileURLToPath(new URL('app.js', import.meta.url));

/** @param {number} workers */
const variant = (workers) => ({
	name: `selkie-${workers}`,
	title: `**Selkie**, ${workers} nginx worker${workers > 1 ? 's' : ''}`,
	cases: ['hello', 'json', 'echo'],
	missing: () => (existsSync(selkie) ? undefined : selkie),
	version: () => execFileSync(selkie, ['--version'], { encoding: 'utf8' }).trim().split(' ').pop(),
	command: ({ port }) => ({
		argv: [selkie, app, '--port', String(port), '--workers', String(workers), '--access-log', 'off'],
	}),
});

export default [variant(1), variant(2)];
