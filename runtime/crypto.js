// SPDX-License-Identifier: BSD-2-Clause
/*
 * crypto: random bytes and UUIDs.
 */
import { DOMException } from './domexception.js';
import { idl, needArguments } from './webidl.js';

const QUOTA = 65536;
const SECRET = Symbol('secret');

function isIntegerView(value) {
	return (
		ArrayBuffer.isView(value) &&
		!(value instanceof DataView) &&
		!(value instanceof Float32Array) &&
		!(value instanceof Float64Array) &&
		value[Symbol.toStringTag] !== 'Float16Array'
	);
}

export class Crypto {
	#brand = true;

	constructor(secret = undefined) {
		if (secret !== SECRET) throw new TypeError('Crypto has no public constructor');
	}

	getRandomValues(array) {
		needArguments(arguments.length, 1, 'crypto.getRandomValues');
		if (!ArrayBuffer.isView(array))
			throw new TypeError('crypto.getRandomValues: the argument is not a view');
		if (!isIntegerView(array))
			throw new DOMException('The array does not hold integers', 'TypeMismatchError');
		if (array.byteLength > QUOTA) {
			throw new DOMException(
				`At most ${QUOTA} random bytes can be had at once`,
				'QuotaExceededError',
			);
		}
		if (this.#brand)
			native.random(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
		return array;
	}

	randomUUID() {
		const bytes = this.getRandomValues(new Uint8Array(16));
		bytes[6] = (bytes[6] & 0x0f) | 0x40;
		bytes[8] = (bytes[8] & 0x3f) | 0x80;
		const hex = Array.from(/** @type {Uint8Array} */ (bytes), (byte) =>
			byte.toString(16).padStart(2, '0'),
		).join('');
		return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
	}
}

idl(Crypto, 'Crypto');
Object.defineProperty(Crypto, 'length', { value: 0, configurable: true });

export const crypto = new Crypto(SECRET);
