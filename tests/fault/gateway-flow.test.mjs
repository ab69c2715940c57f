// SPDX-License-Identifier: BSD-2-Clause
// Bodies in both directions, their backpressure and their ends.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { truncateSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import { join } from 'node:path';
import { test } from 'node:test';
import { anyRoute, gateway } from '../e2e/gateway.mjs';
import { full, memoryOf, sleep, until } from '../e2e/lib.mjs';

const start = (t, options = {}) => gateway(t, { app: { routes: anyRoute }, ...options });
const BIG = full ? 2 ** 30 : 100 * 2 ** 20;
const ALLOWED_GROWTH = 4 * 2 ** 20;

const memory = (server) =>
	server.workers().reduce((sum, { pid }) => sum + memoryOf(pid).private, 0);

/** Watches the memory of nginx while `work` goes on. */
async function peakGrowth(server, work) {
	await server.request('/hello');
	const before = memory(server);
	let peak = before;
	let going = true;
	const watching = (async () => {
		while (going) {
			peak = Math.max(peak, memory(server));
			await sleep(50);
		}
	})();
	try {
		return [await work(), () => peak - before];
	} finally {
		going = false;
		await watching;
	}
}

/** The bytes that the peer sends: byte n is n modulo 251. */
function expected(length) {
	const block = Buffer.from(Array.from({ length: 251 * 1024 }, (_, i) => i % 251));
	const hash = createHash('md5');
	for (let left = length; left > 0; left -= block.length)
		hash.update(left < block.length ? block.subarray(0, left) : block);
	return hash.digest('hex');
}

async function curl(server, args, h2 = false) {
	const port = h2 ? server.port2 : server.port;
	const [path, ...rest] = args;
	const child = spawn(
		'curl',
		['-sS', ...(h2 ? ['--http2-prior-knowledge'] : []), ...rest, `http://127.0.0.1:${port}${path}`],
		{ stdio: ['pipe', 'pipe', 'inherit'] },
	);
	const hash = createHash('md5');
	let length = 0;
	let text = '';
	child.stdout.on('data', (data) => {
		hash.update(data);
		length += data.length;
		if (text.length < 1000) text += data.toString('latin1');
	});
	child.stdin.on('error', () => {});
	return {
		child,
		done: once(child, 'close').then(([status]) => ({
			status,
			length,
			text,
			md5: hash.digest('hex'),
		})),
	};
}

/** A file of `size` zero bytes that takes no room. */
function sparse(server, size) {
	const path = join(server.folder, 'body');
	writeFileSync(path, '');
	truncateSync(path, size);
	return path;
}

async function upload(server, path, size, chunked, h2) {
	const { done } = await curl(
		server,
		[
			path,
			'-X',
			'POST',
			'-w',
			'%{http_code}',
			'-T',
			sparse(server, size),
			...(chunked ? ['-H', 'Transfer-Encoding: chunked'] : []),
		],
		h2,
	);
	return done;
}

for (const h2 of [false, true]) {
	const version = h2 ? 'HTTP/2' : 'HTTP/1.1';

	for (const kind of ['bytes', 'stream'])
		test(`${version}: a large response (${kind}) in bounded memory`, async (t) => {
			const server = await start(t);
			const [result, grown] = await peakGrowth(
				server,
				async () => (await curl(server, [`/${kind}/${BIG}`], h2)).done,
			);
			assert.equal(result.length, BIG);
			assert.equal(result.md5, expected(BIG));
			assert.ok(grown() < ALLOWED_GROWTH, `nginx grew by ${grown()}`);
		});

	for (const chunked of [false, true])
		test(`${version}: a large request body (${chunked ? 'of unknown length' : 'announced'}) in bounded memory`, async (t) => {
			const server = await start(t);
			const [result, grown] = await peakGrowth(server, () =>
				upload(server, '/count', BIG, chunked, h2),
			);
			assert.equal(result.text, `${BIG}\n200`);
			assert.ok(grown() < ALLOWED_GROWTH, `nginx grew by ${grown()}`);
		});

	test(`${version}: an echo while both directions move`, async (t) => {
		const server = await start(t);
		const body = Buffer.from(Array.from({ length: 3_000_001 }, (_, i) => (i * 7) % 256));
		const { child, done } = await curl(server, ['/echo', '--data-binary', '@-'], h2);
		child.stdin.end(body);
		const result = await done;
		assert.equal(result.md5, createHash('md5').update(body).digest('hex'));
	});

	test(`${version}: a body that the handler never takes stays with the client`, async (t) => {
		const server = await start(t, { app: { routes: anyRoute, limits: { wall: 1500 } } });
		const [status, grown] = await peakGrowth(server, () =>
			h2 ? endless2(server) : endless1(server),
		);
		assert.equal(status, 504);
		assert.ok(grown() < ALLOWED_GROWTH, `nginx grew by ${grown()}`);
	});
}

/** Sends a body without end to /silent; the status of what comes back. */
async function endless1(server) {
	const socket = await server.connect();
	socket.send('POST /silent HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n');
	const piece = Buffer.alloc(2 ** 16);
	const more = () => {
		while (socket.socket.write(piece));
	};
	socket.socket.on('drain', more);
	more();
	const { status } = await socket.reply();
	socket.close();
	return status;
}

async function endless2(server) {
	const session = http2.connect(`http://127.0.0.1:${server.port2}`);
	const stream = session.request({ ':method': 'POST', ':path': '/silent' });
	const piece = Buffer.alloc(2 ** 16);
	const more = () => {
		while (!stream.destroyed && stream.write(piece));
	};
	stream.on('error', () => {});
	stream.on('drain', more);
	more();
	const [headers] = await once(stream, 'response');
	session.destroy();
	return headers[':status'];
}

test('many slow readers: each holds no more than a window', async (t) => {
	const server = await start(t);
	const count = 50;
	const [, grown] = await peakGrowth(server, async () => {
		const sockets = await Promise.all(Array.from({ length: count }, () => server.connect()));
		for (const { socket } of sockets) socket.pause();
		for (const socket of sockets) socket.send('GET /bytes/10000000 HTTP/1.1\r\nHost: a\r\n\r\n');
		await sleep(1000);
		for (const socket of sockets) socket.close();
	});
	// The peer's echo of the window, nginx's own buffers, and the area.
	assert.ok(grown() < count * 80 * 1024 + ALLOWED_GROWTH, `nginx grew by ${grown()}`);
	await server.prints(/peer: abort 1/);
	assert.equal((await server.request('/hello')).status, 200);
});

test('a client that leaves in a streamed reply aborts it', async (t) => {
	const server = await start(t);
	const socket = await server.connect();
	socket.socket.pause();
	socket.send('GET /stream/1000000000 HTTP/1.1\r\nHost: a\r\n\r\n');
	await server.prints(/peer: attach/);
	await sleep(200);
	const from = server.mark();
	socket.close();
	await server.prints(/peer: abort 1/, { from });
});

test('a client that leaves before the reply aborts it', async (t) => {
	const server = await start(t);
	const socket = await server.connect();
	socket.send('GET /silent HTTP/1.1\r\nHost: a\r\n\r\n');
	await server.prints(/peer: attach/);
	await sleep(100);
	socket.close();
	await server.prints(/peer: abort 1/);
});

test('a client that leaves in its own body aborts it', async (t) => {
	const server = await start(t);
	const socket = await server.connect();
	socket.send('POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf');
	await server.prints(/peer: attach/);
	await sleep(100);
	socket.close();
	await server.prints(/peer: abort 1/);
});

test('an HTTP/2 stream that is reset aborts it', async (t) => {
	const server = await start(t);
	const session = http2.connect(`http://127.0.0.1:${server.port2}`);
	const stream = session.request({ ':path': '/silent' });
	await server.prints(/peer: attach/);
	await sleep(100);
	stream.on('error', () => {});
	stream.close(http2.constants.NGHTTP2_CANCEL);
	await server.prints(/peer: abort 1/);
	session.close();
});

test('the wall time ends a request: 504, ABORT, and STUCK when it was not even read', async (t) => {
	const server = await start(t, { app: { routes: anyRoute, limits: { wall: 500 } } });
	const reply = await server.request('/silent');
	assert.equal(reply.status, 504);
	assert.equal(reply.text, 'Gateway Timeout\n');
	await server.prints(/peer: abort 2/);
	assert.equal((await server.request('/deaf')).status, 504);
	await server.prints(/peer: stuck/);
	assert.equal((await server.request('/hello')).status, 200);
});

test('keep-alive and pipelining', async (t) => {
	const server = await start(t);
	const socket = await server.connect();
	socket.send('GET /hello HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20));
	for (let i = 0; i < 20; i++) assert.equal((await socket.reply()).text, 'hello\n');
	socket.send('POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc'.repeat(5));
	for (let i = 0; i < 5; i++) assert.equal((await socket.reply()).text, '3\n');
	socket.send(
		'POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'.repeat(
			5,
		),
	);
	for (let i = 0; i < 5; i++) assert.equal((await socket.reply()).text, '5\n');
	socket.send('GET /stream/70000 HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3));
	for (let i = 0; i < 3; i++) assert.equal((await socket.reply()).body.length, 70000);
	socket.close();
});

test('HEAD, 204 and HTTP/1.0', async (t) => {
	const server = await start(t);
	const socket = await server.connect();
	socket.send('HEAD /bytes/500000 HTTP/1.1\r\nHost: a\r\n\r\n');
	const head = await socket.reply({ head: true });
	assert.equal(head.status, 200);
	socket.send('HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n');
	assert.equal((await socket.reply({ head: true })).status, 200);
	socket.send('GET /empty HTTP/1.1\r\nHost: a\r\n\r\n');
	assert.equal((await socket.reply()).status, 204);
	socket.send('GET /hello HTTP/1.1\r\nHost: a\r\n\r\n');
	assert.equal((await socket.reply()).text, 'hello\n');
	socket.close();
	const old = await server.connect();
	old.send('GET /stream/100000 HTTP/1.0\r\n\r\n');
	const whole = await old.rest();
	assert.doesNotMatch(whole.toString('latin1', 0, 500), /chunked/);
	assert.equal(whole.length - whole.indexOf('\r\n\r\n') - 4, 100000);
});

test('bodies above the limit: 413, announced or as it comes', async (t) => {
	const server = await start(t, { app: { routes: anyRoute, limits: { body: 100_000 } } });
	const announced = await server.connect();
	announced.send('POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n');
	const reply = await announced.reply();
	assert.equal(reply.status, 413);
	assert.equal(reply.text, 'Content Too Large\n');
	announced.close();
	assert.equal(
		(await server.request('/count', { method: 'POST', body: 'x'.repeat(100_000) })).text,
		'100000\n',
	);
	const { child, done } = await curl(server, [
		'/count',
		'-X',
		'POST',
		'-T',
		'-',
		'-w',
		'%{http_code}',
	]);
	child.stdin.end(Buffer.alloc(200_000));
	assert.match((await done).text, /413/);
});

test('smuggling: two lengths, or a length and chunks, get 400', async (t) => {
	const server = await start(t);
	for (const headers of [
		'Content-Length: 3\r\nTransfer-Encoding: chunked',
		'Content-Length: 3\r\nContent-Length: 4',
	]) {
		const socket = await server.connect();
		socket.send(`POST /count HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n0\r\n\r\n`);
		assert.equal((await socket.reply()).status, 400);
		assert.ok(await socket.closed());
	}
	const junk = await server.connect();
	junk.send(
		'POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcJUNK\r\n0\r\n\r\n',
	);
	assert.equal((await junk.reply()).status, 400);
	assert.ok(await junk.closed());
});

test('more requests in flight than the route may have', async (t) => {
	const server = await start(t, {
		app: { routes: anyRoute, limits: { concurrency: 3, wall: 1000 } },
	});
	const silent = Array.from({ length: 3 }, () => server.request('/silent'));
	await until(() => server.output.includes('peer: attach'));
	await sleep(100);
	const over = await server.request('/hello');
	assert.equal(over.status, 503);
	assert.equal(over.text, 'route over its limit: concurrency\n');
	for (const reply of await Promise.all(silent)) assert.equal(reply.status, 504);
	assert.equal((await server.request('/hello')).status, 200);
});

test('gzip of dynamic replies works as nginx has it', async (t) => {
	const server = await start(t, { http: 'gzip on; gzip_min_length 1; gzip_types *;' });
	const reply = await new Promise((resolve, reject) =>
		http
			.get(`http://127.0.0.1:${server.port}/hello`, { headers: { 'accept-encoding': 'gzip' } })
			.on('response', resolve)
			.on('error', reject),
	);
	assert.equal(reply.headers['content-encoding'], 'gzip');
	reply.resume();
	const { done } = await curl(server, ['/stream/5000000', '--compressed']);
	assert.equal((await done).length, 5000000);
});
