// SPDX-License-Identifier: BSD-2-Clause
/*
 * Replies other than a string: bytes, JSON, Response, streams.
 */
import { headersList } from './headers.js';
import { lazy } from './lazy.js';
import { NativeBody } from './nativebody.js';
import { endRequest, requestSlot } from './request.js';
import { isResponse, responseState } from './response.js';
import { viewOf } from './webidl.js';

const blobs = lazy(() => require('./blob.js'));
const errors = lazy(() => require('./errors.js'));
const pumps = lazy(() => require('./pump.js'));

/** A Content-Type alone, see docs/worker.md. */
const TEXT = 0;
const JSON_TYPE = 1;
const BYTES = 2;

/** Headers that say how a body is framed: the gateway's business. */
const FRAMING = new Set(['content-length', 'transfer-encoding']);

const LEVEL_ERROR = 4;
const ALLOWED = 'a reply is a string, bytes, a plain object or array, or a Response';

/**
 * Sends what a handler returned. Throws when that is no reply.
 * @param {number} id
 * @param {import('./request.js').Request} incoming
 * @param {unknown} result
 */
export function reply(id, incoming, result) {
	if (typeof result === 'string') {
		native.respond(id, 200, TEXT, result);
	} else if (typeof result !== 'object' || result === null) {
		throw new TypeError(`The handler returned ${nameOf(result)}; ${ALLOWED}`);
	} else if (isResponse(result)) {
		sendResponse(id, incoming, responseState(result));
		return;
	} else {
		const view = viewOf(result);
		if (view !== undefined) native.respond(id, 200, BYTES, view);
		else native.respond(id, 200, JSON_TYPE, toJson(result));
	}
	endRequest(incoming, true);
}

function nameOf(value) {
	if (value === null || value === undefined) return `${value}`;
	return typeof value === 'bigint' ? 'a BigInt' : `a ${typeof value}`;
}

function toJson(value) {
	let text;
	try {
		text = JSON.stringify(value);
	} catch (error) {
		/* A toJSON that failed says itself where. */
		if (!(error instanceof TypeError) || errors().hasPlace(error)) throw error;
		throw new TypeError(
			`The handler returned what is no JSON (${error.message.replace(/\.$/, '')}); ${ALLOWED}`,
		);
	}
	if (text === undefined) throw new TypeError('The result of toJSON is not a reply');
	checkPlain(value);
	return text;
}

/** Refuses class instances; JSON.stringify has refused cycles before. */
function checkPlain(value) {
	if (typeof value.toJSON === 'function') return;
	if (Array.isArray(value)) {
		for (let i = 0; i < value.length; i++) {
			const item = value[i];
			if (typeof item === 'object' && item !== null) checkPlain(item);
		}
		return;
	}
	const prototype = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== null) {
		const name = prototype.constructor?.name || 'a class';
		throw new TypeError(
			`The handler returned an instance of ${name}, which has no toJSON; ${ALLOWED}`,
		);
	}
	for (const key in value) {
		const item = value[key];
		if (typeof item === 'object' && item !== null) checkPlain(item);
	}
}

function sendResponse(id, incoming, { status, headers, body, type }) {
	if (type === 'error') throw new TypeError('The handler returned Response.error()');
	const list = withoutFraming(headersList(headers));
	if (body === null) {
		native.respond(id, status, list, null);
		endRequest(incoming, true);
		return;
	}
	if (body.unusable)
		throw new TypeError('The handler returned a Response whose body has been used');
	const { source } = body;
	if (typeof source === 'string' || source instanceof Uint8Array) {
		body.take();
		native.respond(id, status, list, source);
		endRequest(incoming, true);
	} else if (source !== null && !(source instanceof NativeBody)) {
		body.take();
		native.respond(id, status, list, blobs().blobBytes(source));
		endRequest(incoming, true);
	} else if (incoming.method === 'HEAD') {
		headOnly(id, incoming, status, list, body);
	} else {
		native.respondStream(id, status, list, announcedLength(headersList(headers)));
		sendPieces(id, incoming, body);
	}
}

function headOnly(id, incoming, status, list, body) {
	native.respondStream(id, status, list, -1);
	native.bodyEnd(id);
	endRequest(incoming, true);
	discardBody(body);
}

/** Nobody will read it. @param {import('./body.js').Body} body */
function discardBody(body) {
	if (body.unusable) return;
	const source = body.take();
	if (source === null) body.stream.cancel().catch(() => {});
	else if (source instanceof NativeBody) source.cancel();
}

/** A result that comes when its request has ended. @param {unknown} result */
export function discard(result) {
	if (typeof result !== 'object' || result === null || !isResponse(result)) return;
	const { body } = responseState(result);
	if (body !== null) discardBody(body);
}

function withoutFraming(list) {
	for (let i = 0; i < list.length; i += 2) {
		if (!FRAMING.has(list[i])) continue;
		const kept = [];
		for (let k = 0; k < list.length; k += 2) {
			if (!FRAMING.has(list[k])) kept.push(list[k], list[k + 1]);
		}
		return kept;
	}
	return list;
}

function announcedLength(list) {
	for (let i = 0; i < list.length; i += 2) {
		if (list[i] === 'content-length' && /^[0-9]{1,15}$/.test(list[i + 1]))
			return Number(list[i + 1]);
	}
	return -1;
}

/**
 * Sends a body piece by piece, reading on only when the client has taken enough. One
 * that lies in C passes without a stream between.
 */
function sendPieces(id, incoming, body) {
	const { looseChunk, Pump, StreamSource } = pumps();
	const slot = requestSlot(incoming);
	const end = () => endRequest(incoming, true);
	const pump = new Pump(body.take() ?? new StreamSource(body.stream, looseChunk), {
		id,
		write: (bytes) => native.bodyWrite(id, bytes),
		end() {
			native.bodyEnd(id);
			end();
		},
		gone: end,
		failed(error) {
			/* An abort has ended the request, and with it its body. */
			if (slot.request !== incoming) return;
			native.log(LEVEL_ERROR, `The body of a reply broke off: ${errors().describe(error)}`);
			native.bodyAbort(id);
			end();
		},
	});
	slot.onDrain = () => pump.drain();
	slot.onAbort = (reason) => pump.stop(reason);
	pump.drain();
}
