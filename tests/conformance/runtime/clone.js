// SPDX-License-Identifier: BSD-2-Clause
test('primitives and plain things', () => {
	for (const value of [1, 'x', null, undefined, true, 10n, NaN, -0])
		equal(structuredClone(value), value);
	const source = { a: [1, { b: 2 }], c: null };
	const copy = structuredClone(source);
	same(copy, source);
	ok(copy !== source && copy.a !== source.a);
	const sparse = [1, 2, 3];
	delete sparse[1];
	sparse.extra = 'e';
	const list = structuredClone(sparse);
	same([list.length, 1 in list, list.extra], [3, false, 'e']);
	const evil = JSON.parse('{"__proto__": {"x": 1}}');
	equal(structuredClone(evil).x, undefined);
	ok(Object.hasOwn(structuredClone(evil), '__proto__'));
});
test('cycles and shared parts', () => {
	const source = { list: [] };
	source.self = source;
	source.list.push(source.list);
	const copy = structuredClone(source);
	ok(copy.self === copy);
	ok(copy.list[0] === copy.list);
	const shared = {};
	const [a, b] = structuredClone([shared, shared]);
	ok(a === b);
});
test('built-in types', () => {
	const date = structuredClone(new Date(5));
	ok(date instanceof Date && date.getTime() === 5);
	const pattern = structuredClone(/x/gi);
	equal(`${pattern}`, '/x/gi');
	same([...structuredClone(new Map([[1, new Map([[2, 3]])]])).get(1)], [[2, 3]]);
	same([...structuredClone(new Set([1, 'a']))], [1, 'a']);
	equal(typeof structuredClone(Object(5n)), 'object');
	equal(structuredClone(new String('s')).valueOf(), 's');
	equal(structuredClone(new Boolean(false)).valueOf(), false);
});
test('errors keep their kind', () => {
	const error = structuredClone(new RangeError('m', { cause: { a: 1 } }));
	ok(error instanceof RangeError);
	same([error.message, error.cause.a], ['m', 1]);
	class Mine extends Error {}
	equal(Object.getPrototypeOf(structuredClone(new Mine('x'))), Error.prototype);
	const dom = structuredClone(new DOMException('m', 'AbortError'));
	ok(dom instanceof DOMException && dom.code === 20);
});
test('buffers and views', () => {
	const source = new Uint8Array([1, 2, 3, 4]);
	const copy = structuredClone(source);
	source[0] = 9;
	same(copy, [1, 2, 3, 4]);
	const [view, buffer] = structuredClone([new Uint16Array(source.buffer, 2, 1), source.buffer]);
	ok(view.buffer === buffer);
	equal(view.byteOffset, 2);
	ok(structuredClone(new DataView(source.buffer, 1, 2)) instanceof DataView);
	equal(structuredClone(new Float64Array([1.5]))[0], 1.5);
});
test('transfer', () => {
	const buffer = new ArrayBuffer(8);
	const view = new Uint8Array(buffer, 4);
	view[0] = 7;
	const copy = structuredClone({ view }, { transfer: [buffer] });
	equal(buffer.byteLength, 0);
	same([copy.view.byteOffset, copy.view[0], copy.view.buffer.byteLength], [4, 7, 8]);
	throws(() => structuredClone(1, { transfer: [buffer] }), 'DataCloneError');
	throws(() => structuredClone(1, { transfer: [{}] }), 'DataCloneError');
	const other = new ArrayBuffer(1);
	throws(() => structuredClone(1, { transfer: [other, other] }), 'DataCloneError');
	throws(() => structuredClone(() => {}, { transfer: [other] }), 'DataCloneError');
	equal(other.byteLength, 1);
});
test('what cannot be cloned', () => {
	for (const value of [
		() => {},
		Symbol('s'),
		new WeakMap(),
		Promise.resolve(),
		{ f() {} },
		new Headers(),
		new Request('http://h.test/'),
	]) {
		throws(() => structuredClone(value), 'DataCloneError');
	}
	throws(() => structuredClone());
});
test('class instances lose their class, getters are read', () => {
	class Point {
		constructor() {
			this.x = 1;
		}
		get y() {
			return 2;
		}
	}
	const copy = structuredClone(new Point());
	equal(Object.getPrototypeOf(copy), Object.prototype);
	same(copy, { x: 1 });
	same(
		structuredClone({
			get z() {
				return 3;
			},
		}),
		{ z: 3 },
	);
});
test('blobs', async () => {
	const copy = structuredClone(new File(['abc'], 'n', { type: 'a/b', lastModified: 3 }));
	same([copy.name, copy.type, copy.lastModified, await copy.text()], ['n', 'a/b', 3, 'abc']);
	ok(structuredClone(new Blob(['x'])) instanceof Blob);
});
