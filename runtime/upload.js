// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the body of a request is sent from.
 */
import { lazy } from './lazy.js';
import { NativeBody } from './nativebody.js';
import { StreamSource } from './pump.js';

const blobs = lazy(() => require('./blob.js'));

/** What is copied into C at a time. */
const SLICE = 131072;

/** Bytes that can be sent again. */
class ByteSource {
	#at = 0;

	/** @param {Uint8Array} bytes */
	constructor(bytes) {
		this.bytes = bytes;
	}

	read() {
		const at = this.#at;
		if (at >= this.bytes.byteLength) return null;
		this.#at = at + SLICE;
		return this.bytes.subarray(at, this.#at);
	}

	wait() {}
	cancel() {}
}

/**
 * `again` makes a second source for a redirect, when the first is bytes.
 * @param {import('./body.js').Body} body
 * @returns {{length: number, source: import('./pump.js').Source, again: (() => ByteSource) | null}}
 */
export function bodySource(body) {
	const source = body.take();
	if (source === null) {
		return { length: -1, source: new StreamSource(body.stream), again: null };
	}
	if (source instanceof NativeBody) return { length: source.length, source, again: null };
	const bytes =
		typeof source === 'string'
			? native.utf8Encode(source)
			: source instanceof Uint8Array
				? source
				: blobs().blobBytes(source);
	const make = () => new ByteSource(bytes);
	return { length: bytes.byteLength, source: make(), again: make };
}
