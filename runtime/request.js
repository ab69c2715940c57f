// SPDX-License-Identifier: BSD-2-Clause
/*
 * Request. One that came in holds the number under which C knows it, and
 * fetches what is read; one that a handler makes holds everything itself.
 */
import { lazy } from './lazy.js';
import { NativeBody } from './nativebody.js';
import { releaseSlot, takeSlot } from './slots.js';
import { INSPECT, idl, needArguments, toDictionary } from './webidl.js';

const bodies = lazy(() => require('./body.js'));
const abort = lazy(() => require('./abort.js'));
const inits = lazy(() => require('./requestinit.js'));
const headers = lazy(() => require('./headers.js'));

const NATIVE = Symbol('native');
const CONSTRUCTED = -1;
const ENDED = -2;

/** What the attributes say that mean nothing to a server. */
const DEFAULTS = Object.freeze({
	referrer: 'about:client',
	referrerPolicy: '',
	mode: 'cors',
	credentials: 'same-origin',
	cache: 'default',
	redirect: 'follow',
	integrity: '',
	keepalive: false,
});

let liveId, endNative, abortNative, slotFor, liveOf, partsOf;

export class Request {
	#id = CONSTRUCTED;
	#method;
	#url;
	/** @type {import('./headers.js').Headers | undefined} */
	#headers;
	/** @type {import('./abort.js').AbortSignal | undefined} */
	#signal;
	/** undefined: nobody asked yet. @type {import('./body.js').Body | null | undefined} */
	#body;
	#slot = null;
	#options = DEFAULTS;

	static {
		liveId = (request) => request.#live();
		slotFor = (request) => (request.#slot ??= takeSlot(request.#live(), request));
		endNative = (request, reusable) => request.#end(reusable);
		abortNative = (request, reason) => request.#abort(reason);
		liveOf = (request) => request.#id !== ENDED;
		partsOf = (request) => ({
			method: request.#method,
			url: request.#url,
			list: headers().headersList(request.#headers),
			body: request.#body,
			signal: request.#signal,
			redirect: request.#options.redirect,
			integrity: request.#options.integrity,
		});
	}

	constructor(input, init = undefined) {
		if (input === NATIVE) {
			this.#id = init;
			return;
		}
		needArguments(arguments.length, 1, 'Request');
		this.#construct(input, toDictionary(init, 'Request: the second argument'));
	}

	#construct(input, init) {
		const from = typeof input === 'object' && input !== null && #id in input ? input : null;
		const { checkMethod, followSignal, parseUrl, readOptions } = inits();
		const { copyHeaders, Headers } = headers();
		this.#url = from !== null ? from.url : parseUrl(input);
		const method = init.method === undefined ? undefined : checkMethod(init.method);
		this.#method = method ?? from?.method ?? 'GET';
		this.#options = readOptions(init, from === null ? DEFAULTS : from.#options);
		this.#signal = followSignal(init, from);
		this.#headers =
			init.headers !== undefined
				? new Headers(init.headers)
				: from !== null
					? copyHeaders(from.headers)
					: new Headers();
		this.#constructBody(init, from);
	}

	#constructBody(init, from) {
		const given = init.body !== undefined && init.body !== null;
		const inherited = from === null ? null : from.#readBody();
		this.#body = null;
		if ((given || inherited !== null) && (this.#method === 'GET' || this.#method === 'HEAD')) {
			throw new TypeError(`A ${this.#method} request cannot have a body`);
		}
		if (given) {
			const { body, type } = bodies().extractBody(init.body);
			if (type !== null && !this.#headers.has('content-type')) {
				this.#headers.append('content-type', type);
			}
			if (typeof init.body.getReader === 'function' && init.duplex === undefined) {
				throw new TypeError("A stream as a request's body needs duplex: 'half'");
			}
			this.#body = body;
		} else if (inherited !== null) {
			if (inherited.unusable) throw new TypeError('The body of the given request has been used');
			this.#body = inherited.pass();
		}
	}

	#live() {
		if (this.#id < 0) {
			throw new Error('The request has ended: read what you need of it before the reply');
		}
		return this.#id;
	}

	#end(reusable) {
		this.#id = ENDED;
		if (this.#slot !== null) {
			releaseSlot(this.#slot, reusable);
			this.#slot = null;
		}
	}

	/** Ended from outside. */
	#abort(reason) {
		const slot = this.#slot;
		this.#body ??= null;
		this.#id = ENDED;
		this.#slot = null;
		if (slot === null) return;
		const { controller, onAbort } = slot;
		releaseSlot(slot, false, reason);
		onAbort?.(reason);
		controller?.abort(reason);
	}

	/** Who listens to the signal wants to know afterwards what it was about. */
	#remember() {
		this.#method ??= native.requestMethod(this.#id);
		this.#url ??= native.requestUrl(this.#id);
		headers().settleHeaders(this.headers);
	}

	#readBody() {
		if (this.#body !== undefined) return this.#body;
		const id = this.#live();
		if (!announcesBody(id, this.method)) return (this.#body = null);
		const slot = slotFor(this);
		slot.body = new NativeBody(id);
		return (this.#body = new (bodies().Body)(slot.body));
	}

	/** A value that is the same for all; the call checks the receiver. */
	#always(value) {
		return value;
	}

	get method() {
		return (this.#method ??= native.requestMethod(this.#live()));
	}

	get url() {
		return (this.#url ??= native.requestUrl(this.#live()));
	}

	get headers() {
		if (this.#headers === undefined) {
			this.#live();
			this.#headers = headers().lazyHeaders(this);
		}
		return this.#headers;
	}

	get signal() {
		if (this.#signal !== undefined) return this.#signal;
		const { AbortController } = abort();
		const controller = new AbortController();
		if (this.#id >= 0) {
			slotFor(this).controller = controller;
			this.#remember();
		}
		return (this.#signal = controller.signal);
	}

	get body() {
		return this.#readBody()?.stream ?? null;
	}

	get bodyUsed() {
		return this.#body === undefined ? false : (this.#body?.used ?? false);
	}

	get destination() {
		return this.#always('');
	}
	get referrer() {
		return this.#options.referrer;
	}
	get referrerPolicy() {
		return this.#options.referrerPolicy;
	}
	get mode() {
		return this.#options.mode;
	}
	get credentials() {
		return this.#options.credentials;
	}
	get cache() {
		return this.#options.cache;
	}
	get redirect() {
		return this.#options.redirect;
	}
	get integrity() {
		return this.#options.integrity;
	}
	get keepalive() {
		return this.#options.keepalive;
	}
	get isReloadNavigation() {
		return this.#always(false);
	}
	get isHistoryNavigation() {
		return this.#always(false);
	}
	get duplex() {
		return this.#always('half');
	}

	clone() {
		const body = this.#readBody();
		const copy = new Request(NATIVE, CONSTRUCTED);
		copy.#body = body === null ? null : body.clone();
		copy.#method = this.method;
		copy.#url = this.url;
		const { copyHeaders, freezeHeaders } = headers();
		copy.#headers =
			this.#id === CONSTRUCTED
				? copyHeaders(this.headers)
				: freezeHeaders(copyHeaders(this.headers));
		copy.#signal = abort().AbortSignal.any([this.signal]);
		copy.#options = this.#options;
		return copy;
	}

	async arrayBuffer() {
		return bodies().readBuffer(this.#readBody());
	}
	async blob() {
		return bodies().readBlob(this.#readBody(), this.headers.get('content-type'));
	}
	async bytes() {
		return bodies().readBytes(this.#readBody());
	}
	async formData() {
		return bodies().readFormData(this.#readBody(), this.headers.get('content-type'));
	}
	async json() {
		return bodies().readJson(this.#readBody(), new Error());
	}
	async text() {
		return bodies().readText(this.#readBody());
	}

	[INSPECT](depth, options, inspect) {
		const { method, url, headers } = this;
		return `Request ${inspect({ method, url, headers, bodyUsed: this.bodyUsed }, options)}`;
	}
}

idl(Request, 'Request');

/** Whether there is something to read, as far as the head tells. */
function announcesBody(id, method) {
	const length = native.requestHeader(id, 'content-length');
	if (length !== null) return length !== '0';
	return (
		native.requestHeader(id, 'transfer-encoding') !== null ||
		(method !== 'GET' && method !== 'HEAD')
	);
}

/** The Request of an incoming request. @param {number} id */
export function nativeRequest(id) {
	return new Request(NATIVE, id);
}

/** What a Request that a handler made says; its signal is made by nobody but followed. */
export function requestParts(request) {
	return partsOf(request);
}

/** Whether C still waits for this request's reply. */
export function isLive(request) {
	return liveOf(request);
}

/** The id of a live request; throws when it has ended. */
export function requestId(request) {
	return liveId(request);
}

/** The slot of a live request, taken if it has none. @returns {import('./slots.js').Slot} */
export function requestSlot(request) {
	return slotFor(request);
}

/**
 * The reply is on its way, the id no longer ours.
 * @param {Request} request
 * @param {boolean} reusable no promise of the handler can still settle
 */
export function endRequest(request, reusable) {
	endNative(request, reusable);
}

/** The request ended from outside. */
export function abortRequest(request, reason) {
	abortNative(request, reason);
}
