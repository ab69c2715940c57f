// SPDX-License-Identifier: BSD-2-Clause
// fetch in a handler, against real servers: what goes up, what comes down, redirects,
// aborts, errors, and that memory and calls stay bounded. The handler's side of
// each case is in fetch-worker.js.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import test from 'node:test';
import { freePort, full, headerValues, sanitized, serve, sleep, until } from './lib.mjs';
import { certificate, http2Upstream, PLAIN, plainUpstream, tlsUpstream } from './upstream.mjs';

const worker = readFileSync(new URL('fetch-worker.js', import.meta.url), 'utf8');
const METHODS = ['Get', 'Post', 'Put', 'Patch', 'Delete', 'Head'];
const MIB = 1 << 20;

/** An app that may reach these URLs and nothing else. */
function appFor(urls) {
	const grants = urls.flatMap((url) =>
		METHODS.map((method) => `policy.outboundHttp.allow${method}('${url}/**');`),
	);
	return {
		'app.js': `
			app.limits({ wall: '60s', cpu: '30s', body: '2G', subrequests: 10000 });
			app.post('/run/:name', 'fetch-worker.js', (policy) => { ${grants.join('\n')} });
		`,
		'fetch-worker.js': worker,
	};
}

/**
 * Runs a case in the app.
 * @param {any} app @param {string} name @param {Record<string, any>} query @param {Uint8Array} [body]
 */
async function run(app, name, query, body = undefined) {
	const reply = await app.request(`/run/${name}?${new URLSearchParams(query)}`, {
		method: 'POST',
		body,
	});
	assert.equal(reply.status, 200, `${name}: ${reply.text}\n${app.output.slice(-2000)}`);
	return JSON.parse(reply.text);
}

/** By how much the app's memory grows during `work`. */
async function growthDuring(app, work) {
	const before = app.memory();
	let most = before;
	let done = false;
	const watch = (async () => {
		while (!done) {
			most = Math.max(most, app.memory());
			await sleep(50);
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

/** Reads a reply to its end and counts. */
async function countReply(url, options = {}) {
	const sent = http.request(url, { agent: false, method: 'POST', ...options });
	const answered = once(sent, 'response');
	sent.end();
	const [message] = await answered;
	let length = 0;
	for await (const piece of message) length += piece.length;
	return { status: message.statusCode, length };
}

test('fetch: requests', async (t) => {
	const upstream = await plainUpstream(t);
	const app = await serve(t, appFor([upstream.url]));
	const to = upstream.url;

	await t.test('a GET and all that its Response tells', async () => {
		const got = await run(app, 'get', { to });
		assert.deepEqual(
			{ ...got, echo: got.echo.url },
			{
				...{ status: 200, statusText: 'OK', ok: true, url: `${to}/echo?a=b`, redirected: false },
				...{ type: 'basic', bodyUsed: false, usedAfter: true, contentType: 'application/json' },
				echo: '/echo?a=b',
			},
		);
	});

	await t.test('URL and Request as input', async () => {
		const got = await run(app, 'inputs', { to });
		assert.equal(got.fromUrl, 'GET');
		assert.deepEqual(got.fromRequest, ['PUT', '1', 'held', true]);
		assert.equal(got.both.a, undefined);
		assert.equal(got.both.b, '2');
		assert.equal(got.again, 'TypeError');
	});

	await t.test('what cannot be sent is a TypeError, and nothing is sent', async () => {
		const before = upstream.heads.length;
		const got = await run(app, 'refusedArguments', { to });
		for (const [name, error] of Object.entries(got)) assert.equal(error, 'TypeError', name);
		assert.equal(upstream.heads.length, before);
	});

	await t.test('headers: defaults, own ones, and those that frame a message', async () => {
		const { plain, own } = await run(app, 'headers', { to });
		assert.match(plain['user-agent'], /^selkie\/\d+\.\d+\.\d+$/);
		assert.equal(plain.accept, '*/*');
		assert.equal(plain['accept-language'], '*');
		assert.match(plain['accept-encoding'], /gzip/);
		assert.equal(own['user-agent'], 'mine');
		assert.equal(own.accept, 'a/b');
		assert.equal(own.host, new URL(to).host);
		assert.equal(own['x-twice'], '1, 2');
		assert.equal(own['x-latin'], 'caf\xe9');
		assert.equal(own['x-empty'], '');
		assert.equal(own.cookie, 'a=b');
		assert.equal(own.authorization, 'Basic eDp5');
		assert.equal(own['content-length'], undefined);
		assert.equal(own['transfer-encoding'], undefined);
	});

	await t.test('every kind of body goes up, with its type and length', async () => {
		const got = await run(app, 'up', { to });
		const seen = (name) => {
			const { headers, body } = got[name];
			return [body, headers['content-type'], headers['content-length']];
		};
		const text = 'text/plain;charset=UTF-8';
		assert.deepEqual(seen('string'), ['h\xc3\xa9llo', text, '6']);
		assert.deepEqual(seen('bytes'), ['BBBBB', undefined, '5']);
		assert.deepEqual(seen('buffer'), ['CCCCC', undefined, '5']);
		assert.deepEqual(seen('view'), ['\x07'.repeat(16), undefined, '16']);
		assert.deepEqual(seen('blob'), ['blob', 'a/b', '4']);
		const form = 'application/x-www-form-urlencoded;charset=UTF-8';
		assert.deepEqual(seen('params'), ['a=b+c&d=%26', form, '11']);
		assert.deepEqual(seen('empty'), ['', text, '0']);
		assert.deepEqual(seen('nothing'), ['', undefined, '0']);
		assert.deepEqual(seen('stream'), ['\0\0\0\x01\x01\x01', undefined, undefined]);
		assert.equal(got.stream.headers['transfer-encoding'], 'chunked');
		assert.deepEqual(seen('typed'), ['{}', 'application/json', '2']);
		for (const [name, method] of [
			['put', 'PUT'],
			['patch', 'PATCH'],
			['del', 'DELETE'],
		])
			assert.equal(got[name].method, method);
	});

	await t.test('FormData: multipart with names quoted', async () => {
		const { form } = await run(app, 'up', { to });
		const boundary = form.headers['content-type'].match(
			/^multipart\/form-data; boundary=(\S+)$/,
		)[1];
		assert.equal(
			form.body,
			[
				`--${boundary}`,
				'Content-Disposition: form-data; name="a%22b%0D%0Ac"',
				'',
				'line\r\nline',
				`--${boundary}`,
				'Content-Disposition: form-data; name="file"; filename="q%22uote%0A.txt"',
				'Content-Type: text/x',
				'',
				'AAA',
				`--${boundary}--`,
				'',
			].join('\r\n'),
		);
		assert.deepEqual(await run(app, 'form', { to }), ['b', 'n.txt', 'content']);
	});

	await t.test('large bodies of every kind arrive whole', async () => {
		const got = await run(app, 'bigUp', { to });
		const sha1 = (bytes) => createHash('sha1').update(bytes).digest('hex');
		const length = 3_000_001;
		const sevens = { length, announced: `${length}`, sha1: sha1(Buffer.alloc(length, 7)) };
		assert.deepEqual(got.bytes, sevens);
		assert.deepEqual(got.blob, sevens);
		assert.equal(got.string.sha1, sha1('x'.repeat(length)));
		const pieces = Buffer.concat(Array.from({ length: 64 }, (_, i) => Buffer.alloc(65536, i)));
		assert.deepEqual(got.stream, { length: 64 * 65536, announced: null, sha1: sha1(pieces) });
	});

	await t.test("a request's own body is passed on, with its length", async () => {
		const body = Buffer.alloc(5 * MIB, 'abc');
		const got = await run(app, 'relay', { to }, body);
		const sha1 = createHash('sha1').update(body).digest('hex');
		assert.deepEqual(got, { length: body.length, announced: `${body.length}`, sha1 });
	});

	await t.test('a hundred calls at a time, on few connections', async () => {
		assert.deepEqual(await run(app, 'parallel', { to, calls: 100 }), [true]);
		const before = upstream.connections;
		for (let i = 0; i < 5; i++) await run(app, 'status', { to });
		assert.ok(upstream.connections <= before + 1, 'connections are kept');
	});

	await t.test('more calls at a time than a process has wait for their turn', async () => {
		assert.deepEqual(await run(app, 'parallel', { to, calls: 700 }), [true]);
	});
});

test('fetch: replies', async (t) => {
	const upstream = await plainUpstream(t);
	const app = await serve(t, appFor([upstream.url]));
	const to = upstream.url;

	await t.test('status, headers that cannot be changed, Set-Cookie twice', async () => {
		assert.deepEqual(await run(app, 'reply', { to }), {
			status: [207, 'Many Things', true],
			cookies: ['a=1; Path=/', 'b=2, and more'],
			joined: 'a=1; Path=/, b=2, and more',
			...{ twice: 'one, two', latin: 'caf\xe9', entries: 2 },
			...{ guard: 'TypeError', copyGuard: 'TypeError', copyUrl: true },
			texts: ['cookies', 'cookies'],
		});
	});

	await t.test('the body by every reader', async () => {
		const length = 20 * 65536;
		const streamed = { length, sum: 190 * 65536 };
		assert.deepEqual(await run(app, 'down', { to }), {
			...{ text: length, buffer: length, bytes: length, blob: length, stream: streamed },
			...{ cloned: [streamed, streamed], byob: [1000, 0], empty: '' },
		});
	});

	await t.test('replies without content', async () => {
		assert.deepEqual(await run(app, 'without', { to }), {
			...{ 204: [204, null, ''], 205: [205, null, ''], 304: [304, null, ''] },
			head: [200, null],
		});
	});

	await t.test('gzip, br and zstd are unpacked', async () => {
		const plain = [PLAIN, null, null];
		assert.deepEqual(await run(app, 'packed', { to }), { gzip: plain, br: plain, zstd: plain });
	});

	await t.test('a body up and a body down at the same time', async () => {
		assert.deepEqual(await run(app, 'both', { to }), [0, 1, 2, 3, 4, true]);
	});

	await t.test('a Response is handed on as it came', async () => {
		for (const how of ['through', 'rebuilt']) {
			const reply = await app.request(`/run/${how}?to=${to}&path=cookies`, { method: 'POST' });
			assert.equal(reply.status, 207);
			assert.equal(reply.text, 'cookies');
			assert.deepEqual(headerValues(reply, 'set-cookie'), ['a=1; Path=/', 'b=2, and more']);
			const query = `path=${encodeURIComponent('pieces?pieces=100')}`;
			const large = await countReply(`${app.url}/run/${how}?to=${to}&${query}`);
			assert.deepEqual(large, { status: 200, length: 100 * 65536 });
			const packed = await app.request(`/run/${how}?to=${to}&path=gzip`, { method: 'POST' });
			assert.equal(packed.text, PLAIN);
		}
	});

	await t.test("one call's reply is another call's body", async () => {
		const got = await run(app, 'chain', { to, pieces: 40 });
		assert.equal(got.length, 40 * 65536);
	});

	await t.test('replies that nobody reads hold no call', async () => {
		for (const path of ['cookies', 'pieces?pieces=1', 'pieces?pieces=30', 'stall'])
			assert.deepEqual(await run(app, 'unread', { to, path }), [200], path);
	});
});

test('fetch: streams are bounded', async (t) => {
	const upstream = await plainUpstream(t);
	const app = await serve(t, appFor([upstream.url]));
	const to = upstream.url;
	const pieces = full ? 16_000 : 1600;
	const room = (sanitized ? 360 : 48) * MIB;
	await run(app, 'slowReader', { to });

	await t.test('a slow reader holds the upstream back', async () => {
		const growth = await growthDuring(app, async () => {
			assert.deepEqual(await run(app, 'slowReader', { to }), [1600 * 65536]);
		});
		assert.ok(growth < room, `grew by ${growth} bytes`);
	});

	for (const how of ['through', 'viaStream']) {
		await t.test(`${how}: a large reply passes to the client`, async () => {
			const query = new URLSearchParams({
				to,
				pieces: `${pieces}`,
				path: `pieces?pieces=${pieces}`,
			});
			const growth = await growthDuring(app, async () => {
				const got = await countReply(`${app.url}/run/${how}?${query}`);
				assert.deepEqual(got, { status: 200, length: pieces * 65536 });
			});
			assert.ok(growth < room, `grew by ${growth} bytes`);
		});
	}

	await t.test('a large body passes from upstream to upstream', async () => {
		const growth = await growthDuring(app, async () => {
			assert.equal((await run(app, 'chain', { to, pieces })).length, pieces * 65536);
		});
		assert.ok(growth < room, `grew by ${growth} bytes`);
	});

	await t.test('a reply that comes after its client has left is not kept', async () => {
		const from = upstream.notes.length;
		const query = new URLSearchParams({ to, path: 'late' });
		const sent = http.request(`${app.url}/run/through?${query}`, { method: 'POST', agent: false });
		sent.on('error', () => {});
		sent.end();
		await upstream.noted('late begun', from);
		sent.destroy();
		await upstream.noted('stall closed', from);
	});

	await t.test('a client that leaves a passed-on reply ends the call', async () => {
		const from = upstream.notes.length;
		const query = new URLSearchParams({ to, path: 'pieces?pieces=100000' });
		const sent = http.request(`${app.url}/run/through?${query}`, { method: 'POST', agent: false });
		sent.on('error', () => {});
		sent.end();
		const [message] = await once(sent, 'response');
		await once(message, 'data');
		sent.destroy();
		await upstream.noted('cut', from);
	});
});

/** What is asked for after a redirect. */
const METHOD_AFTER = {
	301: { GET: 'GET', POST: 'GET', PUT: 'PUT' },
	302: { GET: 'GET', POST: 'GET', PUT: 'PUT' },
	303: { GET: 'GET', POST: 'GET', PUT: 'GET' },
	307: { GET: 'GET', POST: 'POST', PUT: 'PUT' },
	308: { GET: 'GET', POST: 'POST', PUT: 'PUT' },
};

test('fetch: redirects', async (t) => {
	const upstream = await plainUpstream(t);
	const other = await plainUpstream(t);
	const app = await serve(t, appFor([upstream.url, other.url]));
	const to = upstream.url;

	for (const method of ['GET', 'POST', 'PUT']) {
		await t.test(`followed: ${method}`, async () => {
			const got = await run(app, 'redirects', { to, mode: 'follow', method });
			for (const status of [301, 302, 303, 307, 308]) {
				const { echo, ...rest } = got[status];
				const expected = { status: 200, redirected: true, path: '/echo?x=1', location: null };
				assert.deepEqual(rest, expected, `${status}`);
				const then = METHOD_AFTER[status][method];
				assert.equal(echo.method, then, `${status}`);
				const kept = method !== 'GET' && then === method;
				assert.equal(echo.body, kept ? 'body' : '', `${status}`);
				assert.equal(echo.headers['content-type'] !== undefined, kept, `${status}`);
				assert.equal(echo.headers['content-language'], kept || method === 'GET' ? 'de' : undefined);
				assert.equal(echo.headers.authorization, 'secret');
			}
		});
	}

	await t.test('followed: HEAD stays HEAD', async () => {
		const got = await run(app, 'redirects', { to, mode: 'follow', method: 'HEAD' });
		const heads = upstream.heads.filter(({ method }) => method === 'HEAD');
		assert.equal(heads.filter(({ url }) => url === '/echo?x=1').length, 5);
		for (const { status, redirected } of Object.values(got))
			assert.deepEqual([status, redirected], [200, true]);
	});

	await t.test('manual: the 3xx as it is', async () => {
		const got = await run(app, 'redirects', { to, mode: 'manual', method: 'GET' });
		for (const [status, reply] of Object.entries(got)) {
			assert.deepEqual([`${reply.status}`, reply.redirected], [status, false]);
			assert.equal(reply.location, 'echo?x=1#f');
			assert.match(reply.path, /^\/status\?/);
		}
	});

	await t.test('error: a TypeError', async () => {
		const got = await run(app, 'redirects', { to, mode: 'error', method: 'GET' });
		for (const { name, message } of Object.values(got)) {
			assert.equal(name, 'TypeError');
			assert.match(message, /^fetch failed: .*redirect/);
		}
	});

	await t.test('how many, where to, and with what', async () => {
		const got = await run(app, 'moreRedirects', { to, other: other.url });
		assert.equal(got.twenty, '/hops?left=0');
		assert.match(got.more.message, /more than 20 redirects/);
		assert.equal(got.nowhere, 302);
		assert.equal(got.notOne, 300);
		for (const name of ['broken', 'file', 'user', 'stream302', 'stream307'])
			assert.equal(got[name].name, 'TypeError', name);
		assert.equal(got.stream303, 'GET');
		assert.equal(got.refused.code, 'POLICY_VIOLATION');
		assert.equal(got.refused.message, 'POLICY_VIOLATION [ GET http://127.0.0.1:1/ ]');
		const secrets = ['authorization', 'cookie', 'proxy-authorization'];
		for (const name of secrets) {
			assert.equal(got.origin[name], undefined, `${name} for another origin`);
			assert.notEqual(got.same[name], undefined, `${name} for the same origin`);
		}
		assert.equal(got.origin.x, 'y');
	});
});

test('fetch: aborts', async (t) => {
	const upstream = await plainUpstream(t);
	const app = await serve(t, appFor([upstream.url]));
	const to = upstream.url;
	const enough = { name: 'RangeError', message: 'enough' };
	const brief = ({ name, message }) => ({ name, message });

	await t.test('before, and while the reply is waited for', async () => {
		const from = upstream.notes.length;
		const got = await run(app, 'abort', { to });
		assert.deepEqual(brief(got.before), enough);
		assert.equal(got.plain.name, 'AbortError');
		assert.deepEqual(brief(got.during), enough);
		assert.equal(got.time.name, 'TimeoutError');
		await until(
			() => upstream.notes.slice(from).filter((note) => note === 'silent closed').length === 2,
			'both calls end upstream',
		);
	});

	await t.test('while the reply is read', async () => {
		const from = upstream.notes.length;
		const got = await run(app, 'abortBody', { to });
		assert.equal(got.first, 5);
		assert.deepEqual(brief(got.stream), enough);
		assert.deepEqual(brief(got.text), enough);
		await until(
			() => upstream.notes.slice(from).filter((note) => note === 'stall closed').length === 2,
			'both calls end upstream',
		);
	});

	await t.test('while a body goes up, which is held back meanwhile', async () => {
		const got = await run(app, 'abortUpload', { to });
		assert.deepEqual(brief(got.error), enough);
		assert.equal(got.cancelled, true);
		assert.equal(got.held, true);
		await upstream.noted('deaf closed');
	});

	await t.test('a cancelled body ends its call', async () => {
		const from = upstream.notes.length;
		assert.deepEqual(await run(app, 'cancel', { to }), [true, true]);
		await until(
			() => upstream.notes.slice(from).filter((note) => note === 'stall closed').length === 2,
			'both calls end upstream',
		);
	});

	await t.test('a signal outlives many calls', async () => {
		const reply = await app.request(`/run/signalLives?to=${to}`, { method: 'POST' });
		assert.equal(reply.text, 'unharmed');
	});

	await t.test('the client leaves while fetch runs', async () => {
		const from = upstream.notes.length;
		const sent = http.request(`${app.url}/run/follow?to=${to}`, { method: 'POST', agent: false });
		sent.on('error', () => {});
		sent.end();
		await upstream.noted('silent begun', from);
		sent.destroy();
		await app.prints(/follow: AbortError, aborted true/);
		await upstream.noted('silent closed', from);
	});
});

test('fetch: errors', async (t) => {
	const trusted = await certificate(t);
	const upstream = await plainUpstream(t);
	const untrusted = await tlsUpstream(t, await certificate(t));
	const closed = `http://127.0.0.1:${await freePort()}`;
	const urls = [upstream.url, untrusted.url, closed, 'http://nowhere.invalid'];
	const app = await serve(t, appFor(urls), { args: ['--ca-file', trusted.file] });
	const to = upstream.url;
	const got = await run(app, 'errors', { to, closed: `${closed}/`, untrusted: untrusted.url });
	const failed = (error, code) => {
		assert.equal(error.name, 'TypeError', JSON.stringify(error));
		assert.equal(error.cause.code, code, JSON.stringify(error));
		assert.ok(error.cause.message.length > 0);
		assert.equal(error.message, `fetch failed: ${error.cause.message}`);
	};

	await t.test('a refused call says what was refused', () => {
		const { name, code, message, cause } = got.refused;
		assert.deepEqual([name, code], ['Error', 'POLICY_VIOLATION']);
		assert.equal(message, 'POLICY_VIOLATION [ PUT http://refused.test/x ]');
		assert.match(cause.message, /policy/);
	});

	await t.test('a name that does not exist', () => failed(got.resolve, 'ENOTFOUND'));
	await t.test('nobody listens', () => failed(got.connect, 'ECONNREFUSED'));
	await t.test('a certificate of an unknown authority', () => failed(got.tls, 'CERT'));

	await t.test('a reply that breaks off rejects who reads it', () => {
		failed(got.torn, 'EPROTO');
		failed(got.tornStream, 'EPROTO');
		assert.equal(got.tornHead, 200);
	});

	await t.test("a request's body that breaks off", () => {
		failed(got.body, 'EBODY');
		assert.deepEqual(
			[got.body.cause.cause.name, got.body.cause.cause.message],
			['RangeError', 'mine'],
		);
		failed(got.text, 'EBODY');
		assert.equal(got.text.cause.cause.name, 'TypeError');
	});

	await t.test('a reply before the body was read', () => assert.equal(got.early, 'too much'));

	await t.test('the log names the place', async () => {
		const reply = await app.request(`/run/unhandled?to=${to}`, { method: 'POST' });
		assert.equal(reply.status, 500);
		assert.doesNotMatch(reply.text, /POLICY/);
		await app.prints(
			/POLICY_VIOLATION \[ GET http:\/\/refused\.test\/x \]\n\s+at unhandled \(\S*fetch-worker\.js:\d+/,
		);
	});

	await t.test('nothing granted: refused at once', async () => {
		const none = await serve(t, appFor([]));
		const { code } = await run(none, 'lost', { to });
		assert.equal(code, 'POLICY_VIOLATION');
	});

	await t.test('the egress is killed: its calls fail, the next works', async () => {
		for (const [name, note] of [
			['lost', /silent begun/],
			['lostBody', /lostBody reads/],
		]) {
			const from = upstream.notes.length;
			const mark = app.mark();
			const pending = run(app, String(name), { to });
			if (name === 'lost') await upstream.noted('silent begun', from);
			else await app.prints(note, { from: mark });
			const [egress] = app.processesNamed('selkie-egress');
			process.kill(egress.pid, 'SIGKILL');
			failed(await pending, 'ELOST');
			assert.deepEqual(await run(app, 'status', { to }), [200]);
		}
	});
});

/** A listener that stands still and whose backlog is full: a SYN is not answered. */
async function silentListener(t) {
	const code = `require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 },
		function () { console.log(this.address().port); })`;
	const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
	const sockets = [];
	t.after(() => {
		for (const socket of sockets) socket.destroy();
		child.kill('SIGKILL');
	});
	const port = Number(await once(child.stdout, 'data'));
	child.kill('SIGSTOP');
	for (;;) {
		const socket = net.connect(port, '127.0.0.1').on('error', () => {});
		sockets.push(socket);
		const taken = await Promise.race([
			once(socket, 'connect').then(() => true),
			sleep(500).then(() => false),
		]);
		if (!taken) return `http://127.0.0.1:${port}`;
	}
}

test('fetch: nobody takes the connection', async (t) => {
	const url = await silentListener(t);
	const app = await serve(t, appFor([url]));
	const error = await run(app, 'late', { to: url });
	assert.deepEqual([error.name, error.cause.code], ['TypeError', 'ETIMEDOUT']);
	assert.match(app.output, /failed: GET http:\/\/127\.0\.0\.1:\d+\/: /);
});

test('fetch: what runs away after a call is stopped, and the others live', async (t) => {
	const upstream = await plainUpstream(t);
	const files = appFor([upstream.url]);
	files['app.js'] = files['app.js'].replace("cpu: '30s'", "cpu: '300ms'");
	const app = await serve(t, files);
	const query = new URLSearchParams({ to: upstream.url });
	const [spin, ...others] = await Promise.all(
		['spin', 'get', 'status', 'down'].map((name) =>
			app.request(`/run/${name}?${query}`, { method: 'POST' }),
		),
	);
	assert.equal(spin.status, 503);
	for (const { status } of others) assert.equal(status, 200);
	await run(app, 'get', { to: upstream.url });
});

test('fetch: TLS and HTTP/2', async (t) => {
	const authority = await certificate(t);
	const tls = await tlsUpstream(t, authority);
	const h2 = await http2Upstream(t, authority);
	const app = await serve(t, appFor([tls.url, h2.url]), { args: ['--ca-file', authority.file] });

	for (const [name, upstream, version] of /** @type {const} */ ([
		['TLS', tls, '1.1'],
		['HTTP/2', h2, '2.0'],
	])) {
		const to = upstream.url;
		await t.test(`${name}: a call, a body and a large reply`, async () => {
			const got = await run(app, 'get', { to });
			assert.equal(got.echo.httpVersion, version);
			assert.equal((await run(app, 'bigUp', { to })).stream.length, 64 * 65536);
			assert.equal((await run(app, 'down', { to })).text, 20 * 65536);
			assert.deepEqual(await run(app, 'both', { to }), [0, 1, 2, 3, 4, true]);
			assert.deepEqual(await run(app, 'parallel', { to, calls: 100 }), [true]);
		});
	}
	await t.test('HTTP/2: many calls, one connection', () => assert.ok(h2.connections <= 2));
});

test('a request over its limit of subrequests is refused, the next one is not', async (t) => {
	const upstream = await plainUpstream(t);
	const app = await serve(t, {
		'app.js': `app.get('/', 'w.js', (policy) => {
			policy.outboundHttp.allowGet('${upstream.url}/**');
			policy.limits({ subrequests: 3 });
		});`,
		'w.js': `export default async () => {
			let made = 0;
			try {
				for (;;) {
					await (await fetch('${upstream.url}/')).text();
					made++;
				}
			} catch (error) {
				return made + ' ' + error.cause.code + ' ' + error.message;
			}
		};`,
	});
	for (let i = 0; i < 2; i++) {
		const { text } = await app.request('/');
		assert.match(text, /^3 ELIMIT fetch failed: the request is over its limit: subrequests/);
	}
});
