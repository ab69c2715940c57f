// SPDX-License-Identifier: BSD-2-Clause
test('takes a record, pairs, another Headers and nothing', () => {
	same(new Headers(), []);
	same(new Headers({ B: '1', a: '2' }), [
		['a', '2'],
		['b', '1'],
	]);
	same(
		new Headers([
			['x', '1'],
			['x', '2'],
		]),
		[['x', '1, 2']],
	);
	same(new Headers(new Headers({ q: 'r' })), [['q', 'r']]);
	same(new Headers(undefined), []);
	same(new Headers(new Map([['m', '1']])), [['m', '1']]);
});
test('refuses what is no initialiser', () => {
	throws(() => new Headers(null));
	throws(() => new Headers('a: b'));
	throws(() => new Headers([['a']]));
	throws(() => new Headers([['a', 'b', 'c']]));
	throws(() => new Headers(['ab', 'c']));
	throws(() => new Headers({ [Symbol('s')]: '1' }));
	throws(() => Headers());
});
test('a name is a token', () => {
	for (const bad of ['', 'a b', 'a:b', 'a\n', 'ä', 'a\0', '(x)', 'a\u0100']) {
		throws(() => new Headers({ [bad]: '1' }));
		throws(() => new Headers().get(bad));
	}
	equal(new Headers({ "!#$%&'*+-.^_`|~09azAZ": '1' }).get("!#$%&'*+-.^_`|~09AZaz"), '1');
});
test('case 8: a value with CR, LF or NUL is a TypeError', () => {
	for (const bad of ['a\rb', 'a\nb', 'a\0b', 'x\r\nset-cookie: a', '\u0100', '€', '\ud800']) {
		throws(() => new Headers({ x: bad }));
		throws(() => new Headers().set('x', bad));
		throws(() => new Headers().append('x', bad));
	}
});
test('a value is trimmed and may be any Latin-1', () => {
	const headers = new Headers();
	headers.set('x', ' \t\r\na b\r\n\t ');
	equal(headers.get('x'), 'a b');
	headers.set('y', 'é\xff\x01');
	equal(headers.get('y'), 'é\xff\x01');
	headers.set('z', '');
	equal(headers.get('z'), '');
	headers.set('n', null);
	equal(headers.get('n'), 'null');
});
test('append, set, delete, has and get', () => {
	const headers = new Headers({ a: '1' });
	headers.append('A', '2');
	equal(headers.get('a'), '1, 2');
	headers.set('a', '3');
	equal(headers.get('A'), '3');
	headers.append('b', 'a');
	headers.append('b', 'b');
	headers.set('B', 'c');
	same(headers, [
		['a', '3'],
		['b', 'c'],
	]);
	ok(headers.has('B'));
	headers.delete('B');
	equal(headers.has('b'), false);
	equal(headers.get('b'), null);
	headers.delete('never');
	for (const name of ['get', 'has', 'delete']) throws(() => headers[name]());
	for (const name of ['set', 'append']) throws(() => headers[name]('x'));
});
test('set looks at names, not at values', () => {
	const headers = new Headers([
		['a', 'b'],
		['b', 'b'],
		['c', 'b'],
		['b', '2'],
	]);
	headers.set('b', 'x');
	same(headers, [
		['a', 'b'],
		['b', 'x'],
		['c', 'b'],
	]);
});
test('case 10: Set-Cookie is never combined in iteration', () => {
	const headers = new Headers([
		['set-cookie', 'a=1'],
		['x', 'y'],
		['Set-Cookie', 'b=2'],
	]);
	same(headers.getSetCookie(), ['a=1', 'b=2']);
	same(
		[...headers],
		[
			['set-cookie', 'a=1'],
			['set-cookie', 'b=2'],
			['x', 'y'],
		],
	);
	equal(headers.get('set-cookie'), 'a=1, b=2');
	same(new Headers().getSetCookie(), []);
	same([...new Headers(headers)], [...headers]);
});
test('iterates sorted, live, by four ways', () => {
	const headers = new Headers({ b: '1', a: '2' });
	same([...headers.keys()], ['a', 'b']);
	same([...headers.values()], ['2', '1']);
	same(
		[...headers.entries()],
		[
			['a', '2'],
			['b', '1'],
		],
	);
	const seen = [];
	headers.forEach(
		function (value, name, self) {
			seen.push([this.t, value, name, self === headers]);
		},
		{ t: 1 },
	);
	same(seen, [
		[1, '2', 'a', true],
		[1, '1', 'b', true],
	]);
	const iterator = headers.keys();
	equal(iterator.next().value, 'a');
	headers.append('c', '3');
	same([...iterator], ['b', 'c']);
	equal(Headers.prototype[Symbol.iterator], Headers.prototype.entries);
	equal(Object.prototype.toString.call(headers.keys()), '[object Headers Iterator]');
	throws(() => headers.forEach('x'));
});
test('brand checks', () => {
	throws(() => Headers.prototype.get.call({}, 'a'));
	throws(() => Headers.prototype.keys.call(new Map()));
	throws(() => Headers.prototype.append.call({}, 'a', 'b'));
});
