// SPDX-License-Identifier: BSD-2-Clause
// Start, reload and stop of the whole: no reply is lost on the way, and
// nothing stays behind.

import assert from 'node:assert/strict';
import http from 'node:http';
import test from 'node:test';
import { descriptorsOf, full, isAlive, serve, sleep, until } from './lib.mjs';

const hello = {
	'app.js': `app.get('/', './hello.js'); app.get('/slow', './slow.js');`,
	'hello.js': `export default () => 'one';`,
	'slow.js': `export default async () => {
		console.log('slow begins');
		await new Promise((resolve) => setTimeout(resolve, 800));
		return 'slow but whole';
	};`,
};

/**
 * Sends requests until `stop()`; counts the replies that are not right. Half
 * of the clients keep their connections; the others open one for each
 * request, so that none of theirs can be sent again unseen.
 */
function load(t, app, { clients = 8, right = /^(one|two)$/ } = {}) {
	const kept = new http.Agent({ keepAlive: true });
	let running = true;
	const result = { good: 0, bad: /** @type {string[]} */ ([]), seen: new Set() };
	const client = async (agent) => {
		while (running) {
			try {
				const reply = await app.request('/', { agent });
				result.seen.add(reply.text);
				if (reply.status === 200 && right.test(reply.text)) result.good++;
				else result.bad.push(`${reply.status} ${reply.text}`);
			} catch (error) {
				result.bad.push(String(error));
			}
		}
	};
	t.after(() => {
		running = false;
	});
	const all = Promise.all(Array.from({ length: clients }, (_, i) => client(i % 2 ? kept : false)));
	return {
		result,
		async stop() {
			running = false;
			await all;
			kept.destroy();
			return result;
		},
	};
}

test('SIGHUP takes up the new app, and no reply is lost', async (t) => {
	const app = await serve(t, hello);
	assert.equal((await app.request('/')).text, 'one');
	const loading = load(t, app);
	await sleep(200);
	app.write({ 'hello.js': `export default () => 'two';` });
	app.signal('SIGHUP');
	await until(() => loading.result.seen.has('two'), 'the new handler answers');
	const { good, bad } = await loading.stop();
	assert.deepEqual(bad, []);
	assert.ok(good > 0);
	// For a moment nginx's old workers answer beside the new ones.
	await until(async () => (await app.request('/')).text === 'two');
});

test('many reloads under load lose nothing and leave nothing', async (t) => {
	const app = await serve(t, hello);
	await app.request('/');
	const loading = load(t, app, { clients: 4 });
	const settled = async () => {
		await until(() => app.processesNamed('nginx').length <= 3, 'old nginx workers end');
		return { processes: app.processes().length, descriptors: supervisorDescriptors(app) };
	};
	const reload = async (text) => {
		const mark = app.mark();
		app.write({ 'hello.js': `export default () => '${text}';` });
		app.signal('SIGHUP');
		await app.prints(/reloaded in/, { from: mark });
		loading.result.seen.clear();
		await until(() => loading.result.seen.has(text), `'${text}' is answered`);
	};
	for (let i = 0; i < 4; i++) await reload(i % 2 ? 'one' : 'two');
	const before = await settled();
	for (let i = 0; i < (full ? 1000 : 20); i++) await reload(i % 2 ? 'one' : 'two');
	const { bad } = await loading.stop();
	await sleep(200);
	const after = await settled();
	assert.deepEqual(bad, []);
	assert.ok(
		after.processes <= before.processes + 1,
		`${before.processes} → ${after.processes} processes`,
	);
	assert.ok(
		after.descriptors <= before.descriptors + 4,
		`${before.descriptors} → ${after.descriptors} descriptors in the supervisor`,
	);
});

function supervisorDescriptors(app) {
	const [supervisor] = app.processesNamed('selkie-super');
	return descriptorsOf(supervisor.pid);
}

test('a reload that changes nothing keeps the state of a route', async (t) => {
	const app = await serve(t, {
		'app.js': `app.get('/', './count.js');`,
		'count.js': `let n = 0; export default () => String(++n);`,
	});
	assert.equal((await app.request('/')).text, '1');
	const nginx = app.processesNamed('nginx').length;
	app.signal('SIGHUP');
	await sleep(700);
	await until(() => app.processesNamed('nginx').length === nginx);
	assert.equal((await app.request('/')).text, '2');
});

test('a reload of a broken app file keeps the old one', async (t) => {
	const app = await serve(t, hello);
	const mark = app.mark();
	app.write({ 'app.js': `app.get('/', './hello.js');\napp.port = 'nonsense';\n` });
	app.signal('SIGHUP');
	await app.prints(/app\.js:2\b/, { from: mark });
	assert.equal((await app.request('/')).text, 'one');
});

test('SIGTERM lets a request in flight finish, then exits with 0', async (t) => {
	const app = await serve(t, hello);
	const slow = app.request('/slow', { agent: false });
	await app.prints(/slow begins/);
	app.signal('SIGTERM');
	const reply = await slow;
	assert.equal(reply.status, 200);
	assert.equal(reply.text, 'slow but whole');
	assert.deepEqual(await app.ended(), { status: 0, signal: null });
});

test('SIGINT exits with 0', async (t) => {
	const app = await serve(t, hello);
	await app.request('/');
	await app.stop({ signal: 'SIGINT' });
});

test('when selkie is killed, everything ends', async (t) => {
	const app = await serve(t, hello);
	await app.request('/');
	const all = app.processes();
	assert.ok(all.length >= 4, `${all.length} processes`);
	app.signal('SIGKILL');
	await app.ended();
	await until(() => !all.some(isAlive), 'all processes end');
	// What a killed process cannot remove is removed here.
	const { rmSync } = await import('node:fs');
	rmSync(`${app.folder}/.test/run`, { recursive: true });
	rmSync(`${app.folder}/.test/tmp`, { recursive: true });
	app.write({ '.test/run/.keep': '', '.test/tmp/.keep': '' });
	rmSync(`${app.folder}/.test/run/.keep`);
	rmSync(`${app.folder}/.test/tmp/.keep`);
	await app.stop({ status: null });
});

for (const name of ['selkie-super', 'selkie-watcher', 'selkie-zygote', 'selkie-worker', 'nginx']) {
	test(`the service survives the end of its ${name}`, async (t) => {
		/* nginx reports the end of a worker of its own. */
		const app = await serve(t, hello, {
			allow: name === 'nginx' ? /exited on signal 9/ : undefined,
		});
		assert.equal((await app.request('/')).text, 'one');
		const victim = app
			.processesNamed(name)
			.find(({ parent }) => name !== 'nginx' || parent !== app.pid);
		assert.ok(victim, `there is a ${name}`);
		process.kill(victim.pid, 'SIGKILL');
		await until(() => !isAlive(victim));
		const reply = await until(async () => {
			const next = await app.request('/').catch(() => undefined);
			return next?.status === 200 && next;
		});
		assert.equal(reply.text, 'one');
		await until(() => app.processesNamed(name).length > 0, `a new ${name} starts`);
	});
}

test('when supervisor and watcher end at the same time, new ones start', async (t) => {
	const app = await serve(t, hello);
	assert.equal((await app.request('/')).text, 'one');
	for (let round = 0; round < 2; round++) {
		const pair = () =>
			['selkie-super', 'selkie-watcher'].flatMap((name) => app.processesNamed(name));
		const victims = await until(() => pair().length === 2 && pair());
		for (const { pid } of victims) process.kill(pid, 'SIGSTOP');
		for (const { pid } of victims) process.kill(pid, 'SIGKILL');
		await until(() => !victims.some(isAlive));
		await until(async () => {
			const next = await app.request('/', { agent: false }).catch(() => undefined);
			return next?.status === 200;
		}, 'the route answers again');
	}
	await app.prints(/the supervisor has gone[\s\S]*the supervisor has gone/);
});

test('thirty routes are thirty processes', async (t) => {
	const names = Array.from({ length: 30 }, (_, i) => `r${i}`);
	const app = await serve(t, {
		'app.js': names.map((name) => `app.get('/${name}', './${name}.js');`).join('\n'),
		...Object.fromEntries(names.map((name) => [`${name}.js`, `export default () => '${name}';`])),
	});
	const replies = await Promise.all(names.map((name) => app.request(`/${name}`)));
	assert.deepEqual(
		replies.map((reply) => reply.text),
		names,
	);
	assert.equal(app.processesNamed('selkie-worker').length, 30);
});
