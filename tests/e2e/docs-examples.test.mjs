// SPDX-License-Identifier: BSD-2-Clause
// Runs the examples of the manual: blocks of files, each named in its first
// line, and the transcripts after them. "app.js" begins an example. Where a
// page says localhost:8080, the app's own address is meant.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Place } from './command.mjs';
import { run, selkie, serveAt, tree } from './lib.mjs';

const PAGES = ['app-file', 'policies'];

/** @typedef {{line: number, files: Record<string, string>, transcript: string}} Example */

/** @returns {Example[]} */
function examplesOf(page) {
	/** @type {Example[]} */
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
	return examples;
}

/** "$ command" and the lines that it prints. */
function commands(transcript) {
	return transcript
		.split(/^\$ /m)
		.slice(1)
		.map((part) => {
			const end = part.indexOf('\n');
			return { command: part.slice(0, end), output: part.slice(end + 1).trimEnd() };
		});
}

/** Asks a server with the example's files. */
async function ask(t, { files, transcript }) {
	const app = await serveAt(t, (port) =>
		Object.fromEntries(
			Object.entries(files).map(([name, text]) => [
				name,
				text.replace(/(localhost|\*):8080/g, `$1:${port}`),
			]),
		),
	);
	for (const { command, output } of commands(transcript)) {
		const { stdout } = await run('sh', [
			'-c',
			command.replace(/^curl/, 'curl -s').replace('localhost:8080', `127.0.0.1:${app.port}`),
		]);
		assert.equal(
			stdout
				.trimEnd()
				.replace(new RegExp(`(127\\.0\\.0\\.1|localhost):${app.port}`, 'g'), 'localhost:8080'),
			output,
			command,
		);
	}
}

/** Runs `selkie` with the example's files. */
async function check(t, { files, transcript }) {
	const place = new Place(t, files);
	for (const { command, output } of commands(transcript)) {
		const { stdout } = await run('sh', ['-c', command.replace(/^selkie/, selkie)], {
			cwd: place.folder,
			env: place.env,
		});
		assert.equal(stdout.trimEnd(), output, command);
	}
}

for (const name of PAGES) {
	const examples = examplesOf(readFileSync(join(tree, `docs/${name}.md`), 'utf8'));

	test(`docs/${name}.md has examples`, () => assert.ok(examples.length >= 5));

	for (const example of examples)
		test(`the example of docs/${name}.md:${example.line} does what the page says`, (t) =>
			/^\$ selkie/m.test(example.transcript) ? check(t, example) : ask(t, example));
}
