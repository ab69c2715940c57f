// SPDX-License-Identifier: BSD-2-Clause
// `selkie new`, `selkie --check` and `selkie doctor`.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Place } from './command.mjs';
import { run, writeFiles } from './lib.mjs';

test('new writes an app that passes --check', async (t) => {
	const place = new Place(t);
	const made = await place.selkie(['new', 'my app']);
	assert.equal(made.status, 0, made.stderr);
	const next = made.stdout.match(/next: (cd 'my app' && \/.+\/selkie app\.js) --watch\n/);
	assert.ok(next, made.stdout);
	const shown = await run('sh', ['-c', `${next[1]} --check`], { cwd: place.folder });
	assert.match(shown.stdout, /hello\.js/, shown.stderr);
	for (const name of ['app.js', 'hello.js', 'public/index.html', 'README.md'])
		assert.ok(existsSync(join(place.folder, 'my app', name)), name);
	const checked = await place.selkie(['my app/app.js', '--check']);
	assert.equal(checked.stderr, '');
	assert.match(checked.stdout, /GET +\/hello\/:name +hello\.js +may use: nothing/);
	assert.match(checked.stdout, /files +\/ +public\//);
	assert.equal(checked.status, 0);
});

test('new fills a folder that is empty', async (t) => {
	const place = new Place(t);
	mkdirSync(join(place.folder, 'empty'));
	assert.equal((await place.selkie(['new', 'empty'])).status, 0);
});

test('new refuses a folder that is not empty, and leaves it alone', async (t) => {
	const place = new Place(t, { 'full/app.js': 'mine' });
	const { status, stderr } = await place.selkie(['new', 'full']);
	assert.match(stderr, /full is not empty/);
	assert.equal(status, 1);
	assert.equal(readFileSync(join(place.folder, 'full/app.js'), 'utf8'), 'mine');
	assert.ok(!existsSync(join(place.folder, 'full/hello.js')));
});

test('new refuses a file', async (t) => {
	const { status, stderr } = await new Place(t, { file: '' }).selkie(['new', 'file']);
	assert.match(stderr, /file is there and is not a folder/);
	assert.equal(status, 1);
});

test('--check prints policies in words', async (t) => {
	const place = new Place(t, {
		'app.js': `
			app.get('/a', './w.js', (policy) => {
				policy.outboundHttp.allowGet('https://api.test/v1/**');
				policy.outboundHttp.allowPost('https://api.test/v1/items');
				policy.env.allow('HOME', 'LANG');
			});
			app.post('/b', './w.js');`,
		'w.js': `export default () => 'w';`,
	});
	const { status, stdout } = await place.selkie(['app.js', '--check']);
	assert.match(
		stdout,
		/GET +\/a +w\.js +may use: GET https:\/\/api\.test\/v1\/\*\*, POST https:\/\/api\.test\/v1\/items; not enforced yet, so refused: env HOME, LANG/,
	);
	assert.match(stdout, /POST +\/b +w\.js +may use: nothing/);
	assert.equal(status, 0);
});

test('--check exits with 1 when a worker does not build, and says where', async (t) => {
	const place = new Place(t, {
		'app.js': `app.get('/a', './good.js'); app.get('/b', './bad.js');`,
		'good.js': `export default () => 'good';`,
		'bad.js': `export default () => {\n\tlet x = ;\n};`,
	});
	const { status, stdout, stderr } = await place.selkie(['app.js', '--check']);
	assert.match(stdout, /\/b +bad\.js +does not build/);
	assert.match(stderr, /^bad\.js:2:10: Unexpected ";"$/m);
	assert.match(stderr, /let x = ;/);
	assert.equal(status, 1);
});

test('--check serves nothing and leaves nothing', async (t) => {
	const place = new Place(t, {
		'app.js': `app.get('/', './w.js');`,
		'w.js': `export default () => '';`,
	});
	assert.equal((await place.selkie(['app.js', '--check'])).status, 0);
	assert.deepEqual(place.leftovers(), []);
});

test('an app without routes says so', async (t) => {
	const { status, stdout } = await new Place(t, { 'app.js': '' }).selkie(['app.js', '--check']);
	assert.match(stdout, /no routes and no folders/);
	assert.equal(status, 0);
});

test('doctor reports each program and each layer', async (t) => {
	const place = new Place(t);
	const { status, stdout } = await place.selkie(['doctor']);
	for (const name of [
		'nginx',
		'gateway module',
		'supervisor',
		'JavaScriptCore, ICU',
		'esbuild',
		'landlock',
		'seccomp',
		'no_new_privs',
		'cache folder',
		'open files',
	])
		assert.match(stdout, new RegExp(`^  (ok|weak|MISSING) +${name}`, 'm'));
	assert.match(stdout, /Selkie can serve here\./);
	assert.equal(status, 0);
	assert.deepEqual(place.leftovers(), []);
});

test('doctor exits with 1 when a program is missing, and names it', async (t) => {
	const place = new Place(t);
	writeFiles(place.folder, { 'not-nginx': '' });
	const { status, stdout } = await place.selkie(['doctor'], {
		env: { SELKIE_NGINX: join(place.folder, 'not-nginx') },
	});
	assert.match(stdout, /MISSING +nginx/);
	assert.match(stdout, /cannot serve here yet/);
	assert.equal(status, 1);
});
