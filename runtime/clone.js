// SPDX-License-Identifier: BSD-2-Clause
/*
 * structuredClone, after the HTML standard. Written here because the npm
 * packages leave out buffers, views, transfer and our own Blob and DOMException.
 */
import { Blob, File } from './blob.js';
import { DOMException } from './domexception.js';
import { needArguments, toDictionary } from './webidl.js';

const ERRORS = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

function refuse(what) {
	return new DOMException(`${what} cannot be cloned`, 'DataCloneError');
}

/** Runs a brand check: true when `call` does not throw. */
function is(call) {
	try {
		call();
		return true;
	} catch {
		return false;
	}
}

const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;

const WRAPPERS = [
	(value) => Object(Boolean.prototype.valueOf.call(value)),
	(value) => Object(Number.prototype.valueOf.call(value)),
	(value) => Object(String.prototype.valueOf.call(value)),
	(value) => Object(BigInt.prototype.valueOf.call(value)),
];

/** Values without parts, or undefined. */
function cloneLeaf(value) {
	if (value instanceof Date) return new Date(Date.prototype.getTime.call(value));
	if (value instanceof RegExp) return new RegExp(value.source, value.flags);
	if (value instanceof Blob)
		return value instanceof File
			? new File([value], value.name, { type: value.type, lastModified: value.lastModified })
			: value.slice(0, value.size, value.type);
	for (const wrap of WRAPPERS) {
		try {
			return wrap(value);
		} catch {
			/* another kind */
		}
	}
	return undefined;
}

function cloneBuffer(buffer) {
	if (buffer instanceof ArrayBuffer) {
		if (buffer.detached) throw refuse('A detached ArrayBuffer');
		if (!buffer.resizable) return buffer.slice(0);
		const copy = new ArrayBuffer(buffer.byteLength, { maxByteLength: buffer.maxByteLength });
		new Uint8Array(copy).set(new Uint8Array(buffer));
		return copy;
	}
	return buffer;
}

class Cloner {
	/** @type {Map<object, object>} */
	seen = new Map();

	clone(value) {
		if (typeof value === 'symbol') throw refuse('A symbol');
		if (typeof value === 'function') throw refuse(`The function ${value.name || '(anonymous)'}`);
		if (typeof value !== 'object' || value === null) return value;
		return this.seen.get(value) ?? this.object(value);
	}

	remember(value, copy) {
		this.seen.set(value, copy);
		return copy;
	}

	object(value) {
		if (ArrayBuffer.isView(value)) return this.view(value);
		if (
			value instanceof ArrayBuffer ||
			(typeof SharedArrayBuffer === 'function' && value instanceof SharedArrayBuffer)
		) {
			return this.remember(value, cloneBuffer(value));
		}
		if (is(() => mapSize.call(value))) return this.map(value);
		if (is(() => setSize.call(value))) return this.set(value);
		if (Array.isArray(value))
			return this.members(value, this.remember(value, new Array(value.length)));
		if (value instanceof DOMException) {
			return this.remember(value, new DOMException(value.message, value.name));
		}
		if (Error.isError?.(value) ?? value instanceof Error) return this.error(value);
		const leaf = cloneLeaf(value);
		if (leaf !== undefined) return this.remember(value, leaf);
		if (!isOrdinary(value))
			throw refuse(`An object of kind ${Object.prototype.toString.call(value).slice(8, -1)}`);
		return this.members(value, this.remember(value, {}));
	}

	view(value) {
		const buffer = this.clone(value.buffer);
		const Type = value instanceof DataView ? DataView : globalThis[value[Symbol.toStringTag]];
		const length = value instanceof DataView ? value.byteLength : value.length;
		return this.remember(value, new Type(buffer, value.byteOffset, length));
	}

	map(value) {
		const copy = this.remember(value, new Map());
		for (const [key, item] of [...Map.prototype.entries.call(value)])
			copy.set(this.clone(key), this.clone(item));
		return copy;
	}

	set(value) {
		const copy = this.remember(value, new Set());
		for (const item of [...Set.prototype.values.call(value)]) copy.add(this.clone(item));
		return copy;
	}

	members(value, copy) {
		for (const key of Object.keys(value)) {
			if (!Object.hasOwn(value, key)) continue;
			Object.defineProperty(copy, key, {
				value: this.clone(value[key]),
				writable: true,
				enumerable: true,
				configurable: true,
			});
		}
		return copy;
	}

	error(value) {
		const Type = ERRORS[`${value.name}`] ?? Error;
		const message = Object.getOwnPropertyDescriptor(value, 'message');
		const made = this.remember(value, new Type());
		const hidden = (key, item) =>
			Object.defineProperty(made, key, {
				value: item,
				writable: true,
				configurable: true,
				enumerable: false,
			});
		if (message !== undefined && 'value' in message) hidden('message', `${message.value}`);
		if (typeof value.stack === 'string') hidden('stack', value.stack);
		if (Object.hasOwn(value, 'cause')) hidden('cause', this.clone(value.cause));
		return made;
	}
}

/** No internal slots that a plain copy would lose, as far as can be told. */
function isOrdinary(value) {
	const tag = Object.prototype.toString.call(value);
	return !/^\[object (Promise|WeakMap|WeakSet|WeakRef|Generator|AsyncGenerator|FinalizationRegistry|Request|Response|Headers|FormData|ReadableStream|WritableStream|TransformStream|AbortSignal|AbortController|URL|URLSearchParams)\]$/.test(
		tag,
	);
}

function transferBuffer(cloner, item) {
	if (!(item instanceof ArrayBuffer))
		throw refuse('A transferred value that is not an ArrayBuffer');
	if (item.detached) throw refuse('A detached ArrayBuffer');
	if (cloner.seen.has(item)) throw refuse('A value that is transferred twice');
	cloner.seen.set(item, cloneBuffer(item));
}

export function structuredClone(value, options = undefined) {
	needArguments(arguments.length, 1, 'structuredClone');
	const { transfer = [] } = toDictionary(options, 'structuredClone: the second argument');
	const cloner = new Cloner();
	const list = [...transfer];
	for (const item of list) transferBuffer(cloner, item);
	const copy = cloner.clone(value);
	/* Only when all of it could be cloned do the originals go. */
	for (const item of list) item.transfer();
	return copy;
}
