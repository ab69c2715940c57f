// SPDX-License-Identifier: BSD-2-Clause
// The worker of fetch.test.mjs: one case by name, on ?to, the upstream's URL.
// What a case returns is the reply.

const bytes = (length, value = 7) => new Uint8Array(length).fill(value);

/** A stream of `count` pieces. */
function pieces(count, length = 65536) {
	let i = 0;
	return new ReadableStream({
		pull(controller) {
			if (i === count) controller.close();
			else controller.enqueue(bytes(length, i++ & 255));
		},
	});
}

const post = async (url, body, init = {}) => {
	const response = await fetch(url, { method: 'POST', body, ...init });
	return response.json();
};

/** What an error shows of itself. */
export const shown = (error) => ({
	name: error?.name,
	message: error?.message,
	code: error?.code,
	isError: error instanceof Error,
	cause: error?.cause === undefined ? undefined : shown(error.cause),
	stack: error?.stack?.includes('fetch-worker.js') || error?.stack?.includes('bundle'),
});

const failure = async (promise) => {
	try {
		const value = await promise;
		return { resolved: value instanceof Response ? value.status : value };
	} catch (error) {
		return shown(error);
	}
};

const digest = async (response) => {
	let length = 0,
		sum = 0;
	for await (const chunk of response.body) {
		length += chunk.length;
		for (const byte of chunk) sum += byte;
	}
	return { length, sum };
};

const cases = {
	async get(to) {
		const response = await fetch(`${to}/echo?a=b#part`);
		const { status, statusText, ok, url, redirected, type, bodyUsed } = response;
		const echo = await response.json();
		return {
			...{ status, statusText, ok, url, redirected, type, bodyUsed },
			...{ usedAfter: response.bodyUsed, contentType: response.headers.get('Content-Type') },
			echo,
		};
	},

	async inputs(to) {
		const url = new URL(`${to}/echo`);
		const request = new Request(url, { method: 'PUT', headers: { a: '1' }, body: 'held' });
		const first = await (await fetch(request)).json();
		return {
			fromUrl: (await (await fetch(url)).json()).method,
			fromRequest: [first.method, first.headers.a, first.body, request.bodyUsed],
			both: (
				await (
					await fetch(new Request(url, { headers: { a: '1' } }), { headers: { b: '2' } })
				).json()
			).headers,
			again: (await failure(fetch(request))).name,
		};
	},

	async refusedArguments(to) {
		const calls = {
			none: () => fetch(),
			relative: () => fetch('/echo'),
			user: () => fetch(to.replace('//', '//user:pass@')),
			userName: () => fetch(to.replace('//', '//user@')),
			scheme: () => fetch('file:///etc/passwd'),
			data: () => fetch('data:,x'),
			trace: () => fetch(to, { method: 'TRACE' }),
			method: () => fetch(to, { method: 'A B' }),
			crlf: () => fetch(`${to}/echo`, { headers: { a: 'b\r\nc: d' } }),
			nul: () => fetch(`${to}/echo`, { headers: { a: 'b\0c' } }),
			name: () => fetch(`${to}/echo`, { headers: { 'a b': 'c' } }),
			unicode: () => fetch(`${to}/echo`, { headers: { a: '\u0100' } }),
			getBody: () => fetch(`${to}/echo`, { body: 'x' }),
			noDuplex: () => fetch(`${to}/echo`, { method: 'POST', body: pieces(1) }),
			huge: () => fetch(`${to}/echo`, { headers: { a: 'x'.repeat(70_000) } }),
			integrity: () => fetch(`${to}/echo`, { integrity: 'sha256-x' }),
		};
		const results = {};
		for (const name of Object.keys(calls)) results[name] = (await failure(calls[name]())).name;
		return results;
	},

	async headers(to) {
		const plain = await (await fetch(`${to}/echo`)).json();
		const set = new Headers({ 'user-agent': 'mine', accept: 'a/b', host: 'evil.test' });
		for (const [name, value] of [
			['x-twice', '1'],
			['x-twice', '2'],
			['x-latin', 'caf\xe9'],
			['x-empty', ''],
			['content-length', '5'],
			['transfer-encoding', 'chunked'],
			['connection', 'x-twice'],
			['cookie', 'a=b'],
			['authorization', 'Basic eDp5'],
		])
			set.append(name, value);
		const own = await (await fetch(`${to}/echo`, { headers: set })).json();
		return { plain: plain.headers, own: own.headers };
	},

	async reply(to) {
		const response = await fetch(`${to}/cookies`);
		const guard = await failure((async () => response.headers.set('a', 'b'))());
		const copy = response.clone();
		return {
			status: [response.status, response.statusText, response.ok],
			cookies: response.headers.getSetCookie(),
			joined: response.headers.get('set-cookie'),
			twice: response.headers.get('x-twice'),
			latin: response.headers.get('x-latin'),
			entries: [...response.headers].filter(([name]) => name === 'set-cookie').length,
			guard: guard.name,
			copyGuard: (await failure((async () => copy.headers.append('a', 'b'))())).name,
			copyUrl: copy.url === response.url,
			texts: [await response.text(), await copy.text()],
		};
	},

	async up(to) {
		const form = new FormData();
		form.append('a"b\r\nc', 'line\nline');
		form.append('file', new File([bytes(3, 65)], 'q"uote\n.txt', { type: 'text/x' }));
		const view = new DataView(bytes(100).buffer, 10, 16);
		return {
			string: await post(`${to}/echo`, 'h\xe9llo'),
			bytes: await post(`${to}/echo`, bytes(5, 66)),
			buffer: await post(`${to}/echo`, bytes(5, 67).buffer),
			view: await post(`${to}/echo`, view),
			blob: await post(`${to}/echo`, new Blob(['blob'], { type: 'a/b' })),
			params: await post(`${to}/echo`, new URLSearchParams({ a: 'b c', d: '&' })),
			form: await post(`${to}/echo`, form),
			empty: await post(`${to}/echo`, ''),
			nothing: await post(`${to}/echo`, null),
			stream: await post(`${to}/echo`, pieces(2, 3), { duplex: 'half' }),
			typed: await post(`${to}/echo`, '{}', { headers: { 'content-type': 'application/json' } }),
			put: await (await fetch(`${to}/echo`, { method: 'PUT', body: 'p' })).json(),
			patch: await (await fetch(`${to}/echo`, { method: 'PATCH', body: 'p' })).json(),
			del: await (await fetch(`${to}/echo`, { method: 'DELETE', body: 'd' })).json(),
		};
	},

	async bigUp(to) {
		const size = 3_000_001;
		return {
			bytes: await post(`${to}/digest`, bytes(size)),
			string: await post(`${to}/digest`, 'x'.repeat(size)),
			blob: await post(`${to}/digest`, new Blob([bytes(size)])),
			stream: await post(`${to}/digest`, pieces(64), { duplex: 'half' }),
		};
	},

	async down(to) {
		const get = () => fetch(`${to}/pieces?pieces=20`);
		const reader = (await get()).body.getReader({ mode: 'byob' });
		const { value } = await reader.read(new Uint8Array(1000));
		await reader.cancel();
		return {
			text: (await (await get()).text()).length,
			buffer: (await (await get()).arrayBuffer()).byteLength,
			bytes: (await (await get()).bytes()).length,
			blob: (await (await get()).blob()).size,
			stream: await digest(await get()),
			cloned: await Promise.all(
				(() => {
					const one = get().then((response) => [response.clone(), response]);
					return [0, 1].map((i) => one.then((both) => digest(both[i])));
				})(),
			),
			byob: [value.length, value[0]],
			empty: await (await fetch(`${to}/pieces?pieces=0`)).text(),
		};
	},

	async form(to) {
		const form = new FormData();
		form.append('a', 'b');
		form.append('f', new File(['content'], 'n.txt'));
		const response = await fetch(`${to}/mirror`, { method: 'POST', body: form });
		const got = await response.formData();
		return [got.get('a'), got.get('f').name, await got.get('f').text()];
	},

	/** Up and down at once: each piece comes back before the next is sent. */
	async both(to) {
		let send;
		const body = new ReadableStream({ start: (controller) => (send = controller) });
		send.enqueue(bytes(10, 0));
		const response = await fetch(`${to}/mirror`, { method: 'POST', body, duplex: 'half' });
		const reader = response.body.getReader();
		const seen = [];
		for (let i = 1; i <= 5; i++) {
			seen.push((await reader.read()).value[0]);
			if (i < 5) send.enqueue(bytes(10, i));
			else send.close();
		}
		return [...seen, (await reader.read()).done];
	},

	async packed(to) {
		const results = {};
		for (const name of ['gzip', 'br', 'zstd']) {
			const response = await fetch(`${to}/${name}`);
			results[name] = [
				await response.text(),
				response.headers.get('content-encoding'),
				response.headers.get('content-length'),
			];
		}
		return results;
	},

	async without(to) {
		const seen = {};
		for (const status of [204, 205, 304]) {
			const response = await fetch(`${to}/status?status=${status}`);
			seen[status] = [response.status, response.body, await response.text()];
		}
		const head = await fetch(`${to}/pieces?pieces=3`, { method: 'HEAD' });
		seen.head = [head.status, head.body];
		return seen;
	},

	/** Every status in one mode; what came of each. */
	async redirects(to, request, { query }) {
		const redirect = query.get('mode');
		const method = query.get('method');
		const results = {};
		for (const status of [301, 302, 303, 307, 308]) {
			const target = encodeURIComponent('echo?x=1#f');
			const body = method === 'GET' || method === 'HEAD' ? undefined : 'body';
			const headers = { 'content-language': 'de', authorization: 'secret', cookie: 'a=b' };
			const init = { method, redirect, body, headers };
			try {
				const response = await fetch(`${to}/status?status=${status}&to=${target}`, init);
				const { url, redirected } = response;
				const text = await response.text();
				results[status] = {
					...{ status: response.status, redirected, path: url.slice(to.length) },
					location: response.headers.get('location'),
					echo: text === '' ? null : JSON.parse(text),
				};
			} catch (error) {
				results[status] = shown(error);
			}
		}
		return results;
	},

	async moreRedirects(to, request, { query }) {
		const go = (status, target, init) =>
			fetch(`${to}/status?status=${status}&to=${encodeURIComponent(target)}`, init);
		const stream = () => ({ method: 'POST', body: pieces(1, 4), duplex: 'half' });
		const secret = { authorization: 's', cookie: 'c=d', 'proxy-authorization': 'p', x: 'y' };
		const other = `${query.get('other')}/echo`;
		return {
			twenty: (await (await fetch(`${to}/hops?left=20`)).json()).url,
			more: await failure(fetch(`${to}/hops?left=21`)),
			nowhere: (await fetch(`${to}/status?status=302`)).status,
			broken: await failure(go(302, 'http://[')),
			file: await failure(go(302, 'file:///etc/passwd')),
			user: await failure(go(302, to.replace('//', '//a:b@'))),
			refused: await failure(go(302, 'http://127.0.0.1:1/')),
			origin: (await (await go(302, other, { headers: secret })).json()).headers,
			same: (await (await go(302, 'echo', { headers: secret })).json()).headers,
			stream302: await failure(go(302, 'echo', stream())),
			stream307: await failure(go(307, 'echo', stream())),
			stream303: (await (await go(303, 'echo', stream())).json()).method,
			notOne: (await go(300, 'echo')).status,
		};
	},

	async late(to) {
		return failure(fetch(to));
	},
	async errors(to, request, { query }) {
		return {
			refused: await failure(fetch('http://refused.test/x', { method: 'PUT', body: 'x' })),
			resolve: await failure(fetch('http://nowhere.invalid/')),
			connect: await failure(fetch(query.get('closed'))),
			tls: await failure(fetch(`${query.get('untrusted')}/echo`)),
			torn: await failure(fetch(`${to}/torn`).then((response) => response.text())),
			tornHead: (await fetch(`${to}/torn`)).status,
			tornStream: await failure(fetch(`${to}/torn`).then(digest)),
			body: await failure(
				fetch(`${to}/echo`, {
					method: 'POST',
					duplex: 'half',
					body: new ReadableStream({
						pull() {
							throw new RangeError('mine');
						},
					}),
				}),
			),
			text: await failure(
				fetch(`${to}/echo`, {
					method: 'POST',
					duplex: 'half',
					body: new ReadableStream({
						start(controller) {
							controller.enqueue('text');
						},
					}),
				}),
			),
			early: await (await fetch(`${to}/early`, { method: 'POST', body: bytes(5_000_000) })).text(),
		};
	},

	async unhandled() {
		await fetch('http://refused.test/x');
	},

	async abort(to) {
		const reason = new RangeError('enough');
		const before = await failure(fetch(`${to}/echo`, { signal: AbortSignal.abort(reason) }));
		const plain = await failure(fetch(`${to}/echo`, { signal: AbortSignal.abort() }));
		const controller = new AbortController();
		const pending = failure(fetch(`${to}/silent`, { signal: controller.signal }));
		setTimeout(() => controller.abort(reason), 50);
		const time = await failure(fetch(`${to}/silent`, { signal: AbortSignal.timeout(50) }));
		return { before, plain, during: await pending, time };
	},

	async abortBody(to) {
		const reason = new RangeError('enough');
		const controller = new AbortController();
		const response = await fetch(`${to}/stall`, { signal: controller.signal });
		const reader = response.body.getReader();
		const first = (await reader.read()).value.length;
		const pending = failure(reader.read());
		controller.abort(reason);
		const text = new AbortController();
		const other = await fetch(`${to}/stall`, { signal: text.signal });
		const reading = failure(other.text());
		text.abort(reason);
		return { first, stream: await pending, text: await reading };
	},

	async abortUpload(to) {
		const reason = new RangeError('enough');
		const controller = new AbortController();
		let cancelled;
		let pulled = 0;
		const body = new ReadableStream({
			pull(stream) {
				pulled++;
				stream.enqueue(bytes(65536));
			},
			cancel: (why) => (cancelled = why === reason),
		});
		const init = { method: 'POST', body, duplex: 'half', signal: controller.signal };
		const pending = failure(fetch(`${to}/deaf`, init));
		await new Promise((resolve) => setTimeout(resolve, 500));
		const before = pulled;
		controller.abort(reason);
		return { error: await pending, cancelled, held: before < 200 };
	},

	async cancel(to) {
		const response = await fetch(`${to}/stall`);
		await response.body.cancel();
		const reader = (await fetch(`${to}/stall`)).body.getReader();
		await reader.read();
		await reader.cancel('why');
		return [response.bodyUsed, (await reader.read()).done];
	},

	async signalLives(to) {
		const controller = new AbortController();
		const init = { signal: controller.signal };
		for (let i = 0; i < 100; i++) await (await fetch(`${to}/echo`, init)).text();
		controller.abort();
		return 'unharmed';
	},

	/** Case 12: the client leaves while this waits. */
	async follow(to, request) {
		try {
			await fetch(`${to}/silent`, { signal: request.signal });
		} catch (error) {
			console.log(`follow: ${error.name}, aborted ${request.signal.aborted}`);
		}
	},

	parallel: async (to, request, { query }) => {
		const calls = Array.from({ length: Number(query.get('calls')) }, (_, i) =>
			fetch(`${to}/echo?n=${i}`),
		);
		const replies = await Promise.all((await Promise.all(calls)).map((reply) => reply.json()));
		return [replies.every(({ url }, i) => url === `/echo?n=${i}`)];
	},

	/** More replies than a process has calls for, none of them read. */
	async unread(to, request, { query }) {
		const path = query.get('path');
		for (let i = 0; i < 600; i++) {
			const { status } = await fetch(`${to}/${path}`);
			if (status > 299) return [status];
		}
		return [(await fetch(`${to}/echo`)).status];
	},

	through: (to, request, { query }) => fetch(`${to}/${query.get('path')}`),

	async rebuilt(to, request, { query }) {
		const response = await fetch(`${to}/${query.get('path')}`);
		return new Response(response.body, response);
	},

	async relay(to, request) {
		const { method, headers, body } = request;
		return fetch(`${to}/digest`, { method, headers, body, duplex: 'half' });
	},

	async chain(to, request, { query }) {
		const { body } = await fetch(`${to}/pieces?pieces=${query.get('pieces')}`);
		return fetch(`${to}/digest`, { method: 'POST', body, duplex: 'half' });
	},

	async viaStream(to, request, { query }) {
		const { body } = await fetch(`${to}/pieces?pieces=${query.get('pieces')}`);
		const identity = new TransformStream();
		return new Response(body.pipeThrough(identity));
	},

	async slowReader(to) {
		const reader = (await fetch(`${to}/pieces?pieces=1600`)).body.getReader();
		let { length } = (await reader.read()).value;
		await new Promise((resolve) => setTimeout(resolve, 300));
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return [length];
			length += value.length;
		}
	},

	lost: (to) => failure(fetch(`${to}/silent`)),
	lostBody: (to) =>
		failure(
			fetch(`${to}/stall`).then(async (response) => {
				console.log('lostBody reads');
				return response.text();
			}),
		),
	async spin(to) {
		await fetch(`${to}/echo`);
		for (;;);
	},
	status: async (to) => [(await fetch(`${to}/echo`)).status],
};

export default (request, context) => {
	const { params, query } = context;
	return cases[params.name](query.get('to'), request, context);
};
