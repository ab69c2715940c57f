// SPDX-License-Identifier: BSD-2-Clause
// What is wrong with an app is said with file and line, and nothing is served.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { isRoot, Place } from './command.mjs';
import { run, selkie } from './lib.mjs';

const worker = `export default () => 'w';`;

/** Serves in vain: exit status 1, a line that matches, nothing left. */
async function refuses(t, files, pattern, args = ['app.js', '--port', '0']) {
	const place = new Place(t, files);
	const { status, stdout, stderr } = await place.selkie(args);
	assert.match(stderr, pattern);
	assert.equal(stdout, '');
	assert.equal(status, 1);
	assert.deepEqual(place.leftovers(), []);
	return stderr;
}

test('an app file that is not there', (t) =>
	refuses(t, {}, /^selkie: cannot read app\.js: No such file/));

test('a folder in place of an app file', (t) =>
	refuses(t, { 'app.js/x': '' }, /^selkie: app\.js is a folder/));

test('a worker file that is not there', (t) =>
	refuses(
		t,
		{ 'app.js': `\n\napp.get('/', './x.js');` },
		/^app\.js:3: worker file not found: \.\/x\.js\n$/,
	));

test('a device in place of an app file', (t) =>
	refuses(t, {}, /^selkie: \/dev\/zero is not a regular file\n$/, ['/dev/zero']));

test('a device in place of a worker file', (t) =>
	refuses(
		t,
		{ 'app.js': `app.get('/', '/dev/zero');` },
		/^app\.js:1: worker file is not a regular file: \/dev\/zero\n$/,
	));

test('every missing worker file is named at once', async (t) => {
	const stderr = await refuses(
		t,
		{ 'app.js': `app.get('/a', './a.js');\napp.get('/b', './b.js');` },
		/app\.js:1: worker file not found: \.\/a\.js/,
	);
	assert.match(stderr, /app\.js:2: worker file not found: \.\/b\.js/);
});

test('a static folder that is not there', (t) =>
	refuses(
		t,
		{ 'app.js': `app.static('/', './public');` },
		/^app\.js:1: static folder not found: \.\/public\n$/,
	));

test('a file in place of a static folder', (t) =>
	refuses(
		t,
		{ 'app.js': `app.static('/', './f');`, f: '' },
		/^app\.js:1: static folder is not a folder/,
	));

test('a syntax error in the app file', async (t) => {
	const stderr = await refuses(
		t,
		{ 'app.js': `app.port = 1;\nlet x = ;\n` },
		/^app\.js:2:9: Unexpected ";"\n/,
	);
	assert.match(stderr, /let x = ;/, 'a code frame');
});

test('an import that cannot be found', (t) =>
	refuses(
		t,
		{ 'app.js': `import './nope.js';` },
		/^app\.js:1:8: Could not resolve "\.\/nope\.js"/,
	));

test('an exception in the app file names file and line', (t) =>
	refuses(
		t,
		{ 'app.js': `\nthrow new Error('out of herring');` },
		/out of herring[\s\S]*app\.js:2\b|app\.js:2\b[\s\S]*out of herring/,
	));

test('a bad port in the app file names file and line', (t) =>
	refuses(t, { 'app.js': `\n\napp.port = -1;` }, /app\.js:3\b/));

test('a bad pattern names file and line', (t) =>
	refuses(t, { 'app.js': `\napp.get('no-slash', './w.js');`, 'w.js': worker }, /app\.js:2\b/));

test('an app file that never ends is ended', (t) =>
	refuses(t, { 'app.js': `for (;;);` }, /app\.js|time/));

test('an app file that awaits for ever is ended', (t) =>
	refuses(t, { 'app.js': `await new Promise(() => {});` }, /app\.js|time/));

test('an app file cannot read files or the environment', (t) =>
	refuses(
		t,
		{
			'app.js': `if (typeof process !== 'undefined' || typeof require !== 'undefined') throw new Error('open'); throw new Error('closed');`,
		},
		/closed/,
	));

test('a limit out of range names file and line', (t) =>
	refuses(
		t,
		{
			'app.js': `\napp.get('/', './w.js', (policy) => policy.limits({ memory: '1K' }));`,
			'w.js': worker,
		},
		/app\.js:2\b[\s\S]*memory/,
	));

test('a limit of the app, or in a policy of several lines, names its own line', async (t) => {
	await refuses(
		t,
		{ 'app.js': `app.get('/', './w.js');\n\napp.limits({ memory: 1e15 });`, 'w.js': worker },
		/app\.js:3: limit memory/,
	);
	await refuses(
		t,
		{
			'app.js': `app.get('/', './w.js', (policy) => {\n\tpolicy.limits({\n\t\tcpu: '1000h' });\n});`,
			'w.js': worker,
		},
		/app\.js:2: limit cpu/,
	);
});

for (const thrown of ['null', 'undefined', "'text'", '{ a: 1 }'])
	test(`a policy function that throws ${thrown} names the line of its route`, (t) =>
		refuses(
			t,
			{
				'app.js': `\napp.get('/', './w.js', () => {\n\tthrow ${thrown};\n});`,
				'w.js': worker,
			},
			/app\.js:2:\d+: TypeError: app\.get\("\/"\): the policy function threw /,
		));

test('a route limit above the app ceiling names file and line', (t) =>
	refuses(
		t,
		{
			'app.js': `app.limits({ wall: '1s' });\napp.get('/', './w.js', (policy) => policy.limits({ wall: '2s' }));`,
			'w.js': worker,
		},
		/app\.js:2\b[\s\S]*wall/,
	));

test('too few open files is one line, and nothing listens', async (t) => {
	const place = new Place(t, { 'app.js': `app.get('/', './w.js');`, 'w.js': worker });
	for (const limit of [8, 12, 16, 255]) {
		const args = ['app.js', '--port', '0'];
		const { status, stdout, stderr } = await place.limited(`ulimit -n ${limit}`, args);
		assert.deepEqual([status, stdout], [1, ''], `${limit}`);
		assert.match(stderr, /^selkie: only \d+ files may be open at a time \(ulimit -Hn\); [^\n]+\n$/);
	}
	const raised = await place.limited('ulimit -Sn 8', ['app.js', '--check']);
	assert.deepEqual([raised.status, raised.stderr], [0, '']);
});

test('a port in use names who has it and another one', async (t) => {
	const server = net.createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.after(() => server.close());
	const { port } = /** @type {net.AddressInfo} */ (server.address());
	const stderr = await refuses(
		t,
		{ 'app.js': `app.get('/', './w.js');`, 'w.js': worker },
		new RegExp(`^selkie: port ${port} on 127\\.0\\.0\\.1 is in use.*; try --port \\d+\\n$`),
		['app.js', '--port', String(port)],
	);
	assert.ok(stderr.includes(`(by pid ${process.pid}, `), stderr);
});

test('a missing esbuild is named', async (t) => {
	const place = new Place(t, { 'app.js': '' });
	const { status, stderr } = await place.selkie(['app.js', '--check'], {
		env: { SELKIE_ESBUILD: '/nope/esbuild' },
	});
	assert.match(stderr, /esbuild/);
	assert.equal(status, 1);
});

test('a cache folder that others can write is refused', async (t) => {
	const place = new Place(t, { 'app.js': '' });
	const cache = join(place.folder, 'open');
	mkdirSync(cache);
	chmodSync(cache, 0o777);
	const { status, stderr } = await place.selkie(['app.js', '--check'], {
		env: { SELKIE_CACHE: cache },
	});
	assert.match(stderr, /writable by nobody else/);
	assert.equal(status, 1);
});

test('a static folder that nginx may not read is refused, with the reason', {
	skip: !isRoot,
}, async (t) => {
	const place = new Place(t, {
		'closed/app.js': `\napp.static('/', './public');`,
		'closed/public/index.html': 'x',
	});
	chmodSync(join(place.folder, 'closed'), 0o700);
	const { status, stderr } = await place.selkie(['closed/app.js', '--port', '0']);
	assert.match(stderr, /^closed\/app\.js:2: static folder .*\/closed is closed to www-data/);
	assert.equal(status, 1);
});

test('--require-sandbox refuses a plain user, and names the layer', {
	skip: !isRoot,
}, async (t) => {
	const place = new Place(t, { 'app.js': '' });
	const { status, stderr } = await place.selkieAsNobody(
		['app.js', '--check', '--require-sandbox'],
		{
			env: { SELKIE_CACHE: join(place.folder, '.test/home/cache') },
		},
	);
	assert.match(stderr, /--require-sandbox: this system lacks .*user of its own/);
	assert.equal(status, 1);
});

test('a closed standard output is no reason to fail', async (t) => {
	const place = new Place(t, { 'app.js': '' });
	const { status } = await run('sh', ['-c', `"${selkie}" app.js --check >&- 2>&-`], {
		cwd: place.folder,
		env: place.env,
	});
	assert.equal(status, 0);
});
