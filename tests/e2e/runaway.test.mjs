// SPDX-License-Identifier: BSD-2-Clause
// Handlers that run away, hoard, fall into themselves or take their process
// down: each ends for the one request that it concerns, and the route goes on.

import assert from 'node:assert/strict';
import test from 'node:test';
import { isAlive, memoryOf, serve, until } from './lib.mjs';

const bombs = {
	loop: `for (;;);`,
	awaitloop: `return (async () => { for (;;) await null; })();`,
	thenloop: `const again = () => Promise.resolve().then(again); return again();`,
	recursion: `const down = (n) => down(n + 1) + 1; return String(down(0));`,
	mutual: `const a = () => { try { b(); } finally { b(); } }, b = () => { try { a(); } finally { a(); } }; a();`,
	array: `const all = []; for (;;) all.push(new Array(1000).fill(Math.random()));`,
	strings: `let text = 'x'; for (;;) text += text + Math.random();`,
	buffers: `const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1));`,
	regex: `return String(/(a+)+$/.test('a'.repeat(40) + '!'));`,
	regexjson: `return { matched: /^(a+)+$/.test('a'.repeat(40) + '!') };`,
	regexlater: `return (async () => {
		await new Promise((resolve) => setTimeout(resolve, 10));
		return String(/^(\\w+\\s?)*$/.test('aaaa '.repeat(12) + '!'));
	})();`,
	regexcaught: `try { /(x+x+)+y/.test('x'.repeat(5000)); } catch {} return new Response('caught');`,
	regexlong: `return String(/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60)));`,
	regexmany: `let n = 0; for (let i = 0; i < 1e6; i++) n += /^(a+)+$/.test('a'.repeat(40) + '!'); return '' + n;`,
	json: `let deep = []; for (let i = 0; i < 1e6; i++) deep = [deep]; return deep;`,
	catching: `for (;;) { try { for (;;); } catch {} }`,
};

const STOPPED = [500, 502, 503, 504];

const limits = `(policy) => policy.limits({ cpu: '300ms', memory: '96M', wall: '5s' })`;

function source(body) {
	return `let calls = 0;
export default (request, context) => {
	if (context.query.get('bomb') === null) return 'call ' + ++calls;
	${body}
};
`;
}

test('runaway handlers', async (t) => {
	const names = Object.keys(bombs);
	const app = await serve(t, {
		'app.js': names.map((name) => `app.get('/${name}', './${name}.js', ${limits});`).join('\n'),
		...Object.fromEntries(names.map((name) => [`${name}.js`, source(bombs[name])])),
	});

	for (const name of names) {
		await t.test(`${name} ends, and the next request is served`, async () => {
			assert.match((await app.request(`/${name}`)).text, /^call \d+$/);
			const reply = await app.request(`/${name}?bomb`);
			assert.ok(STOPPED.includes(reply.status), `${reply.status}`);
			const after = await until(async () => {
				const next = await app.request(`/${name}`);
				return next.status === 200 && next;
			});
			assert.match(after.text, /^call \d+$/);
		});
	}

	await t.test('no process holds what the bombs took', async () => {
		for (const { pid } of app.processesNamed('selkie-worker'))
			await until(() => {
				try {
					return memoryOf(pid).private < 160e6;
				} catch {
					return true;
				}
			}, 'memory is given back');
	});
});

test('a loop that the engine cannot stop is a 503 too', async (t) => {
	// (module (func (export "a") (loop (br 0))))
	const bytes = [
		0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 97, 0, 0, 10, 9, 1, 7,
		0, 3, 64, 12, 0, 11, 11,
	];
	const app = await serve(t, {
		'app.js': `app.get('/', './w.js', (policy) => policy.limits({ cpu: '500ms' }));`,
		'w.js': `export default async (request, { query }) => {
			if (!query.has('loop')) return 'served';
			const wasm = await WebAssembly.instantiate(new Uint8Array(${JSON.stringify(bytes)}));
			wasm.instance.exports.a();
		};`,
	});
	assert.equal((await app.request('/?loop')).status, 503);
	assert.equal((await app.request('/')).text, 'served');
});

test('a regular expression without end in one route does not hold another', async (t) => {
	const app = await serve(t, {
		'app.js': `
			app.get('/regex/:n', './regex.js', (policy) => policy.limits({ cpu: '300ms', wall: '60s' }));
			app.get('/other', './other.js');
		`,
		'regex.js': `const bombs = [
			() => /(a+)+$/.test('a'.repeat(60) + '!'),
			() => /^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60)),
			() => /(.*)*\\1b/.test('a'.repeat(60)),
			() => 'x'.repeat(4000).match(/((x*)*)*y/),
		];
		export default (request, { params }) => params.n === 'none' ? 'served' : String(bombs[params.n]());`,
		'other.js': `export default () => 'fine';`,
	});
	for (let n = 0; n < 4; n++) {
		let running = true;
		const bomb = app.request(`/regex/${n}`, { agent: false }).finally(() => {
			running = false;
		});
		while (running) assert.equal((await app.request('/other')).text, 'fine');
		assert.equal((await bomb).status, 503, `${n}`);
		await until(async () => (await app.request('/regex/none')).text === 'served');
	}
});

test('a loop in one route does not hold another', async (t) => {
	const app = await serve(t, {
		'app.js': `
			app.get('/loop', './loop.js', (policy) => policy.limits({ cpu: '1s', wall: '10s' }));
			app.get('/other', './other.js');
		`,
		'loop.js': `export default () => { for (;;); };`,
		'other.js': `export default () => 'fine';`,
	});
	const looping = app.request('/loop');
	for (let i = 0; i < 20; i++) assert.equal((await app.request('/other')).text, 'fine');
	assert.notEqual((await looping).status, 200);
});

test('requests beside the runaway one are answered', async (t) => {
	const app = await serve(t, {
		'app.js': `app.get('/', './w.js', (policy) => policy.limits({ cpu: '300ms', wall: '10s' }));`,
		'w.js': `export default async (request, context) => {
			if (context.query.get('loop') !== null) for (;;);
			await new Promise((resolve) => setTimeout(resolve, 200));
			return 'slept';
		};`,
	});
	await app.request('/');
	const sleeping = [app.request('/', { agent: false }), app.request('/', { agent: false })];
	await new Promise((resolve) => setTimeout(resolve, 50));
	const looping = app.request('/?loop', { agent: false });
	assert.deepEqual(
		(await Promise.all(sleeping)).map((reply) => reply.text),
		['slept', 'slept'],
	);
	assert.equal((await looping).status, 503);
});

test('a killed worker process is replaced', async (t) => {
	const app = await serve(t, {
		'app.js': `app.get('/', './w.js'); app.get('/hang', './w.js');`,
		'w.js': `let calls = 0;
			export default (request) => request.url.endsWith('/hang') ? new Promise(() => {}) : 'call ' + ++calls;`,
	});
	assert.equal((await app.request('/')).text, 'call 1');
	const [worker] = app.processesNamed('selkie-worker');
	assert.ok(worker, 'the route has a process of its own');
	process.kill(worker.pid, 'SIGKILL');
	await until(() => !isAlive(worker));
	const reply = await until(async () => {
		const next = await app.request('/');
		return next.status === 200 && next;
	});
	assert.equal(reply.text, 'call 1', 'a fresh process has fresh state');
});

test('a request in a process that dies is a 502', async (t) => {
	const app = await serve(t, {
		'app.js': `app.get('/hang', './w.js');`,
		'w.js': `export default () => { console.log('begun'); return new Promise(() => {}); };`,
	});
	const hanging = app.request('/hang');
	await app.prints(/begun/);
	for (const { pid } of app.processesNamed('selkie-worker')) process.kill(pid, 'SIGKILL');
	assert.equal((await hanging).status, 502);
});

test('a handler that its process dies in does not run again', async (t) => {
	const app = await serve(t, {
		'app.js': `app.get('/loop', './w.js', (policy) => policy.limits({ cpu: '20s' })); app.get('/', './o.js');`,
		'w.js': `export default () => { console.log('begun'); for (;;); };`,
		'o.js': `export default () => 'other';`,
	});
	const looping = app.request('/loop');
	await app.prints(/begun/);
	for (const { pid } of app.processesNamed('selkie-worker')) process.kill(pid, 'SIGKILL');
	assert.equal((await looping).status, 502);
	assert.equal((await app.request('/')).text, 'other');
	assert.equal(app.output.match(/begun/g)?.length, 1);
});
