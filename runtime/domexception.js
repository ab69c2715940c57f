// SPDX-License-Identifier: BSD-2-Clause
/*
 * DOMException.
 */
import { constants, INSPECT } from './webidl.js';

const CODES = {
	IndexSizeError: 1,
	HierarchyRequestError: 3,
	WrongDocumentError: 4,
	InvalidCharacterError: 5,
	NoModificationAllowedError: 7,
	NotFoundError: 8,
	NotSupportedError: 9,
	InUseAttributeError: 10,
	InvalidStateError: 11,
	SyntaxError: 12,
	InvalidModificationError: 13,
	NamespaceError: 14,
	InvalidAccessError: 15,
	TypeMismatchError: 17,
	SecurityError: 18,
	NetworkError: 19,
	AbortError: 20,
	URLMismatchError: 21,
	QuotaExceededError: 22,
	TimeoutError: 23,
	InvalidNodeTypeError: 24,
	DataCloneError: 25,
};

/** Names of constants that no exception uses any more. */
const OLD = {
	DOMSTRING_SIZE_ERR: 2,
	NO_DATA_ALLOWED_ERR: 6,
	VALIDATION_ERR: 16,
};

export class DOMException {
	#name;
	#message;

	constructor(message = '', name = 'Error') {
		const options = typeof name === 'object' && name !== null ? name : { name };
		this.#message = `${message}`;
		this.#name = options.name === undefined ? 'Error' : `${options.name}`;
		if ('cause' in options) {
			Object.defineProperty(this, 'cause', {
				value: options.cause,
				writable: true,
				configurable: true,
			});
		}
		/** @type {any} */ (Error).captureStackTrace(this, DOMException);
	}

	get name() {
		return this.#name;
	}
	get message() {
		return this.#message;
	}
	get code() {
		return Object.hasOwn(CODES, this.#name) ? CODES[this.#name] : 0;
	}

	[INSPECT]() {
		return `DOMException [${this.#name}]: ${this.#message}`;
	}
}

Object.setPrototypeOf(DOMException.prototype, Error.prototype);
for (const key of ['name', 'message', 'code']) {
	Object.defineProperty(DOMException.prototype, key, { enumerable: true });
}
Object.defineProperty(DOMException, 'name', { value: 'DOMException', configurable: true });
Object.defineProperty(DOMException.prototype, Symbol.toStringTag, {
	value: 'DOMException',
	configurable: true,
});

const legacy = { ...OLD };
for (const [name, code] of Object.entries(CODES)) {
	const words = name
		.replace(/Error$/, '')
		.replace(/([a-z])([A-Z])/g, '$1_$2')
		.toUpperCase();
	legacy[`${words}_ERR`] = code;
}
constants(DOMException, legacy);
constants(DOMException.prototype, legacy);
