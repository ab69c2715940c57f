// SPDX-License-Identifier: BSD-2-Clause
// Which route answers: methods, patterns, order, host and what a handler
// learns of the request.

import assert from 'node:assert/strict';
import test from 'node:test';
import { serve } from './lib.mjs';

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

const show = `export default (request, context) => ({
	method: request.method,
	url: request.url,
	params: context.params,
	query: [...context.query],
});`;

test('methods', async (t) => {
	const app = await serve(t, {
		'app.js': `
			${METHODS.map((method) => `app.${method}('/${method}', './mark.js');`).join('\n')}
			app.route('PROPFIND', '/own', './mark.js');
			app.route('get', '/lower', './mark.js');
			app.get('/only-get', './mark.js');
		`,
		'mark.js': `export default (request) => new Response(null, { headers: { 'X-Method': request.method } });`,
	});
	const methodOf = async (method, path) => {
		const reply = await app.request(path, { method });
		return [reply.status, reply.headers.find(([name]) => name.toLowerCase() === 'x-method')?.[1]];
	};

	for (const method of METHODS) {
		await t.test(`app.${method} answers ${method.toUpperCase()}`, async () => {
			const upper = method.toUpperCase();
			assert.deepEqual(await methodOf(upper, `/${method}`), [200, upper]);
		});
	}
	await t.test('a method of its own by app.route', async () => {
		assert.deepEqual(await methodOf('PROPFIND', '/own'), [200, 'PROPFIND']);
	});
	await t.test('a method is written in any case', async () => {
		assert.deepEqual(await methodOf('GET', '/lower'), [200, 'GET']);
	});
	await t.test('HEAD is not derived from GET', async () => {
		assert.equal((await app.request('/only-get', { method: 'HEAD' })).status, 404);
	});
	await t.test('another method on a known path is a 404', async () => {
		assert.equal((await app.request('/only-get', { method: 'POST' })).status, 404);
	});
});

test('patterns', async (t) => {
	const app = await serve(t, {
		'show.js': show,
		'first.js': `export default () => 'first';`,
		'second.js': `export default () => 'second';`,
		'app.js': `
			app.get('/', './show.js');
			app.get('/users/:name', './show.js');
			app.get('/users/:name/posts/:post_id', './show.js');
			app.get('/one/*/end', './show.js');
			app.get('/files/**', './show.js');
			app.get('/order/:any', './first.js');
			app.get('/order/exact', './second.js');
			app.get('/file/:name.json', './show.js');
		`,
	});
	const get = async (path) => {
		const reply = await app.request(path);
		return reply.status === 200 ? JSON.parse(reply.text) : reply.status;
	};

	await t.test('a parameter is one segment', async () => {
		assert.deepEqual((await get('/users/ada')).params, { name: 'ada' });
		assert.equal(await get('/users/'), 404);
		assert.equal(await get('/users/a/b'), 404);
	});
	await t.test('several parameters', async () => {
		assert.deepEqual((await get('/users/ada/posts/7')).params, { name: 'ada', post_id: '7' });
	});
	await t.test('a parameter is decoded', async () => {
		assert.deepEqual((await get('/users/a%20b%C3%BC')).params, { name: 'a bü' });
	});
	await t.test('an encoded slash does not end a segment', async () => {
		assert.deepEqual((await get('/users/a%2Fb')).params, { name: 'a/b' });
	});
	await t.test('* is within one segment', async () => {
		assert.notEqual(await get('/one/x/end'), 404);
		assert.equal(await get('/one/x/y/end'), 404);
	});
	await t.test('** is across segments', async () => {
		assert.notEqual(await get('/files/a/b/c.txt'), 404);
		assert.equal(await get('/filesx'), 404);
	});
	await t.test('a literal after a parameter', async () => {
		assert.deepEqual((await get('/file/report.json')).params, { name: 'report' });
		assert.equal(await get('/file/report.xml'), 404);
	});
	await t.test('the first match in order wins', async () => {
		assert.equal((await app.request('/order/exact')).text, 'first');
	});
	await t.test('a trailing slash is another path', async () => {
		assert.equal(await get('/users/ada/'), 404);
	});
	await t.test('the query is not matched, and is given', async () => {
		const seen = await get('/users/ada?a=1&a=2&b=%20');
		assert.deepEqual(seen.query, [
			['a', '1'],
			['a', '2'],
			['b', ' '],
		]);
		assert.equal(seen.url, `${app.url}/users/ada?a=1&a=2&b=%20`);
	});
	await t.test('a name that Object has is only data', async () => {
		const seen = await get('/users/__proto__?__proto__=1&constructor=2');
		assert.deepEqual(Object.entries(seen.params), [['name', '__proto__']]);
		assert.deepEqual(seen.query, [
			['__proto__', '1'],
			['constructor', '2'],
		]);
	});
});

test('host', async (t) => {
	const app = await serve(t, {
		'app.js': `app.host = ['one.test', 'Two.test']; app.get('/', './w.js');`,
		'w.js': `export default (request) => new URL(request.url).host;`,
	});
	const asked = async (host) => (await app.raw(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status;

	await t.test('a named host is served, in any case and with a port', async () => {
		assert.equal(await asked('one.test'), 200);
		assert.equal(await asked('TWO.TEST'), 200);
		assert.equal(await asked(`one.test:${app.port}`), 200);
	});
	await t.test('another host is a 404', async () => {
		assert.equal(await asked('three.test'), 404);
		assert.equal(await asked(`127.0.0.1:${app.port}`), 404);
		assert.equal(await asked('sub.one.test'), 404);
	});
	await t.test('the host of an absolute target is the one, whatever Host says', async () => {
		const absolute = (target, host) => app.raw(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
		const reply = await absolute('http://one.test:81/', 'three.test');
		assert.deepEqual([reply.status, reply.text], [200, 'one.test:81']);
		assert.equal((await absolute('http://[::1]:82/', 'one.test')).status, 404);
		const refused = await absolute('http://three.test/', 'one.test');
		assert.deepEqual(
			[refused.status, refused.text],
			[404, 'route not found: GET http://three.test /\n'],
		);
	});
});

test('a Host that no URL could have is a 400', async (t) => {
	const app = await serve(t, {
		'app.js': `app.get('/', './w.js');`,
		'w.js': `export default (request) => request.url;`,
	});
	const ask = (host) => app.raw(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
	for (const host of [
		'x:99999',
		'x:y',
		'1.2.3.999',
		'a@b',
		'a?b',
		'a#b',
		'a\\b',
		'[::1',
		'a b',
		'a%00',
	])
		assert.equal((await ask(host)).status, 400, host);
	for (const host of ['x:65535', 'X', '127.0.0.1:1', '[::1]:8080', 'xn--bcher-kva.test', 'a_b'])
		assert.match((await ask(host)).text, /^http:\/\/[^/]+\/$/, host);
	assert.equal((await ask('x:99999')).text, 'Bad Request\n');
	const absolute = await app.raw('GET http://x:99999/ HTTP/1.1\r\nHost: x\r\n\r\n');
	assert.equal(absolute.status, 400);
});

test('the request that a handler sees', async (t) => {
	const app = await serve(t, {
		'app.js': `app.post('/echo', './echo.js'); app.post('/form', './form.js'); app.post('/info', './info.js');
			app.get('/query', './query.js'); app.get('/cookie', './cookie.js');`,
		'query.js': `export default (request, { query }) =>
			[query.get('x'), new URL(request.url).searchParams.get('x')];`,
		'cookie.js': `export default ({ headers }) =>
			[headers.get('cookie'), new Map(headers).get('cookie')];`,
		'echo.js': `export default async (request) => new Response(request.body, {
			headers: { 'Content-Type': request.headers.get('content-type') ?? 'none' },
		});`,
		'form.js': `export default async (request) => {
			const out = [];
			for (const [name, value] of await request.formData())
				out.push([name, typeof value === 'string' ? value : [value.name, value.type, await value.text()]]);
			return out;
		};`,
		'info.js': `export default async (request) => ({
			names: [...request.headers.keys()],
			json: await request.json(),
			used: request.bodyUsed,
			isRequest: request instanceof Request,
		});`,
	});

	await t.test('a body comes back byte for byte', async () => {
		const body = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 31) & 255));
		const reply = await app.request('/echo', {
			method: 'POST',
			body,
			headers: { 'Content-Type': 'x/y' },
		});
		assert.ok(reply.body.equals(body));
		assert.deepEqual(
			reply.headers.filter(([name]) => name.toLowerCase() === 'content-type'),
			[['Content-Type', 'x/y']],
		);
	});
	await t.test('a chunked body comes back', async () => {
		const connection = await app.connect();
		connection.send('POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
		connection.send('3\r\nabc\r\n');
		connection.send('2\r\nde\r\n0\r\n\r\n');
		assert.equal((await connection.reply()).text, 'abcde');
		connection.close();
	});
	await t.test('an empty body is empty', async () => {
		assert.equal((await app.request('/echo', { method: 'POST', body: '' })).text, '');
	});
	await t.test('form fields and files', async () => {
		const form = new FormData();
		form.append('a', '1');
		form.append('a', 'zwei ü');
		form.append('file', new Blob(['content'], { type: 'text/plain' }), 'n.txt');
		const reply = await app.fetch('/form', { method: 'POST', body: form });
		assert.deepEqual(await reply.json(), [
			['a', '1'],
			['a', 'zwei ü'],
			['file', ['n.txt', 'text/plain', 'content']],
		]);
	});
	await t.test('URL-encoded fields', async () => {
		const reply = await app.fetch('/form', {
			method: 'POST',
			body: new URLSearchParams({ x: 'a b', y: '&' }),
		});
		assert.deepEqual(await reply.json(), [
			['x', 'a b'],
			['y', '&'],
		]);
	});
	await t.test('headers and JSON', async () => {
		const reply = await app.request('/info', {
			method: 'POST',
			body: '{"n":1}',
			headers: { 'X-B': '1', 'X-A': '2' },
		});
		const seen = JSON.parse(reply.text);
		assert.deepEqual(seen.json, { n: 1 });
		assert.equal(seen.used, true);
		assert.equal(seen.isRequest, true);
		assert.ok(
			seen.names.indexOf('x-a') >= 0 && seen.names.indexOf('x-a') < seen.names.indexOf('x-b'),
		);
	});
	await t.test('bytes above ASCII in a query are UTF-8', async () => {
		const reply = await app.raw('GET /query?x=\xc3\xa9\xff HTTP/1.1\r\nHost: x\r\n\r\n');
		assert.deepEqual(JSON.parse(reply.text), ['é\ufffd', 'é\ufffd']);
	});
	await t.test('two Cookie headers are one list of cookies', async () => {
		const reply = await app.raw(
			'GET /cookie HTTP/1.1\r\nHost: x\r\nCookie: a=1\r\nCookie: b=2\r\n\r\n',
		);
		assert.deepEqual(JSON.parse(reply.text), ['a=1; b=2', 'a=1; b=2']);
	});
	await t.test('requests in one write are answered in order', async () => {
		const connection = await app.connect();
		const one = (text) =>
			`POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
		connection.send(one('first') + one('second') + one('third'));
		for (const text of ['first', 'second', 'third'])
			assert.equal((await connection.reply()).text, text);
		connection.close();
	});
	await t.test('a length twice, or with chunked, is a 400 and the end', async () => {
		for (const head of [
			'Content-Length: 3\r\nContent-Length: 4',
			'Content-Length: 3\r\nTransfer-Encoding: chunked',
		]) {
			const connection = await app.connect();
			connection.send(`POST /echo HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\nabc`);
			assert.equal((await connection.reply()).status, 400);
			await connection.closed();
		}
	});
});
