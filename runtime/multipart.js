// SPDX-License-Identifier: BSD-2-Clause
/*
 * multipart/form-data, both ways (RFC 7578, and the Fetch standard's parser).
 * The number of parts and the size of a part's head are bounded, so that a body
 * of tiny parts cannot cost more than its size suggests.
 */
import { blobBytes, File } from './blob.js';
import { BAD_REQUEST, bodyError, TOO_LARGE } from './bodyerror.js';
import { FormData, formEntries, MOST_FIELDS } from './formdata.js';
import { join } from './nativebody.js';

const LONGEST_HEAD = 16384;
const CR = 13,
	LF = 10,
	DASH = 45;

function escapeName(name) {
	return name.replace(/\r\n?|\n/g, '%0D%0A').replace(/"/g, '%22');
}

function escapeFile(name) {
	return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}

function randomBoundary() {
	const bytes = new Uint8Array(16);
	native.random(bytes);
	return `----SelkieFormBoundary${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** @param {FormData} form @returns {{bytes: Uint8Array, boundary: string}} */
export function serialise(form) {
	const boundary = randomBoundary();
	const pieces = [];
	const text = (string) => pieces.push(native.utf8Encode(string));
	for (const [name, value] of formEntries(form)) {
		const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
		if (typeof value === 'string') {
			text(`${head}\r\n\r\n${value.replace(/\r\n?|\n/g, '\r\n')}\r\n`);
		} else {
			text(
				`${head}; filename="${escapeFile(value.name)}"\r\nContent-Type: ${value.type || 'application/octet-stream'}\r\n\r\n`,
			);
			pieces.push(blobBytes(value));
			text('\r\n');
		}
	}
	text(`--${boundary}--\r\n`);
	return { bytes: join(pieces), boundary };
}

function boundaryOf(type) {
	const found = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(type);
	const boundary = found?.[1] ?? found?.[2] ?? '';
	if (boundary === '' || boundary.length > 70) {
		throw malformed('the Content-Type has no usable boundary');
	}
	return boundary;
}

function malformed(what) {
	return bodyError(BAD_REQUEST, `formData(): ${what}`);
}

function unescapeName(name) {
	return name.replace(/%0A/gi, '\n').replace(/%0D/gi, '\r').replace(/%22/g, '"');
}

function parseHead(text) {
	const head = { name: undefined, filename: undefined, type: 'text/plain' };
	for (const line of text.split('\r\n')) {
		const colon = line.indexOf(':');
		if (colon < 0) throw malformed('a part has a malformed header');
		const key = line.slice(0, colon).trim().toLowerCase(),
			value = line.slice(colon + 1).trim();
		if (key === 'content-type') head.type = value;
		if (key !== 'content-disposition') continue;
		if (!/^form-data\s*(;|$)/i.test(value)) throw malformed('a part is not form-data');
		for (const [, word, quoted, plain] of value.matchAll(
			/;\s*(name|filename)=(?:"((?:\\.|[^"\\])*)"|([^\s;"]+))/gi,
		)) {
			head[word.toLowerCase()] = unescapeName(
				quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1'),
			);
		}
	}
	if (head.name === undefined) throw malformed('a part has no name');
	return head;
}

/** A file name is a name: a path that some clients send is cut off. */
function baseName(name) {
	return name
		.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
		.replace(/[\0\r\n]/g, '');
}

/**
 * @param {Uint8Array} bytes
 * @param {string} type the Content-Type header
 */
export function parse(bytes, type) {
	const delimiter = native.utf8Encode(`\r\n--${boundaryOf(type)}`);
	const blank = new Uint8Array([CR, LF, CR, LF]);
	const form = new FormData();
	const opening = delimiter.subarray(2);
	let at = native.bytesFind(bytes, opening, 0);
	if (at !== 0 && !(at >= 2 && bytes[at - 2] === CR && bytes[at - 1] === LF)) {
		throw malformed('the body does not begin with its boundary');
	}
	at += opening.length;
	for (let parts = 0; ; parts++) {
		if (bytes[at] === DASH && bytes[at + 1] === DASH) return form;
		if (bytes[at] !== CR || bytes[at + 1] !== LF) throw malformed('a boundary line is malformed');
		if (parts >= MOST_FIELDS)
			throw bodyError(TOO_LARGE, `formData(): there are more than ${MOST_FIELDS} parts`);
		at += 2;
		const headEnd = native.bytesFind(bytes.subarray(0, at + LONGEST_HEAD), blank, at);
		if (headEnd < 0) throw malformed("a part's head does not end");
		const end = native.bytesFind(bytes, delimiter, headEnd + 2);
		if (end < 0) throw malformed('the body ends inside a part');
		const head = parseHead(native.utf8Decode(bytes.subarray(at, headEnd), false, true));
		const content = bytes.subarray(Math.min(headEnd + 4, end), end);
		if (head.filename === undefined)
			form.append(head.name, native.utf8Decode(content, false, true));
		else form.append(head.name, new File([content], baseName(head.filename), { type: head.type }));
		at = end + delimiter.length;
	}
}
