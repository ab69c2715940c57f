// SPDX-License-Identifier: BSD-2-Clause
// Where things are, and the ports that a bench may use.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const benchRoot = fileURLToPath(new URL('..', import.meta.url));
export const root = resolve(benchRoot, '..');
export const output = join(root, 'build', 'bench');
export const selkie = join(root, 'build', 'bin', 'selkie');

/** Servers under test listen here, one at a time. */
export const port = Number(process.env.BENCH_PORT ?? 18350);

/** What the cases that call out are answered by: lib/upstream.mjs. */
export const upstreamPort = port + 1;

/**
 * The binary that one of bench/package.json's platform packages holds.
 * @param {string[]} candidates paths below node_modules
 * @returns {string | undefined}
 */
export function packaged(...candidates) {
	return candidates
		.map((path) => join(benchRoot, 'node_modules', path))
		.find((path) => existsSync(path));
}
