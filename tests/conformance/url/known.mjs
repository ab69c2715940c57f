// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where lib/url and the oracle are known to differ, and why. Each entry's own
 * example must differ in just this way; `covers` tells generated cases that
 * differ for the same reason and nothing else.
 */

const url = (input) => ({ kind: 'url', input, sets: [] });

/* An href whose credentials are cut out. */
const bare = (fields) => fields.map((field) => String(field).replace(/\/\/[^/?#]*@/, '//'));

/** Credentials, in one of the texts that were parsed, beyond the BMP. */
function hasAstralCredentials(test) {
	const parsed = [
		test.input,
		test.base ?? '',
		...test.sets.filter(([part]) => part === 0).map(([, value]) => value),
	];
	return parsed.some((text) => /[\u{10000}-\u{10ffff}].*@/su.test(text));
}

const PARTS = 11;

/** Same but for user name and password (the third and fourth of the parts). */
function differsInCredentials(ours, theirs) {
	const left = bare(ours);
	const right = bare(theirs);
	return (
		left.length === right.length &&
		left.every((field, i) => field === right[i] || i % PARTS === 2 || i % PARTS === 3)
	);
}

export const KNOWN = [
	{
		reason:
			'whatwg-url 14 steps through credentials by UTF-16 units but counts code points: a character beyond ' +
			'the BMP is followed by U+FFFD and the end is lost (fixed in later versions, which need Node 22)',
		test: url('http://\u{1f4a9}ab@h/'),
		ours: 'http://%F0%9F%92%A9ab@h/',
		oracle: 'http://%F0%9F%92%A9%EF%BF%BDa@h/',
		covers: (test, ours, theirs) =>
			hasAstralCredentials(test) && differsInCredentials(ours, theirs),
	},
	{
		reason:
			'U+180E is ignored since Unicode 16 (the oracle); ICU 72 has Unicode 15, where it is disallowed',
		test: url('http://a\u180eb/'),
		ours: 'failure',
		oracle: 'http://ab/',
	},
	{
		reason: 'U+17B4 is ignored since Unicode 16; disallowed in Unicode 15',
		test: url('http://a\u17b4b/'),
		ours: 'failure',
		oracle: 'http://ab/',
	},
	{
		reason: 'Hangul fillers are ignored since Unicode 16; disallowed in Unicode 15',
		test: url('http://a\u3164b/'),
		ours: 'failure',
		oracle: 'http://ab/',
	},
	{
		reason: 'U+1806 is valid since Unicode 16; disallowed in Unicode 15',
		test: url('http://a\u1806b/'),
		ours: 'failure',
		oracle: 'http://xn--ab-h0o/',
	},
	{
		reason:
			'capital letters that were given their lower case late (U+10A0 and others) are mapped since Unicode 16; ' +
			'disallowed in Unicode 15',
		test: url('http://\u10a0/'),
		ours: 'failure',
		oracle: 'http://xn--rkj/',
	},
	{
		reason:
			'ICU refuses to encode labels of more than 1000 UTF-16 units, whose cost grows with their square',
		test: url(`http://${'\u00e9'.repeat(1001)}/`),
		ours: 'failure',
		oracle: `http://xn--9ca${'a'.repeat(1000)}/`,
	},
];
