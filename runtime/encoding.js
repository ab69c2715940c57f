// SPDX-License-Identifier: BSD-2-Clause
/*
 * TextEncoder and TextDecoder: UTF-8, UTF-16 and windows-1252 (which is what
 * the Encoding standard means by "latin1" and "ascii").
 */
import { INSPECT, idl, toDictionary, viewOf } from './webidl.js';

const LABELS = {
	'utf-8': [
		'unicode-1-1-utf-8',
		'unicode11utf8',
		'unicode20utf8',
		'utf-8',
		'utf8',
		'x-unicode20utf8',
	],
	'utf-16le': [
		'csunicode',
		'iso-10646-ucs-2',
		'ucs-2',
		'unicode',
		'unicodefeff',
		'utf-16',
		'utf-16le',
	],
	'utf-16be': ['unicodefffe', 'utf-16be'],
	'windows-1252': [
		'ansi_x3.4-1968',
		'ascii',
		'cp1252',
		'cp819',
		'csisolatin1',
		'ibm819',
		'iso-8859-1',
		'iso-ir-100',
		'iso8859-1',
		'iso88591',
		'iso_8859-1',
		'iso_8859-1:1987',
		'l1',
		'latin1',
		'us-ascii',
		'windows-1252',
		'x-cp1252',
	],
};

/** windows-1252 from 0x80 to 0x9f. */
const HIGH =
	'\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
	'\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

function encodingOf(label) {
	const wanted = `${label}`.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase();
	for (const name of Object.keys(LABELS)) {
		if (LABELS[name].includes(wanted)) return name;
	}
	throw new RangeError(`TextDecoder: the encoding ${JSON.stringify(`${label}`)} is not supported`);
}

export class TextEncoder {
	/** A value that is the same for all; the call checks the receiver. */
	#always(value) {
		return value;
	}

	get encoding() {
		return this.#always('utf-8');
	}

	encode(input = '') {
		return native.utf8Encode(this.#always(`${input}`));
	}

	encodeInto(source, destination) {
		if (!(destination instanceof Uint8Array)) {
			throw new TypeError('TextEncoder.encodeInto: the destination is not a Uint8Array');
		}
		const text = `${source}`;
		const read = this.#always(fitting(text, destination.length));
		const bytes = native.utf8Encode(text.slice(0, read));
		destination.set(bytes);
		return { read, written: bytes.length };
	}
}

idl(TextEncoder, 'TextEncoder');

/** How many UTF-16 units of `text` fit into `room` bytes of UTF-8. */
function fitting(text, room) {
	let at = 0;
	while (at < text.length) {
		const point = /** @type {number} */ (text.codePointAt(at));
		room -= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
		if (room < 0) break;
		at += point < 0x10000 ? 1 : 2;
	}
	return at;
}

const EMPTY = new Uint8Array(0);

export class TextDecoder {
	#encoding;
	#fatal;
	#ignoreBOM;
	/** Bytes that a streamed call left over. */
	#rest = EMPTY;
	/** Whether the beginning, where a BOM may stand, lies behind us. */
	#begun = false;

	constructor(label = 'utf-8', options = undefined) {
		const { fatal, ignoreBOM } = toDictionary(options, 'TextDecoder: the second argument');
		this.#encoding = encodingOf(label);
		this.#fatal = Boolean(fatal);
		this.#ignoreBOM = Boolean(ignoreBOM);
	}

	get encoding() {
		return this.#encoding;
	}
	get fatal() {
		return this.#fatal;
	}
	get ignoreBOM() {
		return this.#ignoreBOM;
	}

	decode(input = undefined, options = undefined) {
		let bytes = this.#rest;
		const { stream } = toDictionary(options, 'TextDecoder.decode: the second argument');
		if (input !== undefined) {
			const view = viewOf(input);
			if (view === undefined)
				throw new TypeError('TextDecoder.decode: the input is neither a buffer nor a view');
			bytes = bytes.length === 0 ? view : concat(bytes, view);
		}
		this.#rest = EMPTY;
		if (stream) {
			const cut = this.#cut(bytes);
			this.#rest = bytes.slice(cut);
			bytes = bytes.subarray(0, cut);
		}
		const text = this.#decode(bytes);
		if (stream) this.#begun ||= bytes.length > 0;
		else this.#begun = false;
		return text;
	}

	/** Where an unfinished character at the end begins. */
	#cut(bytes) {
		if (this.#encoding === 'utf-8') return unfinishedUtf8(bytes);
		if (this.#encoding === 'windows-1252') return bytes.length;
		const even = bytes.length & ~1;
		const unit = even === 0 ? 0 : this.#unit(bytes, even - 2);
		return unit >= 0xd800 && unit <= 0xdbff ? even - 2 : even;
	}

	#unit(bytes, at) {
		return this.#encoding === 'utf-16le'
			? bytes[at] | (bytes[at + 1] << 8)
			: (bytes[at] << 8) | bytes[at + 1];
	}

	#decode(bytes) {
		const keepBom = this.#ignoreBOM || this.#begun;
		if (this.#encoding === 'windows-1252') {
			return native
				.latin1Decode(bytes)
				.replace(/[\x80-\x9f]/g, (char) => HIGH[char.charCodeAt(0) - 0x80]);
		}
		if (this.#encoding !== 'utf-8') return this.#decodeUtf16(bytes, keepBom);
		const text = native.utf8Decode(bytes, this.#fatal, keepBom);
		if (text === undefined) this.#fail();
		return text;
	}

	#decodeUtf16(bytes, keepBom) {
		let text = '';
		const whole = bytes.length & ~1;
		for (let i = 0; i < whole; i += 2) text += String.fromCharCode(this.#unit(bytes, i));
		if (bytes.length > whole) {
			if (this.#fatal) this.#fail();
			text += '\ufffd';
		}
		if (this.#fatal && !text.isWellFormed()) this.#fail();
		return (keepBom || text[0] !== '\ufeff' ? text : text.slice(1)).toWellFormed();
	}

	#fail() {
		this.#rest = EMPTY;
		this.#begun = false;
		throw new TypeError(`The bytes are not ${this.#encoding}`);
	}

	[INSPECT](depth, options, inspect) {
		const { encoding, fatal, ignoreBOM } = this;
		return `TextDecoder ${inspect({ encoding, fatal, ignoreBOM }, options)}`;
	}
}

idl(TextDecoder, 'TextDecoder');

function concat(first, second) {
	const whole = new Uint8Array(first.length + second.length);
	whole.set(first);
	whole.set(second, first.length);
	return whole;
}

/** The smallest second byte after these first ones, and the largest. */
const SECOND = { 224: [0xa0, 0xbf], 237: [0x80, 0x9f], 240: [0x90, 0xbf], 244: [0x80, 0x8f] };

/** Where a sequence begins that more bytes could still complete. */
function unfinishedUtf8(bytes) {
	const end = bytes.length;
	for (let back = 1; back <= 3 && back <= end; back++) {
		const byte = bytes[end - back];
		if ((byte & 0xc0) === 0x80) continue;
		const length =
			byte >= 0xf0 && byte <= 0xf4
				? 4
				: byte >= 0xe0 && byte < 0xf0
					? 3
					: byte >= 0xc2 && byte < 0xe0
						? 2
						: 1;
		if (length <= back) return end;
		if (back > 1 && byte in SECOND) {
			const second = bytes[end - back + 1];
			if (second < SECOND[byte][0] || second > SECOND[byte][1]) return end;
		}
		return end - back;
	}
	return end;
}
