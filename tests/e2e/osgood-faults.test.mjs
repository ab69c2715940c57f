// SPDX-License-Identifier: BSD-2-Clause
// Faults of Osgood that must not come back, and the cases 8, 10, 13 and 20:
// inputs that broke other servers of this kind.

import assert from 'node:assert/strict';
import test from 'node:test';
import { headerValues, serve } from './lib.mjs';

const files = {
	'app.js': `
		app.get('/cookies', './cookies.js');
		app.post('/text', './text.js');
		app.post('/bytes', './bytes.js');
		app.get('/header', './header.js');
		app.get('/chunk', './chunk.js');
		app.get('/case8', './case8.js');
		app.get('/case13', './case13.js');
		app.get('/case20', './case20.js');
		app.get('/case20view', './case20view.js');
		app.post('/limited', './text.js', (policy) => policy.limits({ body: '1K' }));
		app.get('/slow', './slow.js', (policy) => policy.limits({ wall: '500ms' }));
		app.get('/status', './status.js');
		app.static('/static', './static');
	`,
	'static/a.txt': 'inside',
	'staticx/a.txt': 'outside',
	'cookies.js': `export default () => {
		const headers = new Headers();
		headers.append('Set-Cookie', 'a=1; Path=/');
		headers.append('Set-Cookie', 'b=2, c=3');
		headers.append('X-Many', 'one');
		headers.append('X-Many', 'two');
		return new Response('', { headers });
	};`,
	'text.js': `export default async (request) => (await request.text()).length + ' characters';`,
	'bytes.js': `export default async (request) => [...new Uint8Array(await request.arrayBuffer())];`,
	'header.js': `export default (request) => ({
		mark: request.headers.get('x-mark'),
		units: [...(request.headers.get('x-mark') ?? '')].map((c) => c.charCodeAt(0)),
		url: request.url,
	});`,
	'chunk.js': `export default () => {
		const backing = new Uint8Array(1024).fill(88);
		const view = backing.subarray(10, 14);
		view.set([65, 66, 67, 68]);
		return new Response(new ReadableStream({
			start(controller) { controller.enqueue(view); controller.close(); },
		}));
	};`,
	'case8.js': `export default () => {
		const results = [];
		for (const bad of ['a\\rb', 'a\\nb', 'a\\r\\nX-Evil: 1', 'a\\0b']) {
			for (const attempt of [
				() => new Headers({ 'X-A': bad }),
				() => new Headers().append('X-A', bad),
				() => new Headers().set('X-A', bad),
				() => new Response('', { headers: { 'X-A': bad } }),
				() => new Response('', { headers: [['X-A', bad]] }),
			]) {
				try { attempt(); results.push('accepted'); } catch (error) { results.push(error.name); }
			}
		}
		return results;
	};`,
	'case13.js': `let calls = 0;
	export default () => {
		Promise.reject(new Error('nobody awaits this'));
		return 'call ' + ++calls;
	};`,
	'case20.js': `export default () => {
		const big = new Uint8Array(1 << 20).fill(1);
		return new Response(new Uint8Array(big.buffer, 4096, 16));
	};`,
	'case20view.js': `export default () => new Uint8Array(new Uint8Array(1 << 20).fill(2).buffer, 4096, 16);`,
	'slow.js': `export default () => new Promise(() => {});`,
	'status.js': `export default (request, context) => new Response('s', {
		status: Number(context.query.get('s')),
	});`,
};

test('faults of others', async (t) => {
	const app = await serve(t, files);
	const post = (path, body, headers = {}) => app.request(path, { method: 'POST', body, headers });

	await t.test('case 10: two Set-Cookie values are two header lines', async () => {
		const reply = await app.request('/cookies');
		assert.deepEqual(headerValues(reply, 'set-cookie'), ['a=1; Path=/', 'b=2, c=3']);
	});
	await t.test('repeated headers keep all their values', async () => {
		const reply = await app.request('/cookies');
		assert.equal(headerValues(reply, 'x-many').join(', '), 'one, two');
	});

	await t.test('a body that is not UTF-8 is read as text with replacements', async () => {
		const reply = await post('/text', Buffer.from([0x61, 0xff, 0xfe, 0x62]));
		assert.equal(reply.text, '4 characters');
	});
	await t.test('a body that is not UTF-8 is read as bytes', async () => {
		const reply = await post('/bytes', Buffer.from([0, 0xff, 0xc3, 0x28]));
		assert.deepEqual(JSON.parse(reply.text), [0, 255, 195, 40]);
	});

	await t.test('HTTP/1.0 without Host is served', async () => {
		const reply = await app.raw('GET /header HTTP/1.0\r\n\r\n');
		assert.equal(reply.status, 200);
	});
	await t.test('HTTP/1.1 without Host is a 400, and the service lives', async () => {
		const reply = await app.raw('GET /header HTTP/1.1\r\n\r\n');
		assert.equal(reply.status, 400);
		assert.equal((await app.request('/header')).status, 200);
	});
	await t.test('a header that is not ASCII arrives byte for byte', async () => {
		const reply = await app.raw('GET /header HTTP/1.1\r\nHost: x\r\nX-Mark: \xe9\xff\x80\r\n\r\n');
		assert.deepEqual(JSON.parse(reply.text).units, [0xe9, 0xff, 0x80]);
	});
	await t.test('unusual status codes pass', async () => {
		for (const status of [200, 203, 226, 299, 418, 451, 499, 511, 599])
			assert.equal((await app.request(`/status?s=${status}`)).status, status);
	});
	await t.test('status codes that are none are a 500', async () => {
		for (const status of [0, 99, 101, 199, 600, 1000])
			assert.equal((await app.request(`/status?s=${status}`)).status, 500);
	});

	await t.test('a chunk that is a view sends only the view', async () => {
		assert.equal((await app.request('/chunk')).text, 'ABCD');
	});
	await t.test('static folders end at a segment boundary', async () => {
		assert.equal((await app.request('/static/a.txt')).text, 'inside');
		assert.equal((await app.request('/staticx/a.txt')).status, 404);
		assert.equal((await app.request('/static../staticx/a.txt')).status, 404);
		assert.equal(
			(await app.raw('GET /static/../staticx/a.txt HTTP/1.1\r\nHost: x\r\n\r\n')).status,
			404,
		);
	});
	await t.test('a body above the limit is a 413', async () => {
		assert.equal((await post('/limited', Buffer.alloc(1024))).status, 200);
		assert.equal((await post('/limited', Buffer.alloc(1025))).status, 413);
	});
	await t.test('a chunked body above the limit is a 413', async () => {
		const connection = await app.connect();
		connection.send('POST /limited HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
		connection.send(`500\r\n${'x'.repeat(0x500)}\r\n0\r\n\r\n`);
		assert.equal((await connection.reply()).status, 413);
		connection.close();
	});
	await t.test('a route has a time limit', async () => {
		assert.equal((await app.request('/slow')).status, 504);
	});

	await t.test('case 8: a header value with CR, LF or NUL is a TypeError', async () => {
		const reply = await app.request('/case8');
		assert.deepEqual(new Set(JSON.parse(reply.text)), new Set(['TypeError']));
		assert.deepEqual(headerValues(reply, 'x-evil'), []);
	});
	await t.test('case 13: a rejection nobody awaits is logged, and the process lives', async () => {
		assert.equal((await app.request('/case13')).text, 'call 1');
		await app.prints(/nobody awaits this/);
		assert.match(app.output, /case13\.js:3\b/);
		assert.equal((await app.request('/case13')).text, 'call 2');
	});
	await t.test('case 20: a Response of a 16-byte view of 1 MB sends 16 bytes', async () => {
		assert.deepEqual([...(await app.request('/case20')).body], Array(16).fill(1));
	});
	await t.test('case 20: a returned 16-byte view of 1 MB sends 16 bytes', async () => {
		assert.deepEqual([...(await app.request('/case20view')).body], Array(16).fill(2));
	});
});
