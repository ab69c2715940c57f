// SPDX-License-Identifier: BSD-2-Clause
/*
 * Response.
 */
import { blameless } from './bodyerror.js';
import { copyHeaders, freezeHeaders, Headers, headersOf } from './headers.js';
import { lazy } from './lazy.js';
import { INSPECT, idl, needArguments, toByteString, toDictionary, toUSVString } from './webidl.js';

const bodies = lazy(() => require('./body.js'));
const urls = lazy(() => require('./url.js'));

const NULL_BODY = new Set([101, 103, 204, 205, 304]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const REASON = /^[\t \x21-\x7e\x80-\xff]*$/;

let stateOf, brandOf, make;

export class Response {
	#status = 200;
	#statusText = '';
	#headers;
	/** @type {import('./body.js').Body | null} */
	#body = null;
	#type = 'default';
	#url = '';
	#redirected = false;

	static {
		brandOf = (value) => #status in value;
		make = ({ status, statusText, list, body, url, redirected }) => {
			const response = new Response();
			response.#status = status;
			response.#statusText = statusText;
			response.#headers = headersOf(list);
			response.#body = body;
			response.#type = 'basic';
			response.#url = url;
			response.#redirected = redirected;
			return response;
		};
		stateOf = (response) => ({
			status: response.#status,
			headers: response.#headers,
			body: response.#body,
			type: response.#type,
		});
	}

	constructor(body = null, init = undefined) {
		this.#begin(toDictionary(init, 'Response: the second argument'));
		if (body === null || body === undefined) return;
		if (NULL_BODY.has(this.#status)) {
			throw new TypeError(`A response with status ${this.#status} cannot have a body`);
		}
		this.#setBody(bodies().extractBody(body));
	}

	#begin(init) {
		const { status, statusText, headers } = init;
		if (status !== undefined) {
			const number = toUnsignedShort(status);
			if (number < 200 || number > 599) {
				throw new RangeError(`A response's status is from 200 to 599, not ${status}`);
			}
			this.#status = number;
		}
		if (statusText !== undefined) {
			const text = toByteString(statusText, 'The status text');
			if (!REASON.test(text)) throw new TypeError('The status text has a control character in it');
			this.#statusText = text;
		}
		this.#headers = new Headers(headers);
	}

	#setBody({ body, type }) {
		this.#body = body;
		if (type !== null && !this.#headers.has('content-type')) {
			this.#headers.append('content-type', type);
		}
	}

	static error() {
		const response = new Response();
		response.#type = 'error';
		response.#status = 0;
		freezeHeaders(response.#headers);
		return response;
	}

	static redirect(url, status = 302) {
		needArguments(arguments.length, 1, 'Response.redirect');
		const string = toUSVString(url);
		const parsed = urls().URL.parse(string);
		const number = toUnsignedShort(status);
		if (parsed === null) throw new TypeError(`${JSON.stringify(string)} is not an absolute URL`);
		if (!REDIRECTS.has(number)) throw new RangeError(`${status} is not a redirect's status`);
		const response = new Response(null, { status: number, headers: { location: parsed.href } });
		freezeHeaders(response.#headers);
		return response;
	}

	static json(data, init = undefined) {
		needArguments(arguments.length, 1, 'Response.json');
		const text = JSON.stringify(data);
		if (text === undefined) throw new TypeError('The data has no JSON form');
		const response = new Response(null, init);
		if (NULL_BODY.has(response.#status)) {
			throw new TypeError(`A response with status ${response.#status} cannot have a body`);
		}
		response.#setBody({ body: bodies().extractBody(text).body, type: 'application/json' });
		return response;
	}

	get type() {
		return this.#type;
	}
	get url() {
		return this.#url;
	}
	get redirected() {
		return this.#redirected;
	}
	get status() {
		return this.#status;
	}
	get ok() {
		return this.#status >= 200 && this.#status <= 299;
	}
	get statusText() {
		return this.#statusText;
	}
	get headers() {
		return this.#headers;
	}
	get body() {
		return this.#body === null ? null : this.#body.stream;
	}
	get bodyUsed() {
		return this.#body === null ? false : this.#body.used;
	}

	clone() {
		const body = this.#body === null ? null : this.#body.clone();
		const copy = new Response();
		copy.#status = this.#status;
		copy.#statusText = this.#statusText;
		copy.#headers = copyHeaders(this.#headers);
		copy.#type = this.#type;
		copy.#url = this.#url;
		copy.#redirected = this.#redirected;
		copy.#body = body;
		if (this.#type !== 'default') freezeHeaders(copy.#headers);
		return copy;
	}

	async arrayBuffer() {
		return bodies().readBuffer(this.#body);
	}
	async blob() {
		return bodies().readBlob(this.#body, this.#headers.get('content-type'));
	}
	async bytes() {
		return bodies().readBytes(this.#body);
	}
	async formData() {
		const type = this.#headers.get('content-type');
		return bodies().readFormData(this.#body, type).catch(blameless);
	}
	async json() {
		return bodies().readJson(this.#body, new Error());
	}
	async text() {
		return bodies().readText(this.#body);
	}

	[INSPECT](depth, options, inspect) {
		const { status, statusText, headers, bodyUsed } = this;
		return `Response ${inspect({ status, statusText, headers, bodyUsed }, options)}`;
	}
}

idl(Response, 'Response');
for (const name of ['error', 'redirect', 'json']) {
	Object.defineProperty(Response, name, { enumerable: true });
}

function toUnsignedShort(value) {
	return Number(value) & 0xffff;
}

/** @param {object} value @returns {value is Response} */
export function isResponse(value) {
	return brandOf(value);
}

export function hasNoBody(status) {
	return NULL_BODY.has(status);
}

export function isRedirect(status) {
	return REDIRECTS.has(status);
}

/**
 * What fetch resolves to.
 * @param {{status: number, statusText: string, list: string[], body: import('./body.js').Body | null,
 *	url: string, redirected: boolean}} parts list: flat, names in lower case
 * @returns {Response}
 */
export function fetchedResponse(parts) {
	return make(parts);
}

/**
 * What a reply is made of.
 * @param {Response} response
 * @returns {{status: number, headers: Headers, body: import('./body.js').Body | null, type: string}}
 */
export function responseState(response) {
	return stateOf(response);
}
