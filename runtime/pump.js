// SPDX-License-Identifier: BSD-2-Clause
/*
 * From a body into a window of C, no further than the other side takes it: the
 * reply to a request, and the body of a call out.
 */
import { viewOf } from './webidl.js';

/** What the standard takes. @param {unknown} value */
function bytesChunk(value) {
	const chunk = ArrayBuffer.isView(value) ? viewOf(value) : undefined;
	if (chunk === undefined) throw new TypeError('A body stream gave a chunk that is not bytes');
	return chunk;
}

/** For replies: strings and ArrayBuffers too, as Osgood did. @param {unknown} value */
export function looseChunk(value) {
	if (typeof value === 'string') return native.utf8Encode(value);
	const chunk = viewOf(value);
	if (chunk === undefined) {
		throw new TypeError('A body stream gave a chunk that is neither bytes nor a string');
	}
	return chunk;
}

/**
 * @typedef {object} Source a NativeBody, or something like it
 * @property {() => Uint8Array | null | undefined} read null: the end; undefined: wait
 * @property {(callback: () => void) => void} wait
 * @property {(reason?: unknown) => void} cancel
 * @property {(id: number) => void} [passTo] what is left may go to that request without us:
 *   wait() calls back at the end then
 *
 * @typedef {object} Sink
 * @property {(bytes: Uint8Array) => number} write the free window, 0: drain() will come, -1: gone
 * @property {() => void} end
 * @property {() => void} gone
 * @property {(error: unknown) => void} failed the source broke off
 * @property {number} [id] the request that it is the reply to
 */

/** A stream of somebody's. */
export class StreamSource {
	#reader;
	#toChunk;
	/** @type {{done: boolean, value: any} | null} */
	#result = null;
	#failed = false;
	#error;
	#reading = false;
	/** @type {(() => void) | null} */
	#waiter = null;

	/** @param {ReadableStream} stream @param {(value: unknown) => Uint8Array} [toChunk] */
	constructor(stream, toChunk = bytesChunk) {
		this.#toChunk = toChunk;
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
		return this.#toChunk(result.value);
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

export class Pump {
	#source;
	#sink;
	#over = false;
	#step = () => this.drain();

	/** @param {Source} source @param {Sink} sink */
	constructor(source, sink) {
		this.#source = source;
		this.#sink = sink;
	}

	/** The window is open: at the beginning, and again after it was full. */
	drain() {
		try {
			while (!this.#over) {
				const chunk = this.#source.read();
				if (chunk === undefined) {
					this.#source.wait(this.#step);
					if (this.#sink.id !== undefined) this.#source.passTo?.(this.#sink.id);
					return;
				}
				if (chunk === null) {
					this.#over = true;
					this.#sink.end();
				} else if (chunk.byteLength > 0) {
					const room = this.#sink.write(chunk);
					if (room === 0) return;
					if (room < 0) this.#gone();
				}
			}
		} catch (error) {
			if (this.#over) return;
			this.stop(error);
			this.#sink.failed(error);
		}
	}

	#gone() {
		this.stop(undefined);
		this.#sink.gone();
	}

	/** Nobody takes it any more. @param {unknown} reason */
	stop(reason) {
		if (this.#over) return;
		this.#over = true;
		this.#source.cancel(reason);
	}
}
