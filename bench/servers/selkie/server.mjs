// SPDX-License-Identifier: BSD-2-Clause

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { selkie } from '../../lib/paths.mjs';

const home = fileURLToPath(new URL('.', import.meta.url));

/** @param {number} workers */
const variant = (workers, name = `selkie-${workers}`, program = selkie) => ({
	name,
	title: `**Selkie**, ${workers} nginx worker${workers > 1 ? 's' : ''}`,
	cases: ['hello', 'json', 'echo', 'fetch', 'stream'],
	missing: () => (existsSync(program) ? undefined : program),
	version: () => execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().split(' ').pop(),
	command({ port, folder }) {
		cpSync(home, folder, { recursive: true });
		writeFileSync(
			join(folder, 'upstream.js'),
			`export const upstream = 'http://127.0.0.1:${port + 1}';\n`,
		);
		const app = join(folder, 'app.js');
		return {
			argv: [
				program,
				app,
				'--port',
				String(port),
				'--workers',
				String(workers),
				'--access-log',
				'off',
			],
		};
	},
});

/** Another build, to compare a change with what was before it. */
const other = process.env.BENCH_OTHER;

export default [variant(1), variant(2), ...(other ? [variant(1, 'other', other)] : [])];
