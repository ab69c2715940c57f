// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a Request that a handler makes is made from: the checks of the Fetch
 * standard.
 */
import { AbortSignal } from './abort.js';
import { URL } from './url.js';
import { toByteString, toUSVString } from './webidl.js';

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const FORBIDDEN = new Set(['CONNECT', 'TRACE', 'TRACK']);
const NORMALISED = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']);

const CHOICES = {
	referrerPolicy: [
		'',
		'no-referrer',
		'no-referrer-when-downgrade',
		'same-origin',
		'origin',
		'strict-origin',
		'origin-when-cross-origin',
		'strict-origin-when-cross-origin',
		'unsafe-url',
	],
	mode: ['navigate', 'same-origin', 'no-cors', 'cors'],
	credentials: ['omit', 'same-origin', 'include'],
	cache: ['default', 'no-store', 'reload', 'no-cache', 'force-cache', 'only-if-cached'],
	redirect: ['follow', 'error', 'manual'],
	duplex: ['half'],
	priority: ['high', 'low', 'auto'],
};

export function parseUrl(input) {
	const string = toUSVString(input);
	const url = URL.parse(string);
	if (url === null) throw new TypeError(`${JSON.stringify(string)} is not an absolute URL`);
	if (url.username !== '' || url.password !== '') {
		throw new TypeError('The URL of a request cannot have a user name or password in it');
	}
	return url.href;
}

export function checkMethod(value) {
	const method = toByteString(value, 'The method');
	if (!METHOD.test(method)) throw new TypeError(`${JSON.stringify(method)} is not a method`);
	const upper = method.toUpperCase();
	if (FORBIDDEN.has(upper)) throw new TypeError(`The method ${upper} is not allowed`);
	return NORMALISED.has(upper) ? upper : method;
}

export function readOptions(init, base) {
	/** @type {any} */
	let options = null;
	const change = () => (options ??= { ...base });
	if (init.window !== undefined && init.window !== null) {
		throw new TypeError("Request: 'window' can only be null");
	}
	for (const key of Object.keys(CHOICES)) {
		if (init[key] === undefined) continue;
		const value = `${init[key]}`;
		if (!CHOICES[key].includes(value)) {
			throw new TypeError(`Request: ${JSON.stringify(value)} is not a ${key}`);
		}
		change()[key] = value;
	}
	if (options?.mode === 'navigate') throw new TypeError("Request: mode cannot be 'navigate'");
	if (init.integrity !== undefined) change().integrity = `${init.integrity}`;
	if (init.keepalive !== undefined) change().keepalive = Boolean(init.keepalive);
	if (init.referrer !== undefined) change().referrer = checkReferrer(init.referrer);
	const { cache, mode } = options ?? base;
	if (cache === 'only-if-cached' && mode !== 'same-origin') {
		throw new TypeError("Request: cache 'only-if-cached' needs mode 'same-origin'");
	}
	return options ?? base;
}

function checkReferrer(value) {
	const string = toUSVString(value);
	if (string === '') return 'no-referrer';
	const url = URL.parse(string);
	if (url === null)
		throw new TypeError(`Request: the referrer ${JSON.stringify(string)} is not a URL`);
	return url.protocol === 'about:' && url.pathname === 'client' ? 'about:client' : url.href;
}

export function followSignal(init, from) {
	const given = init.signal === undefined ? from?.signal : init.signal;
	if (given === undefined || given === null) return undefined;
	if (!(given instanceof AbortSignal)) throw new TypeError('Request: signal is not an AbortSignal');
	return AbortSignal.any([given]);
}
