// SPDX-License-Identifier: BSD-2-Clause
test('defaults', () => {
	const response = new Response();
	same(
		[
			response.status,
			response.statusText,
			response.ok,
			response.type,
			response.url,
			response.redirected,
			response.body,
			response.bodyUsed,
		],
		[200, '', true, 'default', '', false, null, false],
	);
	equal(new Response('x', { status: 404 }).ok, false);
	equal(new Response('x', { statusText: 'Very Good' }).statusText, 'Very Good');
});
test('statuses are from 200 to 599', () => {
	for (const status of [101, 199, 600, 0, -1, 1000, NaN])
		throws(() => new Response('', { status }), RangeError);
	for (const status of [200, 299, 418, 599]) equal(new Response('', { status }).status, status);
	equal(new Response('', { status: '404' }).status, 404);
});
test('some statuses have no body', () => {
	for (const status of [204, 205, 304]) {
		throws(() => new Response('', { status }));
		equal(new Response(null, { status }).status, status);
	}
});
test('a status text has no control characters', () => {
	for (const bad of ['a\nb', '\r', '\0', '€']) throws(() => new Response('', { statusText: bad }));
	equal(new Response('', { statusText: 'é' }).statusText, 'é');
});
test('the Content-Type comes from the body', () => {
	const type = (body, init) => new Response(body, init).headers.get('content-type');
	equal(type('x'), 'text/plain;charset=UTF-8');
	equal(type(new URLSearchParams('a=b')), 'application/x-www-form-urlencoded;charset=UTF-8');
	equal(type(new Blob(['x'], { type: 'A/B' })), 'a/b');
	equal(type(new Blob(['x'])), null);
	equal(type(new Uint8Array(2)), null);
	equal(type(new ArrayBuffer(2)), null);
	equal(type(new ReadableStream()), null);
	equal(type(null), null);
	equal(type(12), 'text/plain;charset=UTF-8');
	ok(/^multipart\/form-data; boundary=-+\w+$/.test(type(new FormData())));
	equal(type('x', { headers: { 'Content-Type': 'text/html' } }), 'text/html');
});
test('Response.json', async () => {
	const response = Response.json({ a: [1] }, { status: 201, headers: { x: 'y' } });
	same(
		[response.status, response.headers.get('content-type'), response.headers.get('x')],
		[201, 'application/json', 'y'],
	);
	same(await response.json(), { a: [1] });
	throws(() => Response.json(undefined));
	throws(() => Response.json(Symbol()));
	throws(() => Response.json(1n));
	throws(() => Response.json({}, { status: 204 }));
	throws(() => Response.json());
	equal(
		Response.json({}, { headers: { 'content-type': 'a/b' } }).headers.get('content-type'),
		'a/b',
	);
});
test('Response.redirect', () => {
	const response = Response.redirect('http://h.test/a b');
	same([response.status, response.headers.get('location')], [302, 'http://h.test/a%20b']);
	throws(() => response.headers.set('a', 'b'));
	throws(() => Response.redirect('/x'));
	throws(() => Response.redirect('http://h.test/', 200), RangeError);
	for (const status of [301, 302, 303, 307, 308])
		equal(Response.redirect('http://h.test/', status).status, status);
});
test('Response.error', () => {
	const response = Response.error();
	same([response.type, response.status, response.ok, response.body], ['error', 0, false, null]);
	throws(() => response.headers.append('a', 'b'));
});
test('clone', async () => {
	const response = new Response('abc', { status: 201, statusText: 's', headers: { a: '1' } });
	const copy = response.clone();
	same([copy.status, copy.statusText, copy.headers.get('a')], [201, 's', '1']);
	equal(await response.text(), 'abc');
	equal(await copy.text(), 'abc');
	throws(() => response.clone());
	const streamed = new Response(new Blob(['xyz']).stream());
	const other = streamed.clone();
	same([await streamed.text(), await other.text()], ['xyz', 'xyz']);
	const locked = new Response(new Blob(['xyz']).stream());
	locked.body.getReader();
	throws(() => locked.clone());
});
test('shape', () => {
	equal(Response.length, 0);
	equal(Response.json.name, 'json');
	throws(() => Response.prototype.status);
	throws(() => new Response('', 1));
	ok('text' in Response.prototype);
	same(
		Object.keys(Response),
		['error', 'redirect', 'json'].filter((name) => Object.keys(Response).includes(name)),
	);
});
test('header values are checked here too', () => {
	throws(() => new Response('', { headers: { x: 'a\r\nb' } }));
	same(
		[
			...new Response(null, {
				headers: [
					['set-cookie', 'a'],
					['set-cookie', 'b'],
				],
			}).headers,
		],
		[
			['set-cookie', 'a'],
			['set-cookie', 'b'],
		],
	);
});
