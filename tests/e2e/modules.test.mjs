// SPDX-License-Identifier: BSD-2-Clause
// What workers are written in, whose state they see, and what their errors
// tell their author.

import assert from 'node:assert/strict';
import test from 'node:test';
import { serve } from './lib.mjs';

test('languages of a worker', async (t) => {
	const app = await serve(t, {
		'app.js': `#!/usr/bin/env selkie
			app.get('/ts', './typed.ts');
			app.get('/tsx', './view.tsx');
			app.get('/jsx', './view2.jsx');
			app.get('/json', './data.js');
			app.get('/npm', './npm.js');
			app.get('/await', './await.js');
			app.get('/cjs', './cjs.js');
		`,
		'typed.ts': `import { double, type Amount } from './lib/double';
			enum Kind { A = 'a' }
			export default (request: Request): { kind: Kind, amount: Amount } => ({ kind: Kind.A, amount: double(21) });`,
		'lib/double.ts': `export type Amount = number; export const double = (n: number): Amount => n * 2;`,
		'view.tsx': `const h = (tag: string, props: object | null, ...children: string[]) => \`<\${tag}>\${children.join('')}</\${tag}>\`;
			/** @jsx h */
			export default () => <p>hello {'tsx'}</p>;`,
		'view2.jsx': `/** @jsx h */
			const h = (tag, props, ...children) => ({ tag, props, children });
			export default () => <a href="/x">link</a>;`,
		'data.js': `import data from './data.json'; export default () => data.list;`,
		'data.json': '{"list": [1, 2, 3]}',
		'npm.js': `import { greet } from 'greeter'; export default () => greet('npm');`,
		'node_modules/greeter/package.json':
			'{"name": "greeter", "version": "1.0.0", "exports": "./lib/main.js"}',
		'node_modules/greeter/lib/main.js': `export const greet = (who) => 'hello ' + who;`,
		'await.js': `const ready = await new Promise((resolve) => setTimeout(() => resolve('awaited'), 10));
			export default () => ready;`,
		'cjs.js': `import { value } from './common.cjs'; export default () => value;`,
		'common.cjs': `module.exports = { value: 'common' };`,
	});
	const text = async (path) => (await app.request(path)).text;

	await t.test('TypeScript, with an import that has no suffix', async () =>
		assert.equal(await text('/ts'), '{"kind":"a","amount":42}'),
	);
	await t.test('TSX', async () => assert.equal(await text('/tsx'), '<p>hello tsx</p>'));
	await t.test('JSX', async () =>
		assert.equal(await text('/jsx'), '{"tag":"a","props":{"href":"/x"},"children":["link"]}'),
	);
	await t.test('JSON', async () => assert.equal(await text('/json'), '[1,2,3]'));
	await t.test('an npm package', async () => assert.equal(await text('/npm'), 'hello npm'));
	await t.test('top-level await', async () => assert.equal(await text('/await'), 'awaited'));
	await t.test('CommonJS', async () => assert.equal(await text('/cjs'), 'common'));
});

test('state of a module', async (t) => {
	const app = await serve(t, {
		'app.js': `
			app.get('/a', './a.js'); app.get('/b', './b.js');
			app.get('/poison', './poison.js'); app.get('/clean', './clean.js');
		`,
		'counter.js': `let n = 0; export const next = () => ++n;`,
		'a.js': `import { next } from './counter.js'; export default () => 'a' + next();`,
		'b.js': `import { next } from './counter.js'; export default () => 'b' + next();`,
		'poison.js': `export default () => {
			globalThis.leak = 'leaked';
			Array.prototype.map = () => 'poisoned';
			Response = function () { throw new Error('gone'); };
			JSON.stringify = () => '"poisoned"';
			return 'done';
		};`,
		'clean.js': `export default () => [typeof leak, [1].map((n) => n + 1)];`,
	});
	const text = async (path) => (await app.request(path)).text;

	await t.test('lasts from one request to the next', async () => {
		assert.deepEqual([await text('/a'), await text('/a'), await text('/a')], ['a1', 'a2', 'a3']);
	});
	await t.test('is not shared with another route that imports the same file', async () => {
		assert.equal(await text('/b'), 'b1');
	});
	await t.test('spoiled globals stay in their route', async () => {
		assert.equal(await text('/poison'), 'done');
		assert.equal(await text('/clean'), '["undefined",[2]]');
	});
	await t.test('a route that spoils its globals still answers', async () => {
		assert.equal(await text('/poison'), 'done');
	});
});

test('what an author is told', async (t) => {
	const app = await serve(t, {
		'app.js': `
			app.get('/deep', './deep.ts');
			app.get('/console', './console.js');
			app.get('/missing', './missing.js');
			app.post('/json', './json.js');
		`,
		'deep.ts': `import { fail } from './lib/fail';

export default (request: Request) => {
	return fail(request.url);
};
`,
		'lib/fail.ts': `interface Unused { a: string }

export function fail(what: string): string {
	const detail: string = 'broken: ' + what.length;
	throw new TypeError(detail);
}
`,
		'console.js': `export default () => {
	console.log('to stdout', { a: 1 });
	console.error('to stderr %d', 7);
	return 'x';
};
`,
		'json.js': `export default async (request) => {
	const value = await request.json();
	return value;
};
`,
		'missing.js': `import { nothing } from './not-there.js';\nexport default () => nothing;\n`,
	});

	await t.test('an error names the source file, its line, and shows the code', async () => {
		const mark = app.mark();
		assert.equal((await app.request('/deep')).status, 500);
		await app.prints(/TypeError: broken: \d+/, { from: mark });
		await app.prints(/lib\/fail\.ts:5\b/, { from: mark });
		await app.prints(/deep\.ts:4\b/, { from: mark });
		await app.prints(/throw new TypeError\(detail\)/, { from: mark });
	});
	await t.test('a body that is no JSON names the line that read it', async () => {
		const mark = app.mark();
		const { status } = await app.request('/json', { method: 'POST', body: '{oops' });
		assert.equal(status, 500);
		await app.prints(/SyntaxError: .*\n\s+at \S*json\.js:2\b/, { from: mark });
	});
	await t.test('console.log goes to stdout, console.error to stderr', async () => {
		await app.request('/console');
		await app.prints(/to stdout/);
		await app.prints(/to stderr 7/);
		assert.match(app.stdout, /to stdout \{ a: 1 \}/);
		assert.match(app.stderr, /to stderr 7/);
	});
	await t.test('an import that is not there is a 503 and named', async () => {
		assert.equal((await app.request('/missing')).status, 503);
		assert.match(app.output, /not-there\.js/);
		assert.match(app.output, /missing\.js:1\b/);
	});
});
