// SPDX-License-Identifier: BSD-2-Clause
/*
 * Amounts in an app file: sizes ('64M'), durations ('1s') and counts.
 */
const SIZES = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };
const TIMES = { '': 1, ms: 1, s: 1000, m: 60000, h: 3600000 };

function amount(value, units, pattern) {
	if (typeof value === 'number') return value;
	const found = typeof value === 'string' ? pattern.exec(value.trim()) : null;
	return found === null ? NaN : Number(found[1]) * units[found[2]];
}

function whole(number, shown, what, hint) {
	const rounded = Math.round(number);
	if (!(number > 0) || !Number.isSafeInteger(rounded) || rounded < 1) {
		throw new TypeError(`${what} is ${shown}; it must be ${hint}`);
	}
	return rounded;
}

function text(value) {
	if (typeof value === 'string') return JSON.stringify(value);
	return typeof value === 'object' && value !== null
		? 'an object'
		: typeof value === 'function'
			? 'a function'
			: String(value);
}

/** Bytes. @param {unknown} value @param {string} what */
function parseSize(value, what) {
	const bytes = amount(value, SIZES, /^(\d+(?:\.\d+)?)\s*([KMG]?)(?:i?B)?$/);
	return whole(bytes, text(value), what, "a number of bytes or a size such as '64M'");
}

/** Milliseconds. @param {unknown} value @param {string} what */
export function parseTime(value, what) {
	const ms = amount(value, TIMES, /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|)$/);
	return whole(
		ms,
		text(value),
		what,
		"a number of milliseconds or a duration such as '500ms' or '30s'",
	);
}

/** A whole number from 1 up. @param {unknown} value @param {string} what */
export function parseCount(value, what) {
	if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
		throw new TypeError(`${what} is ${text(value)}; it must be a whole number from 1 up`);
	}
	return value;
}

const LIMITS = {
	memory: parseSize,
	cpu: parseTime,
	wall: parseTime,
	body: parseSize,
	concurrency: parseCount,
	subrequests: parseCount,
};

/**
 * The object given to limits().
 * @param {any} given
 * @param {string} what the call, for messages
 * @param {Record<string, (value: unknown, what: string) => number>} [extra]
 * @returns {Record<string, number>} bytes, milliseconds and counts
 */
export function parseLimits(given, what, extra = {}) {
	if (typeof given !== 'object' || given === null || Array.isArray(given)) {
		throw new TypeError(`${what} needs an object such as {memory: '64M', wall: '10s'}`);
	}
	const known = { ...LIMITS, ...extra };
	/** @type {Record<string, number>} */
	const limits = {};
	for (const key of Object.keys(given)) {
		if (!Object.hasOwn(known, key)) {
			throw new TypeError(
				`${what}: there is no limit ${JSON.stringify(key)}; there are ${Object.keys(known).join(', ')}`,
			);
		}
		if (given[key] !== undefined) limits[key] = known[key](given[key], `${what}: ${key}`);
	}
	return limits;
}

export { text as shown };
