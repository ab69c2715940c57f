// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bodies of Request and Response. A body keeps the source that it was made
 * from, and makes a stream of it only when somebody asks for one, so that text() of an
 * upload or a reply from a string never meets the stream machinery.
 */
import { BAD_REQUEST, bodyError, TOO_LARGE } from './bodyerror.js';
import { lazy } from './lazy.js';
import { join, NativeBody } from './nativebody.js';
import { viewOf } from './webidl.js';

const streams = lazy(() => require('./streams.js'));
const blobs = lazy(() => require('./blob.js'));
const forms = lazy(() => require('./formdata.js'));
const multipart = lazy(() => require('./multipart.js'));
const params = lazy(() => require('./searchparams.js'));

export class Body {
	/** @type {any} */
	#stream;
	#used = false;

	/**
	 * @param {string | Uint8Array | import('./blob.js').Blob | NativeBody | null} source null: only the stream
	 * @param {ReadableStream | null} [stream]
	 */
	constructor(source, stream = null) {
		this.source = source;
		this.#stream = stream;
	}

	get stream() {
		return (this.#stream ??= this.#makeStream());
	}

	get used() {
		return this.#used || (this.#stream !== null && streams().isDisturbed(this.#stream));
	}

	get unusable() {
		return this.used || this.#stream?.locked === true;
	}

	#makeStream() {
		const { source } = this;
		const { claim, rememberNative, streamOf } = streams();
		let stream;
		if (source instanceof NativeBody) {
			stream = source.stream();
			rememberNative(stream, source);
		} else {
			stream =
				typeof source === 'string'
					? streamOf(native.utf8Encode(source))
					: source instanceof Uint8Array
						? streamOf(source)
						: source.stream();
		}
		if (this.#used) claim(stream);
		return stream;
	}

	/**
	 * Takes the source for a reader that goes round the stream, or null when
	 * there is only a stream.
	 */
	take() {
		this.#used = true;
		if (this.source !== null && this.#stream !== null) streams().claim(this.#stream);
		return this.source;
	}

	/** @returns {Promise<Uint8Array> | Uint8Array} */
	bytes() {
		const source = this.take();
		if (source === null) return streams().readAll(this.#stream).then(join);
		if (source instanceof NativeBody) return source.collect();
		if (typeof source === 'string') return native.utf8Encode(source);
		return source instanceof Uint8Array ? source : blobs().blobBytes(source);
	}

	/** The content moves to a new body, this one counts as used. */
	pass() {
		const { source } = this;
		if (source === null || this.#stream !== null) {
			const { TransformStream } = streams();
			return new Body(null, this.stream.pipeThrough(new TransformStream()));
		}
		this.#used = true;
		return new Body(source);
	}

	/** A second body with the same content. */
	clone() {
		if (this.unusable) throw new TypeError('The body is used or locked and cannot be cloned');
		if (this.source !== null && !(this.source instanceof NativeBody)) {
			return new Body(this.source);
		}
		const [mine, other] = this.stream.tee();
		this.source = null;
		this.#stream = mine;
		return new Body(null, other);
	}
}

/**
 * What a BodyInit stands for.
 * @param {any} init neither null nor undefined
 * @returns {{body: Body, type: string | null}}
 */
export function extractBody(init) {
	if (typeof init === 'string') {
		return { body: new Body(init), type: 'text/plain;charset=UTF-8' };
	}
	if (typeof init === 'object') {
		const view = viewOf(init);
		if (view !== undefined) return { body: new Body(view.slice()), type: null };
		const found = extractObject(init);
		if (found !== undefined) return found;
	}
	return { body: new Body(`${init}`), type: 'text/plain;charset=UTF-8' };
}

function extractObject(init) {
	if (params().isURLSearchParams(init)) {
		return {
			body: new Body(`${init}`),
			type: 'application/x-www-form-urlencoded;charset=UTF-8',
		};
	}
	if (blobs().isBlob(init)) return { body: new Body(init), type: init.type || null };
	if (forms().isFormData(init)) {
		const { bytes, boundary } = multipart().serialise(init);
		return { body: new Body(bytes), type: `multipart/form-data; boundary=${boundary}` };
	}
	if ('readable' in init && init instanceof streams().TransformStream) {
		return extractObject(init.readable);
	}
	if (typeof init.getReader === 'function' && streams().isReadableStream(init)) {
		if (init.locked || streams().isDisturbed(init)) {
			throw new TypeError('The body is a stream that is used or locked');
		}
		return { body: new Body(streams().nativeBehind(init) ?? null, init), type: null };
	}
	return undefined;
}

const NOTHING = new Uint8Array(0);
const AMPERSAND = 38;

function ready(body) {
	if (body === null) return NOTHING;
	if (body.unusable) throw new TypeError('The body has been used already');
	return body.bytes();
}

/*
 * The readers are async functions, so that what they throw becomes a
 * rejection. `body` is null when there is none.
 */

export async function readText(body) {
	const bytes = await ready(body);
	return native.utf8Decode(bytes, false, false);
}

/** @param {Body | null} body @param {Error} place where user code asked */
export async function readJson(body, place) {
	const text = await readText(body);
	try {
		return JSON.parse(text);
	} catch (error) {
		error.stack = place.stack;
		throw error;
	}
}

export async function readBytes(body) {
	const bytes = await ready(body);
	const shared =
		body === null ||
		body.source instanceof Uint8Array ||
		bytes.byteLength !== bytes.buffer.byteLength;
	return shared ? new Uint8Array(bytes) : bytes;
}

export async function readBuffer(body) {
	return (await readBytes(body)).buffer;
}

/** Is `byte` in `bytes` at least `most` times? */
function hasMore(bytes, byte, most) {
	let at = -1;
	for (let i = 0; i < most; i++) {
		at = bytes.indexOf(byte, at + 1);
		if (at < 0) return false;
	}
	return true;
}

/** @param {Body | null} body @param {string | null} type the Content-Type header */
export async function readBlob(body, type) {
	const bytes = await readBytes(body);
	return blobs().blobOf(bytes, type === null ? '' : type);
}

export async function readFormData(body, type) {
	const kind = (type ?? '').split(';', 1)[0].trim().toLowerCase();
	if (kind === 'multipart/form-data') {
		return multipart().parse(await ready(body), type);
	}
	if (kind === 'application/x-www-form-urlencoded') {
		const { FormData, MOST_FIELDS } = forms();
		const bytes = await ready(body);
		if (hasMore(bytes, AMPERSAND, MOST_FIELDS))
			throw bodyError(TOO_LARGE, `formData(): there are more than ${MOST_FIELDS} fields`);
		const pairs = native.formParse(native.utf8Decode(bytes, false, false));
		const form = new FormData();
		for (let i = 0; i < pairs.length; i += 2) form.append(pairs[i], pairs[i + 1]);
		return form;
	}
	throw bodyError(
		BAD_REQUEST,
		`formData() cannot read a body of type ${JSON.stringify(type ?? '')}`,
	);
}
