// SPDX-License-Identifier: BSD-2-Clause
/*
 * The body of a request on its way out: from its source into the window of a
 * call, no further than the egress takes it.
 */
import { lazy } from './lazy.js';
import { NativeBody } from './nativebody.js';

const blobs = lazy(() => require('./blob.js'));
const streams = lazy(() => require('./streams.js'));

/** What is copied into C at a time. */
const SLICE = 131072;

/**
 * @typedef {object} Source
 * @property {() => Uint8Array | null | undefined} read see NativeBody
 * @property {(callback: () => void) => void} wait
 * @property {(reason?: unknown) => void} cancel
 */

/** Bytes that can be sent again. @implements {Source} */
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

/** A stream of somebody's. @implements {Source} */
class StreamSource {
	#reader;
	/** @type {{done: boolean, value: any} | null} */
	#result = null;
	#failed = false;
	#error;
	#reading = false;
	/** @type {(() => void) | null} */
	#waiter = null;

	constructor(stream) {
		this.#reader = stream.getReader();
	}

	read() {
		if (this.#failed) throw this.#error;
		const result = this.#result;
		if (result === null) {
			if (!this.#reading) this.#ask();
			return undefined;
		}
		this.#result = null;
		if (result.done) return null;
		const chunk = streams().chunkView(result.value);
		if (chunk === undefined) {
			const error = new TypeError('A body stream gave a chunk that is not bytes');
			this.cancel(error);
			throw error;
		}
		return chunk;
	}

	#ask() {
		this.#reading = true;
		this.#reader.read().then(
			(result) => {
				this.#result = result;
				this.#answered();
			},
			(error) => {
				this.#failed = true;
				this.#error = error;
				this.#answered();
			},
		);
	}

	#answered() {
		const waiter = this.#waiter;
		this.#reading = false;
		this.#waiter = null;
		waiter?.();
	}

	wait(callback) {
		this.#waiter = callback;
	}

	cancel(reason) {
		this.#reader.cancel(reason).catch(() => {});
	}
}

/** One body on one call. */
export class Upload {
	#call;
	#source;
	#onError;
	#over = false;
	#step = () => this.#pump();

	/**
	 * @param {import('./calls.js').Call} call
	 * @param {Source} source
	 * @param {(error: unknown) => void} onError the source broke off
	 */
	constructor(call, source, onError) {
		this.#call = call;
		this.#source = source;
		this.#onError = onError;
	}

	/** The window is open: at the beginning, and again after it was full. */
	drain() {
		this.#pump();
	}

	#pump() {
		try {
			while (!this.#over) {
				const chunk = this.#source.read();
				if (chunk === undefined) {
					this.#source.wait(this.#step);
					return;
				}
				if (chunk === null) {
					this.#over = true;
					this.#call.end();
				} else if (chunk.byteLength > 0) {
					const room = this.#call.write(chunk);
					if (room === 0) return;
					if (room < 0) this.stop(undefined);
				}
			}
		} catch (error) {
			if (this.#over) return;
			this.#over = true;
			this.#onError(error);
		}
	}

	/** The call is over. @param {unknown} reason */
	stop(reason) {
		if (this.#over) return;
		this.#over = true;
		this.#source.cancel(reason);
	}
}

/**
 * What a body can be sent from. `again` makes a second source of it for a
 * redirect, when the first is bytes.
 * @param {import('./body.js').Body} body
 * @returns {{length: number, source: Source, again: (() => Source) | null}}
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
