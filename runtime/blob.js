// SPDX-License-Identifier: BSD-2-Clause
/*
 * Blob and File: bytes in memory, shared by slices.
 */
import { lazy } from './lazy.js';
import { join } from './nativebody.js';
import { INSPECT, idl, needArguments, toDictionary, toUSVString, viewOf } from './webidl.js';

const streams = lazy(() => require('./streams.js'));

const BYTES = Symbol('bytes');

let bytesOf, brandOf;

function clamp(value, size, otherwise) {
	if (value === undefined) return otherwise;
	const number = Math.trunc(Number(value)) || 0;
	return number < 0 ? Math.max(size + number, 0) : Math.min(number, size);
}

function cleanType(value) {
	const type = `${value}`;
	return /[^\x20-\x7e]/.test(type) ? '' : type.toLowerCase();
}

function partBytes(part, endings) {
	if (typeof part === 'object' && part !== null) {
		const view = viewOf(part);
		if (view !== undefined) return view;
		if (isBlob(part)) return bytesOf(part);
	}
	const text = `${part}`;
	return native.utf8Encode(endings === 'native' ? text.replace(/\r\n?|\n/g, '\n') : text);
}

export class Blob {
	#bytes;
	#type = '';

	static {
		bytesOf = (blob) => blob.#bytes;
		brandOf = (value) => #bytes in value;
	}

	constructor(parts = undefined, options = undefined) {
		if (parts === BYTES) {
			[this.#bytes, this.#type] = options;
			return;
		}
		if (
			parts !== undefined &&
			(typeof parts !== 'object' || parts === null || typeof parts[Symbol.iterator] !== 'function')
		) {
			throw new TypeError('Blob: the first argument is not a sequence');
		}
		const { type = '', endings = 'transparent' } = toDictionary(
			options,
			'Blob: the second argument',
		);
		if (endings !== 'transparent' && endings !== 'native') {
			throw new TypeError(`Blob: ${JSON.stringify(endings)} is not a way of line endings`);
		}
		const views = [];
		for (const part of parts ?? []) views.push(partBytes(part, endings));
		this.#bytes = views.length === 1 ? views[0].slice() : join(views);
		this.#type = cleanType(type);
	}

	get size() {
		return this.#bytes.byteLength;
	}
	get type() {
		return this.#type;
	}

	slice(start = undefined, end = undefined, type = '') {
		const { size } = this;
		const from = clamp(start, size, 0);
		const to = Math.max(clamp(end, size, size), from);
		return new Blob(BYTES, [this.#bytes.subarray(from, to), cleanType(type)]);
	}

	stream() {
		return streams().streamOf(this.#bytes);
	}

	async arrayBuffer() {
		return this.#bytes.slice().buffer;
	}
	async bytes() {
		return this.#bytes.slice();
	}
	async text() {
		return native.utf8Decode(this.#bytes, false, false);
	}

	[INSPECT](depth, options, inspect) {
		return `Blob ${inspect({ size: this.size, type: this.type }, options)}`;
	}
}

idl(Blob, 'Blob');

export class File extends Blob {
	#name;
	#lastModified;

	constructor(parts, name, options = undefined) {
		needArguments(arguments.length, 2, 'File');
		super(parts, options);
		this.#name = toUSVString(name);
		const { lastModified } = toDictionary(options, 'File: the third argument');
		this.#lastModified =
			lastModified === undefined ? Date.now() : Math.trunc(Number(lastModified)) || 0;
	}

	/** A value that is the same for all; the call checks the receiver. */
	#always(value) {
		return value;
	}

	get name() {
		return this.#name;
	}
	get lastModified() {
		return this.#lastModified;
	}
	get webkitRelativePath() {
		return this.#always('');
	}

	[INSPECT](depth, options, inspect) {
		const { name, size, type, lastModified } = this;
		return `File ${inspect({ name, size, type, lastModified }, options)}`;
	}
}

idl(File, 'File');

/** @param {unknown} value @returns {value is Blob} */
export function isBlob(value) {
	return typeof value === 'object' && value !== null && brandOf(value);
}

/** The blob's own bytes: not to be changed. @param {Blob} blob @returns {Uint8Array} */
export function blobBytes(blob) {
	return bytesOf(blob);
}

/** A blob that takes the bytes over. @param {Uint8Array} bytes @param {string} type */
export function blobOf(bytes, type) {
	return new Blob(BYTES, [bytes, cleanType(type)]);
}
