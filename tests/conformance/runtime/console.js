// SPDX-License-Identifier: BSD-2-Clause
/* eslint-disable no-console -- what it prints is compared with console.out */
globalThis.plainOutput = true;
console.log('a', 1, true, null, undefined, -0, 10n, Symbol('s'));
console.log(['a', { b: "it's" }], [], {}, [[]]);
console.log('%s is %d and %i and %f and %j%%', 'x', '12.5', 12.5, '1.5', { a: 1 }, 'rest');
console.log('%o %O', { a: 1 }, { b: { c: { d: { e: 1 } } } });
console.log('%cstyled', 'color: red');
console.log('100%', 5, '%s');
console.log({ a: { b: { c: { d: 1 } } } });
console.log(new Map([['k', { v: 1 }]]), new Set([1, 'two']), new WeakMap());
const cycle = { name: 'c' };
cycle.self = cycle;
console.log(cycle);
const sparse = [1, 2, 3];
delete sparse[1];
console.log(sparse, [undefined, null], Array(3));
console.log(
	() => {},
	function named() {},
	class A {},
	class B extends Map {},
	async () => {},
);
console.log(
	new (class Point {
		constructor() {
			this.x = 1;
		}
	})(),
	Object.create(null),
	Object.assign(Object.create(null), { a: 1 }),
);
console.log(new Date(0), /x/g, new Date(NaN), Object(1), Object('s'));
console.log(new Uint8Array([1, 2, 3]), new ArrayBuffer(2));
console.log({
	get a() {
		return 1;
	},
	set b(v) {},
	get c() {
		return 1;
	},
	set c(v) {},
});
console.log({ 'with space': 1, [Symbol('k')]: 2, valid_1: 3 });
console.log([
	'a long enough string to fill the line',
	'another long enough string',
	'and a third one',
]);
console.log(Array.from({ length: 30 }, (_, i) => i));
console.log(Array.from({ length: 120 }, () => 0).slice(0, 101).length);
console.log('multi\nline', ['multi\nline']);
console.log(new Headers({ a: 'b' }), new Headers());
console.log(new URLSearchParams('a=1&b=2'), new AbortController().signal);
console.log(new Response('x', { status: 201 }));
console.log([new Error('inner')].length, Object.assign([1], { extra: true }));
console.log(globalThis.notThere, [NaN, -0]);
console.group('group');
console.log('inside\ntwo');
console.group();
console.info('deeper');
console.groupEnd();
console.groupEnd();
console.groupEnd();
console.debug('out');
console.count();
console.count('x');
console.count();
console.countReset();
console.count();
console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 });
console.table([
	{ a: 1, b: 'x' },
	{ a: 2, c: true },
]);
console.table(['p', 'q']);
console.table([{ a: 1, b: 2 }], ['b']);
console.table(5);
console.assert(true, 'never');
console.log();
