// SPDX-License-Identifier: BSD-2-Clause
// The module as people who run nginx use it: directives, replies of its own,
// reload, the end, and a plain user.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { anyRoute, gateway, prepare } from './gateway.mjs';
import { header, sleep, until } from './lib.mjs';

const start = (t, options = {}) => gateway(t, { app: { routes: anyRoute }, ...options });

const check = (folder) =>
	spawnSync('nginx', ['-t', '-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
		encoding: 'utf8',
	});

test('a request that no route takes', async (t) => {
	const server = await start(t, { app: { routes: [{ method: 'GET', pattern: '/hello' }] } });
	const reply = await server.request('/none?q=1', { method: 'PUT' });
	assert.equal(reply.status, 404);
	assert.equal(reply.text, `route not found: PUT http://127.0.0.1:${server.port} /none\n`);
	assert.equal(header(reply, 'content-type'), 'text/plain;charset=utf-8');
	const socket = await server.connect();
	socket.send('GET /none HTTP/1.0\r\n\r\n');
	assert.match((await socket.rest()).toString(), /404[\s\S]*route not found: GET http:\/\/127/);
	socket.close();
});

test('an absolute request target is taken for its path', async (t) => {
	const server = await start(t, { app: { routes: [{ method: 'GET', pattern: '/hello' }] } });
	const socket = await server.connect();
	socket.send('GET http://a.test/hello?x HTTP/1.1\r\nHost: a.test\r\n\r\n');
	assert.equal((await socket.reply()).text, 'hello\n');
	socket.send('GET http://a.test HTTP/1.1\r\nHost: a.test\r\n\r\n');
	assert.equal((await socket.reply()).text, 'route not found: GET http://a.test /\n');
	socket.close();
});

test('app.host: another Host gets 404', async (t) => {
	const server = await start(t, { app: { routes: anyRoute, host: ['good.test'] } });
	const ask = (host) => server.request('/hello', { headers: { host } });
	assert.equal((await ask('good.test')).status, 200);
	assert.equal((await ask('GOOD.test:8080')).status, 200);
	assert.equal((await ask('bad.test')).status, 404);
});

test('a route whose worker does not build', async (t) => {
	const routes = [
		{ method: 'GET', pattern: '/broken', bundle: null, error: 'syntax error' },
		...anyRoute,
	];
	const server = await start(t, { app: { routes } });
	const reply = await server.request('/broken');
	assert.equal(reply.status, 503);
	assert.equal(reply.text, 'route not available: /broken\n');
	assert.equal((await server.request('/hello')).status, 200);
});

test('request heads up to nginx’s own limit pass, larger ones get 4xx', async (t) => {
	const server = await start(t, { http: 'large_client_header_buffers 20 8k;' });
	const headers = Object.fromEntries(
		Array.from({ length: 12 }, (_, i) => [`x-${i}`, 'v'.repeat(4000)]),
	);
	assert.equal((await server.request('/hello', { headers })).status, 200);
	const more = Object.fromEntries(
		Array.from({ length: 19 }, (_, i) => [`x-${i}`, 'v'.repeat(7000)]),
	);
	assert.equal(
		(await server.request('/hello', { headers: more, maxHeaderSize: 2 ** 20 })).status,
		431,
	);
});

test('in a location with its own access rules, and $selkie_route in the log', async (t) => {
	const server = await start(t, {
		http: "log_format r '$selkie_route|$status'; access_log access.log r;",
		server: (app) => `location /hello { ${app} }
			location /closed { deny all; ${app} }
			location /plain { return 200 plain; }`,
	});
	assert.equal((await server.request('/hello')).status, 200);
	assert.equal((await server.request('/closed')).status, 403);
	assert.equal((await server.request('/plain')).text, 'plain');
	const log = () => readFileSync(join(server.folder, 'access.log'), 'utf8');
	await until(() => log().split('\n').length > 3);
	assert.match(log(), /^GET \/\*\*\|200$/m);
	assert.match(log(), /^-\|403$/m);
});

test('as an authorization subrequest', async (t) => {
	const server = await start(t, {
		files: { 'open.txt': 'open' },
		server: (app) => `root .; location /hello { ${app} } location /evil { ${app} }
			location = /open.txt { auth_request /hello; }
			location = /shut.txt { auth_request /evil/type; }`,
	});
	assert.equal((await server.request('/open.txt')).text, 'open');
	assert.equal((await server.request('/shut.txt')).status, 500);
	assert.equal((await server.request('/hello')).status, 200);
});

test('a reload without an app retires what ran', async (t) => {
	const server = await start(t);
	assert.equal((await server.request('/hello')).status, 200);
	server.rewrite({ server: () => 'location / { return 200 none; }' });
	const from = server.mark();
	server.signal('SIGHUP');
	await server.prints(/peer: config/, { from });
	await until(async () => (await server.request('/hello', { agent: false })).text === 'none');
});

test('directives that cannot work are refused with a reason', async (t) => {
	const prepared = await prepare(t, { app: { routes: anyRoute } });
	const refused = (server, reason, changes = {}) => {
		prepared.write({ server, ...changes });
		const { status, stderr } = check(prepared.folder);
		assert.equal(status, 1, stderr);
		assert.match(stderr, reason);
	};
	refused((app) => `location ~ x { ${app} }`, /not in a regex or named location/);
	refused((app) => `location @x { ${app} }`, /not in a regex or named location/);
	refused((app) => `${app} ${app}`, /"selkie_app" directive is duplicate/);
	refused(() => 'selkie_app a.js wrong=1;', /invalid parameter "wrong=1"/);
	refused(() => 'selkie_app a.js data=absent.json;', /cannot read ".*absent.json"/);
	refused(() => 'selkie_app absent.js;', /compile .*absent.js" failed/);
	refused((app) => `${app} } selkie_resolve a.test:80:b; server {`, /neither IPv4 nor IPv6/);
	refused((app) => `${app} } selkie_ca_file /none; server {`, /cannot open "\/none"/);
	refused((app) => `${app} } selkie_audit maybe; server {`, /it must be "on" or "off"/);
	refused((app) => `${app} } selkie_path /x; server {`, /must stand before/);
});

test('nginx -t starts nothing', async (t) => {
	const prepared = await prepare(t, { app: { routes: anyRoute } });
	const { status, stderr } = check(prepared.folder);
	assert.equal(status, 0, stderr);
	assert.doesNotMatch(stderr, /peer:/);
});

test('as a plain user', { skip: process.getuid?.() !== 0 && 'not root' }, async (t) => {
	const server = await start(t, { plainUser: true });
	assert.equal((await server.request('/hello')).text, 'hello\n');
});

test('reload: no reply is lost, requests in flight finish in the old worker', async (t) => {
	const server = await start(t);
	let going = true;
	const failures = [];
	const load = Array.from({ length: 4 }, async () => {
		while (going) {
			try {
				const reply = await server.request('/hello', { agent: false });
				if (reply.status !== 200) failures.push(reply.status);
			} catch (error) {
				failures.push(error.code ?? error.message);
			}
		}
	});
	for (let i = 0; i < 10; i++) {
		const stream = server.request('/bytes/3000000', { agent: false });
		const from = server.mark();
		server.signal('SIGHUP');
		await server.prints(/peer: connect/, { from });
		assert.equal((await stream).body.length, 3000000);
	}
	going = false;
	await Promise.all(load);
	assert.deepEqual(failures, []);
	assert.equal(server.processesNamed('gateway_peer').length, 1);
	await until(() => server.workers().length === 1, 'the old workers’ end');
});

test('a reload with a bad app keeps the old one', async (t) => {
	const server = await start(t, { allow: /emerg/ });
	writeFileSync(join(server.folder, 'app.json'), '{');
	server.signal('SIGHUP');
	await server.prints(/not JSON/);
	assert.equal((await server.request('/hello')).status, 200);
});

test('SIGQUIT waits for the request in flight', async (t) => {
	const server = await start(t, { app: { routes: anyRoute, limits: { wall: 1000 } } });
	const silent = server.request('/silent');
	await server.prints(/peer: attach/);
	await sleep(100);
	server.signal('SIGQUIT');
	assert.equal((await silent).status, 504);
	assert.deepEqual(await server.ended(), { status: 0, signal: null });
});

test('selkie_drain_timeout cuts off what lasts longer', async (t) => {
	const server = await start(t, { http: 'selkie_drain_timeout 300ms;' });
	const silent = server.request('/silent');
	await server.prints(/peer: attach/);
	await sleep(100);
	server.signal('SIGQUIT');
	assert.equal((await silent).status, 503);
	assert.deepEqual(await server.ended(), { status: 0, signal: null });
});

test('SIGTERM ends all at once', async (t) => {
	const server = await start(t);
	const silent = server.request('/silent').catch((error) => error);
	await server.prints(/peer: attach/);
	await server.stop({ signal: 'SIGTERM' });
	assert.ok((await silent) instanceof Error);
});

test('two workers each attach for themselves', async (t) => {
	const server = await start(t, { workers: 2 });
	await until(async () => {
		await server.request('/hello', { agent: false });
		return server.output.match(/peer: attach/g)?.length === 2;
	});
});
