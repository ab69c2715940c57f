// SPDX-License-Identifier: BSD-2-Clause
const URL_ = 'http://h.test/';

test('defaults', () => {
	const request = new Request(URL_);
	same(
		[
			request.method,
			request.url,
			request.mode,
			request.credentials,
			request.cache,
			request.redirect,
			request.referrer,
			request.referrerPolicy,
			request.integrity,
			request.keepalive,
			request.destination,
			request.body,
			request.bodyUsed,
			request.duplex,
		],
		[
			'GET',
			URL_,
			'cors',
			'same-origin',
			'default',
			'follow',
			'about:client',
			'',
			'',
			false,
			'',
			null,
			false,
			'half',
		],
	);
	ok(request.signal instanceof AbortSignal);
	same([...request.headers], []);
});
test('a URL is absolute and has no credentials', () => {
	throws(() => new Request('/x'));
	throws(() => new Request(''));
	throws(() => new Request());
	throws(() => new Request('http://u:p@h.test/'));
	equal(new Request(new URL('http://H.test/a b')).url, 'http://h.test/a%20b');
	equal(new Request('http://h.test/#f').url, 'http://h.test/#f');
});
test('methods', () => {
	for (const [given, method] of [
		['get', 'GET'],
		['Post', 'POST'],
		['delete', 'DELETE'],
		['options', 'OPTIONS'],
		['head', 'HEAD'],
		['put', 'PUT'],
		['patch', 'patch'],
		['PATCH', 'PATCH'],
		['chicken', 'chicken'],
	]) {
		equal(new Request(URL_, { method: given }).method, method);
	}
	for (const bad of ['CONNECT', 'trace', 'TrAcK', '', 'a b', 'ä', 'GET\n']) {
		throws(() => new Request(URL_, { method: bad }));
	}
});
test('choices are checked', () => {
	const request = new Request(URL_, {
		mode: 'no-cors',
		credentials: 'omit',
		cache: 'no-store',
		redirect: 'manual',
		referrerPolicy: 'origin',
		integrity: 'x',
		keepalive: 1,
		referrer: 'http://r.test/',
	});
	same(
		[
			request.mode,
			request.credentials,
			request.cache,
			request.redirect,
			request.referrerPolicy,
			request.integrity,
			request.keepalive,
			request.referrer,
		],
		['no-cors', 'omit', 'no-store', 'manual', 'origin', 'x', true, 'http://r.test/'],
	);
	for (const key of [
		'mode',
		'credentials',
		'cache',
		'redirect',
		'referrerPolicy',
		'duplex',
		'priority',
	]) {
		throws(() => new Request(URL_, { [key]: 'nonsense' }));
	}
	throws(() => new Request(URL_, { mode: 'navigate' }));
	throws(() => new Request(URL_, { window: 1 }));
	throws(() => new Request(URL_, { cache: 'only-if-cached' }));
	throws(() => new Request(URL_, { signal: {} }));
	throws(() => new Request(URL_, { referrer: '//' }));
	throws(() => new Request(URL_, 'x'));
	equal(new Request(URL_, { referrer: '' }).referrer, 'no-referrer');
});
test('bodies need a method that has one', async () => {
	for (const method of ['GET', 'HEAD']) throws(() => new Request(URL_, { method, body: 'x' }));
	const request = new Request(URL_, { method: 'POST', body: 'häh' });
	equal(request.headers.get('content-type'), 'text/plain;charset=UTF-8');
	equal(await request.text(), 'häh');
	ok(request.bodyUsed);
	await rejects(() => request.text());
	equal(await new Request(URL_, { method: 'POST' }).text(), '');
	equal(await new Request(URL_, { method: 'POST', body: null }).text(), '');
	const stream = new ReadableStream();
	throws(() => new Request(URL_, { method: 'POST', body: stream }));
	ok(new Request(URL_, { method: 'POST', body: stream, duplex: 'half' }).body === stream);
});
test('a Request from a Request', async () => {
	const first = new Request(URL_, {
		method: 'POST',
		body: 'x',
		headers: { a: '1' },
		redirect: 'error',
	});
	const second = new Request(first, { headers: { b: '2' } });
	same(
		[second.method, second.redirect, second.headers.get('a'), second.headers.get('b')],
		['POST', 'error', null, '2'],
	);
	ok(first.bodyUsed);
	equal(await second.text(), 'x');
	throws(() => new Request(first));
	const third = new Request(
		new Request(URL_, { method: 'PUT', body: 'y' }),
		{ method: 'GET', body: undefined, headers: {} }.method === 'GET'
			? { method: 'POST', body: 'z' }
			: {},
	);
	equal(await third.text(), 'z');
	throws(() => new Request(new Request(URL_, { method: 'POST', body: 'y' }), { method: 'GET' }));
});
test('clone', async () => {
	const request = new Request(URL_, { method: 'POST', body: 'x', headers: { a: '1' } });
	const copy = request.clone();
	equal(await request.text(), 'x');
	equal(await copy.text(), 'x');
	copy.headers.set('a', '2');
	equal(request.headers.get('a'), '1');
	throws(() => request.clone());
});
test('the signal follows the given one', () => {
	const controller = new AbortController();
	const request = new Request(URL_, { signal: controller.signal });
	const copy = request.clone();
	equal(request.signal.aborted, false);
	controller.abort('why');
	equal(request.signal.reason, 'why');
	equal(copy.signal.aborted, true);
	equal(new Request(URL_, { signal: null }).signal.aborted, false);
});
test('brand checks and shape', () => {
	throws(() => Request.prototype.url);
	throws(() => Request.prototype.clone.call({}));
	throws(() => Object.getOwnPropertyDescriptor(Request.prototype, 'destination').get.call({}));
	equal(Request.length, 1);
	equal(Object.prototype.toString.call(new Request(URL_)), '[object Request]');
	throws(() => {
		new Request(URL_).method = 'x';
	});
	throws(() => Request(URL_));
});
test('promise methods reject on a wrong receiver', async () => {
	for (const name of ['text', 'json', 'arrayBuffer', 'bytes', 'blob', 'formData']) {
		await rejects(Request.prototype[name].call({}));
		await rejects(Response.prototype[name].call({}));
	}
});
