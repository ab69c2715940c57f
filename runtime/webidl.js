// SPDX-License-Identifier: BSD-2-Clause
/*
 * The conversions and class shapes of Web IDL that our interfaces share.
 */

/** Where console.log looks for a value's own way to be shown. */
export const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * Gives a class the looks of an interface: name, tag, enumerable members.
 * @param {Function} Class
 * @param {string} name
 */
export function idl(Class, name) {
	const prototype = Class.prototype;
	Object.defineProperty(Class, 'name', { value: name, configurable: true });
	for (const key of Object.getOwnPropertyNames(prototype)) {
		if (key === 'constructor') continue;
		Object.defineProperty(prototype, key, { enumerable: true });
	}
	Object.defineProperty(prototype, Symbol.toStringTag, {
		value: name,
		configurable: true,
	});
}

/**
 * @param {object} target
 * @param {Record<string, unknown>} values constants of an interface
 */
export function constants(target, values) {
	for (const key of Object.keys(values)) {
		Object.defineProperty(target, key, { value: values[key], enumerable: true });
	}
}

/**
 * @param {number} given
 * @param {number} wanted
 * @param {string} what
 */
export function needArguments(given, wanted, what) {
	if (given < wanted) {
		throw new TypeError(
			`${what} needs ${wanted} argument${wanted === 1 ? '' : 's'}, ${given} given`,
		);
	}
}

/** @param {unknown} value */
export function toUSVString(value) {
	return `${value}`.toWellFormed();
}

const BYTES = /^[\0-\xff]*$/;

/**
 * @param {unknown} value
 * @param {string} what
 */
export function toByteString(value, what) {
	const string = `${value}`;
	if (!BYTES.test(string)) {
		throw new TypeError(`${what} has a character above U+00FF`);
	}
	return string;
}

/**
 * @param {unknown} value
 * @param {string} what
 * @returns {any}
 */
export function toDictionary(value, what) {
	if (value === undefined || value === null) return {};
	if (typeof value !== 'object' && typeof value !== 'function') {
		throw new TypeError(`${what} is not an object`);
	}
	return value;
}

/**
 * The bytes that a BufferSource stands for, not copied.
 * @param {any} value
 * @returns {Uint8Array | undefined}
 */
export function viewOf(value) {
	if (ArrayBuffer.isView(value)) {
		return value instanceof Uint8Array
			? value
			: new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
	}
	if (isBuffer(value)) return new Uint8Array(value);
	return undefined;
}

/** @param {unknown} value */
export function isBuffer(value) {
	return (
		value instanceof ArrayBuffer ||
		(typeof SharedArrayBuffer === 'function' && value instanceof SharedArrayBuffer)
	);
}

/**
 * The prototype of an iterable interface's iterators. `at(target, index)`
 * returns the pair at that place now, or undefined past the end, so that
 * changes during the iteration are seen.
 * @param {string} name
 * @param {(target: any, index: number) => [any, any] | undefined} at
 */
function pairIterators(name, at) {
	const Base = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

	class PairIterator {
		#target;
		#kind;
		#index = 0;

		constructor(target, kind) {
			this.#target = target;
			this.#kind = kind;
		}

		next() {
			const pair = at(this.#target, this.#index);
			if (pair === undefined) return { value: undefined, done: true };
			this.#index++;
			const value = this.#kind === 'keys' ? pair[0] : this.#kind === 'values' ? pair[1] : pair;
			return { value, done: false };
		}
	}
	const prototype = PairIterator.prototype;
	delete prototype.constructor;
	Object.setPrototypeOf(prototype, Base);
	Object.defineProperty(prototype, 'next', { enumerable: true });
	Object.defineProperty(prototype, Symbol.toStringTag, {
		value: `${name} Iterator`,
		configurable: true,
	});
	return (target, kind) => new PairIterator(target, kind);
}

/**
 * Adds entries, keys, values, forEach and Symbol.iterator to an interface.
 * @param {Function} Class
 * @param {string} name
 * @param {(target: any) => void} check throws when the receiver is another thing
 * @param {(target: any, index: number) => [any, any] | undefined} at
 */
export function pairIterable(Class, name, check, at) {
	const iterate = pairIterators(name, at);
	const methods = {
		entries() {
			check(this);
			return iterate(this, 'entries');
		},
		keys() {
			check(this);
			return iterate(this, 'keys');
		},
		values() {
			check(this);
			return iterate(this, 'values');
		},
		forEach(callback, thisArg = undefined) {
			check(this);
			needArguments(arguments.length, 1, `${name}.forEach`);
			if (typeof callback !== 'function') {
				throw new TypeError(`${name}.forEach: the callback is not a function`);
			}
			for (let i = 0, pair; (pair = at(this, i)) !== undefined; i++) {
				callback.call(thisArg, pair[1], pair[0], this);
			}
		},
	};
	for (const key of Object.keys(methods)) {
		Object.defineProperty(Class.prototype, key, {
			value: methods[key],
			writable: true,
			configurable: true,
			enumerable: true,
		});
	}
	Object.defineProperty(Class.prototype, Symbol.iterator, {
		value: methods.entries,
		writable: true,
		configurable: true,
	});
}
