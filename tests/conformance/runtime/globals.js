// SPDX-License-Identifier: BSD-2-Clause
const classes = [
	'AbortController',
	'AbortSignal',
	'Blob',
	'ByteLengthQueuingStrategy',
	'CountQueuingStrategy',
	'Crypto',
	'CustomEvent',
	'DOMException',
	'Event',
	'EventTarget',
	'File',
	'FormData',
	'Headers',
	'Performance',
	'ReadableStream',
	'Request',
	'Response',
	'TextDecoder',
	'TextDecoderStream',
	'TextEncoder',
	'TextEncoderStream',
	'TransformStream',
	'URL',
	'URLSearchParams',
	'WritableStream',
];
const functions = [
	'atob',
	'btoa',
	'clearInterval',
	'clearTimeout',
	'fetch',
	'queueMicrotask',
	'reportError',
	'setInterval',
	'setTimeout',
	'structuredClone',
];

test('every interface has its name, its tag and is not enumerable', () => {
	for (const name of classes) {
		equal(globalThis[name].name, name);
		equal(globalThis[name].prototype[Symbol.toStringTag], name);
		equal(Object.keys(globalThis).includes(name), false);
		const property = Object.getOwnPropertyDescriptor(globalThis, name);
		same([property.writable, property.configurable, property.enumerable], [true, true, false]);
	}
});
test('every function has its name', () => {
	for (const name of functions) {
		equal(typeof globalThis[name], 'function');
		equal(globalThis[name].name, name);
	}
	same(
		[fetch.length, atob.length, structuredClone.length, queueMicrotask.length, setTimeout.length],
		[1, 1, 1, 1, 1],
	);
});
test('objects', () => {
	ok(self === globalThis);
	equal(Object.prototype.toString.call(console), '[object console]');
	equal(Object.prototype.toString.call(crypto), '[object Crypto]');
});
test('globals can be replaced, before and after their first use', () => {
	globalThis.Response = 5;
	equal(Response, 5);
	const kept = URL;
	globalThis.URL = 6;
	equal(URL, 6);
	globalThis.URL = kept;
});
test('members of interfaces are enumerable', () => {
	const names = [];
	for (const name in Headers.prototype) names.push(name);
	for (const name of ['append', 'get', 'entries', 'forEach']) ok(names.includes(name), name);
	equal(names.includes('constructor'), false);
	ok(Object.keys(Request.prototype).includes('url'));
});
test('nothing of the inside leaks', () => {
	for (const name of [
		'native',
		'require',
		'module',
		'sources',
		'bundle',
		'hooks',
		'app',
		'process',
		'window',
	]) {
		equal(typeof globalThis[name], 'undefined');
	}
});
test('an error in a microtask or a listener does not end the others', async () => {
	const seen = [];
	queueMicrotask(() => seen.push('ran'));
	await Promise.resolve();
	same(seen, ['ran']);
});
