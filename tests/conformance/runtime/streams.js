// SPDX-License-Identifier: BSD-2-Clause
test('a ReadableStream is read, teed and piped', async () => {
	const make = () =>
		new ReadableStream({
			start(controller) {
				for (const item of ['a', 'b']) controller.enqueue(item);
				controller.close();
			},
		});
	const all = async (stream) => {
		const list = [];
		for await (const item of stream) list.push(item);
		return list;
	};
	same(await all(make()), ['a', 'b']);
	const [left, right] = make().tee();
	same(
		[await all(left), await all(right)],
		[
			['a', 'b'],
			['a', 'b'],
		],
	);
	const upper = new TransformStream({
		transform: (item, controller) => controller.enqueue(item.toUpperCase()),
	});
	same(await all(make().pipeThrough(upper)), ['A', 'B']);
	const written = [];
	await make().pipeTo(
		new WritableStream({
			write: (item) => {
				written.push(item);
			},
		}),
	);
	same(written, ['a', 'b']);
	same(await all(ReadableStream.from(['x', 'y'])), ['x', 'y']);
});
test('pull comes only on demand', async () => {
	let pulled = 0;
	const stream = new ReadableStream(
		{
			pull(controller) {
				controller.enqueue(++pulled);
			},
		},
		{ highWaterMark: 0 },
	);
	await Promise.resolve();
	equal(pulled, 0);
	const reader = stream.getReader();
	equal((await reader.read()).value, 1);
	equal(pulled, 1);
});
test('cancel reaches the source', async () => {
	let reason;
	const stream = new ReadableStream({
		cancel: (why) => {
			reason = why;
		},
	});
	await stream.cancel('enough');
	equal(reason, 'enough');
});
test('an AbortSignal ends a pipe', async () => {
	const controller = new AbortController();
	const pipe = new ReadableStream().pipeTo(new WritableStream(), { signal: controller.signal });
	controller.abort();
	await rejects(pipe, 'AbortError');
});
test('text streams', async () => {
	const bytes = [];
	for await (const chunk of ReadableStream.from(['a\ud83d', '\ude00', '\ud800']).pipeThrough(
		new TextEncoderStream(),
	))
		bytes.push(...chunk);
	same(bytes, [97, 0xf0, 0x9f, 0x98, 0x80, 0xef, 0xbf, 0xbd]);
	let text = '';
	const source = ReadableStream.from([new Uint8Array([0xe2, 0x82]), new Uint8Array([0xac, 0x61])]);
	for await (const chunk of source.pipeThrough(new TextDecoderStream())) text += chunk;
	equal(text, '€a');
	equal(new TextDecoderStream('latin1').encoding, 'windows-1252');
	throws(() => new TextDecoderStream('nope'), RangeError);
});
test('queuing strategies', () => {
	equal(new CountQueuingStrategy({ highWaterMark: 3 }).size(), 1);
	equal(new ByteLengthQueuingStrategy({ highWaterMark: 3 }).size(new Uint8Array(5)), 5);
});
test('names', () => {
	for (const name of [
		'ReadableStream',
		'WritableStream',
		'TransformStream',
		'ReadableStreamDefaultReader',
		'TextEncoderStream',
	]) {
		equal(globalThis[name].name, name);
	}
});
