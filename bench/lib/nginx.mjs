// SPDX-License-Identifier: BSD-2-Clause
// The nginx variants differ in their configuration only.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = '/usr/sbin/nginx';
const modules = '/usr/lib/nginx/modules';

/**
 * @param {{name: string, title: string, cases: string[], here: string, workers?: number,
 *   needs?: string[]}} what `here`: import.meta.url of the definition
 * @returns {import('./server.mjs').Definition}
 */
export function nginxServer({ name, title, cases, here, workers = 1, needs = [] }) {
	const home = fileURLToPath(new URL('.', here));
	return {
		name,
		title,
		cases,
		missing: () =>
			[program, ...needs.map((module) => join(modules, module))].find((path) => !existsSync(path)),
		version: () => nginxVersion(),
		command({ port, folder }) {
			const values = { PORT: port, FOLDER: folder, HOME: home, WORKERS: workers, MODULES: modules };
			const text = readFileSync(join(home, 'nginx.conf'), 'utf8').replace(/@([A-Z]+)@/g, (_, key) =>
				String(values[/** @type {keyof typeof values} */ (key)]),
			);
			const file = join(folder, 'nginx.conf');
			writeFileSync(file, text);
			return { argv: [program, '-p', folder, '-c', file, '-e', join(folder, 'error.log')] };
		},
	};
}

function nginxVersion() {
	const text = execFileSync('sh', ['-c', `${program} -v 2>&1`], { encoding: 'utf8' });
	return text.trim().replace(/^.*nginx\//, '');
}
