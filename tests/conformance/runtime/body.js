// SPDX-License-Identifier: BSD-2-Clause
const streamOf = (...chunks) =>
	new ReadableStream({
		start(controller) {
			for (const chunk of chunks) controller.enqueue(chunk);
			controller.close();
		},
	});
const encode = (text) => new TextEncoder().encode(text);

test('every source can be read as text', async () => {
	for (const body of [
		'ab',
		encode('ab'),
		encode('xaby').subarray(1, 3),
		encode('ab').buffer,
		new DataView(encode('ab').buffer),
		new Blob(['a', 'b']),
		streamOf(encode('a'), encode('b')),
		{ toString: () => 'ab' },
	]) {
		equal(await new Response(body).text(), 'ab');
	}
	equal(await new Response(new URLSearchParams('a=b c')).text(), 'a=b+c');
	equal(await new Response().text(), '');
});
test('case 20: a view stands for its own bytes', async () => {
	const view = new Uint8Array(new ArrayBuffer(1 << 20), 100, 16).fill(7);
	equal((await new Response(view).arrayBuffer()).byteLength, 16);
	equal((await new Response(new Uint16Array(view.buffer, 100, 8)).bytes()).length, 16);
	same(await new Response(streamOf(view)).bytes(), Array(16).fill(7));
});
test('every reader', async () => {
	equal((await new Response('x').arrayBuffer()) instanceof ArrayBuffer, true);
	same(await new Response('\ufeffäx').text(), 'äx');
	same(await new Response('{"a":1}').json(), { a: 1 });
	same(await new Response('\ufeff[1]').json(), [1]);
	await rejects(new Response('{').json(), SyntaxError);
	await rejects(new Response('').json(), SyntaxError);
	same(await new Response('ab').bytes(), [97, 98]);
	const blob = await new Response('ab', { headers: { 'content-type': 'Text/X' } }).blob();
	same([blob.size, blob.type], [2, 'text/x']);
	equal(await new Response(new Uint8Array([0xff])).text(), '\ufffd');
});
test('a body is read once', async () => {
	const response = new Response('x');
	equal(response.bodyUsed, false);
	const promise = response.text();
	equal(response.bodyUsed, true);
	await promise;
	for (const name of ['text', 'json', 'arrayBuffer', 'bytes', 'blob', 'formData'])
		await rejects(response[name]());
	ok(response.body.locked);
	const empty = new Response();
	await empty.text();
	equal(empty.bodyUsed, false);
	equal(await empty.text(), '');
});
test('the source is copied when the body is made', async () => {
	const source = encode('abc');
	const response = new Response(source);
	source.fill(120);
	equal(await response.text(), 'abc');
	const first = new Response(encode('abc'));
	const second = first.clone();
	(await first.bytes()).fill(120);
	equal(await second.text(), 'abc');
});
test('body gives a byte stream, always the same', async () => {
	const response = new Response('abc');
	equal(response.body, response.body);
	const reader = response.body.getReader({ mode: 'byob' });
	const { value } = await reader.read(new Uint8Array(2));
	same(value, [97, 98]);
	ok(response.bodyUsed);
	await rejects(response.text());
});
test('a locked body cannot be read', async () => {
	const response = new Response('abc');
	const reader = response.body.getReader();
	equal(response.bodyUsed, false);
	await rejects(response.text());
	reader.releaseLock();
	equal(await response.text(), 'abc');
});
test('a stream that was used or locked is no body', async () => {
	const stream = streamOf(encode('a'));
	const reader = stream.getReader();
	throws(() => new Response(stream));
	await reader.read();
	reader.releaseLock();
	throws(() => new Response(stream));
});
test('string chunks in a body stream are a TypeError', async () => {
	await rejects(new Response(streamOf('text')).text());
	await rejects(new Response(streamOf(1)).arrayBuffer());
	await rejects(new Response(streamOf(null)).bytes());
});
test('an error of the stream comes through', async () => {
	const stream = new ReadableStream({
		pull(controller) {
			controller.error(new RangeError('boom'));
		},
	});
	equal((await rejects(new Response(stream).text(), RangeError)).message, 'boom');
});
test('async iteration over a body', async () => {
	const parts = [];
	for await (const chunk of new Response(streamOf(encode('a'), encode('b'))).body)
		parts.push(...chunk);
	same(parts, [97, 98]);
});
