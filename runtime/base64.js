// SPDX-License-Identifier: BSD-2-Clause
/*
 * atob and btoa.
 */
import { DOMException } from './domexception.js';
import { needArguments } from './webidl.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Uint8Array(128).fill(255);
for (let i = 0; i < 64; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

function invalid(message) {
	return new DOMException(message, 'InvalidCharacterError');
}

export function btoa(data) {
	needArguments(arguments.length, 1, 'btoa');
	const bytes = native.latin1Encode(`${data}`);
	if (bytes === undefined) throw invalid('btoa: a character is above U+00FF');
	let text = '';
	for (let i = 0; i < bytes.length; i += 3) {
		const left = bytes.length - i;
		const bits = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
		text +=
			ALPHABET[bits >> 18] +
			ALPHABET[(bits >> 12) & 63] +
			(left > 1 ? ALPHABET[(bits >> 6) & 63] : '=') +
			(left > 2 ? ALPHABET[bits & 63] : '=');
	}
	return text;
}

export function atob(data) {
	needArguments(arguments.length, 1, 'atob');
	let text = `${data}`.replace(/[\t\n\f\r ]+/g, '');
	if (text.length % 4 === 0) text = text.replace(/={1,2}$/, '');
	if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) {
		throw invalid('atob: the string is not base64');
	}
	const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
	let bits = 0,
		count = 0,
		at = 0;
	for (let i = 0; i < text.length; i++) {
		bits = (bits << 6) | VALUES[text.charCodeAt(i)];
		count += 6;
		if (count < 8) continue;
		count -= 8;
		bytes[at++] = (bits >> count) & 255;
		bits &= (1 << count) - 1;
	}
	return native.latin1Decode(bytes);
}
