// SPDX-License-Identifier: BSD-2-Clause
/*
 * Errors of a request's body: a handler that lets one pass is not at fault, and
 * the reply says whose mistake it is.
 */
export const BAD_REQUEST = 400;
export const TOO_LARGE = 413;

/** @type {WeakMap<object, number>} */
const statuses = new WeakMap();

/**
 * @param {number} status of the reply when nobody catches it
 * @param {string} message
 */
export function bodyError(status, message) {
	const error = new TypeError(message);
	statuses.set(error, status);
	return error;
}

/** The status of a reply to what a handler failed with: 500, or a body's own. @param {unknown} error */
export function statusOf(error) {
	const known = typeof error === 'object' && error !== null;
	return known ? (statuses.get(error) ?? 500) : 500;
}

/** The body of a Response is not the client's. @param {unknown} error @returns {never} */
export function blameless(error) {
	if (typeof error === 'object' && error !== null) statuses.delete(error);
	throw error;
}
