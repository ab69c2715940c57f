// SPDX-License-Identifier: BSD-2-Clause
// What the egress lets through and what it refuses, with real names, addresses
// and servers: cases 1 to 6 of the inputs that broke others, and their kind.
// A refused call must not reach any server with as much as a connection.

import assert from 'node:assert/strict';
import test from 'node:test';
import { serve, until } from './lib.mjs';
import { everywhere, inNamespace, nameServer, PUBLIC, PUBLIC6, setUp } from './namespace.mjs';

const HOSTS = `
127.0.0.1 localhost
${PUBLIC} public.example.com
${PUBLIC6} public6.example.com
127.0.0.1 loop.example.com
::1 loop6.example.com
169.254.169.254 metadata.example.com
10.1.2.3 ten.example.com
192.168.7.7 home.example.com
100.64.0.9 shared.example.com
0.0.0.0 nowhere.example.com
::ffff:127.0.0.1 mapped.example.com
64:ff9b::7f00:1 nat64.example.com
::ffff:10.1.2.3 mappedten.example.com
127.0.0.1 inner.internal
127.0.0.1 printer.local
127.0.0.1 wiki
${PUBLIC} evil.test x.test a.x.test b.a.x.test xn--bcher-kva.example.com
`;

/** Calls what it is told to; says what came of it. */
const caller = `
	export default async function (request) {
		const { url, init } = await request.json();
		try {
			const reply = await fetch(url, init);
			return { status: reply.status, url: reply.url, reply: await reply.json() };
		} catch (error) {
			return { error: error.message, code: error.code ?? error.cause?.code ?? null };
		}
	}
`;

/** An app whose only route may make these calls: "GET pattern" or "private". */
function appFor(...grants) {
	const calls = grants.map((grant) => {
		if (grant === 'private') return 'policy.outboundHttp.allowPrivate();';
		const [method, pattern] = grant.split(' ');
		const name = method[0] + method.slice(1).toLowerCase();
		return `policy.outboundHttp.allow${name}(${JSON.stringify(pattern)});`;
	});
	return {
		'app.js': `app.post('/call', './caller.js', (policy) => { ${calls.join('\n')} });`,
		'caller.js': caller,
	};
}

/** @param {any} app @param {string} url @param {RequestInit} [init] */
async function call(app, url, init = undefined, route = '/call') {
	const reply = await app.request(route, { method: 'POST', body: JSON.stringify({ url, init }) });
	assert.equal(reply.status, 200, `${url}: ${reply.text}\n${app.output.slice(-2000)}`);
	return JSON.parse(reply.text);
}

/**
 * Asserts that a call is refused and that no server has heard of it.
 * @param {any} app @param {any} server @param {string} url @param {RequestInit} [init]
 */
async function refused(app, server, url, init = undefined, route = '/call') {
	const before = server.connections.length;
	const mark = app.mark();
	const { status, error, code } = await call(app, url, init, route);
	assert.equal(code, 'POLICY_VIOLATION', `${url}: ${status ?? error}`);
	assert.match(error, /^POLICY_VIOLATION \[ [A-Z]+ .* \]$/);
	await app.prints(/refused: /, { from: mark });
	assert.equal(server.connections.length, before, `${url} reached a server`);
}

/** @param {any} app @param {string} url @param {RequestInit} [init] */
async function allowed(app, url, init = undefined, route = '/call') {
	const result = await call(app, url, init, route);
	assert.equal(result.status, 200, `${url}: ${result.error}`);
	return result;
}

inNamespace(import.meta.url, () => {
	test('policy', async (t) => {
		await setUp(t, HOSTS);
		const server = await everywhere(t);

		await t.test('1: a module that two routes share has the rights of its route', async (t) => {
			const app = await serve(t, {
				'app.js': `
					app.post('/call', './caller.js', (policy) => {
						policy.outboundHttp.allowGet('http://public.example.com/**');
					});
					app.post('/none', './other.js');
					app.post('/else', './other.js', (policy) => {
						policy.outboundHttp.allowGet('http://x.test/**');
					});
				`,
				'caller.js': `export { default } from './shared.js';`,
				'other.js': `export { default } from './shared.js';`,
				'shared.js': caller,
			});
			await allowed(app, 'http://public.example.com/a');
			const before = server.connections.length;
			for (const route of ['/none', '/else']) {
				const { code } = await call(app, 'http://public.example.com/a', undefined, route);
				assert.equal(code, 'POLICY_VIOLATION');
			}
			assert.equal(server.connections.length, before);
			const text = app.output;
			assert.match(text, /POST \/else.*refused: GET http:\/\/public\.example\.com\/a: no pattern/);
		});

		await t.test('2: a public name at a private address is refused', async (t) => {
			const app = await serve(t, appFor('GET http://*.example.com/**'));
			for (const name of ['loop', 'loop6', 'metadata', 'ten', 'home', 'shared', 'nowhere'])
				await refused(app, server, `http://${name}.example.com/x`);
			for (const name of ['mapped', 'nat64', 'mappedten'])
				await refused(app, server, `http://${name}.example.com/x`);
			await allowed(app, 'http://public.example.com/x');
			await allowed(app, 'http://public6.example.com/x');
		});

		await t.test('2: names that are private in themselves, and allowPrivate', async (t) => {
			const plain = await serve(
				t,
				appFor(
					'GET http://wiki/**',
					'GET http://*.local/**',
					'GET http://inner.internal/**',
					'GET http://localhost/**',
				),
			);
			for (const host of ['wiki', 'printer.local', 'inner.internal', 'localhost'])
				await allowed(plain, `http://${host}/x`);
			const wide = await serve(t, appFor('GET http://loop.example.com/**', 'private'));
			await allowed(wide, 'http://loop.example.com/x');
		});

		await t.test('2: an operator may say where a name is', async (t) => {
			const app = await serve(t, appFor('GET http://*.nowhere.example/**'), {
				args: ['--resolve', 'a.nowhere.example:80:127.0.0.1', '--audit'],
			});
			await allowed(app, 'http://a.nowhere.example/x');
			const { code } = await call(app, 'http://b.nowhere.example/x');
			assert.equal(code, 'ENOTFOUND');
			assert.match(app.output, /allowed: GET http:\/\/a\.nowhere\.example\/x/);
		});

		await t.test('3: one address, however it is written', async (t) => {
			const spellings = [
				'2130706433',
				'0x7f000001',
				'0x7F.1',
				'017700000001',
				'127.1',
				'127.0.1',
				'127.0.0.1.',
				'①②⑦.0.0.1',
				'[::ffff:127.0.0.1]',
				'[::ffff:7f00:1]',
				'[::1]',
				'[0:0:0:0:0:0:0:1]',
				'0',
				'0.0.0.0',
			];
			const app = await serve(t, appFor('GET http://*.example.com/**', 'GET http://8.8.8.8/**'));
			for (const host of spellings) await refused(app, server, `http://${host}/`);
			await allowed(app, 'http://134744072/');
			const own = await serve(t, appFor('GET http://127.0.0.1/**'));
			for (const host of ['2130706433', '0x7f000001', '0x7F.1', '127.1', '127.0.0.1'])
				await allowed(own, `http://${host}/`);
			await refused(own, server, 'http://127.0.0.2/');
		});

		await t.test('4: each hop of a redirect is checked, and secrets stay', async (t) => {
			const app = await serve(
				t,
				appFor('GET http://public.example.com/**', 'GET http://x.test/**', 'POST http://x.test/**'),
			);
			const via = (to) => `http://public.example.com/r?to=${encodeURIComponent(to)}`;
			for (const to of [
				'http://evil.test/',
				'http://127.0.0.1/',
				'http://metadata.example.com/latest',
				'file:///etc/passwd',
			]) {
				const before = server.requests.length;
				const { status, code } = await call(app, via(to));
				assert.equal(status, undefined, to);
				if (to.startsWith('http')) assert.equal(code, 'POLICY_VIOLATION', to);
				assert.equal(server.requests.length, before + 1, `only the first hop: ${to}`);
			}
			const headers = { authorization: 'Basic eDp5', cookie: 'a=b', 'x-mine': '1' };
			const away = await allowed(app, via('http://x.test/b'), { headers });
			assert.equal(away.url, 'http://x.test/b');
			assert.equal(away.reply.headers.authorization, undefined);
			assert.equal(away.reply.headers.cookie, undefined);
			assert.equal(away.reply.headers['x-mine'], '1');
			const home = await allowed(app, via('/b'), { headers });
			assert.equal(home.reply.headers.authorization, 'Basic eDp5');
		});

		await t.test('5: dots, slashes and encodings in a path', async (t) => {
			const app = await serve(t, appFor('GET http://public.example.com/users/*'));
			for (const path of [
				'users/a/b',
				'users/../x',
				'users/%2e%2e/x',
				'users/.%2E/x',
				'users/a%2fb',
				'users/a%2Fb',
				'users\\..\\x',
				'users/a%5cb',
				'Users/a',
				'users',
				'users/a/',
				'users//',
				'/users/a',
				'users/%00',
			])
				await refused(app, server, `http://public.example.com/${path}`);
			for (const path of [
				'users/a',
				'users/a?b=/c/d',
				'users/a#/b',
				'users/./a',
				'x/../users/a',
				'users/a%20b',
			])
				await allowed(app, `http://public.example.com/${path}`);
			await allowed(app, `http://public.example.com/users/${'a'.repeat(8000)}`);
		});

		await t.test('6: what looks like the host and is not', async (t) => {
			const app = await serve(t, appFor('GET http://*.x.test/'));
			for (const url of [
				'http://evil.test/a.x.test/',
				'http://x.test@evil.test/',
				'http://a.x.test:pw@evil.test/',
				'http://a.x.test@a.x.test/',
				'http://evil.test/?http://a.x.test/',
				'http://evil.test/#a.x.test',
				'http://x.test/',
				'http://b.a.x.test/',
				'http://a.x.test.evil.test/',
				'http://ax.test/',
				'http://a.x.test./',
				'http://a.x.test:81/',
				'https://a.x.test/',
				'http://evil.test\\@a.x.test/',
				'http://evil.test\\.x.test/',
			]) {
				const before = server.connections.length;
				const { status, code, error } = await call(app, url);
				assert.equal(status, undefined, url);
				assert.ok(
					code === 'POLICY_VIOLATION' || /user|credential/i.test(error),
					`${url}: ${error}`,
				);
				assert.equal(server.connections.length, before, `${url} reached a server`);
			}
			await allowed(app, 'http://a.x.test/');
			await allowed(app, 'HTTP://A.X.TEST:80/');
			const idna = await serve(t, appFor('GET http://bücher.example.com/'));
			await allowed(idna, 'http://BÜCHER.example.com/');
			await allowed(idna, 'http://xn--bcher-kva.example.com/');
		});

		await t.test('a method is granted by itself', async (t) => {
			const app = await serve(t, appFor('GET http://public.example.com/**'));
			for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])
				await refused(app, server, 'http://public.example.com/', { method });
		});
	});

	test('names whose answers change', async (t) => {
		await setUp(t, '');
		const server = await everywhere(t);
		let answers = [PUBLIC];
		const asked = await nameServer(t, (name, type) => (type === 'A' ? answers : []));
		const app = await serve(t, appFor('GET http://*.example.com/**'));

		await allowed(app, 'http://a.example.com/');
		assert.deepEqual(server.connections, [PUBLIC]);

		await t.test('the answer that is checked is the one that is dialled', async () => {
			answers = ['127.0.0.1'];
			await refused(app, server, 'http://b.example.com/');
			assert.ok(asked.includes('A b.example.com'));
		});

		await t.test('no private one is tried when a public one does not answer', async () => {
			// 9.9.9.9 is nobody's here: there is no way to it.
			answers = ['9.9.9.9', '127.0.0.1', '10.1.2.3'];
			const before = server.connections.length;
			const { status } = await call(app, 'http://c.example.com/');
			assert.equal(status, undefined);
			assert.equal(server.connections.length, before);
		});

		await t.test('an egress that was started again asks again', async () => {
			answers = ['169.254.169.254'];
			const [{ pid }] = app.processesNamed('selkie-egress');
			process.kill(pid, 'SIGKILL');
			await until(() => app.processesNamed('selkie-egress').some((one) => one.pid !== pid));
			await refused(app, server, 'http://a.example.com/');
		});
	});
});
