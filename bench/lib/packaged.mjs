// SPDX-License-Identifier: BSD-2-Clause
// Servers whose program comes out of one of bench/package.json's packages.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packaged } from './paths.mjs';

/**
 * @param {{name: string, title: string, here: string, programs: string[],
 *   argv: (program: string, home: string, caseName: string, port: number) => string[],
 *   env?: Record<string, string>, cases?: string[]}} what `here`: import.meta.url of the definition
 * @returns {import('./server.mjs').Definition}
 */
export function packagedServer({ name, title, here, programs, argv, env, cases }) {
	const home = fileURLToPath(new URL('.', here));
	const program = packaged(...programs);
	return {
		name,
		title,
		cases: cases ?? ['hello', 'json', 'echo'],
		missing: () => (program ? undefined : `${programs[0]} (npm ci in bench/)`),
		version: () =>
			/\d[\w.-]+/.exec(execFileSync(String(program), ['--version'], { encoding: 'utf8' }))?.[0] ??
			'?',
		command: ({ case: caseName, port, folder }) => ({
			argv: argv(String(program), home, caseName, port),
			env: { HOME: folder, XDG_CACHE_HOME: join(folder, 'cache'), ...env },
		}),
	};
}
