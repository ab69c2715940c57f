// SPDX-License-Identifier: BSD-2-Clause
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const bytes = (...list) => new Uint8Array(list);

test('TextEncoder encodes UTF-8', () => {
	const encoder = new TextEncoder();
	equal(encoder.encoding, 'utf-8');
	equal(hex(encoder.encode('aä€😀')), '61c3a4e282acf09f9880');
	equal(encoder.encode().length, 0);
	equal(hex(encoder.encode('\ud800x')), 'efbfbd78');
	equal(hex(encoder.encode('\0')), '00');
	ok(encoder.encode('x') instanceof Uint8Array);
	throws(() => TextEncoder.prototype.encode.call({}, 'x'));
});
test('encodeInto fills whole characters only', () => {
	const encoder = new TextEncoder();
	const target = new Uint8Array(4);
	same(encoder.encodeInto('a€b', target), { read: 2, written: 4 });
	same(encoder.encodeInto('😀x', target), { read: 2, written: 4 });
	same(encoder.encodeInto('ab😀', target), { read: 2, written: 2 });
	same(encoder.encodeInto('', target), { read: 0, written: 0 });
	throws(() => encoder.encodeInto('x', new Uint16Array(2)));
});
test('TextDecoder knows labels', () => {
	for (const [label, name] of [
		['UTF8', 'utf-8'],
		[' utf-8\n', 'utf-8'],
		['latin1', 'windows-1252'],
		['ascii', 'windows-1252'],
		['utf-16', 'utf-16le'],
		['utf-16be', 'utf-16be'],
		['unicode-1-1-utf-8', 'utf-8'],
	]) {
		equal(new TextDecoder(label).encoding, name);
	}
	throws(() => new TextDecoder('x-nothing'), RangeError);
	equal(new TextDecoder().fatal, false);
	equal(new TextDecoder('utf-8', { ignoreBOM: true }).ignoreBOM, true);
});
test('malformed UTF-8 becomes U+FFFD as the standard says', () => {
	const decoder = new TextDecoder();
	for (const [list, text] of [
		[[0xff], '\ufffd'],
		[[0xc0, 0x80], '\ufffd\ufffd'],
		[[0xe2, 0x82], '\ufffd'],
		[[0xe2, 0x82, 0x41], '\ufffdA'],
		[[0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
		[[0xf0, 0x9f, 0x98], '\ufffd'],
		[[0xf4, 0x90, 0x80, 0x80], '\ufffd\ufffd\ufffd\ufffd'],
		[[0x41, 0x80, 0x42], 'A\ufffdB'],
	])
		equal(decoder.decode(bytes(...list)), text);
});
test('fatal decoders throw', () => {
	const decoder = new TextDecoder('utf-8', { fatal: true });
	throws(() => decoder.decode(bytes(0xff)));
	throws(() => decoder.decode(bytes(0xe2, 0x82)));
	equal(decoder.decode(bytes(0xe2, 0x82, 0xac)), '€');
});
test('a byte order mark is dropped once, unless it is to be kept', () => {
	const mark = bytes(0xef, 0xbb, 0xbf, 0x61);
	equal(new TextDecoder().decode(mark), 'a');
	equal(new TextDecoder('utf-8', { ignoreBOM: true }).decode(mark), '\ufeffa');
	const decoder = new TextDecoder();
	equal(decoder.decode(mark, { stream: true }) + decoder.decode(mark), 'a\ufeffa');
	const halves = new TextDecoder();
	equal(
		halves.decode(mark.subarray(0, 2), { stream: true }) + halves.decode(mark.subarray(2)),
		'a',
	);
});
test('streaming joins characters cut anywhere', () => {
	const text = 'aä€😀\u0800\ud7ff\u{10ffff}z';
	const whole = new TextEncoder().encode(text);
	for (let step = 1; step <= 5; step++) {
		const decoder = new TextDecoder('utf-8', { fatal: true });
		let got = '';
		for (let i = 0; i < whole.length; i += step)
			got += decoder.decode(whole.subarray(i, i + step), { stream: true });
		equal(got + decoder.decode(), text);
	}
	const broken = new TextDecoder();
	equal(broken.decode(bytes(0xe2), { stream: true }), '');
	equal(broken.decode(bytes(0x41), { stream: true }), '\ufffdA');
	equal(broken.decode(bytes(0xf0, 0x80), { stream: true }), '\ufffd\ufffd');
	equal(broken.decode(bytes(0xe2, 0x82)), '\ufffd');
	equal(broken.decode(), '');
});
test('UTF-16 and windows-1252', () => {
	equal(new TextDecoder('utf-16le').decode(bytes(0x3d, 0xd8, 0x00, 0xde, 0x61, 0)), '😀a');
	equal(new TextDecoder('utf-16be').decode(bytes(0xd8, 0x3d, 0xde, 0x00)), '😀');
	equal(new TextDecoder('utf-16le').decode(bytes(0xff, 0xfe, 0x61, 0)), 'a');
	equal(new TextDecoder('utf-16le').decode(bytes(0x61)), '\ufffd');
	throws(() => new TextDecoder('utf-16le', { fatal: true }).decode(bytes(0x00, 0xd8)));
	const decoder = new TextDecoder('utf-16le');
	equal(
		decoder.decode(bytes(0x3d, 0xd8, 0x00), { stream: true }) + decoder.decode(bytes(0xde)),
		'😀',
	);
	equal(new TextDecoder('latin1').decode(bytes(0x80, 0xe9, 0x41)), '€éA');
});
test('views and buffers stand for their own bytes', () => {
	const buffer = new TextEncoder().encode('abcdef').buffer;
	const decoder = new TextDecoder();
	equal(decoder.decode(buffer), 'abcdef');
	equal(decoder.decode(new Uint8Array(buffer, 1, 2)), 'bc');
	equal(decoder.decode(new DataView(buffer, 2, 3)), 'cde');
	equal(decoder.decode(new Uint16Array(buffer, 2, 1)), 'cd');
	throws(() => decoder.decode('x'));
	throws(() => decoder.decode([1]));
});
