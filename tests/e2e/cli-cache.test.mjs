// SPDX-License-Identifier: BSD-2-Clause
// The cache: used when nothing has changed, never when something has.

import assert from 'node:assert/strict';
import {
	chmodSync,
	existsSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { isRoot, Place } from './command.mjs';
import { folderOf, Service, selkie, until, writeFiles } from './lib.mjs';

const files = {
	'app.js': `import { path } from './lib/path.js';\napp.get(path, './w.ts');`,
	'lib/path.js': `export const path = '/one';`,
	'w.ts': `import { name } from './name';\nexport default (): string => name;`,
	'name.js': `export const name = 'first';`,
};

/**
 * An esbuild that notes each time it runs, and on which module.
 * @returns {{path: string, runs: () => string[]}}
 */
function countingEsbuild(t) {
	const folder = folderOf(t);
	const path = join(folder, 'esbuild');
	const log = join(folder, 'log');
	writeFileSync(log, '');
	writeFileSync(
		path,
		`#!/bin/sh\nentry=$(cat)\necho "$entry" | head -n 1 >>'${log}'\necho "$entry" | exec esbuild "$@"\n`,
	);
	chmodSync(path, 0o755);
	return {
		path,
		runs: () => {
			const text = readFileSync(log, 'utf8');
			writeFileSync(log, '');
			return [...text.matchAll(/"([^"]+)"/g)].map(([, name]) => String(name.split('/').pop()));
		},
	};
}

function setUp(t) {
	const place = new Place(t, files);
	const esbuild = countingEsbuild(t);
	const compile = async () => {
		const result = await place.selkie(['compile', 'app.js'], {
			env: { SELKIE_ESBUILD: esbuild.path },
		});
		assert.equal(result.status, 0, result.stderr);
		return JSON.parse(result.stdout);
	};
	return { place, esbuild, compile };
}

test('a second compile runs no esbuild and says the same', async (t) => {
	const { esbuild, compile } = setUp(t);
	const first = await compile();
	assert.deepEqual(esbuild.runs(), ['app.js', 'w.ts']);
	assert.deepEqual(await compile(), first);
	assert.deepEqual(esbuild.runs(), []);
});

test('only what imports a changed file is bundled again', async (t) => {
	const { place, esbuild, compile } = setUp(t);
	const first = await compile();
	esbuild.runs();
	writeFiles(place.folder, { 'name.js': `export const name = 'second';` });
	const second = await compile();
	assert.deepEqual(esbuild.runs(), ['w.ts']);
	assert.notEqual(second.routes[0].identity, first.routes[0].identity);
	assert.match(readFileSync(second.routes[0].bundle, 'utf8'), /second/);
	writeFiles(place.folder, { 'lib/path.js': `export const path = '/two';` });
	const third = await compile();
	assert.deepEqual(esbuild.runs(), ['app.js']);
	assert.equal(third.routes[0].pattern, '/two');
});

test('contents count, not dates: the same text again is the same', async (t) => {
	const { place, esbuild, compile } = setUp(t);
	await compile();
	esbuild.runs();
	writeFiles(place.folder, files);
	await compile();
	assert.deepEqual(esbuild.runs(), []);
});

test('a new file that would be found first is found', async (t) => {
	const { place, compile } = setUp(t);
	await compile();
	writeFiles(place.folder, { 'name.ts': `export const name: string = 'typed';` });
	const { routes } = await compile();
	assert.match(readFileSync(routes[0].bundle, 'utf8'), /typed/);
});

test('a new tsconfig.json counts', async (t) => {
	const { place, esbuild, compile } = setUp(t);
	await compile();
	esbuild.runs();
	writeFiles(place.folder, { 'tsconfig.json': '{"compilerOptions":{"strict":true}}' });
	await compile();
	assert.deepEqual(esbuild.runs(), ['app.js', 'w.ts']);
});

test('what a tsconfig.json extends counts, whatever it is called', async (t) => {
	const { place, compile } = setUp(t);
	const map = (folder) => `{ // the one below has no paths
		"compilerOptions": { "paths": { "word": ["./${folder}/word.ts"], } } }`;
	const built = async () => {
		const { routes } = await compile();
		return readFileSync(routes[0].bundle, 'utf8');
	};
	writeFiles(place.folder, {
		'one/word.ts': `export default 'word one';`,
		'two/word.ts': `export default 'word two';`,
		'w.ts': `import word from 'word';\nexport default () => word;`,
		'tsconfig.json': '/* see there */ {"extends": "./conf/middle",}',
		'conf/middle.json': '{"extends": "../base.json"}',
		'base.json': map('one'),
	});
	assert.match(await built(), /word one/);
	writeFiles(place.folder, { 'base.json': map('two') });
	assert.match(await built(), /word two/);
	writeFiles(place.folder, { 'conf/middle.json': '{"extends": "set"}' });
	writeFiles(place.folder, { 'node_modules/set/tsconfig.json': map('../../one') });
	assert.match(await built(), /word one/);
	writeFiles(place.folder, { 'node_modules/set/tsconfig.json': map('../../two') });
	assert.match(await built(), /word two/);
});

test('an npm package that is updated is bundled again', async (t) => {
	const { place, compile } = setUp(t);
	const pack = (version) =>
		writeFiles(place.folder, {
			'node_modules/pack/package.json': `{"name":"pack","main":"./${version}.js"}`,
			[`node_modules/pack/${version}.js`]: `module.exports = 'pack ${version}';`,
			'w.ts': `import pack from 'pack';\nexport default () => pack;`,
		});
	pack('v1');
	let { routes } = await compile();
	assert.match(readFileSync(routes[0].bundle, 'utf8'), /pack v1/);
	pack('v2');
	({ routes } = await compile());
	assert.match(readFileSync(routes[0].bundle, 'utf8'), /pack v2/);
});

test('a cache that lost its files is filled again', async (t) => {
	const { place, compile } = setUp(t);
	const first = await compile();
	rmSync(join(place.folder, '.test/cache/bundles'), { recursive: true });
	assert.deepEqual(await compile(), first);
	readFileSync(first.routes[0].bundle);
});

test('damaged entries are made again', async (t) => {
	const { place, compile } = setUp(t);
	const first = await compile();
	for (const kind of ['entries', 'apps']) {
		const folder = join(place.folder, '.test/cache', kind);
		for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"cut o');
	}
	assert.deepEqual(await compile(), first);
});

test('compiles at the same time agree', async (t) => {
	const { place, compile } = setUp(t);
	const results = await Promise.all(Array.from({ length: 8 }, compile));
	for (const result of results) assert.deepEqual(result, results[0]);
	assert.deepEqual(readdirSync(join(place.folder, '.test/cache/work')), []);
});

test('what an app file logs goes to stdout, but never into the data', async (t) => {
	const place = new Place(t, { 'app.js': `console.log('hello'); console.error('oh');` });
	for (let i = 0; i < 2; i++) {
		const data = await place.selkie(['compile', 'app.js']);
		assert.equal(JSON.parse(data.stdout).version, 1);
		assert.match(data.stderr, /hello/);
		const check = await place.selkie(['app.js', '--check']);
		assert.match(check.stdout, /^hello\n/);
		assert.match(check.stderr, /oh/);
	}
});

test('an app file is evaluated once, and what it printed is printed each time', async (t) => {
	const place = new Place(t, {
		'app.js': `console.error('hello from the app file', Math.random());`,
	});
	const first = await place.selkie(['compile', 'app.js']);
	const second = await place.selkie(['compile', 'app.js']);
	assert.match(first.stderr, /hello from the app file/);
	assert.equal(second.stderr, first.stderr);
	assert.equal(place.cached('apps'), 1);
});

test('the same sources make the same bundle again', async (t) => {
	const { place, compile } = setUp(t);
	const before = (await compile()).routes;
	rmSync(join(place.folder, '.test/cache/entries'), { recursive: true });
	assert.deepEqual((await compile()).routes, before);
});

for (const signal of ['SIGTERM', 'SIGINT'])
	test(`${signal} while esbuild runs leaves no work folder`, async (t) => {
		const place = new Place(t, { 'app.js': '', esbuild: '#!/bin/sh\nexec sleep 60\n' });
		const esbuild = join(place.folder, 'esbuild');
		chmodSync(esbuild, 0o755);
		const service = new Service(selkie, ['compile', 'app.js'], {
			cwd: place.folder,
			env: { ...place.env, SELKIE_ESBUILD: esbuild },
		});
		await until(() => service.processesNamed('sleep').length === 1);
		assert.equal(place.cached('work'), 1);
		service.signal(signal);
		assert.deepEqual(await service.ended(), { status: null, signal });
		assert.equal(place.cached('work'), 0);
		assert.equal(service.output, '');
		await service.stop({ status: null });
	});

test('routes with the same worker share a bundle and no identity', async (t) => {
	const place = new Place(t, {
		'app.js': `app.get('/a', './w.js'); app.get('/b', './w.js'); app.post('/a', './w.js');`,
		'w.js': `export default () => '';`,
	});
	const { routes } = JSON.parse((await place.selkie(['compile', 'app.js'])).stdout);
	assert.equal(new Set(routes.map((route) => route.bundle)).size, 1);
	assert.equal(new Set(routes.map((route) => route.identity)).size, 3);
});

test('an app reached by a symbolic link is the same app', async (t) => {
	const { place, compile } = setUp(t);
	const direct = await compile();
	symlinkSync(join(place.folder, 'app.js'), join(place.folder, 'link.js'));
	const { stdout } = await place.selkie(['compile', 'link.js']);
	assert.deepEqual(JSON.parse(stdout), direct);
});

test('the source map leads from the bundle to the source', async (t) => {
	const { compile } = setUp(t);
	const { routes } = await compile();
	const map = JSON.parse(readFileSync(routes[0].map, 'utf8'));
	assert.ok(map.mappings.startsWith(';'), 'shifted by the line of the wrapper');
	assert.ok(map.sources.some((source) => source.endsWith('/w.ts') && source.startsWith('/')));
	assert.match(
		readFileSync(routes[0].bundle, 'utf8'),
		/^\(async function \(register\) \{[\s\S]*\}\)\n$/,
	);
});

test('a cache that is too big loses what was used longest ago', async (t) => {
	const { place, compile } = setUp(t);
	const { routes } = await compile();
	const bundles = join(place.folder, '.test/cache/bundles');
	const fill = (name, age) => {
		const path = join(bundles, name);
		writeFileSync(path, '');
		truncateSync(path, 100 * 1024 * 1024);
		const time = Date.now() / 1000 - age;
		utimesSync(path, time, time);
		return path;
	};
	const [oldest, older, young] = [fill('a.js', 9000), fill('b.js', 8000), fill('c.js', 10)];
	writeFiles(place.folder, { 'name.js': `export const name = 'miss';` });
	await compile();
	assert.ok(!existsSync(oldest) && !existsSync(older), 'the old ones go');
	assert.ok(existsSync(young) && existsSync(routes[0].bundle), 'the young ones stay');
});

test('without a cache folder of its own it uses one under /tmp', { skip: isRoot }, async (t) => {
	const place = new Place(t, files);
	const { status, stdout } = await place.selkie(['compile', 'app.js'], {
		env: { SELKIE_CACHE: '', HOME: '/nonexistent', XDG_CACHE_HOME: '' },
	});
	assert.equal(status, 0);
	assert.match(JSON.parse(stdout).routes[0].bundle, /^\/tmp\/selkie-cache-\d+\//);
});
