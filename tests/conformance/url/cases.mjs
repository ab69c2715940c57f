// SPDX-License-Identifier: BSD-2-Clause
/*
 * Generated inputs for ../url-differential.mjs. A case is a function of its number
 * and the seed alone, so that one that fails can be run by itself.
 */

/** @param {number} seed */
function generator(seed) {
	let state = seed >>> 0;
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return (t ^ (t >>> 14)) >>> 0;
	};
	const below = (n) => next() % n;
	return {
		below,
		chance: (percent) => below(100) < percent,
		pick: (list) => list[below(list.length)],
	};
}

const SCHEMES = [
	'http',
	'http',
	'http',
	'https',
	'https',
	'ws',
	'wss',
	'ftp',
	'file',
	'file',
	'HTTP',
	'hTTps',
	'File',
	'foo',
	'foo',
	'a',
	'data',
	'mailto',
	'javascript',
	'blob',
	'urn',
	'a+b-c.d',
	'about',
	'non-special',
	'wsss',
	'htt',
	'1http',
	'-x',
	'h_ttp',
	'http\t',
	'ht\ntp',
	'ünï',
	'',
	' http',
	'http%3A',
	'filesystem',
];

const LABELS = [
	'example',
	'EXAMPLE',
	'a',
	'www',
	'x-y',
	'-',
	'-a',
	'a-',
	'ab--cd',
	'a_b',
	'0',
	'1',
	'08',
	'0x',
	'0xg',
	'256',
	'4294967296',
	'localhost',
	'LOCALHOST',
	'com',
	'',
	'',
	'%41',
	'%2e',
	'%2E',
	'%00',
	'%7F',
	'%C3%BC',
	'%E2%98%83',
	'%zz',
	'%',
	'%F0%9F%92%A9',
	'%80',
	'%EF%BC%85',
	'a'.repeat(63),
	'b'.repeat(64),
	'%25',
	'xn--',
	'xn--a',
	'xn--a-',
	'xn--ls8h',
	'XN--LS8H',
	'xn--mnchen-3ya',
	'xn--bcher-kva',
	'xn--zn7c',
	'xn--xn---epa',
	'xn--0',
	'xn--1ug',
	'xn--ab-',
	'xn--fa-hia',
	'xn--999999999',
	'xn--u-ccb',
	'xn---',
	'xn--iñvalid',
	'xn--4db',
	'axn--a',
	'xn-a',
	'xn--a-ecp',
	'a!b',
	"o'k",
	'a$b',
	'a&b',
	'a(b)',
	'a*b',
	'a+b',
	'a,b',
	'a;b',
	'a=b',
	'a~b',
	'a`b',
	'a{b}',
	'a"b',
];

const WORDS = [
	'bücher',
	'BÜCHER',
	'faß',
	'straße',
	'STRAẞE',
	'münchen',
	'日本語',
	'中文',
	'かな',
	'한국어',
	'ไทย',
	'ελλάς',
	'ς',
	'Σ',
	'россия',
	'é',
	'e\u0301',
	'\u0301e',
	'ﬀ',
	'℡',
	'ＧＯ',
	'１２３',
	'０ｘ７ｆ',
	'½',
	'☃',
	'💩',
	'👩\u200d💻',
	'\u00ad',
	'a\u00adb',
	'\u200b',
	'\ufeff',
	'\u2060',
	'क\u094d\u200dष',
	'क\u200dष',
	'ن\u200cا',
	'a\u200cb',
	'\u200d',
	'א',
	'אב',
	'אa',
	'aא',
	'א1',
	'1א',
	'אב\u0660',
	'\u0660',
	'\u06f0',
	'ا',
	'با1',
	'ب-',
	'·',
	'l·l',
	'İ',
	'ı',
	'K',
	'Å',
	'\u00a0',
	'\u3000',
	'。',
	'a。b',
	'．',
	'｡',
	'\u2024',
	'\u2025',
	'‥',
	'℀',
	'⑴',
	'㏿',
	'\ufffd',
	'\ue000',
	'\u{10ffff}',
	'\ufdd0',
	'\u2028',
	'\u0085',
	'\u0080',
	'¼',
	'\u0340',
	'\u3002',
	'≠',
	'≮',
	'\u0338',
	'=\u0338',
	'<\u0338',
	'\u{1d7d8}',
	'\u{e0001}',
	'⒈',
	'\u2488com',
	'\u33c2',
	'\u202e',
	'ß',
	'ẞ',
	'\u0131',
	'ﬁ',
	'№',
	'™',
	'\u1e9b\u0323',
];

/* Ranges that Unicode 15 and later versions see alike. */
const RANGES = [
	[0x20, 0x7e],
	[0xa0, 0x17f],
	[0x370, 0x373],
	[0x386, 0x3ce],
	[0x410, 0x44f],
	[0x5d0, 0x5ea],
	[0x620, 0x64a],
	[0x660, 0x669],
	[0x905, 0x939],
	[0x93c, 0x94d],
	[0xe01, 0xe2e],
	[0x3041, 0x3096],
	[0x30a1, 0x30fa],
	[0x4e00, 0x9f00],
	[0xac00, 0xd7a3],
	[0xff01, 0xff5e],
	[0x1f600, 0x1f64f],
	[0x300, 0x341],
	[0x200c, 0x200d],
	[0x2460, 0x249b],
	[0x1d400, 0x1d454],
	[0xfb00, 0xfb06],
];

const ODD = [
	' ',
	'"',
	'#',
	'%',
	'<',
	'>',
	'?',
	'@',
	'[',
	'\\',
	']',
	'^',
	'`',
	'{',
	'|',
	'}',
	':',
	'/',
	';',
	'=',
	'&',
	"'",
	'!',
	'$',
	'~',
	'+',
	',',
	'.',
	'-',
	'_',
	'\t',
	'\n',
	'\r',
	'\0',
	'\x01',
	'\x1f',
	'\x7f',
	'\x80',
	'\xa0',
	'é',
	'\u2028',
	'\ufeff',
	'\ufffd',
	'\ufffe',
	'\ud800',
	'\udc00',
	'\udbff\udfff',
	'\ud83d',
	'💩',
	'%2',
	'%2e',
	'%2E',
	'%2f',
	'%5C',
	'%00',
	'%zz',
	'%u0041',
	'%%',
	'//',
	'..',
	'/../',
	'\\..\\',
	'/./',
	'%2e%2e',
	'C|',
	'c:',
	'@@',
	'::',
	'[::1]',
	'%3A',
	'%40',
];

const SEGMENTS = [
	'',
	'',
	'.',
	'..',
	'..',
	'%2e',
	'%2E',
	'.%2e',
	'%2E.',
	'%2e%2E',
	'...',
	'.%2',
	'%2e%2e%2e',
	'a',
	'b',
	'foo',
	'C:',
	'C|',
	'c|',
	'D:',
	'C%7C',
	'C:x',
	'1:',
	'é',
	'💩',
	' ',
	'a b',
	'%20',
	'index.html',
	'^',
	'|',
	'`',
	'{}',
	'"<>"',
	'[',
	']',
	':',
	'@',
	'%',
	'~',
	"'",
	';p',
	'\ud800',
];

const PORTS = [
	'',
	'0',
	'80',
	'443',
	'21',
	'8080',
	'65535',
	'65536',
	'99999999999',
	'00080',
	'000000000000443',
	'a',
	'8a',
	'-1',
	' 80',
	'8\t0',
	'+80',
	'8080é',
	'%38',
];

function text(r, length) {
	let out = '';
	for (let i = r.below(length + 1); i > 0; i--) {
		if (r.chance(40)) {
			out += r.pick(ODD);
		} else {
			const [low, high] = r.pick(RANGES);
			out += String.fromCodePoint(low + r.below(high - low + 1));
		}
	}
	return out;
}

function ipv4(r) {
	const number = () => {
		const value = r.pick([
			0,
			1,
			7,
			8,
			9,
			10,
			127,
			192,
			255,
			256,
			65535,
			65536,
			16777215,
			16777216,
			2130706433,
			4294967295,
			4294967296,
			r.below(256),
			r.below(65536),
		]);
		return r.pick([
			() => String(value),
			() => `0${value.toString(8)}`,
			() => `0x${value.toString(16)}`,
			() => `0X${value.toString(16).toUpperCase()}`,
			() => `00${value.toString(8)}`,
			() => `0x000${value.toString(16)}`,
			() => '0x',
			() => '08',
			() => '',
			() => `${value}e1`,
			() => String(value),
			() => String(value),
		])();
	};
	const parts = [];
	for (let i = r.pick([1, 1, 2, 3, 4, 4, 4, 5]); i > 0; i--) parts.push(number());
	return parts.join('.') + r.pick(['', '', '', '.', '..', '.x']);
}

function ipv6(r) {
	const piece = () =>
		r.pick([
			'0',
			'0',
			'0',
			'1',
			'ff',
			'FFFF',
			'0000',
			'01',
			'00001',
			'g',
			'',
			'7f00',
			r.below(65536).toString(16),
		]);
	const count = r.pick([8, 8, 8, 1, 2, 3, 5, 6, 7, 9]);
	let out = Array.from({ length: count }, piece).join(':');
	if (r.chance(50)) out = out.replace(/(^|:)[^:]*(:|$)/, '::');
	if (r.chance(20))
		out =
			r.pick(['::', '::1', '1::', '::ffff:', '1:2:3:4:5:6:', '::1:']) +
			r.pick([
				'',
				'1',
				'1.2.3.4',
				'127.0.0.1',
				'01.2.3.4',
				'256.1.1.1',
				'1.2.3',
				'1.2.3.4.5',
				'1..2',
			]);
	return r.pick(['[', '[', '[', '[', '']) + out + r.pick([']', ']', ']', ']', '%25eth0]', '']);
}

function domain(r) {
	const labels = [];
	for (let i = 1 + r.below(3); i > 0; i--) {
		labels.push(
			r.pick([
				() => r.pick(LABELS),
				() => r.pick(LABELS),
				() => r.pick(WORDS),
				() => r.pick(WORDS) + r.pick(WORDS),
				() => r.pick(LABELS) + r.pick(WORDS),
				() => encodeURIComponent(r.pick(WORDS)),
				() => text(r, 4),
			])(),
		);
	}
	return labels.join(r.pick(['.', '.', '.', '。', '%2e']));
}

function host(r) {
	return r.pick([
		() => 'example.com',
		() => 'h',
		() => domain(r),
		() => domain(r),
		() => ipv4(r),
		() => ipv6(r),
		() => '',
		() => 'localhost',
		() => text(r, 5),
		() => r.pick(['C:', 'C|', 'c|']),
	])();
}

function path(r) {
	let out = '';
	for (let i = r.below(6); i > 0; i--)
		out +=
			r.pick(['/', '/', '/', '/', '\\', '//', '']) + (r.chance(85) ? r.pick(SEGMENTS) : text(r, 5));
	return out;
}

function tail(r) {
	return (r.chance(30) ? `?${text(r, 6)}` : '') + (r.chance(30) ? `#${text(r, 6)}` : '');
}

function credentials(r) {
	if (r.chance(75)) return '';
	return (
		r.pick(['', 'u', 'us er', ':', 'é', text(r, 3)]) +
		r.pick(['', ':', ':p', ':p:q', '@x', `:${text(r, 3)}`]) +
		'@'
	);
}

function whole(r) {
	const authority = r.chance(70)
		? r.pick(['//', '//', '//', '//', '/', '///', '\\\\', '/\\', '']) +
			credentials(r) +
			host(r) +
			(r.chance(25) ? `:${r.pick(PORTS)}` : '')
		: '';
	return `${r.pick(SCHEMES)}:${authority}${path(r)}${tail(r)}`;
}

function relative(r) {
	return (
		r.pick([
			'',
			'',
			'/',
			'//',
			'\\',
			'/\\',
			'?',
			'#',
			'.',
			'..',
			'C|/',
			'/C:/',
			':',
			'@',
			host(r),
			`//${host(r)}`,
		]) +
		path(r) +
		tail(r)
	);
}

function mutate(r, input) {
	for (let i = r.below(3); i > 0; i--) {
		const at = r.below(input.length + 1);
		input = r.pick([
			() => input.slice(0, at) + r.pick(ODD) + input.slice(at),
			() => input.slice(0, at) + input.slice(at + 1),
			() => input.slice(0, at) + r.pick(['\t', '\n', '\r', ' ']) + input.slice(at),
			() => input + r.pick([' ', '\x1f', '\t', '\0', '#', '?', ' #', ' ?']),
			() => r.pick([' ', '\x01', '\n', '\u00a0', '\ufeff']) + input,
			() => input.slice(at) + input.slice(0, at),
		])();
	}
	return input;
}

const BASES = [
	'http://example.org/foo/bar',
	'http://u:p@h:81/a/b?q#f',
	'https://h',
	'file:///C:/d/e',
	'file:///x/y',
	'file://srv/C:/z',
	'file:///C:',
	'file:',
	'foo://h/p/q',
	'foo:/p/q',
	'foo:/.//p',
	'foo:opaque?q',
	'about:blank',
	'mailto:a@b',
	'foo://',
	'foo:',
	'ws://h/x/',
	'data:text/plain,x',
	'foo:///a/b',
	'http://[::1]:1/?',
	'non:/..//p/',
	'blob:https://h:9/x',
	'sc:/a/../..//b?',
	'http://1.2.3.4/#',
];

function value(r, part) {
	return r.pick([
		() => '',
		() => text(r, 5),
		() =>
			mutate(
				r,
				[
					() => whole(r),
					() => `${r.pick(SCHEMES)}${r.pick(['', ':', ':x', '://'])}`,
					() => r.pick(['u', 'a b', 'é:@', text(r, 3)]),
					() => r.pick(['p', ':/', '%3a', text(r, 3)]),
					() => host(r) + (r.chance(40) ? `:${r.pick(PORTS)}` : '') + path(r),
					() => host(r),
					() => r.pick(PORTS) + r.pick(['', '', '/x', '?', '\t', 'x']),
					() => path(r) + (r.chance(20) ? tail(r) : ''),
					() => r.pick(['?', '', '??']) + text(r, 5),
					() => r.pick(['#', '', '##']) + text(r, 5),
				][part](),
			),
		() => r.pick([path(r), host(r), r.pick(PORTS), r.pick(SCHEMES)]),
	])();
}

function form(r) {
	let out = '';
	for (let i = r.below(8); i > 0; i--)
		out += r.pick([
			'&',
			'=',
			'+',
			' ',
			'%',
			'%20',
			'%2B',
			'%26',
			'%3d',
			'%ff',
			'%C3',
			'%A9',
			'é',
			'a',
			'b=1',
			'&&',
			'%EF%BB%BF',
			'\ufeff',
			'__proto__',
			text(r, 3),
		]);
	return out;
}

/**
 * @param {number} seed
 * @param {number} number
 * @returns {{kind: 'url', input: string, base?: string, sets: [number, string][]} | {kind: 'form', input: string}}
 */
export function makeCase(seed, number) {
	const r = generator(Math.imul(seed, 0x9e3779b1) + number);

	r.below(1);
	if (r.chance(5)) return { kind: 'form', input: form(r) };
	const made = {
		kind: /** @type {const} */ ('url'),
		input: '',
		sets: /** @type {[number, string][]} */ ([]),
	};
	if (r.chance(40)) {
		made.base = r.chance(75) ? r.pick(BASES) : whole(r);
		made.input = mutate(r, r.chance(75) ? relative(r) : whole(r));
	} else {
		made.input = r.chance(35) ? r.pick(BASES) : mutate(r, whole(r));
	}
	for (let i = r.chance(55) ? 1 + r.below(4) : 0; i > 0; i--) {
		const part = r.below(10);
		made.sets.push([part, value(r, part)]);
	}
	return made;
}
