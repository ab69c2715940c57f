// SPDX-License-Identifier: BSD-2-Clause
/*
 * URLSearchParams.
 */
import { INSPECT, idl, needArguments, pairIterable, toUSVString } from './webidl.js';

let pairsOf, brandOf, rebind;

export class URLSearchParams {
	/** @type {[string, string][]} */
	#pairs = [];
	/** Tells the URL that this is the query of. @type {((query: string) => void) | null} */
	#update = null;

	static {
		pairsOf = (params) => params.#pairs;
		brandOf = (value) => #pairs in value;
		rebind = (params, query, update) => {
			params.#pairs = parse(query);
			params.#update = update;
		};
	}

	constructor(init = '') {
		if (init !== null && (typeof init === 'object' || typeof init === 'function')) {
			this.#pairs = fromObject(init);
		} else {
			this.#pairs = parse(toUSVString(init));
		}
	}

	#changed() {
		this.#update?.(this.toString());
	}

	get size() {
		return this.#pairs.length;
	}

	append(name, value) {
		needArguments(arguments.length, 2, 'URLSearchParams.append');
		this.#pairs.push([toUSVString(name), toUSVString(value)]);
		this.#changed();
	}

	delete(name, value = undefined) {
		needArguments(arguments.length, 1, 'URLSearchParams.delete');
		const match = matcher(name, value);
		this.#pairs = this.#pairs.filter((pair) => !match(pair));
		this.#changed();
	}

	get(name) {
		needArguments(arguments.length, 1, 'URLSearchParams.get');
		const found = this.#pairs.find(matcher(name, undefined));
		return found === undefined ? null : found[1];
	}

	getAll(name) {
		needArguments(arguments.length, 1, 'URLSearchParams.getAll');
		return this.#pairs.filter(matcher(name, undefined)).map((pair) => pair[1]);
	}

	has(name, value = undefined) {
		needArguments(arguments.length, 1, 'URLSearchParams.has');
		return this.#pairs.some(matcher(name, value));
	}

	set(name, value) {
		needArguments(arguments.length, 2, 'URLSearchParams.set');
		const key = toUSVString(name),
			text = toUSVString(value);
		const at = this.#pairs.findIndex((pair) => pair[0] === key);
		if (at < 0) {
			this.#pairs.push([key, text]);
		} else {
			this.#pairs = this.#pairs.filter((pair, i) => i <= at || pair[0] !== key);
			this.#pairs[at] = [key, text];
		}
		this.#changed();
	}

	sort() {
		this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
		this.#changed();
	}

	toString() {
		return native.formSerialize(this.#pairs.flat());
	}

	[INSPECT](depth, options, inspect) {
		if (this.#pairs.length === 0) return 'URLSearchParams {}';
		const shown = this.#pairs.map(([name, value]) => `${inspect(name)} => ${inspect(value)}`);
		return `URLSearchParams { ${shown.join(', ')} }`;
	}
}

idl(URLSearchParams, 'URLSearchParams');
pairIterable(
	URLSearchParams,
	'URLSearchParams',
	(params) => pairsOf(params),
	(params, index) => pairsOf(params)[index],
);

function matcher(name, value) {
	const key = toUSVString(name);
	if (value === undefined) return (pair) => pair[0] === key;
	const text = toUSVString(value);
	return (pair) => pair[0] === key && pair[1] === text;
}

/** @param {string} query @returns {[string, string][]} */
function parse(query) {
	const list = native.formParse(query[0] === '?' ? query.slice(1) : query);
	/** @type {[string, string][]} */
	const pairs = [];
	for (let i = 0; i < list.length; i += 2) pairs.push([list[i], list[i + 1]]);
	return pairs;
}

/** @param {any} init @returns {[string, string][]} */
function fromObject(init) {
	const iterator = init[Symbol.iterator];
	if (iterator === undefined || iterator === null) return fromRecord(init);
	/** @type {[string, string][]} */
	const pairs = [];
	for (const item of init) {
		if (item === null || (typeof item !== 'object' && typeof item !== 'function')) {
			throw new TypeError('URLSearchParams: an item is not a pair');
		}
		const pair = [...item];
		if (pair.length !== 2) {
			throw new TypeError(`URLSearchParams: an item has ${pair.length} parts instead of 2`);
		}
		pairs.push([toUSVString(pair[0]), toUSVString(pair[1])]);
	}
	return pairs;
}

/** Keys that become equal once they are well-formed: the last one wins. */
function fromRecord(init) {
	const record = new Map();
	for (const key of Reflect.ownKeys(init)) {
		const property = Reflect.getOwnPropertyDescriptor(init, key);
		if (property === undefined || !property.enumerable) continue;
		record.set(toUSVString(key), toUSVString(init[key]));
	}
	return [...record];
}

/** @param {unknown} value @returns {value is URLSearchParams} */
export function isURLSearchParams(value) {
	return typeof value === 'object' && value !== null && brandOf(value);
}

/**
 * Makes `params` the query of a URL.
 * @param {URLSearchParams} params
 * @param {string} query
 * @param {(query: string) => void} update
 */
export function bindUrl(params, query, update) {
	rebind(params, query, update);
}
