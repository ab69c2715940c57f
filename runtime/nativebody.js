// SPDX-License-Identifier: BSD-2-Clause
/*
 * The body of an incoming request, as it lies in C; calls.js makes the body of a
 * reply of it. Taking a chunk gives the sender credit, so nothing is taken
 * before somebody asks for it.
 */
import { lazy } from './lazy.js';

const streams = lazy(() => require('./streams.js'));

export class NativeBody {
	/** @param {number} id */
	constructor(id) {
		this.id = id;
		/** @type {unknown} why nothing can be read any more */
		this.error = undefined;
		/** @type {(() => void) | null} */
		this.waiter = null;
	}

	/** The announced bytes, -1 when they are not known. */
	get length() {
		const text = this.id < 0 ? null : native.requestHeader(this.id, 'content-length');
		return text === null ? -1 : Number(text);
	}

	/**
	 * The next chunk, null at the end, undefined when none is there yet.
	 * @returns {Uint8Array | null | undefined}
	 */
	read() {
		if (this.id < 0) throw this.error;
		return native.bodyRead(this.id);
	}

	/** Calls back once, when read() has news. @param {() => void} callback */
	wait(callback) {
		this.waiter = callback;
	}

	ready() {
		const waiter = this.waiter;
		this.waiter = null;
		if (waiter !== null) waiter();
	}

	/** The request ended: readers see an error. @param {unknown} error */
	end(error) {
		if (this.id < 0) return;
		this.id = -1;
		this.error = error;
		this.ready();
	}

	cancel() {
		if (this.id >= 0) native.bodyCancel(this.id);
	}

	/** The whole body, without streams. @returns {Promise<Uint8Array> | Uint8Array} */
	collect() {
		const chunks = [];
		const more = () => {
			let chunk;
			while ((chunk = this.read()) instanceof Uint8Array) chunks.push(chunk);
			return chunk === undefined;
		};
		if (!more()) return join(chunks);
		return new Promise((resolve, reject) => {
			const step = () => {
				try {
					if (more()) this.wait(step);
					else resolve(join(chunks));
				} catch (error) {
					reject(error);
				}
			};
			this.wait(step);
		});
	}

	/** @returns {ReadableStream<Uint8Array>} */
	stream() {
		const pull = (controller) =>
			new Promise((resolve, reject) => {
				const step = () => {
					try {
						const chunk = this.read();
						if (chunk === undefined) {
							this.wait(step);
							return;
						}
						if (chunk === null) finish(controller);
						else if (chunk.byteLength > 0) controller.enqueue(chunk);
						else {
							step();
							return;
						}
						resolve(undefined);
					} catch (error) {
						reject(error);
					}
				};
				step();
			});
		const { ReadableStream } = streams();
		return new ReadableStream(
			{
				type: 'bytes',
				pull,
				cancel: () => this.cancel(),
			},
			{ highWaterMark: 0 },
		);
	}
}

function finish(controller) {
	const pending = controller.byobRequest;
	controller.close();
	pending?.respond(0);
}

/** @param {Uint8Array[]} chunks */
export function join(chunks) {
	if (chunks.length === 1) return chunks[0];
	let length = 0;
	for (const chunk of chunks) length += chunk.byteLength;
	const whole = new Uint8Array(length);
	let at = 0;
	for (const chunk of chunks) {
		whole.set(chunk, at);
		at += chunk.byteLength;
	}
	return whole;
}
