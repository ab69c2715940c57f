// SPDX-License-Identifier: BSD-2-Clause
test('parts of an absolute URL', () => {
	const url = new URL('https://user:pw@Host.test:81/p/./q/../r?x=1&y#frag');
	equal(url.href, 'https://user:pw@host.test:81/p/r?x=1&y#frag');
	equal(url.origin, 'https://host.test:81');
	equal(url.protocol, 'https:');
	equal(url.username, 'user');
	equal(url.password, 'pw');
	equal(url.host, 'host.test:81');
	equal(url.hostname, 'host.test');
	equal(url.port, '81');
	equal(url.pathname, '/p/r');
	equal(url.search, '?x=1&y');
	equal(url.hash, '#frag');
	equal(`${url}`, url.href);
	equal(JSON.stringify({ url }), `{"url":${JSON.stringify(url.href)}}`);
});
test('parts that are missing', () => {
	const url = new URL('http://h.test');
	same(
		[url.username, url.password, url.port, url.search, url.hash, url.pathname],
		['', '', '', '', '', '/'],
	);
	const user = new URL('http://u@h.test/');
	same([user.username, user.password, user.host], ['u', '', 'h.test']);
	const password = new URL('http://:p@h.test/');
	same([password.username, password.password], ['', 'p']);
	const opaque = new URL('mailto:a@b.test');
	same(
		[opaque.host, opaque.pathname, opaque.origin, opaque.username],
		['', 'a@b.test', 'null', ''],
	);
	const at = new URL('foo:@bar');
	same([at.pathname, at.host, at.password], ['@bar', '', '']);
	const empty = new URL('http://h.test/?#');
	same([empty.search, empty.hash, empty.href], ['', '', 'http://h.test/?#']);
	equal(new URL('http://h.test/#a?b').search, '');
	equal(new URL('http://h.test/#a?b').hash, '#a?b');
	equal(new URL('web+demo:/.//not-a-host/').pathname, '//not-a-host/');
	equal(new URL('file:///tmp/x').host, '');
});
test('a base, and none', () => {
	equal(new URL('../x?y', 'http://h.test/a/b/c').href, 'http://h.test/a/x?y');
	equal(new URL('//o.test/z', 'https://h.test/').href, 'https://o.test/z');
	equal(new URL('', 'http://h.test/a#f').href, 'http://h.test/a');
	equal(new URL('x', new URL('http://h.test/a/')).href, 'http://h.test/a/x');
	throws(() => new URL('/x'));
	throws(() => new URL('x', 'mailto:x'));
	throws(() => new URL(''));
	throws(() => new URL());
	throws(() => URL('http://h.test'));
	equal(throws(() => new URL('nope')).code, 'ERR_INVALID_URL');
});
test('hosts are normalised', () => {
	for (const [given, host] of [
		['http://2130706433/', '127.0.0.1'],
		['http://0x7f.1/', '127.0.0.1'],
		['http://[::FFFF:127.0.0.1]/', '[::ffff:7f00:1]'],
		['http://EXAMPLE.test./', 'example.test.'],
		['http://ex%41mple.test/', 'example.test'],
		['http://faß.de/', 'xn--fa-hia.de'],
		['http://日本語.test/', 'xn--wgv71a119e.test'],
	])
		equal(new URL(given).hostname, host);
	for (const bad of [
		'http://a b/',
		'http://256.256.256.256/',
		'http://[::1/',
		'http://h:99999/',
		'http://a<b/',
		'http://',
	]) {
		equal(URL.canParse(bad), false);
	}
});
test('canParse and parse', () => {
	ok(URL.canParse('http://h.test/'));
	ok(URL.canParse('x', 'http://h.test/'));
	equal(URL.canParse('x'), false);
	equal(URL.parse('x'), null);
	equal(URL.parse('x', 'http://h.test/').href, 'http://h.test/x');
	ok(URL.parse('http://h.test/') instanceof URL);
});
test('setters', () => {
	const url = new URL('http://h.test/p?q#f');
	url.protocol = 'https';
	url.username = 'ü';
	url.password = 'a:b';
	url.host = 'x.test:8080';
	equal(url.href, 'https://%C3%BC:a%3Ab@x.test:8080/p?q#f');
	url.hostname = 'y.test';
	url.port = '443';
	equal(url.port, '');
	url.port = 'x';
	url.pathname = 'a b';
	url.search = 'k=ü';
	url.hash = '';
	equal(url.href, 'https://%C3%BC:a%3Ab@y.test/a%20b?k=%C3%BC');
	url.username = '';
	url.password = '';
	url.search = '';
	equal(url.href, 'https://y.test/a%20b');
	url.protocol = 'mailto';
	equal(url.protocol, 'https:');
	url.href = 'http://z.test/';
	equal(url.host, 'z.test');
	throws(() => {
		url.href = 'nope';
	});
	equal(url.href, 'http://z.test/');
});
test('searchParams and the URL follow each other', () => {
	const url = new URL('http://h.test/?a=1');
	const params = url.searchParams;
	equal(url.searchParams, params);
	params.append('b', 'x y');
	equal(url.search, '?a=1&b=x+y');
	url.search = '?c=3';
	same([...params], [['c', '3']]);
	params.delete('c');
	equal(url.href, 'http://h.test/');
	url.href = 'http://h.test/?z=9';
	equal(params.get('z'), '9');
	params.set('z', '1');
	params.sort();
	equal(url.search, '?z=1');
	throws(() => {
		url.origin = 'x';
	});
});
test('URLSearchParams: what it is made from', () => {
	same(
		[...new URLSearchParams('?a=1&a=2&b')],
		[
			['a', '1'],
			['a', '2'],
			['b', ''],
		],
	);
	same([...new URLSearchParams('a=b+c%20d%zz')], [['a', 'b c d%zz']]);
	same(
		[...new URLSearchParams({ a: 1, b: true })],
		[
			['a', '1'],
			['b', 'true'],
		],
	);
	same(
		[...new URLSearchParams([['x', 'y'], new Set(['p', 'q'])])],
		[
			['x', 'y'],
			['p', 'q'],
		],
	);
	same([...new URLSearchParams(new URLSearchParams('q=1'))], [['q', '1']]);
	same([...new URLSearchParams(new FormData())], []);
	same([...new URLSearchParams()], []);
	same([...new URLSearchParams(null)], [['null', '']]);
	throws(() => new URLSearchParams([['a']]));
	throws(() => new URLSearchParams([1]));
	same([...new URLSearchParams({ 'a\ud800': 'b', 'a\ufffd': 'c' })], [['a\ufffd', 'c']]);
	same([...new URLSearchParams('%FF=%e2%82')], [['\ufffd', '\ufffd']]);
});
test('case 18: names of Object.prototype are ordinary', () => {
	const params = new URLSearchParams('__proto__[x]=1&__proto__=2&constructor=3');
	equal(params.get('__proto__'), '2');
	equal(params.get('constructor'), '3');
	equal({}.x, undefined);
});
test('URLSearchParams: its methods', () => {
	const params = new URLSearchParams('a=1&b=2&a=3');
	equal(params.size, 3);
	equal(params.get('a'), '1');
	equal(params.get('z'), null);
	same(params.getAll('a'), ['1', '3']);
	ok(params.has('a', '3'));
	equal(params.has('a', '4'), false);
	params.set('a', 'x');
	equal(`${params}`, 'a=x&b=2');
	params.append('é', '✓ & =');
	equal(`${params}`, 'a=x&b=2&%C3%A9=%E2%9C%93+%26+%3D');
	params.append('a', 'y');
	params.delete('a', 'x');
	same(params.getAll('a'), ['y']);
	params.delete('a');
	equal(params.has('a'), false);
	params.sort();
	same([...params.keys()], ['b', 'é']);
	same([...params.values()], ['2', '✓ & =']);
	equal(new URLSearchParams('*-._~ ').toString(), '*-._%7E+=');
	throws(() => params.append('x'));
	throws(() => URLSearchParams.prototype.get.call({}, 'x'));
});
test('sorting is stable and by UTF-16 code units', () => {
	const params = new URLSearchParams('z=b&a=b&z=a&a=a');
	params.sort();
	equal(`${params}`, 'a=b&a=a&z=b&z=a');
	const units = new URLSearchParams('ﬃ&🌈');
	units.sort();
	same([...units.keys()], ['🌈', 'ﬃ']);
});
