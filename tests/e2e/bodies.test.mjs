// SPDX-License-Identifier: BSD-2-Clause
// Big bodies in both directions: they pass whole, and no process grows with
// them. Quick tier: 64 MiB; full tier: 1 GiB.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import test from 'node:test';
import { full, serve, sleep } from './lib.mjs';

const MIB = 1 << 20;
const size = full ? 1024 * MIB : 64 * MIB;

/** What one request may add to all processes together, the engine's garbage included. */
const ROOM = 48 * MIB;

const files = {
	'app.js': `
		app.limits({ body: '2G', wall: '600s', cpu: '60s' });
		app.post('/count', './count.js');
		app.get('/give/:bytes', './give.js');
		app.post('/echo', './echo.js');
		app.post('/ignore', './ignore.js');
		app.get('/endless', './endless.js');
	`,
	'count.js': `export default async (request) => {
		let total = 0, sum = 0;
		const reader = request.body.getReader();
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return { total, sum };
			total += value.length;
			for (let i = 0; i < value.length; i += 4096) sum = (sum + value[i]) % 65521;
		}
	};`,
	'give.js': `export default (request, context) => {
		let left = Number(context.params.bytes), piece = 0;
		return new Response(new ReadableStream({
			pull(controller) {
				const bytes = new Uint8Array(Math.min(left, 65536)).fill(piece++ & 255);
				left -= bytes.length;
				controller.enqueue(bytes);
				if (left === 0) controller.close();
			},
		}));
	};`,
	'echo.js': `export default (request) => new Response(request.body);`,
	'ignore.js': `export default () => 'not read';`,
	'endless.js': `export default () => new Response(new ReadableStream({
		pull(controller) { controller.enqueue(new Uint8Array(65536)); },
		cancel() { console.log('stream cancelled'); },
	}));`,
};

/** Runs `work`, and returns by how much the app's memory grew meanwhile. */
async function growthDuring(app, work) {
	const before = app.memory();
	let most = before;
	let done = false;
	const watch = (async () => {
		while (!done) {
			most = Math.max(most, app.memory());
			await sleep(20);
		}
	})();
	try {
		await work();
	} finally {
		done = true;
		await watch;
	}
	return most - before;
}

/** Waits until more may be written, or fails when the connection is gone. */
async function drained(stream) {
	const gone = new AbortController();
	const { signal } = gone;
	try {
		await Promise.race([
			once(stream, 'drain', { signal }),
			once(stream, 'close', { signal }).then(() => {
				throw new Error('the server closed the connection in an upload');
			}),
		]);
	} finally {
		gone.abort();
	}
}

/** Writes `bytes` in pieces, each filled with its own number. */
async function upload(sent, bytes) {
	let sum = 0;
	for (let at = 0, number = 0; at < bytes; at += 65536, number++) {
		const piece = Buffer.alloc(Math.min(65536, bytes - at), number & 255);
		for (let i = 0; i < piece.length; i += 4096) sum = (sum + piece[i]) % 65521;
		if (!sent.write(piece)) await drained(sent);
	}
	sent.end();
	return sum;
}

test('big bodies', async (t) => {
	const app = await serve(t, files);
	const open = (path, method, headers = {}) =>
		http.request(app.url + path, { method, headers, agent: false });
	await app.request('/give/1');
	await app.request('/count', { method: 'POST', body: 'x' });
	await app.request('/echo', { method: 'POST', body: 'x' });

	await t.test('up: every byte arrives and memory stays', async () => {
		const growth = await growthDuring(app, async () => {
			const sent = open('/count', 'POST', { 'Content-Length': String(size) });
			const answered = once(sent, 'response');
			const sum = await upload(sent, size);
			const [message] = await answered;
			let text = '';
			for await (const piece of message) text += piece;
			assert.equal(JSON.parse(text).total, size);
			assert.ok(Number.isInteger(sum));
		});
		assert.ok(growth < ROOM, `memory grew by ${(growth / MIB).toFixed(1)} MiB`);
	});

	await t.test('down: every byte arrives and memory stays', async () => {
		const growth = await growthDuring(app, async () => {
			const sent = open(`/give/${size}`, 'GET').end();
			const [message] = await once(sent, 'response');
			let total = 0;
			let wrong = 0;
			for await (const piece of message) {
				if (piece[0] !== ((total / 65536) & 255)) wrong++;
				total += piece.length;
			}
			assert.equal(total, size);
			assert.equal(wrong, 0);
		});
		assert.ok(growth < ROOM, `memory grew by ${(growth / MIB).toFixed(1)} MiB`);
	});

	await t.test('echo: both directions at once', async () => {
		const growth = await growthDuring(app, async () => {
			const sent = open('/echo', 'POST');
			const up = createHash('sha256');
			const down = createHash('sha256');
			const answered = once(sent, 'response');
			const writing = (async () => {
				for (let at = 0, number = 0; at < size; at += 65536, number++) {
					const piece = Buffer.alloc(65536, number % 251);
					up.update(piece);
					if (!sent.write(piece)) await drained(sent);
				}
				sent.end();
			})();
			const [message] = await answered;
			for await (const piece of message) down.update(piece);
			await writing;
			assert.equal(down.digest('hex'), up.digest('hex'));
		});
		assert.ok(growth < ROOM, `memory grew by ${(growth / MIB).toFixed(1)} MiB`);
	});

	await t.test('a client that does not read holds the stream, not the memory', async () => {
		const growth = await growthDuring(app, async () => {
			const connection = await app.connect();
			connection.socket.pause();
			connection.send('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
			await sleep(1500);
			connection.close();
		});
		assert.ok(growth < ROOM, `memory grew by ${(growth / MIB).toFixed(1)} MiB`);
		await app.prints(/stream cancelled/);
	});

	await t.test('a body that nobody reads is bounded', async () => {
		const growth = await growthDuring(app, async () => {
			const connection = await app.connect();
			connection.socket.on('error', () => {});
			connection.send(`POST /ignore HTTP/1.1\r\nHost: x\r\nContent-Length: ${100 * MIB}\r\n\r\n`);
			const piece = Buffer.alloc(MIB);
			for (let i = 0; i < 100 && !connection.socket.destroyed; i++) {
				if (!connection.socket.write(piece))
					await Promise.race([once(connection.socket, 'drain'), once(connection.socket, 'close')]);
				if (i === 0) assert.equal((await connection.reply()).text, 'not read');
			}
			connection.close();
		});
		assert.ok(growth < ROOM, `memory grew by ${(growth / MIB).toFixed(1)} MiB`);
	});

	await t.test('a client that leaves in an upload ends it', async () => {
		const connection = await app.connect();
		connection.send('POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc');
		await sleep(100);
		connection.close();
		assert.equal((await app.request('/count', { method: 'POST', body: 'xyz' })).status, 200);
	});

	await t.test('many replies at once come whole', async () => {
		const replies = await Promise.all(
			Array.from({ length: 40 }, () => app.request('/give/300000', { agent: false })),
		);
		for (const reply of replies) assert.equal(reply.body.length, 300_000);
	});
});

test('a client that leaves aborts the signal', async (t) => {
	const app = await serve(t, {
		'app.js': `app.get('/wait', './wait.js');`,
		'wait.js': `export default (request) => new Promise(() => {
			console.log('waiting');
			request.signal.addEventListener('abort', () => console.log('aborted'));
		});`,
	});
	const connection = await app.connect();
	connection.send('GET /wait HTTP/1.1\r\nHost: x\r\n\r\n');
	await app.prints(/waiting/);
	connection.close();
	await app.prints(/aborted/);
});

test('a stream begins with its head, however late its first byte is', async (t) => {
	const app = await serve(t, {
		'app.js': `app.get('/silent', './silent.js');`,
		'silent.js': `export default () => new Response(new ReadableStream({
			pull: () => new Promise(() => {}),
		}), { status: 203, headers: { 'x-head': 'yes' } });`,
	});
	const leave = new AbortController();
	const reply = await app.fetch('/silent', { signal: leave.signal });
	assert.deepEqual([reply.status, reply.headers.get('x-head')], [203, 'yes']);
	leave.abort();
});
