// SPDX-License-Identifier: BSD-2-Clause
// --watch: a change of the app is served without being asked for.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { serve, sleep, until } from './lib.mjs';

const files = {
	'app.js': `app.get('/', './w.js');`,
	'w.js': `import { word } from './word.js';\nexport default () => word;`,
	'word.js': `export const word = 'one';`,
};

const watch = { args: ['--watch'] };

// A kept connection may be closed by a reload just when a request is sent.
const ask = (app) => app.request('/', { agent: false });

const answers = (app, text) =>
	until(async () => (await ask(app)).text === text, `the answer ${text}`);

test('a changed worker is reloaded, and the file is named', async (t) => {
	const app = await serve(t, files, watch);
	await answers(app, 'one');
	const mark = app.mark();
	app.write({ 'w.js': `export default () => 'two';` });
	await app.prints(/w\.js changed/, { from: mark });
	await app.prints(/reloaded in \d+ ms/, { from: mark });
	await answers(app, 'two');
});

test('a changed import is reloaded', async (t) => {
	const app = await serve(t, files, watch);
	app.write({ 'word.js': `export const word = 'two';` });
	await answers(app, 'two');
});

test('a file that an editor replaces is noticed, again and again', async (t) => {
	const app = await serve(t, files, watch);
	for (const word of ['two', 'three', 'four']) {
		app.write({ '.word.js.swp': `export const word = '${word}';` });
		renameSync(join(app.folder, '.word.js.swp'), join(app.folder, 'word.js'));
		await answers(app, word);
	}
});

test('a file that is no part of the app changes nothing', async (t) => {
	const app = await serve(t, files, watch);
	const mark = app.mark();
	app.write({ 'notes.js': '1', 'README.md': 'x' });
	await sleep(400);
	assert.doesNotMatch(app.output.slice(mark[0]), /changed|reload/);
});

test('the same contents again reload nothing', async (t) => {
	const app = await serve(t, files, watch);
	const mark = app.mark();
	app.write({ 'word.js': files['word.js'] });
	await app.prints(/nothing to reload/, { from: mark });
});

test('a mistake is printed, the app is served as it was, and mending it helps', async (t) => {
	const app = await serve(t, files, watch);
	let mark = app.mark();
	app.write({ 'app.js': `app.get('/', './w.js')\nlet x = ;` });
	await app.prints(/app\.js:2:9: Unexpected ";"/, { from: mark });
	await app.prints(/not reloaded: the app is served as it was/, { from: mark });
	await answers(app, 'one');
	mark = app.mark();
	app.write({ 'app.js': `app.get('/', './other.js');` });
	await app.prints(/worker file not found: \.\/other\.js/, { from: mark });
	app.write({ 'other.js': `export default () => 'other';` });
	await answers(app, 'other');
});

test('a worker file in a folder that is yet to be made is waited for', async (t) => {
	const app = await serve(t, files, watch);
	const mark = app.mark();
	app.write({ 'app.js': `app.get('/', './new/w.js');` });
	await app.prints(/worker file not found/, { from: mark });
	mkdirSync(join(app.folder, 'new'));
	await sleep(200);
	app.write({ 'new/w.js': `export default () => 'new';` });
	await answers(app, 'new');
});

test('a worker that stops building is a 503, and comes back', async (t) => {
	const app = await serve(t, files, watch);
	const mark = app.mark();
	app.write({ 'w.js': `export default () => {` });
	await app.prints(/w\.js:1:\d+: Unexpected end of file/, { from: mark });
	await until(async () => (await ask(app)).status === 503);
	app.write({ 'w.js': `export default () => 'back';` });
	await answers(app, 'back');
});

test('a file that would be found first is found', async (t) => {
	const app = await serve(
		t,
		{ ...files, 'w.js': `import { word } from './word';\nexport default () => word;` },
		watch,
	);
	await answers(app, 'one');
	app.write({ 'word.ts': `export const word: string = 'typed';` });
	await answers(app, 'typed');
	rmSync(join(app.folder, 'word.ts'));
	await answers(app, 'one');
});

test('a folder that is renamed, with all that is in it, is noticed', async (t) => {
	const app = await serve(
		t,
		{
			'app.js': `app.get('/', './src/handlers/w.js');`,
			'src/handlers/w.js': `export default () => 'one';`,
			'next/handlers/w.js': `export default () => 'two';`,
		},
		watch,
	);
	const move = (from, to) => renameSync(join(app.folder, from), join(app.folder, to));
	await answers(app, 'one');
	let mark = app.mark();
	move('src', 'old');
	await app.prints(/worker file not found: \.\/src\/handlers\/w\.js/, { from: mark });
	await answers(app, 'one');
	mark = app.mark();
	move('next', 'src');
	await app.prints(/src changed[\s\S]*reloaded/, { from: mark });
	await answers(app, 'two');
	/* The folder in the middle, which has no file of the app itself. */
	mark = app.mark();
	move('src/handlers', 'src/away');
	await app.prints(/worker file not found/, { from: mark });
	app.write({ 'src/away/w.js': `export default () => 'three';` });
	move('src/away', 'src/handlers');
	await answers(app, 'three');
	/* What went elsewhere is nobody's business any more. */
	await sleep(1200);
	mark = app.mark();
	app.write({ 'old/handlers/w.js': `export default () => 'old';` });
	await sleep(400);
	const since = app.stdout.slice(mark[0]) + app.stderr.slice(mark[1]);
	assert.doesNotMatch(since, /changed|reload/);
});

test('what a tsconfig.json extends is watched', async (t) => {
	const config = (folder) =>
		JSON.stringify({ compilerOptions: { paths: { word: [`./${folder}/word.js`] } } });
	const app = await serve(
		t,
		{
			...files,
			'w.js': `import { word } from 'word';\nexport default () => word;`,
			'a/word.js': `export const word = 'a';`,
			'b/word.js': `export const word = 'b';`,
			'tsconfig.json': '{"extends":"./base.json"}',
			'base.json': config('a'),
		},
		watch,
	);
	await answers(app, 'a');
	app.write({ 'base.json': config('b') });
	await answers(app, 'b');
});
