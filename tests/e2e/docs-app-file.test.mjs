// SPDX-License-Identifier: BSD-2-Clause
// Runs the examples of docs/app-file.md: blocks of files, each named in its
// first line, and the transcripts after them. "app.js" begins an example.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { run, serve, tree } from './lib.mjs';

const page = readFileSync(join(tree, 'docs/app-file.md'), 'utf8');

/** @type {{line: number, files: Record<string, string>, transcript: string}[]} */
const examples = [];
for (const block of page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
	const [, kind, text] = block;
	const name = /^(?:\/\/|<!--) (\S+)/.exec(text)?.[1] ?? '';
	const line = page.slice(0, block.index).split('\n').length;
	if (name === 'app.js') examples.push({ line, files: {}, transcript: '' });
	const example = examples[examples.length - 1];
	if (kind === 'console') example.transcript += text;
	else example.files[name] = text;
}

/** "$ command" and the lines that it prints. */
function commands(transcript) {
	return transcript
		.split(/^\$ /m)
		.slice(1)
		.map((part) => {
			const end = part.indexOf('\n');
			return { command: part.slice(0, end), output: part.slice(end + 1).trim() };
		});
}

test('the page has examples', () => assert.ok(examples.length >= 5));

for (const { line, files, transcript } of examples)
	test(`the example of line ${line} does what the page says`, async (t) => {
		const app = await serve(t, files);
		for (const { command, output } of commands(transcript)) {
			const { stdout } = await run('sh', [
				'-c',
				command.replace(/^curl/, 'curl -s').replace('localhost:8080', `127.0.0.1:${app.port}`),
			]);
			assert.equal(
				stdout.trim().replaceAll(`127.0.0.1:${app.port}`, 'localhost:8080'),
				output,
				command,
			);
		}
	});
