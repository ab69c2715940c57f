// SPDX-License-Identifier: BSD-2-Clause
test('btoa', () => {
	for (const [text, code] of [
		['', ''],
		['a', 'YQ=='],
		['ab', 'YWI='],
		['abc', 'YWJj'],
		['\xff\xfe\0', '//4A'],
		[undefined, 'dW5kZWZpbmVk'],
		[12, 'MTI='],
	]) {
		equal(btoa(text), code);
	}
	throws(() => btoa('€'), 'InvalidCharacterError');
	throws(() => btoa());
});
test('atob', () => {
	for (const [code, text] of [
		['', ''],
		['YQ==', 'a'],
		['YQ', 'a'],
		['Y Q\n=\t=', 'a'],
		['YWJj', 'abc'],
		['//4A', '\xff\xfe\0'],
		['ab', 'i'],
	]) {
		equal(atob(code), text);
	}
	for (const bad of ['a', 'abcde', 'ab=', 'a===', '=', 'ab-_', 'abc\xa0', 'ab==c', '====']) {
		throws(() => atob(bad), 'InvalidCharacterError');
	}
	throws(() => atob());
});
test('both ways over all bytes', () => {
	let all = '';
	for (let i = 0; i < 256; i++) all += String.fromCharCode(i);
	for (let i = 0; i < 4; i++) equal(atob(btoa(all.slice(i))), all.slice(i));
});
