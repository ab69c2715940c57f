// SPDX-License-Identifier: BSD-2-Clause
// The module in an nginx of one's own that speaks TLS and HTTP/2: nginx does
// the speaking, and handlers see whole requests all the same.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { authorityFor } from './authority.mjs';
import { gateway } from './gateway.mjs';
import { freePort, until } from './lib.mjs';

const FILES = {
	'app.js': `
		app.get('/url', './url.js');
		app.post('/echo', './echo.js');
		app.get('/wait', './wait.js');
		app.get('/slow/:n', './slow.js');
		app.static('/', './public');`,
	'url.js': `export default (request) =>
		({ url: request.url, mark: request.headers.get('x-mark'), cookie: request.headers.get('cookie') });`,
	'echo.js': `export default (request) => new Response(request.body, {
		headers: [['set-cookie', 'a=1'], ['set-cookie', 'b=2']],
	});`,
	'wait.js': `export default ({ signal }) => new Promise(() => {
		console.log('the handler waits');
		signal.addEventListener('abort', () => console.log('aborted'));
	});`,
	'slow.js': `export default async (request, { params }) => {
		await new Promise((resolve) => setTimeout(resolve, 50));
		return 'slow ' + params.n;
	};`,
	'public/file.txt': 'a file\n',
};

/** nginx with the module and the real supervisor, on a port with TLS. */
async function start(t) {
	const { caFile } = await authorityFor(t, 'localhost');
	const keys = dirname(caFile);
	const port = await freePort();
	const server = await gateway(t, {
		usePeer: false,
		files: FILES,
		server: (directive) => `
			listen 127.0.0.1:${port} ssl http2;
			ssl_certificate ${keys}/host.pem;
			ssl_certificate_key ${keys}/host.key;
			${directive.replace(/ data=\S+?;/, ';')}`,
	});
	return { server, port, ca: readFileSync(caFile), origin: `https://localhost:${port}` };
}

/** One request of an HTTP/2 session. */
async function ask(session, headers, body) {
	const stream = session.request(headers, { endStream: body === undefined });
	if (body !== undefined) stream.end(body);
	const [head] = await once(stream, 'response');
	const pieces = [];
	for await (const piece of stream) pieces.push(piece);
	return { head, body: Buffer.concat(pieces) };
}

test('TLS', async (t) => {
	const { server, port, ca, origin } = await start(t);
	const session = http2.connect(origin, { ca });
	t.after(() => session.destroy());
	await once(session, 'connect');

	await t.test('HTTP/2 is agreed on, and the URL says https', async () => {
		assert.equal(session.alpnProtocol, 'h2');
		const { head, body } = await ask(session, {
			...{ ':path': '/url?q=1', 'x-mark': 'm' },
			cookie: ['a=1', 'b=2'],
		});
		assert.equal(head[':status'], 200);
		assert.deepEqual(JSON.parse(body.toString()), {
			url: `${origin}/url?q=1`,
			mark: 'm',
			cookie: 'a=1; b=2',
		});
	});

	await t.test('a body goes up and comes back, with both cookies', async () => {
		const sent = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => i % 251));
		const { head, body } = await ask(session, { ':path': '/echo', ':method': 'POST' }, sent);
		assert.ok(body.equals(sent));
		assert.deepEqual(head['set-cookie'], ['a=1', 'b=2']);
	});

	await t.test('a hundred streams at once', async () => {
		const replies = await Promise.all(
			Array.from({ length: 100 }, (_, n) => ask(session, { ':path': `/slow/${n}` })),
		);
		assert.deepEqual(
			replies.map(({ body }) => body.toString()),
			replies.map((_, n) => `slow ${n}`),
		);
	});

	await t.test('a stream that the client resets aborts its request alone', async () => {
		const stream = session.request({ ':path': '/wait' });
		stream.on('error', () => {});
		await server.prints(/the handler waits/);
		stream.close(http2.constants.NGHTTP2_CANCEL);
		await server.prints(/aborted/);
		assert.equal((await ask(session, { ':path': '/slow/1' })).body.toString(), 'slow 1');
	});

	await t.test('a file and a missing one', async () => {
		assert.equal((await ask(session, { ':path': '/file.txt' })).body.toString(), 'a file\n');
		const { head, body } = await ask(session, { ':path': '/none' });
		assert.equal(head[':status'], 404);
		assert.equal(body.toString(), `route not found: GET ${origin} /none\n`);
	});

	await t.test('an authority that no URL could have is a 400', async () => {
		const { head } = await ask(session, { ':path': '/url', ':authority': 'x:99999' });
		assert.equal(head[':status'], 400);
	});

	await t.test('HTTP/1.1 over TLS', async () => {
		const sent = https.request({ host: 'localhost', port, ca, path: '/url', agent: false });
		sent.end();
		const [message] = await once(sent, 'response');
		let text = '';
		for await (const piece of message) text += piece;
		assert.equal(message.httpVersion, '1.1');
		assert.equal(JSON.parse(text).url, `${origin}/url`);
	});

	await t.test('a reload takes up the session that goes on', async () => {
		const before = server.workers().map(({ pid }) => pid);
		server.signal('SIGHUP');
		await until(() => server.workers().some(({ pid }) => !before.includes(pid)));
		const fresh = http2.connect(origin, { ca });
		await once(fresh, 'connect');
		assert.equal((await ask(fresh, { ':path': '/slow/2' })).body.toString(), 'slow 2');
		fresh.close();
	});
});

test('a client that does not know the certificate does not get in', async (t) => {
	const { port } = await start(t);
	const sent = https.request({ host: 'localhost', port, agent: false }).end();
	const [error] = await once(sent, 'error');
	assert.match(error.code, /SELF_SIGNED|UNABLE_TO_VERIFY/);
});
