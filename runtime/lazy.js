// SPDX-License-Identifier: BSD-2-Clause
/*
 * A route process has to start in a few milliseconds, so whatever a plain
 * handler does not touch is evaluated when it is first used. esbuild turns
 * `require` of one of our modules into such a deferred evaluation.
 */

/**
 * Wraps a loader so that it runs once.
 * @template T
 * @param {() => T} load
 * @returns {() => T}
 */
export function lazy(load) {
	/** @type {T | undefined} */
	let value;
	return () => (value ??= load());
}

/**
 * Defines a global. Like every interface object it is writable, configurable and
 * not enumerable.
 * @param {string} name
 * @param {unknown} value
 */
export function setGlobal(name, value) {
	/* The bundle shortens names. */
	if (typeof value === 'function' && value.name !== name) {
		Object.defineProperty(value, 'name', { value: name, configurable: true });
	}
	Object.defineProperty(globalThis, name, {
		value,
		writable: true,
		configurable: true,
		enumerable: false,
	});
}

/**
 * Defines a global that is made at its first use.
 * @param {string} name
 * @param {() => unknown} load
 */
export function defineGlobal(name, load) {
	Object.defineProperty(globalThis, name, {
		get() {
			const value = load();
			setGlobal(name, value);
			return value;
		},
		set(value) {
			setGlobal(name, value);
		},
		configurable: true,
		enumerable: false,
	});
}
