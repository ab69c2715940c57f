// SPDX-License-Identifier: BSD-2-Clause
/*
 * Streams: the WHATWG reference implementation as npm packages it, evaluated
 * at the first use, and the few things about a stream that its public face
 * does not tell.
 */
import * as ponyfill from 'web-streams-polyfill';
import { lazy } from './lazy.js';
import { viewOf } from './webidl.js';

export const {
	ReadableStream,
	ReadableStreamDefaultController,
	ReadableByteStreamController,
	ReadableStreamBYOBRequest,
	ReadableStreamDefaultReader,
	ReadableStreamBYOBReader,
	WritableStream,
	WritableStreamDefaultController,
	WritableStreamDefaultWriter,
	ByteLengthQueuingStrategy,
	CountQueuingStrategy,
	TransformStream,
	TransformStreamDefaultController,
} = /** @type {any} */ (ponyfill);

const encoding = lazy(() => require('./encoding.js'));

/** Native bodies behind streams that nobody has read from. */
const natives = new WeakMap();

/** @param {unknown} value @returns {value is ReadableStream} */
export function isReadableStream(value) {
	return value instanceof ReadableStream;
}

/** Whether the stream was ever read or cancelled. */
export function isDisturbed(stream) {
	return stream._disturbed === true;
}

/** Takes the stream out of the user's hands: its source is read directly. */
export function claim(stream) {
	stream._disturbed = true;
	if (!stream.locked) stream.getReader();
}

export function rememberNative(stream, body) {
	natives.set(stream, body);
}

/** @returns {import('./nativebody.js').NativeBody | undefined} */
export function nativeBehind(stream) {
	return natives.get(stream);
}

/** A stream of one chunk. @param {Uint8Array} bytes */
export function streamOf(bytes) {
	return new ReadableStream(
		{
			type: 'bytes',
			pull(controller) {
				if (bytes.byteLength > 0) controller.enqueue(bytes.slice());
				const pending = controller.byobRequest;
				controller.close();
				pending?.respond(0);
			},
		},
		{ highWaterMark: 0 },
	);
}

/**
 * Reads a body's stream to its end.
 * @param {ReadableStream} stream
 * @returns {Promise<Uint8Array[]>}
 */
export async function readAll(stream) {
	const reader = stream.getReader();
	const chunks = [];
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return chunks;
		const view = chunkView(value);
		if (view === undefined) {
			const error = new TypeError('A body stream gave a chunk that is not bytes');
			reader.cancel(error).catch(() => {});
			throw error;
		}
		chunks.push(view.slice());
	}
}

/** The bytes of a body chunk: a view stands for itself, not for its buffer. */
export function chunkView(value) {
	return ArrayBuffer.isView(value) ? viewOf(value) : undefined;
}

/** TextEncoderStream and TextDecoderStream: a codec round a TransformStream. */
class CodecStream {
	#transform;

	constructor(transformer) {
		this.#transform = new TransformStream(transformer);
	}

	get readable() {
		return this.#transform.readable;
	}
	get writable() {
		return this.#transform.writable;
	}
}

export class TextEncoderStream extends CodecStream {
	constructor() {
		let high = '';
		const encoder = new (encoding().TextEncoder)();
		super({
			transform(chunk, controller) {
				let text = `${high}${chunk}`;
				high = '';
				const last = text.charCodeAt(text.length - 1);
				if (last >= 0xd800 && last <= 0xdbff) {
					high = text[text.length - 1];
					text = text.slice(0, -1);
				}
				if (text !== '') controller.enqueue(encoder.encode(text));
			},
			flush(controller) {
				if (high !== '') controller.enqueue(encoder.encode(high));
			},
		});
	}

	get encoding() {
		return 'utf-8';
	}
}

export class TextDecoderStream extends CodecStream {
	#decoder;

	constructor(label = 'utf-8', options = undefined) {
		const decoder = new (encoding().TextDecoder)(label, options);
		super({
			transform(chunk, controller) {
				const text = decoder.decode(chunk, { stream: true });
				if (text !== '') controller.enqueue(text);
			},
			flush(controller) {
				const text = decoder.decode();
				if (text !== '') controller.enqueue(text);
			},
		});
		this.#decoder = decoder;
	}

	get encoding() {
		return this.#decoder.encoding;
	}
	get fatal() {
		return this.#decoder.fatal;
	}
	get ignoreBOM() {
		return this.#decoder.ignoreBOM;
	}
}

for (const [name, Class] of Object.entries({ TextEncoderStream, TextDecoderStream })) {
	Object.defineProperty(Class, 'name', { value: name, configurable: true });
	Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
}
