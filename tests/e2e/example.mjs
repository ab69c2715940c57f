// SPDX-License-Identifier: BSD-2-Clause
// The examples as a test runs them: their own files, but for the address of
// the API that they call.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve, tree } from './lib.mjs';

/** The files of examples/NAME, with `from` in settings.js replaced by `to`. */
function filesOf(name, from, to) {
	const root = join(tree, 'examples', name);
	/** @type {Record<string, Buffer>} */
	const files = {};
	for (const entry of readdirSync(root, { withFileTypes: true }))
		if (entry.isFile()) files[entry.name] = readFileSync(join(root, entry.name));
		else
			for (const file of readdirSync(join(root, entry.name)))
				files[`${entry.name}/${file}`] = readFileSync(join(root, entry.name, file));
	const settings = files['settings.js'].toString();
	assert.ok(settings.includes(from), `examples/${name}/settings.js names ${from}`);
	files['settings.js'] = Buffer.from(settings.replace(from, to));
	return files;
}

/**
 * Serves an example until the test ends.
 * @param {import('node:test').TestContext} t
 * @param {string} name
 * @param {{from: string, to: string, args?: string[]}} where `args`: further ones of `selkie`
 */
export function serveExample(t, name, { from, to, args = [] }) {
	return serve(t, filesOf(name, from, to), { args });
}
