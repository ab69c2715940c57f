// SPDX-License-Identifier: BSD-2-Clause
// Every server that servers/ defines.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { benchRoot } from './paths.mjs';

/** @returns {Promise<import('./server.mjs').Definition[]>} */
export async function definitions() {
	const folders = readdirSync(join(benchRoot, 'servers')).sort();
	const loaded = await Promise.all(
		folders.map((folder) => import(join(benchRoot, 'servers', folder, 'server.mjs'))),
	);
	return loaded.flatMap((module) => module.default);
}
