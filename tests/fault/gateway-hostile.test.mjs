// SPDX-License-Identifier: BSD-2-Clause
// A worker process that breaks the protocol is reported and dropped; its
// requests fail, the next one is served, nginx lives.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyRoute, gateway } from '../e2e/gateway.mjs';
import { header, sleep, until } from '../e2e/lib.mjs';

const start = (t, options = {}) => gateway(t, { app: { routes: anyRoute }, ...options });

async function stillServes(server, workers) {
	assert.equal((await server.request('/hello')).text, 'hello\n');
	assert.deepEqual(
		server.workers().map(({ pid }) => pid),
		workers,
		'the nginx worker was replaced',
	);
}

const HOSTILE = [
	'frame-length',
	'frame-beyond',
	'half-header',
	'odd-index',
	'wild-head',
	'header-name',
	'no-name',
	'header-value',
	'status-low',
	'status-high',
	'head-count',
	'pair-length',
	'empty-response',
	'type',
	'slot',
	'early-body',
	'credit',
	'credit-size',
];

test('protocol errors get 502 and end that process only', async (t) => {
	const server = await start(t);
	const workers = server.workers().map(({ pid }) => pid);
	for (const kind of HOSTILE) {
		const from = server.mark();
		const reply = await server.request(`/evil/${kind}`);
		assert.equal(reply.status, 502, kind);
		assert.equal(reply.text, 'Bad Gateway\n');
		assert.equal(header(reply, 'set-cookie'), undefined);
		await server.prints(/peer: hostile \d+ \S/, { from });
		await stillServes(server, workers);
	}
});

test('errors after the response began close the connection', async (t) => {
	const server = await start(t);
	const workers = server.workers().map(({ pid }) => pid);
	for (const kind of ['twice']) {
		const from = server.mark();
		await assert.rejects(server.request(`/evil/${kind}`), /aborted|hang up|ECONNRESET/);
		await server.prints(/peer: hostile/, { from });
		await stillServes(server, workers);
	}
	for (const kind of ['less', 'more', 'abort-later']) {
		await assert.rejects(server.request(`/evil/${kind}`), /aborted|hang up|ECONNRESET/);
		await stillServes(server, workers);
	}
});

test('more body than credit', async (t) => {
	const server = await start(t);
	const slow = await server.connect();
	slow.socket.pause();
	slow.send('GET /evil/flood HTTP/1.1\r\nHost: a\r\n\r\n');
	await server.prints(/peer: hostile \d+ more body than credit/);
	slow.close();
	assert.equal((await server.request('/hello')).status, 200);
});

test('a broken index of the ring down is noticed before it does harm', async (t) => {
	const server = await start(t);
	const evil = server.request('/evil/wild-tail');
	await server.prints(/peer: attach/);
	await sleep(200);
	const headers = { 'x-long': 'x'.repeat(7000) };
	const replies = await Promise.all(
		Array.from({ length: 60 }, () => server.request('/hello', { headers })),
	);
	assert.equal((await evil).status, 502);
	for (const { status } of replies) assert.ok(status === 200 || status === 502, String(status));
	assert.match(server.output, /peer: hostile \d+ impossible index/);
});

test('requests of others in a hostile process fail, waiting ones go on', async (t) => {
	const server = await start(t);
	const silent = server.request('/silent');
	await server.prints(/peer: attach/);
	await sleep(200);
	const evil = server.request('/evil/type');
	assert.equal((await silent).status, 502);
	assert.equal((await evil).status, 502);
	assert.equal((await server.request('/hello')).status, 200);
});

test('a late frame for an earlier request is ignored', async (t) => {
	const server = await start(t);
	for (let i = 0; i < 3; i++) assert.equal((await server.request('/evil/late')).text, 'late\n');
	assert.doesNotMatch(server.output, /peer: hostile/);
});

test('an abort before the response is a 500', async (t) => {
	const server = await start(t);
	const reply = await server.request('/evil/abort');
	assert.equal(reply.status, 500);
	assert.equal(reply.text, 'Internal Server Error\n');
});

test('a process that dies fails its requests and is replaced', async (t) => {
	const server = await start(t);
	const silent = server.request('/silent');
	const first = await server.request('/die');
	assert.equal(first.status, 502);
	assert.equal((await silent).status, 502);
	assert.equal((await server.request('/hello')).text, 'hello\n');
});

test('requests behind a deaf process go to a fresh one when it is killed', async (t) => {
	const server = await start(t, {
		app: { routes: anyRoute, limits: { wall: 1500 } },
	});
	const deaf = server.request('/deaf');
	await server.prints(/peer: attach/);
	await sleep(200);
	const bodies = ['x', 'y'.repeat(3000)];
	const behind = [
		server.request('/hello'),
		...bodies.map((body) => server.request('/count', { method: 'POST', body })),
	];
	assert.equal((await deaf).status, 504);
	const [hello, ...counts] = await Promise.all(behind);
	assert.ok([200, 504].includes(hello.status), String(hello.status));
	for (const [i, reply] of counts.entries()) assert.equal(reply.text, `${bodies[i].length}\n`);
});

test('a response keeps what is its own and drops what is the connection’s', async (t) => {
	const server = await start(t);
	const reply = await server.request('/headers');
	assert.equal(reply.status, 201);
	assert.equal(reply.text, 'ok');
	const all = reply.headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`);
	assert.deepEqual(
		all.filter((line) => line.startsWith('set-cookie')),
		['set-cookie: a=1', 'set-cookie: b=2'],
	);
	assert.ok(all.includes('location: /elsewhere'));
	assert.ok(all.includes('content-type: text/html'));
	assert.ok(all.includes('content-length: 2'));
	assert.ok(all.includes('x-latin: caf\xe9'));
	assert.ok(!all.some((line) => line.startsWith('transfer-encoding')));
});

test('retire: requests finish, the next one begins in a fresh process', async (t) => {
	const server = await start(t);
	const silent = server.request('/bytes/1000000');
	assert.equal((await server.request('/retire')).text, 'retire\n');
	assert.equal((await silent).body.length, 1000000);
	await server.prints(/peer: retired/);
	assert.equal((await server.request('/hello')).text, 'hello\n');
});

test('the supervisor’s death fails begun requests and the gateway connects again', async (t) => {
	const server = await start(t, { allow: /gateway_peer/ });
	const silent = server.request('/silent');
	await server.prints(/peer: attach/);
	await sleep(200);
	for (const { pid } of server.processesNamed('gateway_peer')) process.kill(pid, 'SIGKILL');
	assert.equal((await silent).status, 502);
	// The door's other end is gone: a reload starts a supervisor anew. The kernel
	// may still be closing it, so one more reload may be needed.
	const connects = () => server.output.match(/peer: connect/g)?.length ?? 0;
	while (connects() < 2) {
		server.signal('SIGHUP');
		await sleep(500);
	}
	await until(async () => (await server.request('/hello')).status === 200, 'a reply');
});
