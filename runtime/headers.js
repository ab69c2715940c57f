// SPDX-License-Identifier: BSD-2-Clause
/*
 * Headers. The list is flat, [name, value, …], names in lower case, which is
 * what the natives take and give. The headers of an incoming request stay in C until
 * something needs the list: get() and has() then ask for the one that is read.
 */
import { requestId } from './request.js';
import { INSPECT, idl, needArguments, pairIterable, toByteString } from './webidl.js';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const SPACES = '\t\n\r ';
const BAD_VALUE = /[\0\r\n]/;
const NAMES_KEPT = 256;

/** Names seen before, checked and in lower case. @type {Map<string, string>} */
const names = new Map();

function checkName(name) {
	const string = toByteString(name, 'A header name');
	if (!TOKEN.test(string)) {
		throw new TypeError(`${JSON.stringify(string)} is not a header name`);
	}
	const lower = string.toLowerCase();
	if (names.size < NAMES_KEPT) names.set(string, lower);
	return lower;
}

/** @param {unknown} name */
function normaliseName(name) {
	return names.get(/** @type {string} */ (name)) ?? checkName(name);
}

function normaliseValue(value, name) {
	const string = trim(toByteString(value, `The value of header ${name}`));
	if (BAD_VALUE.test(string)) {
		throw new TypeError(`The value of header ${name} has a CR, LF or NUL in it`);
	}
	return string;
}

/** Cookies have a separator of their own, in which no comma would be split. */
function combine(name, before, value) {
	return `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
}

/** In linear time, which a pattern with `$` is not. */
function trim(string) {
	let start = 0;
	let end = string.length;
	while (start < end && SPACES.includes(string[start])) start++;
	while (end > start && SPACES.includes(string[end - 1])) end--;
	return end - start === string.length ? string : string.slice(start, end);
}

const IMMUTABLE = 'immutable';
const LAZY = Symbol('lazy');
const LIST = Symbol('list');

let listOf, sortedOf, setGuardOf, ownerOf;

export class Headers {
	/** @type {string[] | null} */
	#list = null;
	#guard = 'none';
	/** The incoming request that these belong to. */
	#owner = null;
	#sorted = null;

	static {
		listOf = (headers) => headers.#all();
		setGuardOf = (headers, guard) => {
			headers.#guard = guard;
		};
		ownerOf = (headers) => headers.#owner;
		sortedOf = (headers) => (headers.#sorted ??= sort(headers.#all()));
	}

	constructor(init = undefined) {
		if (init === LAZY) {
			this.#owner = arguments[1];
			this.#guard = IMMUTABLE;
			return;
		}
		if (init === LIST) {
			this.#list = arguments[1];
			this.#guard = IMMUTABLE;
			return;
		}
		this.#list = [];
		if (init !== undefined) fill(this, init);
	}

	#all() {
		return (this.#list ??= native.requestHeaders(requestId(this.#owner)));
	}

	#change() {
		const list = this.#all();
		if (this.#guard === IMMUTABLE) throw new TypeError('These headers are immutable');
		this.#sorted = null;
		return list;
	}

	append(name, value) {
		needArguments(arguments.length, 2, 'Headers.append');
		const key = normaliseName(name);
		const text = normaliseValue(value, key);
		this.#change().push(key, text);
	}

	delete(name) {
		needArguments(arguments.length, 1, 'Headers.delete');
		const key = normaliseName(name);
		const list = this.#change();
		let kept = 0;
		for (let i = 0; i < list.length; i += 2) {
			if (list[i] === key) continue;
			list[kept++] = list[i];
			list[kept++] = list[i + 1];
		}
		list.length = kept;
	}

	get(name) {
		if (name === undefined) needArguments(arguments.length, 1, 'Headers.get');
		const key = normaliseName(name);
		const list = this.#list;
		if (list === null) return native.requestHeader(requestId(this.#owner), key);
		let value = null;
		for (let i = 0; i < list.length; i += 2) {
			if (list[i] === key) value = value === null ? list[i + 1] : combine(key, value, list[i + 1]);
		}
		return value;
	}

	getSetCookie() {
		const list = this.#all(),
			values = [];
		for (let i = 0; i < list.length; i += 2) {
			if (list[i] === 'set-cookie') values.push(list[i + 1]);
		}
		return values;
	}

	has(name) {
		if (name === undefined) needArguments(arguments.length, 1, 'Headers.has');
		return this.get(name) !== null;
	}

	set(name, value) {
		needArguments(arguments.length, 2, 'Headers.set');
		const key = normaliseName(name);
		const text = normaliseValue(value, key);
		const list = this.#change();
		const first = list.indexOf(key);
		let at = first;
		while (at >= 0 && at % 2 === 1) at = list.indexOf(key, at + 1);
		if (at < 0) {
			list.push(key, text);
			return;
		}
		list[at + 1] = text;
		for (let i = list.length - 2; i > at; i -= 2) {
			if (list[i] === key) list.splice(i, 2);
		}
	}

	[INSPECT](depth, options, inspect) {
		const shown = {};
		for (const [name, value] of sortedOf(this)) {
			shown[name] = name in shown ? [].concat(shown[name], value) : value;
		}
		return `Headers ${inspect(shown, options)}`;
	}
}

idl(Headers, 'Headers');
pairIterable(Headers, 'Headers', listOf, (headers, index) => sortedOf(headers)[index]);

/** Sorted and combined, as iteration shows them: Set-Cookie stays apart. */
function sort(list) {
	const combined = new Map(),
		cookies = [];
	for (let i = 0; i < list.length; i += 2) {
		const name = list[i],
			value = list[i + 1];
		if (name === 'set-cookie') {
			cookies.push([name, value]);
		} else {
			const before = combined.get(name);
			combined.set(name, before === undefined ? value : combine(name, before, value));
		}
	}
	const pairs = [...combined, ...cookies];
	return pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
}

function fill(headers, init) {
	if (init === null || (typeof init !== 'object' && typeof init !== 'function')) {
		throw new TypeError('Headers: the initialiser is not an object');
	}
	const iterator = init[Symbol.iterator];
	if (iterator === undefined || iterator === null) {
		fillFromRecord(headers, init);
		return;
	}
	for (const entry of init) {
		if (entry === null || typeof entry !== 'object') {
			throw new TypeError('Headers: an entry is not a pair');
		}
		const pair = [...entry];
		if (pair.length !== 2) {
			throw new TypeError(`Headers: an entry has ${pair.length} items instead of 2`);
		}
		headers.append(pair[0], pair[1]);
	}
}

function fillFromRecord(headers, init) {
	for (const key of Reflect.ownKeys(init)) {
		const property = Reflect.getOwnPropertyDescriptor(init, key);
		if (property === undefined || !property.enumerable) continue;
		if (typeof key === 'symbol') throw new TypeError('Headers: a name is a symbol');
		headers.append(key, init[key]);
	}
}

/** The immutable headers of an incoming request. @param {object} request */
export function lazyHeaders(request) {
	return new Headers(LAZY, request);
}

/** The immutable headers of a reply. @param {string[]} list flat, names in lower case */
export function headersOf(list) {
	return new Headers(LIST, list);
}

/** The flat list itself. @param {Headers} headers @returns {string[]} */
export function headersList(headers) {
	return listOf(headers);
}

/** @param {Headers} headers */
export function freezeHeaders(headers) {
	setGuardOf(headers, IMMUTABLE);
	return headers;
}

/** Reads what still lies in C, because the request is about to end. */
export function settleHeaders(headers) {
	if (ownerOf(headers) !== null) listOf(headers);
}

/** A new Headers with the same list. @param {Headers} headers */
export function copyHeaders(headers) {
	const copy = new Headers();
	listOf(copy).push(...listOf(headers));
	return copy;
}
