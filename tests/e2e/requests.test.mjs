// SPDX-License-Identifier: BSD-2-Clause
// The Request that a handler is given, and its context: what can be read of it,
// when, how often, and what is left of it afterwards.

import assert from 'node:assert/strict';
import http from 'node:http';
import test from 'node:test';
import { header, serve } from './lib.mjs';

const files = {
	'app.js': `
		app.get('/head/:name', 'head.js');
		app.route('POST', '/body/:how', 'body.js');
		app.get('/end/:step', 'end.js');
		app.get('/abort', 'abort.js');
		app.head('/streamed', 'streamed.js');
		app.get('/brief', 'brief.js');
	`,
	'head.js': `export default async (request, context) => {
		const { params, query } = context;
		await null;
		let immutable;
		try { request.headers.set('a', 'b'); } catch (error) { immutable = error.name; }
		return {
			method: request.method, url: request.url, immutable,
			agent: request.headers.get('User-Agent'), none: request.headers.get('x-none'),
			names: [...request.headers.keys()].includes('x-twice'), twice: request.headers.get('x-twice'),
			latin: request.headers.get('x-latin'), has: request.headers.has('host'),
			params, query: [...query], same: context.query === query && context.params === params,
			keys: Object.keys(context), frozen: Object.isFrozen(context.env),
			sameHeaders: request.headers === request.headers, body: request.body, used: request.bodyUsed,
			aborted: request.signal.aborted, sameSignal: request.signal === request.signal,
			brand: Object.prototype.toString.call(request), isRequest: request instanceof Request,
		};
	};`,
	'body.js': `const readers = {
		async twice(request) {
			await request.text();
			try { await request.text(); } catch (error) { return error.name + request.bodyUsed; }
		},
		async clone(request) {
			const copy = request.clone();
			return [await request.text(), await copy.text(), copy.url === request.url];
		},
		async again(request) {
			const next = new Request(request, { headers: { x: 'y' } });
			return [await next.text(), next.method, next.headers.get('x'), request.bodyUsed];
		},
		async other(request) {
			const next = new Request('http://other.test/', request);
			return [next.method, next.url, await next.text()];
		},
		async bytes(request) { return [...await request.bytes()]; },
		async blob(request) {
			const blob = await request.blob();
			return [blob.size, blob.type];
		},
		async json(request) { return { got: await request.json() }; },
		async form(request) {
			const form = await request.formData();
			return [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]);
		},
		async lines(request) {
			const lines = [];
			for await (const text of request.body.pipeThrough(new TextDecoderStream())) lines.push(text);
			return [lines.join('')];
		},
		async cancel(request) {
			await request.body.cancel();
			return [request.bodyUsed];
		},
		through: (request) => new Response(request.body.pipeThrough(new TransformStream())),
		pass: (request) => new Response(request.body, { status: 201 }),
		async late(request) {
			await new Promise((resolve) => setTimeout(resolve, 20));
			return [await request.text()];
		},
		unread: () => 'unread',
	};
	export default (request, { params }) => readers[params.how](request);`,
	'end.js': `let kept, read;
	export default async (request, { params }) => {
		if (params.step === 'keep') {
			kept = request;
			read = request.url;
			return 'kept';
		}
		const tried = (call) => { try { return call(); } catch (error) { return error.message; } };
		return { url: tried(() => kept.url) === read, method: tried(() => kept.method), text: await kept.text().catch((error) => error.message) };
	};`,
	'abort.js': `export default (request) => {
		request.signal.addEventListener('abort', () => {
			console.log('aborted', request.signal.reason.name, request.url, request.headers.get('x-mark'));
		});
		console.log('waiting');
		return new Promise(() => {});
	};`,
	'streamed.js': `export default () => new Response(new ReadableStream({
		cancel() { console.log('head cancelled'); },
	}), { headers: { 'x-streamed': 'yes' } });`,
	'brief.js': `export default (...all) => [all.length, all[1].params, [...all[1].query]];`,
};

test('the request that a handler is given', async (t) => {
	const app = await serve(t, files);
	const json = async (path, options) => JSON.parse((await app.request(path, options)).text);
	const post = (how, body, headers = {}) => json(`/body/${how}`, { method: 'POST', body, headers });

	await t.test('everything of its head can be read, later too', async () => {
		const got = await json('/head/a%20b?x=1&x=%C3%A4', {
			headers: { 'user-agent': 'tester', 'x-twice': ['1', '2'], 'x-latin': 'caf\xe9' },
		});
		assert.equal(got.url, `http://127.0.0.1:${app.port}/head/a%20b?x=1&x=%C3%A4`);
		assert.deepEqual([got.method, got.agent, got.none], ['GET', 'tester', null]);
		assert.deepEqual([got.names, got.twice, got.latin, got.has], [true, '1, 2', 'caf\xe9', true]);
		assert.deepEqual(got.params, { name: 'a b' });
		assert.deepEqual(got.query, [
			['x', '1'],
			['x', 'ä'],
		]);
		assert.deepEqual(got.keys, ['params', 'query', 'env']);
		assert.deepEqual(
			[got.same, got.sameHeaders, got.sameSignal, got.frozen],
			[true, true, true, true],
		);
		assert.deepEqual(
			[got.body, got.used, got.aborted, got.immutable],
			[null, false, false, 'TypeError'],
		);
		assert.deepEqual([got.brand, got.isRequest], ['[object Request]', true]);
	});
	await t.test('a handler without named parameters has its context too', async () => {
		assert.deepEqual(await json('/brief?a=b'), [2, {}, [['a', 'b']]]);
	});
	await t.test('its body is read once, by any reader', async () => {
		assert.equal(
			(await app.request('/body/twice', { method: 'POST', body: 'x' })).text,
			'TypeErrortrue',
		);
		assert.deepEqual(await post('bytes', Uint8Array.of(0, 255, 13)), [0, 255, 13]);
		assert.deepEqual(await post('blob', 'abc', { 'content-type': 'Text/X' }), [3, 'text/x']);
		assert.deepEqual(await post('json', '{"a":[1]}'), { got: { a: [1] } });
		assert.deepEqual(await post('late', 'patience'), ['patience']);
		assert.deepEqual(await post('lines', 'é€😀'), ['é€😀']);
		assert.deepEqual(await post('cancel', 'x'), [true]);
		assert.equal((await app.request('/body/unread', { method: 'POST', body: 'x' })).text, 'unread');
	});
	await t.test('an empty body is empty, however it is announced', async () => {
		assert.deepEqual(await post('late', ''), ['']);
		assert.deepEqual(await post('bytes', '', { 'transfer-encoding': 'chunked' }), []);
		assert.equal((await app.request('/body/pass', { method: 'POST' })).status, 201);
	});
	await t.test('forms', async () => {
		const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
		assert.deepEqual(await post('form', 'a=1&__proto__=%C3%A4+b', urlencoded), [
			['a', '1'],
			['__proto__', 'ä b'],
		]);
		const multipart = { 'content-type': 'multipart/form-data; boundary=X' };
		const text =
			'--X\r\nContent-Disposition: form-data; name="t"\r\n\r\nv\r\n' +
			'--X\r\nContent-Disposition: form-data; name="f"; filename="../x.bin"\r\n\r\n\0\r\n--X--\r\n';
		assert.deepEqual(await post('form', text, multipart), [
			['t', 'v'],
			['f', 'x.bin'],
		]);
	});
	await t.test('it can be cloned and made into another', async () => {
		assert.deepEqual(await post('clone', 'twice'), ['twice', 'twice', true]);
		assert.deepEqual(await post('again', 'moved'), ['moved', 'POST', 'y', true]);
		assert.deepEqual(await post('other', 'init'), ['POST', 'http://other.test/', 'init']);
	});
	await t.test('its body can be the reply', async () => {
		const body = Buffer.alloc(300_000, 'abcdefg');
		for (const how of ['pass', 'through']) {
			const reply = await app.request(`/body/${how}`, { method: 'POST', body });
			assert.equal(reply.status, how === 'pass' ? 201 : 200);
			assert.ok(reply.body.equals(body));
		}
	});
	await t.test('what was not read before the reply cannot be read later', async () => {
		await app.request('/end/keep');
		const got = await json('/end/look');
		assert.equal(got.url, true);
		assert.match(got.method, /request has ended/);
		assert.match(got.text, /request has ended/);
	});
	await t.test('its signal tells that the client left, and what it was about', async () => {
		const mark = app.mark();
		const request = http.get(`http://127.0.0.1:${app.port}/abort`, { headers: { 'x-mark': 'm' } });
		request.on('error', () => {});
		await app.prints(/waiting/, { from: mark });
		request.destroy();
		await app.prints(new RegExp(`aborted AbortError http://127.0.0.1:${app.port}/abort m`), {
			from: mark,
		});
	});
	await t.test('HEAD of a stream sends its head and cancels it', async () => {
		const mark = app.mark();
		const reply = await app.request('/streamed', { method: 'HEAD' });
		assert.deepEqual([reply.status, header(reply, 'x-streamed')], [200, 'yes']);
		await app.prints(/head cancelled/, { from: mark });
	});
});

test('forms that are too much, or none', async (t) => {
	const app = await serve(t, {
		'app.js': `app.post('/', './form.js'); app.post('/caught', './caught.js'); app.get('/reply', './reply.js');`,
		'form.js': `export default async (request) => [...(await request.formData()).keys()];`,
		'caught.js': `export default async (request) => {
			try { await request.formData(); } catch (error) { return [error.name, error.message]; }
		};`,
		'reply.js': `export default () => new Response('--Y', {
			headers: { 'content-type': 'multipart/form-data; boundary=X' },
		}).formData();`,
	});
	const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
	const multipart = { 'content-type': 'multipart/form-data; boundary=X' };
	const post = (body, headers, path = '/') => app.request(path, { method: 'POST', body, headers });
	const part = (n) => `--X\r\nContent-Disposition: form-data; name="p${n}"\r\n\r\nv\r\n`;
	const parts = (count) => `${Array.from({ length: count }, (_, n) => part(n)).join('')}--X--\r\n`;
	const fields = (count) => Array.from({ length: count }, (_, n) => `f${n}=v`).join('&');
	const ask = async (...args) => {
		const { status, text } = await post(...args);
		return [status, text];
	};

	await t.test('a thousand parts and a thousand fields are read', async () => {
		assert.equal(JSON.parse((await post(parts(1000), multipart)).text).length, 1000);
		assert.equal(JSON.parse((await post(fields(1000), urlencoded)).text).length, 1000);
	});
	await t.test('one more is a 413, and so is any number', async () => {
		const large = [413, 'Content Too Large\n'];
		for (const count of [1001, 10_000]) assert.deepEqual(await ask(parts(count), multipart), large);
		for (const count of [1001, 300_000])
			assert.deepEqual(await ask(fields(count), urlencoded), large);
		assert.deepEqual(await ask('&'.repeat(1_000_000), urlencoded), large);
	});
	await t.test('a part of 30 MB without its boundary is a 400', async () => {
		const head = 'Content-Disposition: form-data; name="a"; filename="a"\r\n\r\n';
		for (const filling of ['x', '\r', '\r\n--']) {
			const body = `--X\r\n${head}${filling.repeat(30e6 / filling.length)}`;
			assert.deepEqual(await ask(body, multipart), [400, 'Bad Request\n'], JSON.stringify(filling));
		}
		const { status } = await post('x'.repeat(30e6), multipart);
		assert.equal(status, 400);
	});
	await t.test('a body of another type, or without a boundary, is a 400', async () => {
		assert.equal((await post('a=1', { 'content-type': 'text/plain' })).status, 400);
		assert.equal((await post('--X--', { 'content-type': 'multipart/form-data' })).status, 400);
	});
	await t.test('a handler may answer it in its own way', async () => {
		assert.deepEqual(JSON.parse((await post(parts(1001), multipart, '/caught')).text), [
			'TypeError',
			'formData(): there are more than 1000 parts',
		]);
	});
	await t.test("what is wrong with a Response's body is no mistake of the client's", async () => {
		assert.equal((await app.request('/reply')).status, 500);
	});
});
