// SPDX-License-Identifier: BSD-2-Clause
// What a handler returns, and what the client gets: the table "result | reply"
// of the app file's documentation, a test for each row.

import assert from 'node:assert/strict';
import test from 'node:test';
import { header, headerValues, serve } from './lib.mjs';

const handlers = {
	string: `() => 'Größe ✓'`,
	empty: `() => ''`,
	async: `async () => { await null; return 'later'; }`,
	buffer: `() => new Uint8Array([0, 1, 254, 255]).buffer`,
	view: `() => new Uint8Array([9, 8, 7, 6, 5]).subarray(1, 4)`,
	words: `() => new Uint16Array(new Uint8Array([1, 2, 3, 4, 5, 6]).buffer, 2, 2)`,
	dataview: `() => new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2)`,
	object: `() => ({ a: 1, b: [true, null], c: { d: 'ü' } })`,
	array: `() => [1, 'two', { three: 3 }]`,
	bare: `() => Object.assign(Object.create(null), { a: 1 })`,
	tojson: `() => ({ toJSON: () => ({ shown: true }), hidden: 1 })`,
	date: `() => ({ when: new Date(0) })`,
	response: `() => new Response('made', { status: 201, headers: { 'X-Mark': 'yes' } })`,
	nobody: `() => new Response(null, { status: 204 })`,
	json: `() => Response.json({ a: 1 }, { status: 202 })`,
	redirect: `() => Response.redirect('http://other.test/x', 307)`,
	stream: `() => new Response(new ReadableStream({
		async start(controller) {
			for (const part of ['one ', 'two ', 'three']) {
				controller.enqueue(new TextEncoder().encode(part));
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
			controller.close();
		},
	}))`,
	strings: `() => new Response(new ReadableStream({
		start(controller) {
			for (const chunk of ['Grö', 'ße', new Uint8Array([33]).buffer]) controller.enqueue(chunk);
			controller.close();
		},
	}))`,
	transform: `() => {
		const transform = new TransformStream();
		const writer = transform.writable.getWriter();
		writer.write('written');
		writer.close();
		return new Response(transform);
	}`,
	oddchunk: `() => new Response(new ReadableStream({ start(c) { c.enqueue(5); } }))`,
	instance: `() => { class Point { x = 1; } return new Point(); }`,
	map: `() => new Map([[1, 2]])`,
	deep: `() => { class Secret { key = 's'; } return { list: [{ inner: new Secret() }] }; }`,
	deeptojson: `() => { class Shown { toJSON() { return 'shown'; } } return { list: [new Shown()] }; }`,
	null: `() => null`,
	undefined: `() => undefined`,
	number: `() => 42`,
	boolean: `() => true`,
	symbol: `() => Symbol('s')`,
	function: `() => () => 'no'`,
	bigint: `() => ({ big: [1n] })`,
	badjson: `() => ({ toJSON() {\n\tthrow new TypeError('not today'); } })`,
	cycle: `() => { const a = {}; a.a = a; return a; }`,
	throws: `() => {\n\tthrow new Error('the reason why');\n}`,
	rejects: `async () => {\n\tawait null;\n\tthrow new Error('another reason');\n}`,
	throwsstring: `() => { throw 'just text'; }`,
};

function appOf(more = '') {
	return Object.keys(handlers)
		.map((name) => `app.get('/${name}', './${name}.js');`)
		.concat(more)
		.join('\n');
}

const workers = Object.fromEntries(
	Object.entries(handlers).map(([name, code]) => [`${name}.js`, `export default ${code};\n`]),
);

test('results of a handler', async (t) => {
	const app = await serve(t, {
		...workers,
		'app.js': appOf(`
			app.get('/nodefault', './nodefault.js');
			app.get('/notfunction', './notfunction.js');
			app.get('/syntax', './syntax.js');
			app.get('/loading', './loading.js');
			app.get('/fetch', './fetch.js');
			app.get('/never', './never.js', (policy) => policy.limits({ wall: '1s' }));
		`),
		'nodefault.js': `export const other = () => 'x';\n`,
		'notfunction.js': `export default 'text';\n`,
		'syntax.js': `export default () => {\n\treturn ][;\n};\n`,
		'loading.js': `const a = 1;\nthrow new Error('broke while loading');\nexport default () => 'x';\n`,
		'never.js': `export default () => new Promise(() => {});\n`,
		'fetch.js': `export default async () => {
			try { await fetch('http://nowhere.test/x'); } catch (error) { return [error.message, error.code]; }
		};\n`,
	});

	async function replies(name, status, type, body) {
		const reply = await app.request(`/${name}`);
		assert.equal(reply.status, status);
		assert.equal(header(reply, 'content-type'), type);
		if (typeof body === 'string') assert.equal(reply.text, body);
		else if (body) assert.deepEqual([...reply.body], body);
		assert.equal(header(reply, 'content-length'), String(reply.body.length));
		return reply;
	}

	/** A 500 whose reply says nothing and whose log says why. */
	async function fails(name, ...reasons) {
		const mark = app.mark();
		const reply = await app.request(`/${name}`);
		assert.equal(reply.status, 500);
		assert.match(reply.text, /^Internal Server Error\s*$/);
		for (const reason of reasons) await app.prints(reason, { from: mark });
	}

	const plain = 'text/plain;charset=UTF-8';
	const bytes = 'application/octet-stream';
	const json = 'application/json';

	await t.test('a string is text in UTF-8', () => replies('string', 200, plain, 'Größe ✓'));
	await t.test('an empty string is an empty text', () => replies('empty', 200, plain, ''));
	await t.test('a promise is awaited', () => replies('async', 200, plain, 'later'));
	await t.test('an ArrayBuffer is bytes', () => replies('buffer', 200, bytes, [0, 1, 254, 255]));
	await t.test('a view is exactly its bytes', () => replies('view', 200, bytes, [8, 7, 6]));
	await t.test('a view of words is its bytes', () => replies('words', 200, bytes, [3, 4, 5, 6]));
	await t.test('a DataView is its bytes', () => replies('dataview', 200, bytes, [2, 3]));
	await t.test('a plain object is JSON', () =>
		replies('object', 200, json, '{"a":1,"b":[true,null],"c":{"d":"ü"}}'),
	);
	await t.test('an array is JSON', () => replies('array', 200, json, '[1,"two",{"three":3}]'));
	await t.test('an object without prototype is JSON', () => replies('bare', 200, json, '{"a":1}'));
	await t.test('toJSON is honoured', () => replies('tojson', 200, json, '{"shown":true}'));
	await t.test('a Date inside has toJSON', () =>
		replies('date', 200, json, '{"when":"1970-01-01T00:00:00.000Z"}'),
	);

	await t.test('a stream may give strings and ArrayBuffers', async () => {
		assert.equal((await app.request('/strings')).text, 'Größe!');
	});
	await t.test('a TransformStream is a body: what is read from it', async () => {
		assert.equal((await app.request('/transform')).text, 'written');
	});
	await t.test('a stream that gives anything else breaks off, and the log says why', async () => {
		await assert.rejects(app.request('/oddchunk'));
		await app.prints(
			/broke off: TypeError: A body stream gave a chunk that is neither bytes nor a string/,
		);
	});
	await t.test('a Response is sent as given', async () => {
		const reply = await replies('response', 201, plain, 'made');
		assert.equal(header(reply, 'x-mark'), 'yes');
	});
	await t.test('a Response without body is one', async () => {
		const reply = await app.request('/nobody');
		assert.equal(reply.status, 204);
		assert.equal(reply.body.length, 0);
	});
	await t.test('Response.json is JSON', () => replies('json', 202, json, '{"a":1}'));
	await t.test('Response.redirect redirects', async () => {
		const reply = await app.request('/redirect');
		assert.equal(reply.status, 307);
		assert.equal(header(reply, 'location'), 'http://other.test/x');
	});
	await t.test('a stream is streamed', async () => {
		const reply = await app.request('/stream');
		assert.equal(reply.text, 'one two three');
		assert.deepEqual(headerValues(reply, 'transfer-encoding'), ['chunked']);
	});

	await t.test('a class instance is a 500', () => fails('instance', /Point/));
	await t.test('a Map is a 500', () => fails('map', /Map/));
	await t.test('a class instance deep inside is a 500', () => fails('deep', /Secret/));
	await t.test('a class instance deep inside with toJSON is JSON', () =>
		replies('deeptojson', 200, json, '{"list":["shown"]}'),
	);
	for (const name of ['null', 'undefined', 'number', 'boolean', 'symbol', 'function'])
		await t.test(`${name} is a 500, and the log says where and what to return`, () =>
			fails(
				name,
				new RegExp(`GET /${name}`),
				/; a reply is a string, bytes, a plain object or array, or a Response/,
				new RegExp(`at the handler \\(\\S+/${name}\\.js:1:1\\)`),
			),
		);
	for (const name of ['cycle', 'bigint'])
		await t.test(`${name}: an object that is no JSON is a 500 too`, () =>
			fails(name, /JSON\.stringify cannot serialize/, new RegExp(`/${name}\\.js:1:1\\)`)),
		);
	await t.test('a toJSON that throws is named itself', () =>
		fails('badjson', /TypeError: not today/, /badjson\.js:2\b/),
	);

	await t.test('a throw is a 500, its reason in the log with file and line', () =>
		fails('throws', /the reason why/, /throws\.js:2\b/),
	);
	await t.test('a rejection is a 500, its reason in the log with file and line', () =>
		fails('rejects', /another reason/, /rejects\.js:3\b/),
	);
	await t.test('a thrown text is a 500, the text in the log', () =>
		fails('throwsstring', /just text/, /throwsstring\.js:1\b/),
	);
	await t.test('no default export is a 500', () =>
		fails('nodefault', /nodefault\.js: The worker has no default/),
	);
	await t.test('a default export that is no function is a 500', () =>
		fails('notfunction', /default/),
	);

	await t.test('a refused call rejects with POLICY_VIOLATION', () =>
		replies(
			'fetch',
			200,
			json,
			'["POLICY_VIOLATION [ GET http://nowhere.test/x ]","POLICY_VIOLATION"]',
		),
	);

	await t.test('a syntax error is a 503 and names file and line in the log', async () => {
		const reply = await app.request('/syntax');
		assert.equal(reply.status, 503);
		assert.match(reply.text, /^route not available: \/syntax\s*$/);
		assert.match(app.output, /syntax\.js:2\b/);
	});
	await t.test('a throw while loading is a 503 and names file and line in the log', async () => {
		const mark = app.mark();
		const reply = await app.request('/loading');
		assert.equal(reply.status, 503);
		assert.match(reply.text, /^route not available: \/loading\s*$/);
		await app.prints(/broke while loading/, { from: mark });
		await app.prints(/loading\.js:2\b/, { from: mark });
	});
	await t.test('other routes live beside a broken one', () =>
		replies('string', 200, plain, 'Größe ✓'),
	);

	await t.test('no route is a 404 that names it', async () => {
		const reply = await app.request('/nothing/here?q=1', { method: 'POST' });
		assert.equal(reply.status, 404);
		assert.match(reply.text, new RegExp(`^route not found: POST ${app.url} /nothing/here\\s*$`));
	});
	await t.test('a promise that never settles is a 504', async () => {
		const reply = await app.request('/never');
		assert.equal(reply.status, 504);
	});
});
