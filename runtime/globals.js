// SPDX-License-Identifier: BSD-2-Clause
/*
 * The globals of a worker, each made at its first use.
 */
import { defineGlobal, lazy, setGlobal } from './lazy.js';
import { Request } from './request.js';

const modules = {
	abort: lazy(() => require('./abort.js')),
	base64: lazy(() => require('./base64.js')),
	blob: lazy(() => require('./blob.js')),
	clone: lazy(() => require('./clone.js')),
	console: lazy(() => require('./console.js')),
	crypto: lazy(() => require('./crypto.js')),
	domexception: lazy(() => require('./domexception.js')),
	encoding: lazy(() => require('./encoding.js')),
	errors: lazy(() => require('./errors.js')),
	events: lazy(() => require('./events.js')),
	fetch: lazy(() => require('./fetch.js')),
	headers: lazy(() => require('./headers.js')),
	formdata: lazy(() => require('./formdata.js')),
	performance: lazy(() => require('./performance.js')),
	response: lazy(() => require('./response.js')),
	searchparams: lazy(() => require('./searchparams.js')),
	timers: lazy(() => require('./timers.js')),
	streams: lazy(() => require('./streams.js')),
	url: lazy(() => require('./url.js')),
};

/** Which module has which globals. @type {Record<string, string[]>} */
const exported = {
	abort: ['AbortController', 'AbortSignal'],
	base64: ['atob', 'btoa'],
	blob: ['Blob', 'File'],
	clone: ['structuredClone'],
	console: ['console'],
	crypto: ['Crypto', 'crypto'],
	domexception: ['DOMException'],
	encoding: ['TextDecoder', 'TextEncoder'],
	events: ['CustomEvent', 'Event', 'EventTarget'],
	fetch: ['fetch'],
	formdata: ['FormData'],
	headers: ['Headers'],
	performance: ['Performance', 'performance'],
	response: ['Response'],
	searchparams: ['URLSearchParams'],
	streams: [
		'ByteLengthQueuingStrategy',
		'CountQueuingStrategy',
		'ReadableByteStreamController',
		'ReadableStream',
		'ReadableStreamBYOBReader',
		'ReadableStreamBYOBRequest',
		'ReadableStreamDefaultController',
		'ReadableStreamDefaultReader',
		'TextDecoderStream',
		'TextEncoderStream',
		'TransformStream',
		'TransformStreamDefaultController',
		'WritableStream',
		'WritableStreamDefaultController',
		'WritableStreamDefaultWriter',
	],
	timers: ['clearInterval', 'clearTimeout', 'setInterval', 'setTimeout'],
	url: ['URL'],
};

function queueMicrotask(callback) {
	if (typeof callback !== 'function')
		throw new TypeError('queueMicrotask: the callback is not a function');
	Promise.resolve().then(() => {
		try {
			callback();
		} catch (error) {
			modules.errors().report(error);
		}
	});
}

function reportError(error) {
	modules.errors().report(error);
}

export function installGlobals() {
	const ready = { Request, queueMicrotask, reportError, self: globalThis };
	for (const name of Object.keys(ready)) setGlobal(name, ready[name]);
	for (const module of Object.keys(exported)) {
		for (const name of exported[module]) defineGlobal(name, () => modules[module]()[name]);
	}
}
